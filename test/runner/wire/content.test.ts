/** Images and files in what a user says, in each format. The reference is the AI SDK, which is asked the same. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { MessagePart, ModelOutcome, ToolDescription, TranscriptEntry } from "../../../actors/job/ports.ts";
import { modelCall, run, WEATHER } from "../../support/model-calls.ts";
import { type FormatName, modelsBy, type Way, WAYS } from "../../support/model-ways.ts";
import { startStreamServer, type StreamServer } from "../../support/stream-server.ts";

let server: StreamServer;
beforeAll(() => void (server = startStreamServer()));
afterAll(() => server.stop());

const OURS = WAYS.filter((way) => !way.isReference);
const referenceOf = (format: FormatName): Way => WAYS.find((way) => way.isReference && way.format === format)!;

const said = (...parts: readonly MessagePart[]): TranscriptEntry => ({
  role: "user",
  text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
  parts,
});

async function asked(
  way: Way,
  entries: readonly TranscriptEntry[],
  tools: readonly ToolDescription[] = [],
): Promise<{ body: unknown; outcome: ModelOutcome }> {
  server.answer = [];
  const before = server.bodies.length;
  const { outcome } = await run(modelsBy(way, server.baseUrl), modelCall(entries, { tools }));
  return { body: server.bodies[before], outcome };
}
/** What is told of the conversation. */
const toldBy = async (way: Way, entries: readonly TranscriptEntry[], tools = [] as readonly ToolDescription[]) => {
  const { body } = await asked(way, entries, tools);
  const { messages, input } = body as { readonly messages?: unknown; readonly input?: unknown };
  return messages ?? input;
};

const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 });
const name = fc.option(fc.constantFrom("plan.pdf", 'a "quoted" näme.pdf'), { nil: undefined });
const named = (file: string | undefined) => (file === undefined ? {} : { name: file });
const text = fc
  .string({ unit: "grapheme", maxLength: 12 })
  .map((words): MessagePart => ({ type: "text", text: `${words}.` }));
const image = fc
  .tuple(fc.constantFrom("image/png", "image/jpeg", "image/gif", "image/webp"), bytes, name)
  .map(([mediaType, data, file]): MessagePart => ({ type: "image", mediaType, data, ...named(file) }));
const pdf = fc
  .tuple(bytes, name)
  .map(([data, file]): MessagePart => ({ type: "file", mediaType: "application/pdf", data, ...named(file) }));
const textFile = fc
  .tuple(fc.constantFrom("text/plain", "text/csv", "application/json"), text)
  .map(([mediaType, words]): MessagePart => ({
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
      const file: MessagePart = { type: "file", mediaType: "application/zip", data: Buffer.from("PK") };
      const { body, outcome } = await asked(way, [said(file)]);
      expect(body).toBeUndefined();
      expect(outcome).toMatchObject({ kind: "failed", error: { code: "provider_rejected" } });
    });

  test("[RUN-15] a text file's name is in its text if the format has no place for it", async () => {
    const file: MessagePart = { type: "file", mediaType: "text/csv", name: "towns.csv", data: Buffer.from("Ulm\n") };
    const told: Record<string, string> = {};
    for (const way of OURS) told[way.format] = JSON.stringify(await toldBy(way, [said(file)]));
    expect(told["chat completions"]).toContain('"content":"towns.csv:\\n\\nUlm\\n"');
    expect(told["responses"]).toContain('{"type":"input_text","text":"towns.csv:\\n\\nUlm\\n"}');
    expect(told["messages"]).toContain('"data":"Ulm\\n"},"title":"towns.csv"');
  });
});

