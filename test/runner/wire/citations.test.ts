/** What models cite, in each format: as providers send it, and as nobody should. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Citation } from "../../../actors/job/citation.ts";
import type { ModelOutcome } from "../../../actors/job/ports.ts";
import { MAX_CITATION_CHARS, MAX_CITATIONS } from "../../../src/runner/answer-limits.ts";
import { modelCall, run } from "../../support/model-calls.ts";
import { type FormatName, modelsBy, type Way, WAYS } from "../../support/model-ways.ts";
import { cited } from "../../support/recording.ts";
import { startStreamServer, type StreamServer } from "../../support/stream-server.ts";

let server: StreamServer;
beforeAll(() => void (server = startStreamServer()));
afterAll(() => server.stop());

const wayOf = (format: FormatName, isReference = false): Way =>
  WAYS.find((way) => way.format === format && way.isReference === isReference)!;
const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

async function read(way: Way, stream: string): Promise<Extract<ModelOutcome, { kind: "finished" }>> {
  server.answer = [stream];
  const { outcome } = await run(modelsBy(way, server.baseUrl), modelCall("hi"));
  if (outcome.kind !== "finished") throw new Error(JSON.stringify(outcome));
  return outcome;
}
async function citationsBy(way: Way, stream: string): Promise<readonly Citation[]> {
  const { blocks } = await read(way, stream);
  return blocks.flatMap((block) => (block.type === "text" ? (block.citations ?? []) : []));
}

/** Blocks of Anthropic: texts with what they cite. */
const messages = (...parts: readonly (readonly [text: string, ...citations: readonly object[]])[]): string =>
  [
    {
      type: "message_start",
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    ...parts.flatMap(([text, ...citations], index) => [
      { type: "content_block_start", index, content_block: { type: "text", text: "", citations: [] } },
      ...citations.map((citation) => ({
        type: "content_block_delta",
        index,
        delta: { type: "citations_delta", citation },
      })),
      ...Array.from(text).map((piece) => ({
        type: "content_block_delta",
        index,
        delta: { type: "text_delta", text: piece },
      })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ]
    .map(frame)
    .join("");

/** One text of OpenAI's responses, with its annotations. */
const responses = (text: string, ...annotations: readonly object[]): string => {
  const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const item = { type: "message", id: "msg_1", status: "in_progress", role: "assistant", content: [] };
  const part = { type: "output_text", text, annotations };
  return [
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.content_part.added", ...at, part: { type: "output_text", text: "", annotations: [] } },
    ...Array.from(text).map((delta) => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] })),
    ...annotations.map((annotation, annotation_index) => ({
      type: "response.output_text.annotation.added",
      ...at,
      annotation_index,
      annotation,
    })),
    { type: "response.output_text.done", ...at, text, logprobs: [] },
    { type: "response.content_part.done", ...at, part },
    { type: "response.output_item.done", output_index: 0, item: { ...item, status: "completed", content: [part] } },
    {
      type: "response.completed",
      response: { incomplete_details: null, usage: { input_tokens: 1, output_tokens: 1 } },
    },
  ]
    .map((event, sequence_number) => frame({ ...event, sequence_number }))
    .join("");
};

const chat = (text: string, ...annotations: readonly object[]): string =>
  [{ content: text.slice(0, 3) }, { content: text.slice(3) }, { annotations }]
    .map((delta) => frame({ choices: [{ index: 0, delta, finish_reason: null }] }))
    .join("") + frame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });

const page = {
  type: "page_location",
  cited_text: "It has two towers.",
  document_index: 1,
  document_title: "plan.pdf",
  start_page_number: 3,
  end_page_number: 4,
};
const url = (start_index: unknown, end_index: unknown, more: object = {}) => ({
  type: "url_citation",
  start_index,
  end_index,
  url: "https://a.example/x",
  title: "A",
  ...more,
});
const A = { url: "https://a.example/x", title: "A" };

