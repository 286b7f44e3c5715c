/** What content is, by its first bytes (FILE-2). */
import { expect, test } from "bun:test";
import { knownContent } from "../../src/work/media-type.ts";

const known = (content: string | Uint8Array, declared = "") => {
  const head = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return knownContent(head, head.length, declared)?.mime ?? null;
};

test("[FILE-2] a text that speaks of PDF is a text, and a PDF with bytes before its header is a PDF", () => {
  expect(known("# Notes\n\nA PDF begins with %PDF-1.7.\n", "text/markdown")).toBe("text/markdown");
  expect(known("%PDF-1.7\n")).toBe("application/pdf");
  expect(known(Uint8Array.of(0, 0xff, ...new TextEncoder().encode("%PDF-1.4\n")))).toBe("application/pdf");
  expect(known(Uint8Array.of(0, 1, 2))).toBeNull();
});
