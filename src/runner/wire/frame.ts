/**
 * Reads fields of one frame of a provider's stream. A field must be absent, null, or of the format's type, where a
 * number may be text and text a number; otherwise the frame is unreadable, and so is the answer.
 */
import { isExactNumber } from "../../../actors/exact-json.ts";

/** A frame that is not JSON, or not of the format. */
export class UnreadableFrame extends Error {
  override readonly name = "UnreadableFrame";
}

/** Why an answer with a number beyond the limits is refused. */
export const NUMBER_WORDS = "it has a number that cannot be kept with its digits";

/** An untrusted JSON object. */
export type WireFrame = object;

export const isFrame = (value: unknown): value is WireFrame =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function frameObject(value: unknown): WireFrame {
  if (!isFrame(value)) throw new UnreadableFrame("an object is missing");
  return value;
}

export function frameText(frame: WireFrame, name: string): string {
  return optionalText(frame, name) ?? "";
}

/** Undefined if the field is absent or null. */
export function optionalText(frame: WireFrame, name: string): string | undefined {
  const value = untrustedField(frame, name) ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (isExactNumber(value)) return value.rawJSON;
  throw new UnreadableFrame(`\`${name}\` is not a string`);
}

export function optionalNumber(frame: WireFrame, name: string): number | undefined {
  const value = untrustedField(frame, name) ?? undefined;
  if (value === undefined || typeof value === "number") return value;
  if (typeof value === "string" && /^\d+$/.test(value)) return Number(value);
  throw new UnreadableFrame(`\`${name}\` is not a number`);
}

export function optionalObject(frame: WireFrame, name: string): WireFrame | undefined {
  const value = untrustedField(frame, name) ?? undefined;
  return value === undefined ? undefined : frameObject(value);
}

/** Empty if the field is absent or null. */
export function frameList(frame: WireFrame, name: string): readonly unknown[] {
  const value = untrustedField(frame, name) ?? [];
  if (Array.isArray(value)) return value;
  throw new UnreadableFrame(`\`${name}\` is not a list`);
}

/** The fields that have a value and that we do not read but send back (`provider-state.ts`). */
export const fieldsBeside = (frame: WireFrame, isUnknown: (name: string) => boolean): object =>
  Object.fromEntries(Object.entries(frame).filter(([name, value]) => value !== null && isUnknown(name)));

/** A field of an untrusted value; undefined if there is none. Names are ours, never the sender's. */
export function untrustedField(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
