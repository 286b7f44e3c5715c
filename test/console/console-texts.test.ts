/** Parts of the console that need no browser: texts that grow, what a job did, and its family. */
import { expect, test } from "bun:test";
import { createRequire } from "node:module";
import { ApiError, ConnectionFailedError } from "../../sdk/typescript/troupe.ts";
import { type ParsedText, parseGrownText, parseText } from "../../src/console/format/blocks.ts";
import { type CodePiece, codePieces } from "../../src/console/format/code-pieces.ts";
import { layoutOf } from "../../src/console/jobs/lineage-layout.ts";
import { type SeenEvent, timelineOf } from "../../src/console/jobs/timeline.ts";
import { keyedSender } from "../../src/console/pieces/request-key.ts";

const GROWING = [
  "# Title\n\nA paragraph with *words*\nand a second line.\n\n",
  "- one\n- two\n\n  more of two\n- three\n\n",
  "Setext\n======\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n",
  "```ts\nconst a = 1;\n\nconst b = 2;\n```\n\n> quoted\nlazily\n\n1. x\n2. y\n\nEnd.",
].join("");

test("[CON-2] a piece of a text parses only its last block again, and the blocks are those of the whole text", () => {
  let parsed: ParsedText | null = null;
  for (let length = 1; length <= GROWING.length; length++) {
    const before: ParsedText | null = parsed;
    parsed = parseGrownText(before, GROWING.slice(0, length));
    const whole = parseText(GROWING.slice(0, length));
    expect(parsed.blocks?.map(({ type, raw }) => [type, raw])).toEqual(
      whole.blocks?.map(({ type, raw }) => [type, raw]),
    );
    const last = before?.blocks?.findLast(({ type }) => type !== "space")?.raw.length ?? 0;
    // The last block, what is blank after it, and the new character.
    expect(parsed.parsed).toBeLessThanOrEqual(last + 8);
  }
  // A long text costs no more for each piece than a short one.
  const long = parseGrownText(parseText(`${GROWING}\n\n`.repeat(200)), `${`${GROWING}\n\n`.repeat(200)}x`);
  expect(long.parsed).toBeLessThan(20);
  // Another text is parsed anew.
  expect(parseGrownText(parsed, "Other").parsed).toBe(5);
});

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
const seen = (event: string, seq: number, data: object): SeenEvent =>
  ({ event, id: `${seq}.0`, data: { seq, type: event, at: at(seq), ...data } }) as unknown as SeenEvent;

test("[CON-17] the timeline has each event in words, what it took, and the tokens and the cost of each model call", () => {
  const entries = timelineOf([
    seen("job.started", 1, { attempt: 1, model: "demo:echo" }),
    seen("runner.status", 2, { state: "running" }),
    seen("transcript.event", 3, { kind: "tool_use", id: "c1", name: "lookup", input: { a: 1 } }),
    seen("usage.updated", 4, { input_tokens: 100, output_tokens: 10, cached_input_tokens: 40, cost: "0.0003" }),
    seen("transcript.event", 6, { kind: "tool_result", tool_use_id: "c1", content: "no", is_error: true }),
    seen("transcript.event", 7, { kind: "assistant_text", text: "done" }),
    seen("job.completed", 8, {
      usage: { input_tokens: 250, output_tokens: 30, cached_input_tokens: 40, cost: "0.0007" },
    }),
  ]);
  expect(entries.map(({ words, tookMs, used, isBad }) => [words, tookMs, used, isBad])).toEqual([
    ["Attempt 1 with demo:echo", 0, null, false],
    ["Calls lookup", 2_000, { input: 100, output: 10, cached: 40, cost: "0.0003" }, false],
    ["Tool failed", 3_000, null, true],
    ["Answer", 1_000, null, false],
    ["Job completed", 1_000, { input: 150, output: 20, cached: 0, cost: "0.0004" }, false],
  ]);
});

