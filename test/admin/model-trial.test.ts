/** `models try`: what it finds in models that take everything, in those that refuse things, and in those that fail. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAdmin } from "../../src/admin/arguments.ts";
import { render } from "../../src/admin/command-answer.ts";
import { LOCAL_COMMANDS } from "../../src/admin/local.ts";
import { createLogger } from "../../src/log/log.ts";
import { readConfig } from "../../src/settings/config.ts";
import { startFakeOpenAi } from "../support/fake-openai.ts";
import type { FakeAnswer, FakeProvider } from "../support/fake-provider.ts";

const folder = mkdtempSync(join(tmpdir(), "troupe-trial-"));
let provider: FakeProvider;
beforeAll(async () => void (provider = await startFakeOpenAi()));
afterAll(async () => {
  await provider.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the command in this process, as its own process does without a service. */
async function tried(args: string, model: object = {}) {
  const path = join(folder, "providers.json");
  const acme = {
    format: "chat-completions",
    base_url: provider.baseUrl,
    key: "sk-trial-0123456789",
    models: { m: model },
  };
  writeFileSync(path, JSON.stringify({ providers: { acme } }));
  const read = readConfig({ DATA_DIR: folder, MODEL_PROVIDERS: path });
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  const { command, given } = parseAdmin(args.split(" "));
  const log = await createLogger({ level: "silent" });
  const errand = { config: read.config, log, given, signal: new AbortController().signal };
  const { ok, text } = render(await LOCAL_COMMANDS[command]!(errand), given);
  return { ok, text, json: given.flags.has("json") ? (JSON.parse(text) as Record<string, unknown>) : {} };
}

const CALL = { id: "c1", name: "report_color", input: '{"color":"red"}' };
const USAGE = { input: 40, output: 12 };
const refusal = (status: number, message: string): FakeAnswer => ({
  kind: "status",
  status,
  body: JSON.stringify({ error: { message } }),
});

test("[RUN-31] a model that accepts everything is tried with one call, which has a tool and an image", async () => {
  const from = provider.requests.length;
  provider.answer({ kind: "stream", text: ["one two ", "three four ", "five"], calls: [CALL], usage: USAGE });
  const { ok, json } = await tried("models try acme:m --json", { inputs: ["text", "image"] });
  expect({ ok, json }).toEqual({
    ok: true,
    json: {
      model: "acme:m",
      ok: true,
      error: null,
      streams: true,
      pieces: 5,
      first_token_ms: expect.any(Number),
      took_ms: expect.any(Number),
      tools: "called",
      images: "read",
      usage: { input_tokens: 40, output_tokens: 12, counted: true },
      answer: "one two three four five",
      caching: null,
    },
  });
  expect(provider.requests.slice(from).map(({ body }) => body)).toMatchObject([
    {
      model: "m",
      tools: [{ function: { name: "report_color" } }],
      messages: [{ content: [{ type: "image_url" }, {}] }],
    },
  ]);
});

test("[RUN-31] refused features are omitted from the next call, and reported", async () => {
  const from = provider.requests.length;
  provider.answerBy((body) => {
    const text = JSON.stringify(body);
    if (text.includes('report_color"')) return refusal(400, "m does not support tools");
    if (text.includes("image_url")) return refusal(400, "image input is not supported");
    return { kind: "body", headers: { "content-type": "application/json" }, body: WHOLE };
  });
  const { ok, text } = await tried("models try acme:m", { inputs: ["text", "image"] });
  provider.answerBy(() => ({ kind: "stream", text: ["ok"] }));
  expect(ok).toBe(true);
  expect(text.split("\n").map((line) => line.replaceAll(/ {2,}/g, " | ").replaceAll(/\d+\.\d\d s/g, "… s"))).toEqual([
    "acme:m | FINDING",
    "answer | one two three four five. Green.",
    "streams | no: the whole answer came after … s",
    "first token | after … s",
    "tools | no: it refuses requests with tools",
    "images | no: it refuses requests with images. Set its `inputs`, or MODEL_INPUTS",
    expect.stringMatching(/^usage \| not counted by the provider; estimated: \d+ tokens in, \d+ out$/),
    "caching | not tried: --caching makes two more calls, of some 6,000 tokens each",
  ]);
  expect(provider.requests.length - from).toBe(3);
});

test("[RUN-31] two more calls with the same beginning show whether it is cached, if it is asked for", async () => {
  const from = provider.requests.length;
  let calls = 0;
  const answer = (cached: number): FakeAnswer => ({
    kind: "body",
    body: `data: ${JSON.stringify({
      choices: [{ index: 0, delta: { content: "ok" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 6_100, completion_tokens: 1, prompt_tokens_details: { cached_tokens: cached } },
    })}\n\ndata: [DONE]\n\n`,
  });
  provider.answerBy(() => answer([0, 0, 6_000][calls++] ?? 0));
  const { ok, text } = await tried("models try acme:m --caching");
  const none = await tried("models try acme:m --caching");
  provider.answerBy(() => ({ kind: "stream", text: ["ok"] }));
  expect(ok).toBe(true);
  expect(text).toEndWith("yes: the second call read 6000 of its 6100 tokens from the cache");
  expect(none.text).toEndWith("no: none of the 6100 tokens of the second call came from a cache");
  const [, first, second] = provider.requests.slice(from).map(({ body }) => JSON.stringify(body));
  expect(second).toBe(first!);
  expect(first!.length).toBeGreaterThan(15_000);
});

const WHOLE = JSON.stringify({
  choices: [{ index: 0, message: { content: "one two three four five. Green." }, finish_reason: "stop" }],
});

test("[RUN-31] a model that does not answer is a finding with the exit code 1, without its key", async () => {
  provider.answerBy(() => refusal(401, "Incorrect API key: sk-trial-0123456789"));
  const { ok, json } = await tried("models try --json");
  provider.answerBy(() => ({ kind: "stream", text: ["ok"] }));
  expect({ ok, json }).toMatchObject({ ok: false, json: { model: "acme:m", ok: false, streams: null } });
  expect(json["error"]).toStartWith("The model provider refused");
  expect(JSON.stringify(json)).not.toContain("sk-trial");
  const own = await tried("models try acme:m", { own_key: true });
  expect(own).toMatchObject({ ok: false, text: expect.stringContaining("Only organizations with a key of their own") });
  const unknown = await tried("models try acme:n");
  expect(unknown).toMatchObject({ ok: false, text: expect.stringContaining("is not allowed here") });
});
