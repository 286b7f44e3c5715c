/**
 * The TypeScript SDK of Troupe: one file that needs nothing but `fetch` (Node 20, Bun, Deno, browsers).
 * It is made from the contract by `bun run sdk:generate`; changes by hand are lost.
 *
 *   const troupe = new Troupe({ baseUrl: "http://127.0.0.1:3000", token: process.env.TROUPE_TOKEN });
 *   const chat = await troupe.createChat({ agent_id, workspace_id });
 *   const { message } = await troupe.sendMessage(chat.id, { content: "Hello" });
 *   for await (const event of troupe.streamChatEvents(chat.id, { replay: "all", wait: "end" }))
 *     if (event.event === "message.delta") process.stdout.write(event.data.text);
 *
 * - Each operation of the contract is a method of `Troupe`. `listAll…` goes through all pages, `waitFor…`
 *   answers when a record has changed, `stream…` gives typed events and goes on where it was cut.
 * - Requests that change something carry an `Idempotency-Key`: a failure that passes is tried again with
 *   the same key, and done once.
 * - A refusal is an `ApiError`; each code has its class, for example `NotFoundError`.
 * - `verifyWebhook` answers the event of a webhook, or throws.
 */
