/**
 * A model provider with Anthropic's messages whose time to the first token grows with the input that is not cached: 1 ms
 * for each 100 tokens of four bytes. It caches what its breakpoints (`cache_control`) ask for, and finds the longest
 * beginning that it has seen, in the order tools, instructions, messages.
 */
import { serveWorker } from "./worker.ts";

const TOKEN_BYTES = 4;
const TOKENS_PER_MS = 100;
const ANSWER = "It has been noted, and here is what follows from it. ".repeat(8);

interface Block {
  readonly cache_control?: object;
}
interface Body {
  readonly tools?: readonly Block[];
  readonly system?: readonly Block[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
}

/** Hashes of the beginnings that are cached. */
const cached = new Set<string>();

/** The bytes of the input, and those that are not cached. */
function inputOf({ tools = [], system = [], messages }: Body): { readonly all: number; readonly fresh: number } {
  const blocks = [
    ...tools.map((block) => ["tool", block] as const),
    ...system.map((block) => ["system", block] as const),
    ...messages.flatMap(({ role, content }) => content.map((block) => [role, block] as const)),
  ];
  const hasher = new Bun.CryptoHasher("sha256");
  const asked: string[] = [];
  let [all, found, isAsked] = [0, 0, false];
  for (const [role, { cache_control: breakpoint, ...block }] of blocks) {
    const text = JSON.stringify([role, block]);
    all += text.length;
    const hash = hasher.update(text).copy().digest("hex");
    if (cached.has(hash)) found = all;
    if (breakpoint === undefined) continue;
    isAsked = true;
    asked.push(hash);
  }
  for (const hash of asked) cached.add(hash);
  return { all, fresh: isAsked ? all - found : all };
}

const event = (data: { readonly type: string } & object): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

function answerOf(all: number, fresh: number): string {
  const tokens = (bytes: number): number => Math.ceil(bytes / TOKEN_BYTES);
  const usage = { input_tokens: tokens(fresh), cache_read_input_tokens: tokens(all - fresh), output_tokens: 0 };
  const message = { id: "m", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage };
  return [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: ANSWER } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 100 } },
    { type: "message_stop" },
  ]
    .map(event)
    .join("");
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { all, fresh } = inputOf((await request.json()) as Body);
    await Bun.sleep(fresh / TOKEN_BYTES / TOKENS_PER_MS);
    return new Response(answerOf(all, fresh), { headers: { "content-type": "text/event-stream" } });
  },
});

serveWorker<null, { readonly port: number }>(() => Promise.resolve({ port: server.port ?? 0 }));
