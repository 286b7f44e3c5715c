/** The job `preview-image`: a picture, scaled down, as WebP. Its metadata (places, cameras) are dropped. */
import sharp, { type Sharp } from "sharp";
import type { JsonObject } from "../../../actors/schema.ts";
import { JobOutput, PREVIEWED_NAME } from "../protocol.ts";

export interface PreviewImage {
  readonly kind: "image";
  /** Width of the preview in pixels. */
  readonly width: number;
  readonly height: number;
}

/** The limit of decoded pixels: a small file can claim any size. */
const MAX_PIXELS = 100_000_000;
const QUALITY = 80;
const SMALLER_QUALITY = 40;

// A child runs one job at a time, and nothing of a job may be cached for the next one.
sharp.cache(false);
sharp.concurrency(1);

/** Options: `side` (pixels of the longer one at most), `maxBytes`. Fails if the file is not an image. */
export async function previewImage(options: JsonObject): Promise<JobOutput> {
  return scaleImage(sharp(PREVIEWED_NAME, { limitInputPixels: MAX_PIXELS, failOn: "none", pages: 1 }), options);
}

/** Scales an image; other jobs use it for pixels that they have rendered. */
export async function scaleImage(image: Sharp, { side, maxBytes }: JsonObject): Promise<JobOutput> {
  const box = { width: Number(side), height: Number(side), fit: "inside", withoutEnlargement: true } as const;
  const fitted = image.autoOrient().resize(box);
  let made = await fitted.webp({ quality: QUALITY }).toBuffer({ resolveWithObject: true });
  if (made.data.length > Number(maxBytes))
    made = await fitted.webp({ quality: SMALLER_QUALITY }).toBuffer({ resolveWithObject: true });
  const { width, height } = made.info;
  return new JobOutput({ kind: "image", width, height } satisfies PreviewImage, made.data);
}
