/** The streams of the SDKs whose connections break, fall silent, or do not come back: on Bun, on Node, in Python. */
import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StreamCutError, Troupe } from "../../sdk/typescript/troupe.ts";
import { FaultyProxy } from "../support/faulty-proxy.ts";
import { hasPython, PROGRAMS, python } from "../support/python.ts";
import { sceneOfFile } from "../support/scene.ts";

let proxy: FaultyProxy;
const folder = mkdtempSync(join(tmpdir(), "troupe-sdk-"));

const { service, owner } = sceneOfFile();
beforeAll(async () => void (proxy = await FaultyProxy.open(service.url)));
afterAll(() => {
  proxy.stop();
  rmSync(folder, { recursive: true });
});

/** Milliseconds of silence that the programs take for a cut. */
const IDLE_MS = 1_500;
/** Each in the middle of an event that every reader comes to. */
const CUTS = [
  { kind: "reset", after: '"seq":2,' },
  { kind: "end", after: '"seq":4,' },
  { kind: "silence", after: '"seq":5,' },
  { kind: "close", after: '"seq":7,' },
] as const;
const WORDS = Array.from({ length: 40 }, (_, i) => `word ${i} \u{1F600} `);

interface Told {
  readonly text: string;
  readonly seqs: readonly number[];
}

const JAVASCRIPT = `
import { LiveText, Troupe } from "./troupe.mjs";
const { TROUPE_URL: baseUrl, TROUPE_TOKEN: token, TROUPE_CHAT: chat } = process.env;
const live = new LiveText();
const seqs = [];
let text;
const troupe = new Troupe({ baseUrl, token, streamIdleMs: ${IDLE_MS} });
for await (const event of troupe.streamChatEvents(chat, { replay: "all", wait: "end" })) {
  text = live.apply(event) ?? text;
  if (event.data.seq !== undefined) seqs.push(event.data.seq);
}
console.log(JSON.stringify({ text, seqs }));
`;
const PYTHON = `
import json, os
from troupe import LiveText, Troupe
live, text, seqs = LiveText(), None, []
client = Troupe(os.environ["TROUPE_URL"], os.environ["TROUPE_TOKEN"], stream_idle=${IDLE_MS / 1_000})
for event in client.stream_chat_events(os.environ["TROUPE_CHAT"], replay="all", wait="end"):
    text = live.apply(event) or text
    if "seq" in event["data"]:
        seqs.append(event["data"]["seq"])
print(json.dumps({"text": text, "seqs": seqs}))
`;

type Environment = Readonly<Record<string, string>>;
const READERS: readonly (readonly [name: string, has: boolean, run: (env: Environment) => Promise<string>])[] = [
  ["Bun", true, (env) => javascript(process.execPath, env)],
  ["Node", Bun.which("node") !== null, (env) => javascript("node", env)],
  ["Python", hasPython, (env) => python(PYTHON, { env })],
];

