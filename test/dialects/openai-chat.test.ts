/** Chat completions, through OpenAI's own client, unmodified. */
import { beforeEach, expect, test } from "bun:test";
import OpenAI from "openai";
import { until } from "../support/condition.ts";
import { answered } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { sceneOfTest } from "../support/scene.ts";

let openai: OpenAI;
let agentId: string;
const { service, owner, client } = sceneOfTest();
beforeEach(async () => {
  agentId = await makeAgent();
  openai = new OpenAI({ apiKey: owner.token, baseURL: `${service.url}/openai/v1`, maxRetries: 0 });
  service.model.script = ({ entries }) => [{ say: "echo: " }, { say: textOf(entries.at(-1)) }];
});

const textOf = (entry: unknown): string => (entry as { text?: string }).text ?? "";
const makeAgent = (): Promise<string> => client.agent({ name: "Clerk" });
const ask = (content: string) => ({ model: "Clerk", messages: [{ role: "user" as const, content }] });
/** The text of a stream of chunks. */
async function streamed(
  params: OpenAI.ChatCompletionCreateParams,
): Promise<{ chunks: OpenAI.ChatCompletionChunk[]; text: string }> {
  const chunks = await Array.fromAsync(await openai.chat.completions.create({ ...params, stream: true }));
  return { chunks, text: chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("") };
}
const lookup = {
  type: "function",
  function: {
    name: "lookup",
    description: "Price",
    parameters: { type: "object", properties: { article: { type: "string" } }, required: ["article"] },
  },
} as const;

test("[DIA-1] agents are models, by name where it is unique, and by id", async () => {
  const list = await openai.models.list();
  expect(list.data.map(({ id, object }) => [id, object])).toContainEqual(["Clerk", "model"]);
  expect(await openai.models.retrieve(agentId)).toMatchObject({ id: agentId, name: "Clerk" });
  await makeAgent();
  expect((await openai.models.list()).data.filter(({ id }) => id === "Clerk")).toEqual([]);
  const unknown = openai.models.retrieve("nobody").catch((err: unknown) => err);
  expect(await unknown).toMatchObject({
    status: 404,
    code: "model_not_found",
    param: "model",
    type: "invalid_request_error",
  });
});

test("[DIA-1] a completion is answered whole and as a stream, with usage only where it was asked for", async () => {
  const whole = await openai.chat.completions.create(ask("hi"));
  expect(whole.choices).toMatchObject([{ message: { role: "assistant", content: "echo: hi" }, finish_reason: "stop" }]);
  expect(whole.usage?.total_tokens).toBeGreaterThan(0);
  const { chunks, text } = await streamed(ask("you"));
  expect(text).toBe("echo: you");
  const reasons = chunks.map(({ choices }) => choices[0]?.finish_reason);
  expect(reasons.slice(0, -1).every((reason) => reason === null)).toBe(true);
  expect(reasons.at(-1)).toBe("stop");
  const counted = await streamed({ ...ask("me"), stream_options: { include_usage: true } });
  expect(counted.chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) as number } });
});

test("[DIA-3] the client's functions end the turn, and its results continue the same run", async () => {
  service.model.script = ({ entries }) =>
    entries.at(-1)!.role === "user"
      ? [
          { think: "A price is asked for." },
          { use: { type: "tool_use", id: "c1", name: "lookup", input: { article: "pen" } } },
        ]
      : [{ say: "7 EUR" }];
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: "Prices are in EUR." },
    { role: "user", content: "What is a pen?" },
  ];
  const first = await openai.chat.completions.create({ model: agentId, messages, tools: [lookup] });
  const [choice] = first.choices;
  expect(choice).toMatchObject({
    finish_reason: "tool_calls",
    message: { reasoning_content: "A price is asked for." },
  });
  const call = choice!.message.tool_calls![0] as OpenAI.ChatCompletionMessageFunctionToolCall;
  expect(call).toMatchObject({ type: "function", function: { name: "lookup", arguments: '{"article":"pen"}' } });
  expect(service.model.calls.at(-1)!.system).toContain("Be brief.\n\nPrices are in EUR.");
  messages.push(choice!.message, { role: "tool", tool_call_id: call.id, content: "7" });
  const second = { model: agentId, messages, tools: [lookup] };
  expect((await streamed(second)).text).toBe("7 EUR");
  // The result was given: the same request again is the same run.
  const calls = service.model.calls.length;
  expect((await streamed(second)).text).toBe("7 EUR");
  expect(service.model.calls).toHaveLength(calls);
});