describe("citations", () => {
  test("[RUN-16] of Anthropic are for the whole of their block of text, whenever they come", async () => {
    const place = {
      type: "char_location",
      cited_text: "x",
      document_index: 0,
      document_title: null,
      start_char_index: 0,
      end_char_index: 1,
    };
    const stream = messages(["Well: "], ["two 😀 towers", page, place], ["."]);
    const { blocks } = await read(wayOf("messages"), stream);
    expect(blocks).toEqual([
      {
        type: "text",
        text: "Well: two 😀 towers.",
        citations: [
          cited(6, 19, {
            type: "document",
            title: "plan.pdf",
            document_index: 1,
            first_page: 3,
            last_page: 3,
            cited_text: "It has two towers.",
          }),
          cited(6, 19, { type: "document", document_index: 0, cited_text: "x" }),
        ],
      },
    ]);
    // The reference knows no pages, and makes up a title.
    const reference = await citationsBy(wayOf("messages", true), stream);
    expect(reference).toEqual([
      cited(6, 19, { type: "document", title: "plan.pdf", document_index: 1, cited_text: "It has two towers." }),
      cited(6, 19, { type: "document", title: "Document 0", document_index: 0, cited_text: "x" }),
    ]);
  });

  test("[RUN-16] of OpenAI are for a range, in characters of Unicode, and for a place", async () => {
    const file = { type: "file_citation", file_id: "f", filename: "plan.pdf", index: 3 };
    const stream = responses("A 😀 b c", url(2, 5), file, { type: "file_path", file_id: "f", index: 1 });
    const wanted = [cited(2, 6, A), cited(4, 4, { type: "document", title: "plan.pdf" })];
    expect(await citationsBy(wayOf("responses"), stream)).toEqual(wanted);
    const [, , ...none] = await citationsBy(wayOf("responses", true), stream);
    expect(none).toEqual([]);
  });

  test("[RUN-16] of chat completions come with the end of the text", async () => {
    const of = { type: "url_citation", url_citation: { ...A, content: "words", start_index: 0, end_index: 4 } };
    expect(await citationsBy(wayOf("chat completions"), chat("Well, it is.", of))).toEqual([
      cited(0, 4, { ...A, cited_text: "words" }),
    ]);
  });

  test("[RUN-16] are for parts of the text as it is shown, where characters of it became marks", async () => {
    const stream = responses("a\u202eb cited", url(4, 9));
    const { blocks } = await read(wayOf("responses"), stream);
    const [block] = blocks;
    if (block?.type !== "text") throw new Error("There is no text");
    const [{ start, end } = cited(0, 0, {})] = block.citations ?? [];
    expect(block.text).toBe("a⟨U+202E⟩b cited");
    expect(block.text.slice(start, end)).toBe("cited");
  });
});

describe("hostile citations", () => {
  const text = "four words of text";
  const RANGES: readonly (readonly [unknown, unknown])[] = [
    [-1, 4],
    [9, 4],
    [0, 19],
    [1e300, 1e308],
    [0.5, 4],
    ["0", "4"],
    [null, undefined],
    [{}, []],
  ];
  for (const [start, end] of RANGES)
    test(`[RUN-16] a range that the text does not have is the whole of it: ${JSON.stringify([start, end])}`, async () => {
      expect(await citationsBy(wayOf("responses"), responses(text, url(start, end)))).toEqual([cited(0, 18, A)]);
    });

  const ADDRESSES = [
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "https://user:secret@a.example/",
    "//a.example",
    `https://a.example/${"x".repeat(2_048)}`,
    5,
    null,
  ];
  for (const address of ADDRESSES)
    test(`[RUN-16] an address that is not on the web is omitted: ${String(address).slice(0, 30)}`, async () => {
      const [citation] = await citationsBy(wayOf("responses"), responses(text, url(0, 4, { url: address })));
      expect(citation).toEqual(cited(0, 4, { title: "A" }));
    });

  test("[RUN-16] a citation without a source is omitted, and a malformed one does not affect the answer", async () => {
    const odd: readonly object[] = [
      { type: "url_citation", start_index: 0, end_index: 4 },
      { type: "url_citation", url: [], title: {} },
      { type: "hologram" },
      [],
    ];
    expect(await citationsBy(wayOf("responses"), responses(text, ...odd))).toEqual([]);
    expect(await citationsBy(wayOf("messages"), messages([text, ...odd, { type: 5, document_index: -1 }]))).toEqual([]);
    const none = ["x", 5, { type: "url_citation", url_citation: "x" }, { type: "url_citation" }];
    expect(await citationsBy(wayOf("chat completions"), chat(text, ...(none as object[])))).toEqual([]);
  });

  test("[RUN-16] texts are cut and cleaned like other content from outside", async () => {
    const stream = messages([
      "x",
      { ...page, cited_text: `\u001b[31m\ud800${"y".repeat(500_000)}`, document_title: "\u202ea".repeat(500) },
    ]);
    const [citation] = await citationsBy(wayOf("messages"), stream);
    expect(citation?.cited_text).toHaveLength(1_000);
    expect(citation?.cited_text).toStartWith("␛[31m\ufffdyyy");
    expect(citation?.title).toStartWith("⟨U+202E⟩a⟨U+202E⟩a");
    expect(citation?.title?.length).toBeLessThanOrEqual(256);
    expect(JSON.stringify(citation).isWellFormed()).toBe(true);
  });

  test("[RUN-16] an answer keeps its first 128, and 64 Ki characters of them", async () => {
    const many = (count: number, words: string) =>
      responses(text, ...Array.from({ length: count }, () => url(0, 4, { title: words })));
    expect(await citationsBy(wayOf("responses"), many(MAX_CITATIONS, "t"))).toHaveLength(MAX_CITATIONS);
    expect(await citationsBy(wayOf("responses"), many(MAX_CITATIONS + 1, "t"))).toHaveLength(MAX_CITATIONS);
    const long = messages([text, ...Array.from({ length: 100 }, () => ({ ...page, cited_text: "z".repeat(1_000) }))]);
    const kept = await citationsBy(wayOf("messages"), long);
    expect(kept).toHaveLength(Math.floor(MAX_CITATION_CHARS / (1_000 + page.document_title.length)));
  });

  test("[RUN-16] citations without text cite nothing", async () => {
    const { blocks } = await read(wayOf("messages"), messages(["", page]));
    expect(blocks).toEqual([]);
  });
});
