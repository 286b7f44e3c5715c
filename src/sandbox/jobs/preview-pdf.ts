/** The job `preview-pdf`: the text of a document's first pages, and its first page as a picture (PDFium, in WebAssembly). */
import { cutText, isLonger } from "../../../actors/cut-text.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { JobOutput, PREVIEWED_NAME } from "../protocol.ts";
import { type PreviewImage, scaleImage } from "./preview-image.ts";
import { readFileSync } from "node:fs";
import { type PDFiumDocument, PDFiumLibrary } from "@hyzyla/pdfium";
import sharp from "sharp";

export interface PreviewPdf {
  readonly kind: "pdf";
  readonly pages: number;
  /** Text of the first pages. */
  readonly text: string;
  /** Whether there is more text. */
  readonly truncated: boolean;
  /** Describes the bytes; null if the first page cannot be rendered. */
  readonly image: PreviewImage | null;
}

/** Pages that are read for their text. */
const READ_PAGES = 50;
/** Resolution of a page before it is scaled to the wanted size. */
const SCALE = 1.5;
/** The longest side of a page that is rendered, in points: a page can claim to be miles long. */
const MAX_POINTS = 5_000;

/**
 * Options: `maxChars` of the text, and those of `preview-image`. Fails if the file is not a PDF, or needs a password.
 */
export async function previewPdf(options: JsonObject): Promise<JobOutput> {
  const library = await PDFiumLibrary.init();
  try {
    const document = await library.loadDocument(readFileSync(PREVIEWED_NAME));
    const pages = document.getPageCount();
    const { text, truncated } = pdfText(document, pages, Number(options["maxChars"]));
    const first = await firstPage(document, options).catch(() => null);
    const value = { kind: "pdf", pages, text, truncated, image: first?.value ?? null } as PreviewPdf;
    return new JobOutput(value, first?.bytes ?? new Uint8Array());
  } finally {
    library.destroy();
  }
}

function pdfText(document: PDFiumDocument, pages: number, maxChars: number): Pick<PreviewPdf, "text" | "truncated"> {
  const texts: string[] = [];
  let chars = 0;
  const last = Math.min(pages, READ_PAGES);
  for (let i = 0; i < last && chars <= maxChars; i++) {
    const text = document.getPage(i).getText().replaceAll("\r\n", "\n").trim();
    texts.push(text);
    chars += text.length + 2;
  }
  const text = texts.join("\n\n");
  return { text: cutText(text, maxChars), truncated: isLonger(text, maxChars) || texts.length < pages };
}

async function firstPage(document: PDFiumDocument, options: JsonObject): Promise<JobOutput> {
  const page = document.getPage(0);
  const { originalWidth, originalHeight } = page.getOriginalSize();
  if (Math.max(originalWidth, originalHeight) > MAX_POINTS) throw new Error("the page is too large to draw");
  const drawn = await page.render({ scale: SCALE, render: "bitmap" });
  const raw = { width: drawn.width, height: drawn.height, channels: 4 } as const;
  return scaleImage(sharp(drawn.data, { raw }).flatten({ background: "white" }), options);
}
