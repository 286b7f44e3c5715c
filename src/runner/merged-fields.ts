/**
 * Joins the streamed pieces of fields that we do not know. Text that a model writes is appended; anything else
 * (signatures, ids, formats) arrives complete, and the newest value replaces the former.
 */
import { type Json, type JsonObject, isJsonObject } from "../../actors/schema.ts";

/** Names of fields whose text comes in pieces. */
const GROWING: ReadonlySet<string> = new Set(["text", "summary", "content", "thinking", "reasoning", "arguments"]);

export function mergedFields(known: JsonObject, more: JsonObject): JsonObject {
  const merged = new Map(Object.entries(known));
  for (const [name, value] of Object.entries(more)) merged.set(name, mergedValue(name, merged.get(name), value));
  return Object.fromEntries(merged);
}

function mergedValue(name: string, known: Json | undefined, more: Json | undefined): Json | undefined {
  if (known === undefined || known === null) return more;
  if (more === undefined || more === null || more === "") return known;
  if (typeof known === "string" && typeof more === "string") return GROWING.has(name) ? known + more : more;
  if (Array.isArray(known) && Array.isArray(more))
    return more.reduce<readonly Json[]>(withItem, known as readonly Json[]);
  return isJsonObject(known) && isJsonObject(more) ? mergedFields(known, more) : more;
}

/**
 * A piece continues the last item with its type and index if that item's text is incomplete, or else if both have an
 * index.
 */
function withItem(list: readonly Json[], item: Json): readonly Json[] {
  const at = isJsonObject(item) ? list.findLastIndex((one) => isJsonObject(one) && isSamePart(one, item)) : -1;
  const known = list[at];
  if (!isJsonObject(item) || !isJsonObject(known)) return [...list, item];
  const isLast = at === list.length - 1;
  const hasIndex = item["index"] !== undefined;
  const goesOn = Object.keys(item).some((name) => GROWING.has(name) && typeof known[name] === "string");
  const completes = Object.keys(item).every((name) => (known[name] ?? null) === null || known[name] === item[name]);
  if (!hasIndex && !(isLast && (goesOn || completes))) return [...list, item];
  return list.with(at, mergedFields(known, item));
}

const isSamePart = (one: JsonObject, other: JsonObject): boolean =>
  one["type"] === other["type"] &&
  one["index"] === other["index"] &&
  (other["id"] ?? one["id"]) === (one["id"] ?? other["id"]);