async function javascript(runtime: string, env: Environment): Promise<string> {
  const module = await Bun.file(new URL("../../sdk/typescript/troupe.ts", import.meta.url)).text();
  writeFileSync(join(folder, "troupe.mjs"), new Bun.Transpiler({ loader: "ts" }).transformSync(module));
  writeFileSync(join(folder, "read.mjs"), JAVASCRIPT);
  const child = Bun.spawn([runtime, join(folder, "read.mjs")], {
    env: { ...PROGRAMS, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, problems] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect({ status: await child.exited, problems }).toEqual({ status: 0, problems: "" });
  return out;
}

for (const [name, has, run] of READERS) {
  test.skipIf(!has)(
    `[DOC-3] on ${name} a stream that breaks, ends and falls silent in the middle tells everything once`,
    async () => {
      const troupe = new Troupe({ baseUrl: service.url, token: owner.token });
      const agent = await troupe.createAgent({ name: "Ada", system_prompt: "Be brief." });
      const chat = await troupe.createChat({ agent_id: agent.id, workspace_id: owner.workspaceId });
      service.model.script = () => WORDS.map((say) => ({ say }));
      for (const content of ["Tell", "Again", "Go on"]) await troupe.sendMessage(chat.id, { content });
      proxy.reset(...CUTS);
      const told = JSON.parse(
        await run({ TROUPE_URL: proxy.url, TROUPE_TOKEN: owner.token, TROUPE_CHAT: chat.id }),
      ) as Told;
      expect(told.text).toBe(WORDS.join(""));
      expect(told.seqs).toEqual(told.seqs.map((_, i) => i + 1));
      expect(proxy.requests.length).toBeGreaterThan(CUTS.length);
      expect(proxy.requests[0]?.headers["last-event-id"]).toBeUndefined();
      expect(proxy.requests.at(-1)?.headers["last-event-id"]).toMatch(/^\d+(?:\.\d+)?$/);
    },
  );
}

describe("a stream that is opened again", () => {
  const delays: number[] = [];
  afterEach(() => {
    delays.length = 0;
  });

  /** Its connections one after the other; null is one that fails. Waits take no time. */
  async function told(connections: Iterable<string | null>): Promise<{ events: string[]; cause: unknown }> {
    const later = globalThis.setTimeout;
    const patience = spyOn(globalThis, "setTimeout").mockImplementation(((
      run: (...args: unknown[]) => void,
      ms: number,
      ...args: unknown[]
    ) => {
      // Other tests of this process may have something running, whose timers are not the SDK's. Nor is its watch over
      // silence a wait.
      if (ms === 35_000 || !new Error().stack?.includes("/sdk/typescript/")) return later(run, ms, ...args);
      delays.push(ms);
      return later(run, 0);
    }) as typeof setTimeout);
    const next = connections[Symbol.iterator]();
    const troupe = new Troupe({
      baseUrl: "http://troupe.test",
      fetch: () => {
        const { value } = next.next() as { readonly value?: string | null };
        return typeof value === "string" ? Promise.resolve(new Response(value)) : Promise.reject(new TypeError("gone"));
      },
    });
    const events: string[] = [];
    try {
      for await (const { event } of troupe.streamChatEvents("cht_x")) events.push(event);
      return { events, cause: null };
    } catch (cause) {
      return { events, cause };
    } finally {
      patience.mockRestore();
    }
  }
  const BEGINNING = ": connected\nretry: 200\n\n";
  const END = "event: stream.end\ndata: {}\n\n";
  const expectBetween = (ms: number | undefined, least: number, most: number): void => {
    expect(ms).toBeGreaterThanOrEqual(least);
    expect(ms).toBeLessThanOrEqual(most);
  };

  /** What the stream asks for, then longer and longer; none the same. */
  function expectGrowing(waits: readonly number[]): void {
    expectBetween(waits[0], 200, 250);
    [750, 1_500, 3_000, 6_000, 6_000, 6_000, 6_000].forEach((least, i) =>
      expectBetween(waits[i + 1], least, Math.min((least * 5) / 3, 10_000)),
    );
    expect(waits.length).toBe(8);
    expect(new Set(waits).size).toBe(8);
  }

  test("[DOC-3] waits as the stream asks, longer with each failure in a row, and in the end gives up", async () => {
    const { events, cause } = await told([`${BEGINNING}event: message.queued\ndata: {}\n\n`]);
    expect(events).toEqual(["message.queued"]);
    expect(cause).toBeInstanceOf(StreamCutError);
    expectGrowing(delays);
  });

  test.skipIf(!hasPython)("[DOC-3] waits and gives up in Python too, and a quiet one has not failed", async () => {
    const program = `
import io, json, sys, time, troupe as sdk
class Response(io.BytesIO):
    status = 200
waits = []
time.sleep = lambda seconds: waits.append(seconds * 1_000)
def told(*connections):
    waits.clear()
    rest = [Response(text.encode()) for text in connections]
    client = sdk.Troupe("http://troupe.test")
    def connect(_):
        if not rest:
            raise sdk.ConnectionFailedError("gone")
        return rest.pop(0)
    client._http._open = connect
    events = []
    try:
        for event in client.stream_chat_events("cht_x"):
            events.append(event["event"])
    except sdk.StreamCutError:
        events.append("cut")
    return events, list(waits)
beginning, end = json.loads(sys.argv[1])
print(json.dumps([
    told(beginning + "event: message.queued\\ndata: {}\\n\\n"),
    told(*[beginning + ": heartbeat now\\n\\n"] * 30, end),
    told(*[beginning] * 30),
    told("retry: 99999999999\\n\\n", end),
]))`;
    type Outcome = readonly [events: readonly string[], waits: readonly number[]];
    const [failing, quiet, empty, patient] = JSON.parse(
      await python(program, { args: [JSON.stringify([BEGINNING, END])] }),
    ) as readonly [Outcome, Outcome, Outcome, Outcome];
    expect(failing[0]).toEqual(["message.queued", "cut"]);
    expectGrowing(failing[1]);
    expect([quiet[0], quiet[1].length]).toEqual([["stream.end"], 30]);
    expect(Math.max(...quiet[1])).toBeLessThanOrEqual(250);
    expect([empty[0], empty[1].length]).toEqual([["cut"], 8]);
    expectBetween(patient[1][0], 60_000, 75_000);
  });

  test("[DOC-3] a quiet stream may be cut between heartbeats any number of times", async () => {
    const quiet = Array.from({ length: 30 }, () => `${BEGINNING}: heartbeat now\n\n`);
    expect(await told([...quiet, END])).toEqual({ events: ["stream.end"], cause: null });
    expect(delays.length).toBe(30);
    expect(Math.max(...delays)).toBeLessThanOrEqual(250);
  });

  test("[DOC-3] a stream that ends after its beginning has failed", async () => {
    const { cause } = await told(Array.from({ length: 30 }, () => BEGINNING));
    expect(cause).toBeInstanceOf(StreamCutError);
    expect(delays.length).toBe(8);
  });

  test("[DOC-3] no stream can ask for more than a minute", async () => {
    await told(["retry: 99999999999\n\n", END]);
    expectBetween(delays[0], 60_000, 75_000);
  });

  test("[DOC-3] a fetch that does not hear its signal keeps nobody in a silent stream", async () => {
    const troupe = new Troupe({
      baseUrl: "http://troupe.test",
      streamIdleMs: 1,
      fetch: () => Promise.resolve(new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))),
    });
    const stream = troupe.v1ExecuteAgentStream("agt_x", { message: "Hello" });
    expect(await stream.next().catch((error: unknown) => error)).toBeInstanceOf(StreamCutError);
  });
});