describe("images and files of a tool's result", () => {
  const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
  const shot: MessagePart = { type: "image", mediaType: "image/png", data: PNG };
  const plan: MessagePart = {
    type: "file",
    mediaType: "application/pdf",
    data: Buffer.from("%PDF-"),
  };
  const lost: MessagePart = { type: "text", text: "[image, image/png, 1 KiB: its content is lost]" };

  /** A round of calls, one for each of these results, and what the user says then. */
  function rounds(results: readonly (readonly MessagePart[])[], isError = false): TranscriptEntry[] {
    const calls = results.map((_, at) => ({ type: "tool_use" as const, id: `c${at}`, name: "weather", input: {} }));
    const blocks = results.map((_, at) => ({
      type: "tool_result" as const,
      tool_use_id: `c${at}`,
      content: `it is ${at}`,
      is_error: isError,
    }));
    const resultFiles = new Map(results.map((parts, at) => [blocks[at]!, parts]));
    return [
      { role: "user", text: "look" },
      { role: "assistant", blocks: [...calls, ...blocks], resultFiles },
      { role: "user", text: "and?" },
    ];
  }

  for (const ours of OURS)
    test(`[FILE-10] are sent as the reference sends them: ${ours.format}`, async () => {
      // In results the reference leaves out the name for Anthropic, and has another stand-in for OpenAI.
      const named: MessagePart = ours.format === "messages" ? plan : { ...plan, name: "plan.pdf" };
      for (const entries of [rounds([[shot], [], [named, shot]]), rounds([[lost]]), rounds([[shot]], true)])
        expect(await toldBy(ours, entries, [WEATHER])).toEqual(
          await toldBy(referenceOf(ours.format), entries, [WEATHER]),
        );
    });

  const told = async (format: FormatName, entries: readonly TranscriptEntry[], tools = [WEATHER]) =>
    JSON.stringify(
      await toldBy(
        OURS.find((way) => way.format === format)!,
        entries,
        tools,
      ),
    );
  const data = PNG.toString("base64");

  test("[FILE-10] are in the result where the format takes them, else in a user's message after all results", async () => {
    const entries = rounds([[shot], []]);
    expect(await told("messages", entries)).toContain(
      `"content":[{"type":"text","text":"it is 0"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${data}"}}]`,
    );
    expect(await told("responses", entries)).toContain(
      `"output":[{"type":"input_text","text":"it is 0"},{"type":"input_image","image_url":"data:image/png;base64,${data}"}]`,
    );
    expect(await told("chat completions", entries)).toEndWith(
      `,{"role":"tool","tool_call_id":"call00001","content":"it is 0"},{"role":"tool","tool_call_id":"call00002","content":"it is 1"},` +
        `{"role":"user","content":[{"type":"text","text":"[From the result of weather:]"},{"type":"image_url","image_url":{"url":"data:image/png;base64,${data}"}},{"type":"text","text":"and?"}]}]`,
    );
  });

  test("[FILE-10] of a failed call, or without tools, follow the results as a user's message", async () => {
    for (const format of ["messages", "responses", "chat completions"] as const) {
      const failed = await told(format, rounds([[shot]], true));
      expect(failed).toContain(data);
      expect(failed.indexOf("it is 0")).toBeLessThan(failed.indexOf("[From the result of weather:]"));
      expect(await told(format, rounds([[shot]]), [])).toContain(data);
    }
    expect(await told("messages", rounds([[shot]], true))).toContain('"content":"it is 0","is_error":true');
  });

  test("[FILE-10] that the model does not get are mentioned in the result", async () => {
    expect(await told("messages", rounds([[lost]]))).toContain(
      '"content":"it is 0\\n[image, image/png, 1 KiB: its content is lost]"',
    );
  });
});

describe("citations", () => {
  const messages = OURS.find((way) => way.format === "messages")!;
  const cited: MessagePart = { type: "file", mediaType: "application/pdf", citations: true, data: Buffer.from("%PDF") };
  const { citations: _asked, ...plain } = cited;

  test("[RUN-15] are requested as the reference asks for them", async () => {
    const entries = [said({ type: "text", text: "What is it?" }, cited)];
    const told = await toldBy(messages, entries);
    expect(told).toMatchObject([{ content: [{ type: "text" }, { type: "document", citations: { enabled: true } }] }]);
    expect(told).toEqual(await toldBy(referenceOf("messages"), entries));
  });

  test("[RUN-15] are requested of all documents of a request or of none", async () => {
    const told = JSON.stringify(await toldBy(messages, [said(plain), said(cited)]));
    expect(told.match(/"citations":\{"enabled":true\}/g)).toHaveLength(2);
    expect(JSON.stringify(await toldBy(messages, [said(plain)]))).not.toContain("citations");
  });
});
