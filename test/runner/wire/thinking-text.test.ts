/** The reasoning of local models, which stands between tags in their text. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Thinking, thinkingEntry } from "../../../actors/job/model-entry.ts";
import { createModels } from "../../../src/runner/models.ts";
import { ThinkingText } from "../../../src/runner/wire/thinking-text.ts";
import { modelCall, NO_MODELS, run } from "../../support/model-calls.ts";
import { framesOf, type StreamServer, startStreamServer } from "../../support/stream-server.ts";

/** What is told of these pieces, joined, and each call as it was made. */
function read(pieces: readonly string[], thinking: Thinking = "tags", isWhole = true) {
  const calls: string[] = [];
  const told = { text: "", reasoning: "" };
  const tell = (kind: "text" | "reasoning") => (piece: string) => {
    told[kind] += piece;
    calls.push(`${kind}: ${piece}`);
  };
  const text = new ThinkingText({ text: tell("text"), reasoning: tell("reasoning") }, thinking);
  for (const piece of pieces) text.take(piece);
  text.end(isWhole);
  return { ...told, calls };
}

describe("text with tags", () => {
  test.each([
    ["<think>Hm.</think>\n\nHello", "Hm.", "Hello"],
    ["\n <think>Hm. a < b</think>Hello </think>", "Hm. a < b", "Hello </think>"],
    ["<think></think>Hello", "", "Hello"],
    ["<think>A</think>\n<think>B</think> Hello", "AB", "Hello"],
    ["[THINK]Hm.[/THINK]Hello", "Hm.", "Hello"],
    ["<think>never ended", "never ended", ""],
    ["The tag <think> begins a thought.</think>", "", "The tag <think> begins a thought.</think>"],
    ["<thinner", "", "<thinner"],
    ["<thi", "", "<thi"],
    ["  Hello", "", "  Hello"],
    ["<think>Hm.</think>\n", "Hm.", ""],
  ])("[RUN-25] %j is distinguished, however it is cut", (answer, reasoning, text) => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: answer.length }), { maxLength: 8 }), (places) => {
        const cuts = [0, ...places.toSorted((a, b) => a - b), answer.length];
        const pieces = cuts.slice(1).map((end, at) => answer.slice(cuts[at], end));
        expect(read(pieces)).toMatchObject({ reasoning, text });
      }),
    );
  });

  test("[RUN-25] only text that may be a tag is held back", () => {
    expect(read(["Hel", "lo <", "think>"]).calls).toEqual(["text: Hel", "text: lo <", "text: think>"]);
    expect(read(["<", "b>"]).calls).toEqual(["text: <b>"]);
    expect(read(["<think>a", "b<", "c"]).calls).toEqual(["reasoning: a", "reasoning: b", "reasoning: <c"]);
  });

  test("[RUN-25] a model whose text begins within a thought sends only the end tag; without one, all text is the answer", () => {
    expect(read(["Hm.</thi", "nk>Hello"], "open")).toMatchObject({ reasoning: "Hm.", text: "Hello" });
    expect(read(["Hello"], "open").text).toBe("Hello");
    expect(read(["cut in its tho"], "open", false)).toMatchObject({ reasoning: "cut in its tho", text: "" });
    expect(read(["<think>Hm.</think>"], "off").text).toBe("<think>Hm.</think>");
  });

  test.each(["openai:a", "openai:a=", "a=tags", "openai:a=no", "openai:a=tags=open"])(
    "[RUN-25] %j is not an entry of MODEL_THINKING",
    (entry) => {
      expect(thinkingEntry(entry)).toBeNull();
    },
  );
});

describe("a model on a compatible server", () => {
  let server: StreamServer;
  beforeAll(() => {
    server = startStreamServer();
  });
  afterAll(() => server.stop());
  const said = (...pieces: string[]): string[] =>
    framesOf(...pieces.map((content) => ({ choices: [{ delta: { content } }] })), {
      choices: [{ delta: {}, finish_reason: "stop" }],
    });
  const models = (thinking?: Thinking) =>
    createModels({
      ...NO_MODELS,
      model: "openai-compatible:m",
      openaiBaseUrl: server.baseUrl,
      ...(thinking === undefined ? {} : { thinking: new Map([["openai-compatible:m", thinking]]) }),
    });

  test("[RUN-25] a thought is shown as reasoning, not as text, and is not sent back", async () => {
    server.answer = said("<thi", "nk>Hm.", "</think>", "\n\nHello");
    const { outcome, pieces } = await run(models(), modelCall("hi"));
    expect(pieces).toEqual(["Hello"]);
    expect(outcome).toMatchObject({
      blocks: [
        { type: "reasoning", text: "Hm." },
        { type: "text", text: "Hello" },
      ],
    });
    const blocks = outcome.kind === "finished" ? outcome.blocks : [];
    await run(
      models(),
      modelCall([
        { role: "user", text: "hi" },
        { role: "assistant", blocks },
        { role: "user", text: "so" },
      ]),
    );
    expect(server.bodies.at(-1)).toMatchObject({ messages: [{}, { content: "Hello" }, {}] });
  });

  test("[RUN-25] the setting overrides the detection for a model", async () => {
    server.answer = said("<think>Hm.</think>");
    expect((await run(models("off"), modelCall("hi"))).pieces.join("")).toBe("<think>Hm.</think>");
    server.answer = said("Hm.</think>", "Hello");
    expect((await run(models("open"), modelCall("hi"))).pieces.join("")).toBe("Hello");
  });
});
