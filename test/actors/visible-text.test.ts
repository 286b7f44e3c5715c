/** Control, ANSI and bidi characters as marks. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../actors/schema.ts";
import { cleanText, TextPieces } from "../../actors/clean-text.ts";
import { beginning, MAX_ISOLATED_CHARACTERS, visibleJson, visibleText } from "../../actors/visible-text.ts";
import { Answer } from "../../src/runner/answer.ts";

const ODD = [
  "a",
  "\r",
  "\n",
  "\u001b",
  "\u202e",
  "\ud83d",
  "\ude00",
  "\0",
  "é",
  "א",
  "\u200f",
  "\u2067",
  "\u2068",
  "\u2069",
];
const odd = fc.string({ unit: fc.constantFrom(...ODD) });

test("[GUARD-7] control and bidi characters are marked, and nothing else is", () => {
  expect(visibleText("\u001b[31mred\u0007\u007f\u009b\u202eabc\u2069d\u2066")).toBe(
    "␛[31mred␇␡⟨U+009B⟩⟨U+202E⟩abc⟨U+2069⟩d⟨U+2066⟩",
  );
  expect(visibleText("a\r\nb\rc\n\td")).toBe("a\nb␍c\n\td");
  const usual = "Grüße, 你好, שלום\u200f, 😀 \u00a0 e\u0301";
  expect(visibleText(usual)).toBe(usual);
});

const LRI = "\u2066";
const RLI = "\u2067";
const FSI = "\u2068";
const PDI = "\u2069";

describe("isolates", () => {
  test.each([
    `${FSI}Anna${PDI} sent a message`,
    `התקנתי את ${LRI}C++ 20${PDI} היום`,
    `name: ${RLI}محمد (2)${PDI}, city: ${FSI}القاهرة${PDI}`,
    `שלום\u200f\nline: ${RLI}שלום!${PDI}\u200f`,
    `${FSI}${"a".repeat(MAX_ISOLATED_CHARACTERS)}${PDI}`,
  ])("[GUARD-7] pass in pairs, as correct texts have them: %j", (text) => {
    expect(visibleText(text)).toBe(text);
  });

  test.each([
    ["without an end", `rm ${LRI}a`],
    ["ended by the line", `rm ${LRI}a\nb${PDI}`],
    ["ended by a line separator", `rm ${FSI}a\u2028b${PDI}`],
    ["without a beginning", `a${PDI}`],
    ["nested, which puts pieces in any order", `${RLI}${LRI}exe.${PDI}${LRI}gnp${PDI}א${PDI}`],
    ["right to left for text that is not", `${RLI}exe.!${PDI}`],
    ["beside an invisible mark", `\u200f${LRI}exe.${PDI}${LRI}gnp${PDI}\u200f`],
    ["with an invisible mark in it", `${FSI}\u061cexe.${PDI}`],
    ["with an override in it", `${LRI}\u202egnp${PDI}`],
    ["empty", `a${LRI}${PDI}b`],
    ["too long", `${FSI}${"a".repeat(MAX_ISOLATED_CHARACTERS + 1)}${PDI}`],
  ])("[GUARD-7] are marked %s", (_, text) => {
    const [opened, closed] = [text.match(/[\u2066-\u2068]/g) ?? [], text.match(/\u2069/g) ?? []];
    const shown = visibleText(text);
    // The innermost pair of nested ones is a pair like others.
    expect((shown.match(/[\u2066-\u2068]/g) ?? []).length).toBeLessThan(Math.max(1, opened.length));
    expect((shown.match(/\u2069/g) ?? []).length).toBeLessThan(Math.max(1, closed.length));
    expect(shown).toContain("⟨U+206");
  });

  test("[GUARD-7] a text that is cut has no isolate without its end", () => {
    const text = `ab${FSI}Anna${PDI}c`;
    expect([2, 3, 7, 8].map((characters) => beginning(text, characters))).toEqual(["ab", "ab", "ab", text.slice(0, 8)]);
    expect(beginning("a😀b", 2)).toBe("a");
    expect(beginning("ab", 2)).toBe("ab");
  });
});

test("[GUARD-7] a text that is marked stays as it is", () => {
  for (const text of [fc.string({ unit: "binary" }), odd])
    fc.assert(fc.property(text, (given) => visibleText(visibleText(given)) === visibleText(given)));
});

test("[GUARD-7] a text in pieces is marked as it would be whole, wherever it is cut", () => {
  fc.assert(
    fc.property(fc.array(odd), (parts) => {
      const pieces = new TextPieces();
      const out = parts.map((part) => pieces.take(part)).join("") + pieces.end();
      expect(out).toBe(visibleText(cleanText(parts.join(""))));
    }),
  );
});

test("[GUARD-7] what a model says and thinks, and the names of its calls, are marked as they come", () => {
  const told: string[] = [];
  const answer = new Answer({ onText: (text) => told.push(text), onChars() {}, onImpossibleUsage() {} });
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

test("[GUARD-7] arguments are marked to their depth, keys too", () => {
  const given: Json = { "a\u001b": ["\u202e", { b: "\u0007", c: 1, d: null, e: true }] };
  expect(visibleJson(given)).toEqual({
    "a␛": ["⟨U+202E⟩", { b: "␇", c: 1, d: null, e: true }],
  });
});
