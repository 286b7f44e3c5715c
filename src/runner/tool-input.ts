/**
 * The arguments of a model's call. A model may send anything: truncated JSON, a bare string, a list. An invalid call is
 * kept, because the model has to see the error: its input becomes an object with the sent text under one reserved key,
 * and the tools answer that with an error result.
 */
import { cutText } from "../../actors/cut-text.ts";
import { type Json, type JsonObject, isJsonObject } from "../../actors/schema.ts";
import { NumberLimitError, parseExact } from "../../actors/exact-json.ts";
import { cleanJson, cleanText, MAX_JSON_DEPTH } from "../../actors/clean-text.ts";

/** The reserved key. A tool must not have a parameter of this name. */
export const UNPARSED_INPUT = "_unparsed_input";
/** Characters of an invalid input that are kept, so that the model can recognise what it sent. */
export const MAX_UNPARSED_CHARS = 1_000;

const TOO_DEEP = `[nested deeper than ${MAX_JSON_DEPTH} levels]`;

/** The input as a clean JSON object: the given one, or one that marks it as unparsed. */
export function toolInput(input: unknown): JsonObject {
  const clean = cleanJson(input);
  if (isJsonObject(clean)) return clean;
  return { [UNPARSED_INPUT]: cleanText(cutText(inputText(input, clean), MAX_UNPARSED_CHARS)) };
}

function inputText(input: unknown, clean: Json | undefined): string {
  if (typeof input === "string") return input;
  // Input that cannot be cleaned is too deep to be serialized either.
  return clean === undefined ? (input === undefined ? "" : TOO_DEEP) : JSON.stringify(clean);
}

/** Whether `toolInput` could not read these arguments. */
export const isUnparsed = (input: JsonObject): boolean => Object.hasOwn(input, UNPARSED_INPUT);

/** Why `toolInput` could not read these arguments, in words for the model. */
export function whyUnparsed({ [UNPARSED_INPUT]: text }: JsonObject): string {
  try {
    parseExact(String(text));
  } catch (cause) {
    if (cause instanceof NumberLimitError) return `The arguments cannot be used. ${cause.message}.`;
  }
  return "The arguments are not a JSON object.";
}