/** How many chats have messages. */
async function chats(): Promise<number> {
  const { chats: all } = await client.get<{ chats: { message_count: number }[] }>("/api/chats");
  return all.filter(({ message_count: count }) => count > 0).length;
}

test("[DIA-5] the conversation that a client sends continues its chat, and the agent's own calls stay in it", async () => {
  service.model.script = ({ entries }) =>
    textOf(entries.at(-1)) === "time?"
      ? [{ use: { type: "tool_use", id: "t1", name: "current_time", input: {} } }]
      : [{ say: "done" }];
  const first = await streamed(ask("time?"));
  expect(first.text).toBe("done");
  const seen = first.chunks.flatMap((chunk) => (chunk as { troupe?: object }).troupe ?? []);
  expect(seen).toMatchObject([{ tool_call: { name: "current_time" } }, { tool_result: { is_error: false } }]);
  const messages = [...ask("time?").messages, { role: "assistant" as const, content: "done" }];
  const next = { model: "Clerk", messages: [...messages, { role: "user" as const, content: "thanks" }] };
  expect((await streamed(next)).text).toBe("done");
  expect(await chats()).toBe(1);
  expect(JSON.stringify(service.model.calls.at(-1)!.entries)).toContain("current_time");
  // The same message again comes after an answer that is not the chat's last: it is another branch.
  expect((await streamed(next)).text).toBe("done");
  expect(await chats()).toBe(2);
});

test("[DIA-5] another conversation opens a chat with what the client sends", async () => {
  const call = {
    id: "call_1",
    type: "function" as const,
    function: { name: "lookup", arguments: '{"article":"pen"}' },
  };
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "user", content: "What is a pen?" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: "7" },
    { role: "assistant", content: "7 EUR" },
    { role: "user", content: "and two?" },
  ];
  expect((await streamed({ model: "Clerk", messages })).text).toBe("echo: and two?");
  const { entries } = service.model.calls.at(-1)!;
  expect(JSON.stringify(entries)).toMatch(/What is a pen.*lookup.*"7".*7 EUR.*and two/);
  expect(await chats()).toBe(1);
});

test("[DIA-5] arguments that cannot be stored as JSON are kept as their text", async () => {
  for (const given of [String.raw`{"a":"\u0000"}`, `{"a":${"[".repeat(80)}${"]".repeat(80)}}`]) {
    const call = { id: "call_1", type: "function" as const, function: { name: "lookup", arguments: given } };
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      ...ask("What is a pen?").messages,
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "7" },
      ...ask("and two?").messages,
    ];
    expect((await streamed({ model: "Clerk", messages })).text).toBe("echo: and two?");
    expect(JSON.stringify(service.model.calls.at(-1)!.entries)).toContain(JSON.stringify({ arguments: given }));
  }
});

test("[DIA-2] the same request joins the run that has lost its client, and a retry its completed run", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  service.model.script = () => [{ say: "one " }, { hold: promise }, { say: "two" }];
  const leave = new AbortController();
  const stream = await openai.chat.completions.create({ ...ask("go"), stream: true }, { signal: leave.signal });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { choices } of stream) {
      seen.push(choices[0]?.delta.content ?? "");
      if (seen.join("") === "one ") leave.abort();
    }
  })().catch(() => {});
  await reading;
  expect(seen.join("")).toBe("one ");
  await until("the service knows that its client has left", () => service.app.streams.count === 0);
  const again = streamed(ask("go"));
  await until("the second request reads", () => service.app.streams.count === 1);
  resolve();
  expect((await again).text).toBe("one two");
  expect(service.model.calls.filter(({ entries }) => textOf(entries.at(-1)) === "go")).toHaveLength(1);
  const retry = await openai.chat.completions.create(ask("go"), { headers: { "x-stainless-retry-count": "1" } });
  expect(retry.choices[0]?.message.content).toBe("one two");
  expect(await chats()).toBe(1);
  await openai.chat.completions.create(ask("go"));
  expect(await chats()).toBe(2);
});

