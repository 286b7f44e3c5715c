/** Which bytes a model call gets of the images and files of its conversation (FILE-7). */
import { describe, expect, test } from "bun:test";
import type { ModelCall, ModelOutcome, ModelPort, TranscriptEntry } from "../../actors/job/ports.ts";
import { ATTACHED_BYTES, type AttachmentBlock, type ModelInput } from "../../actors/upload/terms.ts";
import { withAttachedContent } from "../../src/runner/attached-content.ts";
import { ByteRoom } from "../../src/runner/byte-room.ts";
import { createModels } from "../../src/runner/models.ts";
import { until } from "../support/condition.ts";
import { gate } from "../support/fake-model.ts";
import { modelCall, NO_MODELS, run } from "../support/model-calls.ts";

const ANSWER: ModelOutcome = {
  kind: "failed",
  error: { code: "provider_error", message: "none" },
  partialText: "",
} as never;
const attachment = (name: string, more: Partial<AttachmentBlock> = {}): AttachmentBlock => ({
  type: "image",
  media_type: "image/png",
  name,
  size: 3,
  sha256: name,
  source: { kind: "upload", file_id: "upl_1" },
  ...more,
});
const said = (...blocks: AttachmentBlock[]): TranscriptEntry => ({ role: "user", text: "look", blocks });

/** The models over a store, and what they were given. */
function models(reads: readonly ModelInput[], read: (sha256: string) => Promise<ReadableStream<Uint8Array> | null>) {
  const calls: ModelCall[] = [];
  const room = new ByteRoom(1_000 * 1024 * 1024, 1_000 * 1024 * 1024);
  const inner = {
    inputOf: () => reads,
    call: (call: ModelCall) => {
      calls.push(call);
      return Promise.resolve(ANSWER);
    },
  } as unknown as ModelPort;
  const outer = withAttachedContent(inner, {
    contents: { read: ({ sha256 }: { sha256: string }) => read(sha256) } as never,
    room,
  });
  const ask = (entries: readonly TranscriptEntry[], signal = new AbortController().signal) =>
    outer.call({ origin: { organizationId: "org_a" }, model: null, entries } as never, () => {}, signal);
  const parts = () => calls.at(-1)!.entries.map((entry) => (entry.role === "user" ? entry.parts : undefined));
  return { ask, parts, calls, room };
}
const bytes = (text: string): ReadableStream<Uint8Array> => new Blob([text]).stream();

test("[FILE-7] a file whose content is lost is described, and the others are sent", async () => {
  const { ask, parts } = models(["text", "image"], (sha256) =>
    Promise.resolve(sha256 === "gone" ? null : bytes("abc")),
  );
  await ask([said(attachment("gone"), attachment("here"))]);
  expect(parts()).toEqual([
    [
      { type: "text", text: expect.stringContaining("its content is lost") as string },
      { type: "image", mediaType: "image/png", name: "here", data: new TextEncoder().encode("abc") },
    ],
  ] as never);
});

test("[FILE-7] [FILE-8] files that the model cannot read use no room of those that it can", async () => {
  const { ask, parts } = models(["text", "image"], () => Promise.resolve(bytes("abc")));
  const pdf = attachment("long.pdf", { type: "file", media_type: "application/pdf", size: ATTACHED_BYTES });
  await ask([said(attachment("old")), said(pdf)]);
  expect(parts().map((of) => of?.map(({ type }) => type))).toEqual([["image"], ["text"]]);
});

test("[FILE-10] images of results are sent with the newest content of a call, and old ones are described", async () => {
  const { ask, calls } = models(["text", "image"], () => Promise.resolve(bytes("abc")));
  const result = (...attachments: AttachmentBlock[]): TranscriptEntry => ({
    role: "assistant",
    blocks: [
      { type: "tool_use", id: "c1", name: "look", input: {} },
      { type: "tool_result", tool_use_id: "c1", content: "seen", is_error: false, attachments },
    ],
  });
  const old = attachment("old", { size: ATTACHED_BYTES });
  const pdf = attachment("plan.pdf", { type: "file", media_type: "application/pdf" });
  await ask([result(old), said(attachment("mine")), result(attachment("new"), pdf)]);
  const parts = calls[0]!.entries.map((entry) =>
    entry.role === "user" ? entry.parts : [...entry.resultFiles!.values()],
  );
  const words = (name: string) => ({ type: "text", text: expect.stringContaining(`"${name}"`) as string });
  const data = new TextEncoder().encode("abc");
  expect(parts).toEqual([
    [[words("old")]],
    [{ type: "image", mediaType: "image/png", name: "mine", data }],
    [[{ type: "image", mediaType: "image/png", name: "new", data }, words("plan.pdf")]],
  ] as never);
});

test("[FILE-7] a cancelled call reads nothing more, and releases its room when its reads have ended", async () => {
  const off = new AbortController();
  const asked: string[] = [];
  let held = 0;
  const { ask, calls, room } = models(["text", "image"], (sha256) => {
    asked.push(sha256);
    held = room.used;
    off.abort();
    return Promise.resolve(bytes("abc"));
  });
  expect(await ask([said(attachment("one"), attachment("other"))], off.signal)).toEqual({
    kind: "aborted",
    partialText: "",
  });
  expect([asked, held > 0, room.used, calls.length]).toEqual([["one"], true, 0, 0]);
});

