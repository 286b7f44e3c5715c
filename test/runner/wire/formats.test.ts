/**
 * The contract of the formats that we speak ourselves. The reference is the AI SDK: it is asked the
 * same, and reads the same streams.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ModelOutcome, TranscriptEntry } from "../../../actors/job/ports.ts";
import type { Block } from "../../../actors/job/schema.ts";
import { modelCall, run, WEATHER, withoutState } from "../../support/model-calls.ts";
import { type FormatName, modelsBy, type Way, WAYS } from "../../support/model-ways.ts";
import { RECORDINGS } from "../../support/recorded-streams.ts";
import type { Recording } from "../../support/recording.ts";
import { startStreamServer, type StreamServer } from "../../support/stream-server.ts";

let server: StreamServer;
beforeAll(() => void (server = startStreamServer()));
afterAll(() => server.stop());

const OURS = WAYS.filter((way) => !way.isReference);
const referenceOf = (format: FormatName): Way => WAYS.find((way) => way.isReference && way.format === format)!;

async function readBy(way: Way, chunks: readonly (string | Uint8Array)[]): Promise<ModelOutcome> {
  server.answer = chunks;
  const { outcome, pieces } = await run(modelsBy(way, server.baseUrl), modelCall("hi", { tools: [WEATHER] }));
  const told = outcome.kind === "finished" ? texts(outcome) : outcome.partialText;
  expect(pieces.join("")).toBe(told);
  return outcome;
}
const texts = ({ blocks }: Extract<ModelOutcome, { kind: "finished" }>): string =>
  blocks.map((block) => (block.type === "text" ? block.text : "")).join("");

/** The reference does not report it. */
function withoutTier(outcome: ModelOutcome): ModelOutcome {
  if (outcome.kind !== "finished") return outcome;
  const { serviceTier: _tier, ...usage } = outcome.usage;
  return { ...outcome, usage };
}

function expectRead(outcome: ModelOutcome, reads: Recording["reads"]): void {
  if (typeof reads === "string") expect(outcome).toMatchObject({ kind: "failed", error: { code: reads } });
  else expect(withoutState(withoutTier(outcome))).toEqual({ kind: "finished", ...reads });
}

/** `bytes` cut at these places. */
function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((end, at) => bytes.slice(cuts[at], end));
}

describe("a stream", () => {
  for (const { format, about, stream, reads, referenceReads = reads } of RECORDINGS) {
    const ours = OURS.find((way) => way.format === format)!;

    test(`[RUN-1] of ${format} is read as the reference reads it: ${about}`, async () => {
      expectRead(await readBy(ours, [stream]), reads);
      expectRead(await readBy(referenceOf(format), [stream]), referenceReads);
    });

    test(`[RUN-1] of ${format} is read the same however it is cut, and whatever ends its lines: ${about}`, async () => {
      const end = fc.constantFrom("\n", "\r\n", "\r");
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(), { maxLength: 12 }), end, async (places, lineEnd) => {
          const bytes = Buffer.from(stream.replaceAll("\n", lineEnd));
          expectRead(await readBy(ours, cutAt(bytes, places)), reads);
        }),
        { numRuns: 15 },
      );
    });
  }
});

const words = fc.string({ unit: "grapheme", maxLength: 12 });
const block: fc.Arbitrary<Block> = fc.oneof(
  words.map((text): Block => ({ type: "text", text })),
  words.map((text): Block => ({ type: "reasoning", text })),
  fc
    .tuple(fc.constantFrom("a", "b"), words)
    .map(([id, town]): Block => ({ type: "tool_use", id, name: "weather", input: { town, list: [1, null] } })),
  fc
    .tuple(fc.constantFrom("a", "b"), words, fc.boolean())
    .map(([id, content, isError]): Block => ({ type: "tool_result", tool_use_id: id, content, is_error: isError })),
);
const entry: fc.Arbitrary<TranscriptEntry> = fc.oneof(
  words.map((text): TranscriptEntry => ({ role: "user", text: `${text}.` })),
  fc.array(block, { maxLength: 6 }).map((blocks): TranscriptEntry => ({ role: "assistant", blocks })),
);

