import { expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { oneLine } from "../../actors/cut-text.ts";
import { preview } from "../../actors/chat/schema.ts";

const said = fc.array(fc.constantFrom("a", "long", "wörter", "😀", " ", "\n", "\t ", "\u00a0"), { maxLength: 40 });

test("[FAIR-7] a title equals that of the whole text", () => {
  fc.assert(
    fc.property(said, fc.nat(30), (pieces, characters) => {
      const text = pieces.join("");
      const whole = text.trim().replace(/\s+/g, " ");
      expect(preview(oneLine(text, characters), characters)).toBe(preview(whole, characters));
    }),
  );
});

test("[FAIR-7] a title reads no more words of a long text than it shows", () => {
  const found = spyOn(RegExp.prototype, "exec");
  const long = "word ".repeat(40_000);
  // Two UTF-16 units for each code point of the limit, and one word.
  expect(oneLine(long, 80).length).toBeLessThan(2 * 80 + 6);
  expect(found.mock.calls.length).toBeLessThan(40);
  found.mockRestore();
});