test("[FILE-7] while the store is unavailable nothing is sent, and the call can be retried", async () => {
  const { ask, calls, room } = models(["text", "image"], () => Promise.reject(new Error("away")));
  expect(await ask([said(attachment("one"))])).toMatchObject({
    kind: "failed",
    error: { code: "provider_unreachable" },
  });
  expect([room.used, calls.length]).toEqual([0, 0]);
});

describe("the room of a call", () => {
  const READS = new Map<string, readonly ModelInput[]>([["openai-compatible:x", ["text", "image"]]]);
  const SCHEMA = { type: "object", properties: {} } as const;
  const FRAMES = 'data: {"choices":[{"index":0,"delta":{"content":"{}"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

  /** A provider that answers when the test lets it, and the models that ask it with so much room. */
  function slow(room: ByteRoom, status: () => number = () => 200) {
    const answer = gate();
    const bodies: string[] = [];
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        bodies.push(await request.text());
        if (status() !== 200) return new Response("no", { status: status() });
        await answer.hold;
        return new Response(FRAMES, { headers: { "content-type": "text/event-stream" } });
      },
    });
    const settings = {
      ...NO_MODELS,
      model: "openai-compatible:x",
      openaiBaseUrl: `${server.url.href}v1`,
      inputs: READS,
    };
    const contents = { read: () => Promise.resolve(bytes("abc")) } as never;
    const outer = withAttachedContent(createModels(settings), { contents, room });
    const ask = (name: string, more: Partial<ModelCall> = {}) => run(outer, modelCall([said(attachment(name))], more));
    return { ask, answer, bodies, stop: () => server.stop(true) };
  }

  test("[FILE-7] is released when its request is sent, however slow the answer is", async () => {
    const room = new ByteRoom(12, 12);
    const { ask, answer, bodies, stop } = slow(room);
    const first = ask("one");
    const second = ask("other");
    await until("both are sent", () => bodies.length === 2);
    await until("the room is free", () => room.used === 0);
    answer.open();
    for (const { outcome } of await Promise.all([first, second])) expect(outcome.kind).toBe("finished");
    expect(bodies.every((body) => body.includes(Buffer.from("abc").toString("base64")))).toBe(true);
    await stop();
  });

  test("[FILE-7] [JOB-16] is held while the request may have to be repeated without the schema", async () => {
    const room = new ByteRoom(12, 12);
    let refused = 0;
    const provider = slow(room, () => (refused++ < 2 ? 400 : 200));
    const asked = provider.ask("one", { outputSchema: SCHEMA });
    await until("it is asked again", () => provider.bodies.length === 2);
    expect(provider.bodies[1]).toContain(Buffer.from("abc").toString("base64"));
    provider.answer.open();
    expect((await asked).outcome.kind).toBe("finished");
    expect(room.used).toBe(0);
    await provider.stop();
  });

  test("[FILE-7] is waited for like a slot of the run, and nothing is sent if the job has moved on", async () => {
    const room = new ByteRoom(12, 12);
    const { ask, answer, bodies, stop } = slow(room);
    let waited = 0;
    const moved = ask("one", {
      async waits(ready) {
        waited++;
        (await ready)?.[Symbol.dispose]();
        throw new Error("the job has moved on");
      },
    });
    await expect(moved).rejects.toThrow("moved on");
    expect([waited, room.used, bodies.length]).toEqual([1, 0, 0]);
    answer.open();
    await stop();
  });
});

test("[RUN-34] [FILE-7] what is dropped for want of room stays dropped, and the others stay, until half is used again", async () => {
  const { ask, parts } = models(["text", "image"], () => Promise.resolve(bytes("abc")));
  const size = ATTACHED_BYTES / 10;
  const entries: TranscriptEntry[] = [];
  /** Which attachments each call has. */
  const shown: string[] = [];
  for (let i = 0; i < 18; i++) {
    entries.push(said(attachment(`${i}`, { size })));
    await ask(entries);
    shown.push(
      parts()
        .map((list) => (list?.[0]?.type === "image" ? "+" : "-"))
        .join(""),
    );
  }
  const changes = shown.slice(1).filter((now, at) => !now.startsWith(shown[at]!));
  expect(changes).toEqual(["------+++++", "------------+++++"]);
  expect(shown.every((one) => one.endsWith("+"))).toBe(true);
});

test("[FILE-7] files of earlier messages make room for those of one message, which are all shown", async () => {
  const { ask, parts } = models(["text", "image"], () => Promise.resolve(bytes("abc")));
  const of = (name: string, tenths: number) => attachment(name, { size: (ATTACHED_BYTES / 20) * tenths });
  await ask([said(of("old", 6)), said(of("first", 7), of("second", 8))]);
  const images = parts().map((list) => list?.filter(({ type }) => type === "image").length);
  expect(images).toEqual([0, 2]);
});
