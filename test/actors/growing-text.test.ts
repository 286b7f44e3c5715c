/** A text that grows by small pieces. */
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { GrowingText } from "../../actors/growing-text.ts";

test("[FAIR-9] a growing text is all of its pieces, whenever it is read", () => {
  const piece = fc.oneof(fc.string({ maxLength: 20 }), fc.string({ minLength: 4_000, maxLength: 9_000 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 60 }), (pieces) => {
      const text = new GrowingText();
      let whole = "";
      for (const [next, isRead] of pieces) {
        text.add(next);
        whole += next;
        expect(text.length).toBe(whole.length);
        if (isRead) expect(text.toString()).toBe(whole);
      }
      const from = Math.floor(whole.length / 2);
      expect(text.after(from)).toBe(whole.slice(from));
      expect(text.after(whole.length)).toBe("");
    }),
    { numRuns: 50 },
  );
});
