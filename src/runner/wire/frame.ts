/**
 * Reads fields of one frame of a provider's stream. A field must be absent, null, or of the format's type, where a
 * number may be text and text a number; otherwise the frame is unreadable, and so is the answer.
 */
import { isExactNumber } from "../../../actors/exact-json.ts";
import { field } from "../field.ts";

/** A frame that is not JSON, or not of the format. */
export class UnreadableFrame extends Error {
  override readonly name = "UnreadableFrame";
}

/** Why an answer with a number beyond the limits is refused. */
export const NUMBER_WORDS = "it has a number that cannot be kept with its digits";

/** An untrusted JSON object. */
export type Frame = object;

export const isFrame = (value: unknown): value is Frame =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function objectOf(value: unknown): Frame {
  if (!isFrame(value)) throw new UnreadableFrame("an object is missing");
  return value;
}

export function textOf(frame: Frame, name: string): string {
  return optionalText(frame, name) ?? "";
}

/** Undefined if the field is absent or null. */
export function optionalText(frame: Frame, name: string): string | undefined {
  const value = field(frame, name) ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (isExactNumber(value)) return value.rawJSON;
  throw new UnreadableFrame(`\`${name}\` is no text`);
}

export function optionalNumber(frame: Frame, name: string): number | undefined {
  const value = field(frame, name) ?? undefined;
  if (value === undefined || typeof value === "number") return value;
  if (typeof value === "string" && /^\d+$/.test(value)) return Number(value);
  throw new UnreadableFrame(`\`${name}\` is no number`);
}

export function optionalObject(frame: Frame, name: string): Frame | undefined {
  const value = field(frame, name) ?? undefined;
  return value === undefined ? undefined : objectOf(value);
}

/** Empty if the field is absent or null. */
export function listOf(frame: Frame, name: string): readonly unknown[] {
  const value = field(frame, name) ?? [];
  if (Array.isArray(value)) return value;
  throw new UnreadableFrame(`\`${name}\` is no list`);
}
