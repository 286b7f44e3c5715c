/** Cutting text between characters (GEN-19). */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { characterStart, cutText, isLonger, shortText } from "../../actors/cut-text.ts";

const FAMILY = "👩‍👩‍👧‍👦";

test("[GEN-19] a cut is between characters, and counts code points", () => {
  expect(cutText("abc", 2)).toBe("ab");
  expect(cutText("a👍b", 2)).toBe("a👍");
  expect(cutText("👍👍", 1)).toBe("👍");
  expect(cutText(`a${FAMILY}b`, 4)).toBe("a");
  expect(cutText(`a${FAMILY}b`, 8)).toBe(`a${FAMILY}`);
  expect(cutText("e\u0301e\u0301", 3)).toBe("e\u0301");
  expect(cutText("🇩🇪🇫🇷", 3)).toBe("🇩🇪");
  expect(cutText("a\r\nb", 2)).toBe("a");
  expect(cutText("\ud83d", 5)).toBe("\ufffd");
  expect(cutText("ab\ud83d", 3)).toBe("ab\ufffd");
  expect(cutText("abc", 0)).toBe("");
});

test("[GEN-19] a cut text has a mark, and is no longer than its limit", () => {
  expect([shortText("abc", 3), shortText("abcd", 3), shortText("👍👍👍", 2)]).toEqual(["abc", "ab…", "👍…"]);
});

test("[GEN-19] lengths are code points", () => {
  expect([isLonger("👍👍", 2), isLonger("👍👍a", 2), isLonger("abc", 2), isLonger("", 0)]).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test("[GEN-19] of any text the beginning is kept, without half a character and at most one character short", () => {
  const unit = fc.oneof(fc.string({ unit: "grapheme", maxLength: 3 }), fc.constantFrom(FAMILY, "\r\n", "🇩🇪", "\ud83d"));
  const text = fc.array(unit, { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, fc.nat(40), (given, most) => {
      const cut = cutText(given, most);
      const points = Array.from(given).length;
      expect(given.toWellFormed().startsWith(cut)).toBe(true);
      expect(Array.from(cut).length).toBeLessThanOrEqual(most);
      expect(cut.isWellFormed()).toBe(true);
      if (points <= most) expect(cut).toBe(given.toWellFormed());
      expect(isLonger(given, most)).toBe(points > most);
      expect(characterStart(given, cut.length)).toBe(cut.length);
    }),
  );
});

test("[GEN-19] an endless character is cut between its code points", () => {
  const endless = `a${"\u0301".repeat(1_000)}`;
  expect(cutText(endless, 500)).toBe(endless.slice(0, 500));
});
