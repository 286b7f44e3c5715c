/** Images and files in what a user says, in each format. The reference is the AI SDK, which is asked the same. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ContentPart, ModelOutcome, TranscriptEntry } from "../../../actors/job/ports.ts";
import { modelCall, run } from "../../support/model-calls.ts";
import { type FormatName, modelsBy, type Way, WAYS } from "../../support/model-ways.ts";
import { type StreamServer, startStreamServer } from "../../support/stream-server.ts";

let server: StreamServer;
beforeAll(() => {
  server = startStreamServer();
});
afterAll(() => server.stop());

const OURS = WAYS.filter((way) => !way.isReference);
const referenceOf = (format: FormatName): Way => WAYS.find((way) => way.isReference && way.format === format)!;

const said = (...parts: readonly ContentPart[]): TranscriptEntry => ({
  role: "user",
  text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
  parts,
});

async function asked(way: Way, entries: readonly TranscriptEntry[]): Promise<{ body: unknown; outcome: ModelOutcome }> {
  server.answer = [];
  const before = server.bodies.length;
  const { outcome } = await run(modelsBy(way, server.baseUrl), modelCall(entries));
  return { body: server.bodies[before], outcome };
}
/** What is told of the conversation. */
const toldBy = async (way: Way, entries: readonly TranscriptEntry[]): Promise<unknown> => {
  const { body } = await asked(way, entries);
  const { messages, input } = body as { readonly messages?: unknown; readonly input?: unknown };
  return messages ?? input;
};

const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 });
const name = fc.option(fc.constantFrom("plan.pdf", 'a "quoted" näme.pdf'), { nil: undefined });
const named = (file: string | undefined) => (file === undefined ? {} : { name: file });
const text = fc
  .string({ unit: "grapheme", maxLength: 12 })
  .map((words): ContentPart => ({ type: "text", text: `${words}.` }));
const image = fc
  .tuple(fc.constantFrom("image/png", "image/jpeg", "image/gif", "image/webp"), bytes, name)
  .map(([mediaType, data, file]): ContentPart => ({ type: "image", mediaType, data, ...named(file) }));
const pdf = fc
  .tuple(bytes, name)
  .map(([data, file]): ContentPart => ({ type: "file", mediaType: "application/pdf", data, ...named(file) }));
const textFile = fc
  .tuple(fc.constantFrom("text/plain", "text/csv", "application/json"), text)
  .map(([mediaType, words]): ContentPart => ({
    type: "file",
    mediaType,
    data: Buffer.from(words.type === "text" ? words.text : ""),
  }));
const entry: fc.Arbitrary<TranscriptEntry> = fc.oneof(
  fc.array(fc.oneof(text, image, pdf, textFile), { minLength: 1, maxLength: 4 }).map((parts) => said(...parts)),
  fc.constant<TranscriptEntry>({ role: "assistant", blocks: [{ type: "text", text: "I see." }] }),
);

describe("images and files", () => {
  for (const ours of OURS)
    test(`[RUN-15] of ${ours.format} are sent as the reference sends them, in any conversation`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 4 }), async (entries) => {
          expect(await toldBy(ours, entries)).toEqual(await toldBy(referenceOf(ours.format), entries));
        }),
        { numRuns: 60 },
      );
    });

  for (const way of WAYS)
    test(`[RUN-15] a file of a type that no provider takes fails the call before it is made: ${way.name}`, async () => {
      const file: ContentPart = { type: "file", mediaType: "application/zip", data: Buffer.from("PK") };
      const { body, outcome } = await asked(way, [said(file)]);
      expect(body).toBeUndefined();
      expect(outcome).toMatchObject({ kind: "failed", error: { code: "provider_rejected" } });
    });

  test("[RUN-15] a text file's name is told where the format has no place for it", async () => {
    const file: ContentPart = { type: "file", mediaType: "text/csv", name: "towns.csv", data: Buffer.from("Ulm\n") };
    const told: Record<string, string> = {};
    for (const way of OURS) told[way.format] = JSON.stringify(await toldBy(way, [said(file)]));
    expect(told["chat completions"]).toContain('"content":"towns.csv:\\n\\nUlm\\n"');
    expect(told["responses"]).toContain('{"type":"input_text","text":"towns.csv:\\n\\nUlm\\n"}');
    expect(told["messages"]).toContain('"data":"Ulm\\n"},"title":"towns.csv"');
  });
});

describe("citations", () => {
  const messages = OURS.find((way) => way.format === "messages")!;
  const cited: ContentPart = { type: "file", mediaType: "application/pdf", citations: true, data: Buffer.from("%PDF") };
  const { citations: _asked, ...plain } = cited;

  test("[RUN-15] are asked for as the reference asks for them", async () => {
    const entries = [said({ type: "text", text: "What is it?" }, cited)];
    const told = await toldBy(messages, entries);
    expect(told).toMatchObject([{ content: [{ type: "text" }, { type: "document", citations: { enabled: true } }] }]);
    expect(told).toEqual(await toldBy(referenceOf("messages"), entries));
  });

  test("[RUN-15] are asked for of all documents of a request or of none", async () => {
    const told = JSON.stringify(await toldBy(messages, [said(plain), said(cited)]));
    expect(told.match(/"citations":\{"enabled":true\}/g)).toHaveLength(2);
    expect(JSON.stringify(await toldBy(messages, [said(plain)]))).not.toContain("citations");
  });
});
