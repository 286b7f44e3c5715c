import { expect, test } from "bun:test";
import fc from "fast-check";
import { isDeeper, JsonShape } from "../../actors/json-shape.ts";

/** Text with more of what counts than chance has. */
const anyText = fc
  .array(fc.oneof(fc.constantFrom("[", "]", "{", "}", '"', "\\", ",", "\\\\", '\\"', "é😀", "text"), fc.string()), {
    maxLength: 40,
  })
  .map((parts) => parts.join(""));

test("[ERR-5] [JOB-7] a text has the same measure in one piece, in many, and by its code units", () => {
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 6 }), (pieces) => {
      const [whole, cut, units] = [new JsonShape(), new JsonShape(), new JsonShape()];
      whole.takeText(pieces.join(""));
      for (const piece of pieces) cut.takeText(piece);
      for (const unit of pieces.join("").split("")) units.take(unit.charCodeAt(0));
      // What comes next is read the same way too.
      for (const shape of [whole, cut, units]) shape.takeText('"[[[["');
      expect([cut.deepest, cut.values]).toEqual([whole.deepest, whole.values]);
      expect([units.deepest, units.values]).toEqual([whole.deepest, whole.values]);
    }),
    { numRuns: 2_000 },
  );
});

test("[ERR-5] brackets in strings do not nest", () => {
  expect(isDeeper("[[[]]]", 3)).toBe(false);
  expect(isDeeper("[[[]]]", 2)).toBe(true);
  expect(isDeeper(`{"a":"${"[".repeat(100)}\\"${"{".repeat(100)}"}`, 1)).toBe(false);
  expect(isDeeper(`{"a":"\\\\",${'"b":['.repeat(2)}`, 2)).toBe(true);
});