test("[CON-17] a timeline makes no text of the inputs of tool calls", () => {
  const input = {
    toJSON(): string {
      throw new Error("No row shows it");
    },
  };
  const [entry] = timelineOf([seen("transcript.event", 1, { kind: "tool_use", id: "c1", name: "lookup", input })]);
  expect(entry?.input).toBe(input);
});

test("[CON-17] each job of a lineage has a place of its own, after its parent", () => {
  const node = (id: string, parent: string | null) => ({
    id,
    parent_job_id: parent,
    relation: "resume" as const,
    status: "failed" as const,
    title: id,
    created_at: at(0),
  });
  const placed = layoutOf([node("a", "gone"), node("b", "a"), node("c", "a"), node("d", "b"), node("e", "c")]);
  expect(placed.map(({ job, column, row, parent }) => [job.id, column, row, parent?.job.id ?? null])).toEqual([
    ["a", 0, 0, null],
    ["b", 1, 0, "a"],
    ["d", 2, 0, "b"],
    ["c", 1, 1, "a"],
    ["e", 2, 1, "c"],
  ]);
  const chain = Array.from({ length: 5_000 }, (_, index) =>
    node(String(index), index === 0 ? null : String(index - 1)),
  );
  expect(layoutOf(chain).at(-1)?.column).toBe(4_999);
});

test("[CON-2] another try has the body and the key of the first one, and a new key after a refusal", async () => {
  const send = keyedSender<object>();
  const sent: { readonly body: object; readonly key: string }[] = [];
  const say = (written: string, error: Error | null = null): Promise<unknown> =>
    send(
      written,
      () => ({ at: sent.length }),
      async (body, key) => {
        sent.push({ body, key });
        if (error !== null) throw error;
      },
    ).catch(() => null);
  const failure = (status: number, code: string) =>
    new ApiError({ status, code, message: "No.", requestId: null, details: {}, retryAfterSeconds: null });
  await say("hello", new ConnectionFailedError("cut"));
  await say("hello", failure(503, "unavailable"));
  await say("hello", failure(409, "idempotency_in_progress"));
  await say("hello", failure(429, "budget_exceeded"));
  await say("hello", new ConnectionFailedError("cut"));
  await say("hello!");
  await say("hello!");
  const keys = [...new Set(sent.map(({ key }) => key))];
  expect(sent.map(({ key }) => keys.indexOf(key))).toEqual([0, 0, 0, 0, 1, 2, 3]);
  expect(sent.map(({ body }) => body)).toEqual([0, 0, 0, 0, 4, 5, 6].map((number) => ({ at: number })));
});

/** Its types need those of a browser. */
const hljs = createRequire(import.meta.url)("highlight.js/lib/common") as {
  highlight(code: string, options: { language: string }): { readonly value: string };
};
const textOf = (pieces: readonly CodePiece[]): string =>
  pieces.map((piece) => (typeof piece === "string" ? piece : textOf(piece.pieces))).join("");
const stylesOf = (pieces: readonly CodePiece[]): readonly string[] =>
  pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece.style, ...stylesOf(piece.pieces)]));

const COLOURED: readonly (readonly [string, string])[] = [
  ["ts", 'const a: string = `<img src=x onerror="alert(1)">${b}`; // &amp; </span><b>'],
  ["js", "export const f = async () => null;"],
  ["html", '<a href="javascript:alert(1)">x</a>&lt;'],
  ["python", "def f(x: int) -> str:\n    return f'{x} <b>'"],
  ["sql", "SELECT '<script>' FROM t WHERE a > 1"],
  ["diff", "- old\n+ <new>"],
];

test("[CON-5] coloured code is the same text, in pieces that only colour it", () => {
  for (const [language, code] of COLOURED) {
    const pieces = codePieces(hljs.highlight(code, { language }).value);
    expect(textOf(pieces)).toBe(code);
    expect(stylesOf(pieces).length).toBeGreaterThan(0);
    expect(stylesOf(pieces).filter((style) => !/^[\w\s-]+$/.test(style))).toEqual([]);
  }
});