test("[DIA-2] a retry is the same request: other instructions, tools or settings begin a run of their own", async () => {
  const { messages } = ask("Clause 7: …");
  const told = (content: string, more: object = {}) =>
    openai.chat.completions.create(
      { model: "Clerk", messages: [{ role: "system", content }, ...messages], ...more },
      { headers: { "x-stainless-retry-count": "1" } },
    );
  const first = await told("Summarize it.");
  expect((await told("Summarize it.")).id).toBe(first.id);
  const others = [await told("Translate it."), await told("Summarize it.", { tools: [lookup] })];
  others.push(await told("Summarize it.", { temperature: 0.1 }));
  expect(new Set([first, ...others].map(({ id }) => id)).size).toBe(4);
  const respond = (instructions: string) =>
    openai.responses.create(
      { model: "Clerk", instructions, input: "Clause 8: …" },
      { headers: { "x-stainless-retry-count": "1" } },
    );
  const { id } = await respond("Summarize it.");
  expect((await respond("Summarize it.")).id).toBe(id);
  expect((await respond("Translate it.")).id).not.toBe(id);
});

test("[DIA-2] unfinished jobs of other surfaces are no first attempts", async () => {
  const { hold, open } = gate();
  service.model.script = () => [{ hold }, { say: "done" }];
  const executed = client.call("POST", `/api/v1/agents/${agentId}/execute`, { message: "go" });
  await service.model.called(1);
  const asked = openai.chat.completions.create(ask("go"));
  await service.model.called(2);
  open();
  expect((await asked).choices[0]?.message.content).toBe("done");
  await executed;
});

test("[DIA-2] the same request of another person is a run of their own", async () => {
  const other = await service.join(owner.organizationId);
  const shared = { name: "Shared", system_prompt: "Be brief.", visibility: "organization" };
  await answered(client.call("POST", "/api/agents", shared), 201);
  const asked = { ...ask("go"), model: "Shared" };
  const theirs = new OpenAI({ apiKey: other.token, baseURL: `${service.url}/openai/v1`, maxRetries: 0 });
  const retry = { headers: { "x-stainless-retry-count": "1" } };
  const mine = await openai.chat.completions.create(asked);
  const first = await theirs.chat.completions.create(asked, retry);
  expect(first.id).not.toBe(mine.id);
  expect((await theirs.chat.completions.create(asked, retry)).id).toBe(first.id);
  expect((await openai.chat.completions.create(asked, retry)).id).toBe(mine.id);
});

test("[DIA-3] the results of calls that were made together come together: a refusal names the missing ones", async () => {
  service.model.script = ({ entries }) =>
    entries.at(-1)!.role === "user"
      ? ["c1", "c2"].map((id) => ({ use: { type: "tool_use" as const, id, name: "lookup", input: { article: id } } }))
      : [{ say: "both" }];
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "two prices" }];
  const first = await openai.chat.completions.create({ model: "Clerk", messages, tools: [lookup] });
  const { message } = first.choices[0]!;
  const results = message.tool_calls!.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "7" }));
  expect(results).toHaveLength(2);
  const given = (sent: typeof results) =>
    openai.chat.completions.create({ model: "Clerk", messages: [...messages, message, ...sent], tools: [lookup] });
  const refused = given(results.slice(0, 1)).catch((err: unknown) => err);
  expect(await refused).toMatchObject({
    status: 400,
    param: "messages[2].tool_call_id",
    message: expect.stringContaining(`missing: ${results[1]!.tool_call_id}`) as string,
  });
  expect((await given(results)).choices[0]?.message.content).toBe("both");
});

test("[DIA-1] refusals have OpenAI's shape, and unknown parameters are ignored", async () => {
  const refusal = (params: object, headers: Record<string, string> = {}) =>
    openai.chat.completions.create({ ...ask("x"), ...params } as never, { headers }).catch((err: unknown) => err);
  const statusOf = async (refused: Promise<unknown>) => {
    const { status, code, param, type } = (await refused) as InstanceType<typeof OpenAI.APIError>;
    return { status, code, param, type };
  };
  const invalid = { status: 400, code: "invalid_value", type: "invalid_request_error" };
  expect(await statusOf(refusal({ n: 2 }))).toEqual({ ...invalid, param: "n" });
  expect(await statusOf(refusal({ messages: [] }))).toEqual({ ...invalid, param: "messages" });
  expect(await statusOf(refusal({ messages: [{ role: "assistant", content: "x" }] }))).toEqual({
    ...invalid,
    param: "messages[0].role",
  });
  const stray = [
    { role: "user", content: "x" },
    { role: "tool", tool_call_id: "call_1", content: "y" },
  ];
  expect(await statusOf(refusal({ messages: stray }))).toEqual({ ...invalid, param: "messages[1].tool_call_id" });
  expect(await statusOf(refusal({ model: "nobody" }))).toMatchObject({ status: 404, code: "model_not_found" });
  expect(await statusOf(refusal({}, { authorization: "Bearer nonsense" }))).toMatchObject({
    status: 401,
    code: "invalid_api_key",
  });
  const { choices } = await openai.chat.completions.create({ ...ask("x"), logit_bias: {}, seed: 1, foo: 1 } as never);
  expect(choices).toHaveLength(1);
});

