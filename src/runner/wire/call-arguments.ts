/** The arguments of a tool call, as the text that a provider streams. */

import { parseExact } from "../../../actors/exact-json.ts";

/** Names that could change an object's prototype; they may contain escapes. */
const SUSPECT = /__proto__|constructor|\\u00/;

/**
 * The parsed value, or the text itself if it is not JSON or would touch a prototype. An empty text is an empty object.
 */
export function callArguments(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    const value = parseExact(text);
    return SUSPECT.test(text) && touchesPrototype(value) ? text : value;
  } catch {
    // Models write invalid JSON, or numbers that cannot be kept; the tool answers with an error.
    return text;
  }
}

/** Walks without recursion: the depth limit of arguments may exceed the stack. */
function touchesPrototype(value: unknown): boolean {
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if (Object.hasOwn(next, "__proto__")) return true;
    if (Object.hasOwn(next, "constructor")) {
      const own: unknown = Reflect.get(next, "constructor");
      if (typeof own === "object" && own !== null && Object.hasOwn(own, "prototype")) return true;
    }
    for (const item of Object.values(next)) if (typeof item === "object" && item !== null) open.push(item);
  }
  return false;
}