/** What we ask otherwise, on purpose: the instructions have a field of their own, and nothing is wanted of reasoning that is never sent back. */
function comparable(format: FormatName, body: unknown): unknown {
  if (format !== "responses") return body;
  const { instructions, input, include: _include, ...rest } = body as Record<string, unknown>;
  const said = input as { role?: string; content?: unknown }[];
  const isFirst = said[0]?.role === "developer" || said[0]?.role === "system";
  return {
    ...rest,
    instructions: instructions ?? (isFirst ? said[0]?.content : undefined),
    input: isFirst ? said.slice(1) : said,
  };
}

async function asked(way: Way, entries: readonly TranscriptEntry[], system: string, model: string): Promise<unknown> {
  server.answer = [];
  const call = modelCall(entries, { system, tools: entries.length % 2 === 0 ? [WEATHER] : [] });
  await run(modelsBy(way, server.baseUrl, { model }), call);
  return comparable(way.format, server.bodies.at(-1));
}

describe("a request", () => {
  for (const ours of OURS)
    test(`[RUN-1] of ${ours.format} is what the reference asks, for any conversation`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(entry, { minLength: 1, maxLength: 5 }),
          fc.constantFrom("", " ", "Be brief."),
          async (entries, system) => {
            const body = await asked(ours, entries, system, "gpt-5-mini");
            expect(body).toEqual(await asked(referenceOf(ours.format), entries, system, "gpt-5-mini"));
          },
        ),
        {
          numRuns: 40,
          examples: [
            [
              [
                { role: "user", text: "hi" },
                { role: "assistant", blocks: [] },
              ],
              "",
            ],
          ],
        },
      );
    });

  test("[RUN-1] of messages names the longest answer that the reference names, for each model", async () => {
    const ours = OURS.find((way) => way.format === "messages")!;
    const names =
      "claude-opus-5-5 claude-sonnet-5-5 claude-haiku-5-5 claude-opus-5 claude-fable-5-2 claude-fable-5 claude-sonnet-5 " +
      "claude-opus-4-8 claude-opus-4-7 claude-opus-4-6 claude-sonnet-4-6 claude-opus-4-5 claude-haiku-4-5 claude-sonnet-4-5 " +
      "claude-opus-4-1 claude-opus-4-0 claude-sonnet-4-0 claude-3-haiku-20240307 claude-haiku-4-5-20251001 " +
      "claude-opus-4-1-20250805 claude-opus-4-20250514 claude-sonnet-4-20250514 claude-sonnet-4-5-20250929 " +
      "claude-3-5-sonnet-latest claude-2.1 claude-instant claude-next-9 another";
    for (const model of names.split(" ")) {
      const entries: TranscriptEntry[] = [{ role: "user", text: "hi" }];
      const body = await asked(ours, entries, "", model);
      expect({ model, body }).toEqual({ model, body: await asked(referenceOf("messages"), entries, "", model) });
    }
  });
});

describe("an output schema", () => {
  const closed = {
    type: "object",
    properties: { a: { type: "string" } },
    required: ["a"],
    additionalProperties: false,
  };
  const PLACES: Readonly<Record<FormatName, (body: Record<string, unknown>) => unknown>> = {
    "chat completions": (body) => body["response_format"],
    messages: (body) => body["output_config"],
    responses: (body) => body["text"],
  };

  for (const ours of OURS)
    test(`[JOB-16] is given natively to ${ours.format}, and left out where the provider refuses the request`, async () => {
      const provider = await ours.start();
      try {
        provider.answer(
          { kind: "status", status: 400, body: '{"error":{"message":"no"}}' },
          { kind: "stream", text: ["hi"] },
        );
        const { outcome } = await run(modelsBy(ours, provider.baseUrl), modelCall("hi", { outputSchema: closed }));
        expect(outcome).toMatchObject({ kind: "finished", blocks: [{ type: "text", text: "hi" }] });
        const [first, second] = provider.requests
          .filter(({ method }) => method === "POST")
          .map(({ body }) => PLACES[ours.format](body as Record<string, unknown>));
        expect(JSON.stringify(first)).toContain(JSON.stringify(closed));
        expect(second).toBeUndefined();
      } finally {
        await provider.stop();
      }
    });
});