test("[DIA-1] images, a schema for the answer and settings reach the model", async () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  service.model.script = () => [{ say: '{"colour":"red"}' }];
  const schema = { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] };
  const { choices } = await openai.chat.completions.create({
    model: "Clerk",
    temperature: 0.2,
    max_tokens: 50,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Which colour?" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
        ],
      },
    ],
    response_format: { type: "json_schema", json_schema: { name: "colour", schema } },
  });
  expect(JSON.parse(choices[0]?.message.content ?? "")).toEqual({ colour: "red" });
  const call = service.model.calls.at(-1)!;
  expect(call).toMatchObject({ outputSchema: schema, settings: { temperature: 0.2, maxOutputTokens: 50 } });
  expect(JSON.stringify(call.entries)).toContain("image/png");
});

test("[DIA-1] the content of each message has the limits of the service's own messages", async () => {
  const image = (url: string) => ({ type: "image_url" as const, image_url: { url } });
  const images = (count: number) => Array.from({ length: count }, () => image("https://127.0.0.1:1/a.png"));
  const refusal = (content: OpenAI.ChatCompletionContentPart[], past: OpenAI.ChatCompletionContentPart[][] = []) => {
    const messages = [...past, content].map((one) => ({ role: "user" as const, content: one }));
    return openai.chat.completions.create({ model: "Clerk", messages }).catch((err: unknown) => err);
  };
  const status = 400;
  expect(await refusal(images(21))).toMatchObject({ status, param: "messages[0].content" });
  const long = [image(`https://127.0.0.1/${"a".repeat(8_192)}`)];
  expect(await refusal(long)).toMatchObject({ status, param: "messages[0].content[0].source.url" });
  const hello = [{ type: "text" as const, text: "hello" }];
  expect(await refusal(hello, [images(21)])).toMatchObject({ status, param: "messages[0].content" });
  const past = Array.from({ length: 5 }, () => images(20));
  expect(await refusal(hello, past)).toMatchObject({ status, param: "messages[4].content" });
  expect(await refusal([{ type: "text", text: " " }])).toMatchObject({ status, param: "messages[0].content" });
  const file = { filename: "a".repeat(256), file_data: "data:text/plain,x" };
  const named = await refusal([...hello, { type: "file", file }]);
  expect(named).toMatchObject({ status, param: "messages[0].content[1].name" });
  const odd = { filename: "", file_data: `data:text/${"x".repeat(5_000)},hello` };
  await refusal([...hello, { type: "text", text: "" }, { type: "file", file: odd }]);
  const call = JSON.stringify(service.model.calls.at(-1)!.entries);
  expect(call).toContain("hello");
  expect(call).not.toContain("xxxxx");
});

test("[DIA-3] what a job keeps of a request has limits, and a refusal names the field", async () => {
  const refusal = (params: object) =>
    openai.chat.completions.create({ ...ask("x"), ...params } as never).catch((err: unknown) => err);
  const told = [{ role: "system", content: "x".repeat(65_537) }, ...ask("x").messages];
  expect(await refusal({ messages: told })).toMatchObject({ status: 400, param: "messages" });
  const tool = (name: string, description = "") => ({ type: "function", function: { name, description } });
  expect(await refusal({ tools: [tool("ok"), tool("a b")] })).toMatchObject({ status: 400, param: "tools[1].name" });
  expect(await refusal({ tools: [tool("ok", "x".repeat(131_072))] })).toMatchObject({ status: 400, param: "tools" });
  expect(await refusal({ metadata: { note: "x".repeat(16_384) } })).toMatchObject({ status: 413 });
  // Of the earlier messages, the newest ones within 4 MiB.
  const long = "x".repeat(3 * 1024 * 1024);
  const past = ["a", "b"].flatMap((content) => [
    { role: "user" as const, content },
    { role: "assistant" as const, content: long },
  ]);
  await openai.chat.completions.create({ model: "Clerk", messages: [...past, ...ask("x").messages] });
  const { chats: all } = await client.get<{ chats: { message_count: number }[] }>("/api/chats");
  expect(all.map(({ message_count: count }) => count).toSorted((a, b) => a - b)).toEqual([0, 4]);
});
