/** What a hostile MCP server answers. It is polite up to the list of its tools, where the attack allows it. */
import { damaged, seedOf } from "./hostile-fuzz.ts";
import { pouring } from "./hostile-streams.ts";

const MIB = 1024 * 1024;

interface Rpc {
  readonly id?: number;
  readonly method?: string;
}

const rpc = (id: number | undefined, result: object): object => ({ jsonrpc: "2.0", id: id ?? 0, result });
const json = (text: string): Response => new Response(text, { headers: { "content-type": "application/json" } });
const stream = (body: string | ReadableStream<Uint8Array>): Response =>
  new Response(body, { headers: { "content-type": "text/event-stream" } });
const textResult = (id: number | undefined, text: string): object => rpc(id, { content: [{ type: "text", text }] });
const elicitation = (id: number): object => ({
  jsonrpc: "2.0",
  id: `e${id}`,
  method: "elicitation/create",
  params: { message: "?", requestedSchema: { type: "object", properties: {} } },
});
const elicitations = (count: number): object[] => Array.from({ length: count }, (_, id) => elicitation(id));
const tool = (name: string, inputSchema: object = { type: "object" }): object => ({
  name,
  description: "x",
  inputSchema,
});
const deep = (depth: number): string => `{"type":"object","a":${"[".repeat(depth)}${"]".repeat(depth)}}`;

/** How each attack answers `tools/call`. */
const CALLS: Readonly<Record<string, (id: number | undefined) => Response>> = {
  elicitations: (id) =>
    stream(
      [...elicitations(20_000), textResult(id, "done")]
        .map((message) => `data: ${JSON.stringify(message)}\n\n`)
        .join(""),
    ),
  "elicitation-batch": (id) => json(JSON.stringify([...elicitations(20_000), textResult(id, "done")])),
  notifications: (id) => {
    const note = JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } });
    return stream(`${`data: ${note}\n\n`.repeat(30_000)}data: ${JSON.stringify(textResult(id, "done"))}\n\n`);
  },
  "other-answers": (id) =>
    json(
      JSON.stringify([
        ...Array.from({ length: 20_000 }, (_, n) => textResult(n + 1_000, "no")),
        textResult(id, "done"),
      ]),
    ),
  "deep-result": () => json(`{"jsonrpc":"2.0","id":1,"result":${"[".repeat(1_000_000)}`),
  "wide-result": (id) =>
    json(JSON.stringify(rpc(id, { content: Array.from({ length: 60_000 }, () => ({ type: "text", text: "" })) }))),
  "long-result": (id) => json(JSON.stringify(textResult(id, "x".repeat(3 * MIB)))),
  controls: (id) => json(JSON.stringify(textResult(id, "a\u001b[31mb\u202ec"))),
  endless: () => stream(pouring("data: x\n", 2_048 * MIB)),
  "blank-lines": () => stream(pouring("\n", 2_048 * MIB)),
  "other-id": () => json(JSON.stringify(textResult(999_999, "no"))),
  "not-json": () => json("<html>"),
};

/** How each attack answers `tools/list`. */
const LISTS: Readonly<Record<string, (id: number | undefined) => Response>> = {
  "deep-schema": (id) =>
    json(
      `{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"go","inputSchema":${deep(100_000)}},${JSON.stringify(tool("fine"))}]}}`,
    ),
  "many-tools": (id) =>
    json(JSON.stringify(rpc(id, { tools: Array.from({ length: 20_000 }, (_, n) => tool(`t${n}`)) }))),
  "long-names": (id) => json(JSON.stringify(rpc(id, { tools: [tool("n".repeat(MIB)), tool("fine")] }))),
};

/** A good answer to any request, damaged, as JSON or as a stream; every other one is left whole, so that calls are reached. */
function fuzzed(seed: number, { id, method }: Rpc): Response {
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "x", version: "1" },
    },
    "tools/list": { tools: [tool("go"), tool("other", { type: "object", properties: { a: { type: "string" } } })] },
  };
  const text = JSON.stringify(rpc(id, results[method ?? ""] ?? { content: [{ type: "text", text: "done" }] }));
  const isWhole = seed % 2 === 0 && method !== "tools/call";
  const isStream = seed % 3 === 0;
  const whole = isStream ? `data: ${JSON.stringify(elicitation(1))}\n\ndata: ${text}\n\n` : text;
  const body = isWhole ? whole : damaged(whole, seed);
  return isStream ? stream(body) : json(body);
}

export async function mcpAnswer(attack: string, request: Request): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const { id, method } = (await request.json()) as Rpc;
  const seed = seedOf(attack);
  if (seed !== null && id !== undefined) return fuzzed(seed + id, { id, ...(method === undefined ? {} : { method }) });
  if (method === "initialize")
    return json(
      JSON.stringify(
        rpc(id, {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "x", version: "1" },
        }),
      ),
    );
  if (method === "tools/list")
    return (LISTS[attack] ?? ((at) => json(JSON.stringify(rpc(at, { tools: [tool("go")] })))))(id);
  if (method === "tools/call") return (CALLS[attack] ?? ((at) => json(JSON.stringify(textResult(at, "done")))))(id);
  if (method === undefined || id === undefined) return new Response(null, { status: 202 });
  return json(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_601, message: "no such method" } }));
}

export const MCP_ATTACKS: readonly string[] = [...Object.keys(CALLS), ...Object.keys(LISTS)];
