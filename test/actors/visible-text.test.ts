/** Control, ANSI and bidi characters as marks. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../actors/schema.ts";
import { cleanText, TextPieces } from "../../actors/clean-text.ts";
import { legibleJson, visibleJson, visibleText } from "../../actors/visible-text.ts";
import { CollectedAnswer } from "../../src/runner/answer.ts";

test("[GUARD-7] control and bidi characters are marked, and nothing else is", () => {
  expect(visibleText("\u001b[31mred\u0007\u007f\u009b\u202eabc\u2066d\u2069")).toBe(
    "␛[31mred␇␡⟨U+009B⟩⟨U+202E⟩abc⟨U+2066⟩d⟨U+2069⟩",
  );
  expect(visibleText("a\r\nb\rc\n\td")).toBe("a\nb␍c\n\td");
  const usual = "Grüße, 你好, שלום\u200f, 😀 \u00a0 e\u0301";
  expect(visibleText(usual)).toBe(usual);
});

test("[GUARD-7] a marked text does not change", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => visibleText(visibleText(text)) === visibleText(text)));
});

const odd = fc.string({ unit: fc.constantFrom("a", "\r", "\n", "\u001b", "\u202e", "\ud83d", "\ude00", "\0", "é") });

test("[GUARD-7] a text in pieces is marked like the whole text, wherever it is split", () => {
  fc.assert(
    fc.property(fc.array(odd), (parts) => {
      const pieces = new TextPieces();
      const out = parts.map((part) => pieces.take(part)).join("") + pieces.end();
      expect(out).toBe(visibleText(cleanText(parts.join(""))));
    }),
  );
});

test("[GUARD-7] a model's text and reasoning, and the names of its calls, are marked as they arrive", () => {
  const told: string[] = [];
  const answer = new CollectedAnswer(
    { onText: (text) => told.push(text), onChars() {}, onImpossibleUsage() {}, onLongState() {}, onWhole() {} },
    "test:model",
  );
  answer.reasoning("think \u001b[2J");
  for (const piece of ["see \u001b", "[31m\u202e", "line\r", "\nend\r"]) answer.text(piece);
  answer.call({ id: "c1", name: "look\u0007", input: { path: "\u202etxt.exe" } });
  answer.end("tool_use" as never);
  expect(told.join("")).toBe("see ␛[31m⟨U+202E⟩line\nend␍");
  expect(answer.blocks).toMatchObject([
    { type: "reasoning", text: "think ␛[2J" },
    { type: "text", text: "see ␛[31m⟨U+202E⟩line\nend␍" },
    // What is called is what was said; it is marked where people are shown it.
    { type: "tool_use", name: "look␇", input: { path: "\u202etxt.exe" } },
  ]);
});

test("[GUARD-7] arguments are marked at every depth, keys too", () => {
  const given: Json = { "a\u001b": ["\u202e", { b: "\u0007", c: 1, d: null, e: true }] };
  expect(visibleJson(given)).toEqual({
    "a␛": ["⟨U+202E⟩", { b: "␇", c: 1, d: null, e: true }],
  });
});

test("[REACH-3] what cannot be seen is written as JSON escapes, and the text is still the same JSON", () => {
  const value = { "a\u200bb": "x\u202ey\u00a0z\u{e0041}\ufe0f\u3164", list: ["line\nend", 1, null] };
  const text = legibleJson(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text).toMatch(/^[\n\x20-\x7e]*$/);
  expect(text).toContain(String.raw`a\u200bb`);
  expect(text).toContain(String.raw`\udb40\udc41`);
});
