/**
 * What a model gave as the arguments of a call. A model may send anything: JSON that was cut off, a
 * bare string, a list. Such a call is kept, because the model has to see the error; its input becomes an
 * object with what it sent under one reserved key, and the tools answer that with an error result.
 */
import type { Json, JsonObject } from "../../actors/schema.ts";
import { cleanJson, cleanText, MAX_JSON_DEPTH } from "../../actors/clean-text.ts";

/** The reserved key. A tool must not have a parameter of this name. */
export const UNPARSED_INPUT = "_unparsed_input";
/** Characters of a bad input that are kept, for the model to recognise what it sent. */
export const MAX_UNPARSED_CHARS = 1_000;

const TOO_DEEP = `[nested deeper than ${MAX_JSON_DEPTH} levels]`;

/** The input as a clean JSON object: as given, or as the one that marks it as unparsed. */
export function toolInput(input: unknown): JsonObject {
  const clean = cleanJson(input);
  if (isObject(clean)) return clean;
  return { [UNPARSED_INPUT]: cleanText(textOf(input, clean).slice(0, MAX_UNPARSED_CHARS)) };
}

function textOf(input: unknown, clean: Json | undefined): string {
  if (typeof input === "string") return input;
  // What is no clean JSON is too deep to be written either.
  return clean === undefined ? (input === undefined ? "" : TOO_DEEP) : JSON.stringify(clean);
}

/** Whether these arguments are ones that `toolInput` could not read. */
export const isUnparsed = (input: JsonObject): boolean => Object.hasOwn(input, UNPARSED_INPUT);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
