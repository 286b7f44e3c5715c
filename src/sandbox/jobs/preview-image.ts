/** The job `preview-image`: a picture, scaled down, as WebP. Its metadata (places, cameras) stay behind. */
import sharp, { type Sharp } from "sharp";
import type { JsonObject } from "../../../actors/schema.ts";
import { Output } from "../protocol.ts";
import { PREVIEWED_NAME } from "./file-names.ts";

export interface PreviewImage {
  readonly kind: "image";
  /** Of what is answered, in pixels. */
  readonly width: number;
  readonly height: number;
}

/** Of what is decoded: a small file can claim to be any size. */
const MAX_PIXELS = 100_000_000;
const QUALITY = 80;
const SMALLER_QUALITY = 40;

// One job at a time, and nothing of one for the next.
sharp.cache(false);
sharp.concurrency(1);

/** Options: `side` (pixels of the longer one at most), `maxBytes`. Fails where the file is no picture. */
export async function previewImage(options: JsonObject): Promise<Output> {
  return scaled(sharp(PREVIEWED_NAME, { limitInputPixels: MAX_PIXELS, failOn: "none", pages: 1 }), options);
}

/** Also of pixels that another job has made. */
export async function scaled(image: Sharp, { side, maxBytes }: JsonObject): Promise<Output> {
  const box = { width: Number(side), height: Number(side), fit: "inside", withoutEnlargement: true } as const;
  const fitted = image.autoOrient().resize(box);
  let made = await fitted.webp({ quality: QUALITY }).toBuffer({ resolveWithObject: true });
  if (made.data.length > Number(maxBytes))
    made = await fitted.webp({ quality: SMALLER_QUALITY }).toBuffer({ resolveWithObject: true });
  const { width, height } = made.info;
  return new Output({ kind: "image", width, height } satisfies PreviewImage, made.data);
}
