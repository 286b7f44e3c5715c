/** Reduces results of an MCP server, so that they fit into an answer of the sandbox. */
import type { JsonObject } from "../../../actors/schema.ts";
import { MAX_OUTPUT_BYTES } from "../protocol.ts";

/** Leaves room for the other messages and for the envelope of a result. */
const MAX_RESULT_BYTES = MAX_OUTPUT_BYTES - 32 * 1024;
/** Tools of one page of a list. */
export const MAX_PAGE_TOOLS = 500;
/** Characters of a tool's schema; a longer one is dropped, because a cut schema would mean something else. */
export const MAX_SCHEMA = 16_384;
/** Nesting of a tool's schema, the same as for arguments. */
export const MAX_SCHEMA_DEPTH = 64;
/** Characters of a tool's name; a tool with a longer one is dropped. */
const MAX_NAME = 256;
/** Characters of a description. The service masks secrets in it before it cuts it to its length. */
const MAX_DESCRIPTION = 20_000;
/** Characters of another member of a result, such as a cursor. */
const MAX_WORD = 4_096;
/** Further members of a result that are kept. */
const MAX_PRIMITIVES = 32;

/** The key of `_meta` that marks a tool whose schema was too large or too deep. */
export const LEFT_OUT = "leftOut";

interface ListedTool {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly annotations?: { readonly readOnlyHint?: unknown; readonly idempotentHint?: unknown };
}

/** Bytes of a value as JSON; infinite if it is nested too deep to be serialized. */
export function sizeOf(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The members that are neither lists nor objects. */
export function primitives(result: object): JsonObject {
  const kept = Object.entries(result).filter(
    ([name, value]) =>
      name.length <= MAX_NAME &&
      (typeof value === "boolean" ||
        (typeof value === "number" && Number.isFinite(value)) ||
        (typeof value === "string" && value.length <= MAX_WORD)),
  );
  return Object.fromEntries<JsonObject[string]>(kept.slice(0, MAX_PRIMITIVES));
}

/** The text, cut to fit; `cut` is the length of the whole text in bytes, or null if all of it fits. */
export function fittingText(whole: string): { readonly text: string; readonly cut: number | null } {
  let text = whole.slice(0, MAX_RESULT_BYTES).toWellFormed();
  for (let size = sizeOf(text); size > MAX_RESULT_BYTES; size = sizeOf(text))
    // Escapes take more room than their characters, and are not spread evenly: repeat until it fits.
    text = text.slice(0, Math.floor((text.length * MAX_RESULT_BYTES * 0.9) / size)).toWellFormed();
  return { text, cut: text.length < whole.length ? Buffer.byteLength(whole) : null };
}

/** Results of `initialize` and the like: unchanged, if they are small. */
export function reducedResult(result: object): JsonObject {
  if (sizeOf(result) > MAX_RESULT_BYTES || depthOf(result) > MAX_SCHEMA_DEPTH)
    throw new Error("its answer is too large");
  return result as JsonObject;
}

export function reducedList(result: object): JsonObject {
  const listed: unknown = "tools" in result ? result.tools : [];
  const tools: JsonObject[] = [];
  let bytes = 0;
  for (const value of Array.isArray(listed) ? listed : []) {
    if (typeof value !== "object" || value === null || tools.length >= MAX_PAGE_TOOLS) continue;
    let tool = reducedTool(value as ListedTool);
    if (tool === null) continue;
    if (bytes + sizeOf(tool) > MAX_RESULT_BYTES) tool = leftOut(String(tool["name"]));
    bytes += sizeOf(tool) + 1;
    if (bytes <= MAX_RESULT_BYTES) tools.push(tool);
  }
  return { ...primitives(result), tools };
}

function reducedTool({ name, description, inputSchema, annotations }: ListedTool): JsonObject | null {
  if (typeof name !== "string" || name.length > MAX_NAME) return null;
  const isObject = typeof inputSchema === "object" && inputSchema !== null && !Array.isArray(inputSchema);
  // Check the depth first: deep schemas cannot be serialized.
  if (isObject && (depthOf(inputSchema) > MAX_SCHEMA_DEPTH || JSON.stringify(inputSchema).length > MAX_SCHEMA))
    return leftOut(name);
  return {
    name: name.toWellFormed(),
    ...(typeof description === "string" ? { description: description.slice(0, MAX_DESCRIPTION).toWellFormed() } : {}),
    inputSchema: isObject ? (inputSchema as JsonObject) : { type: "object" },
    annotations: {
      readOnlyHint: annotations?.readOnlyHint === true,
      idempotentHint: annotations?.idempotentHint === true,
    },
  };
}

/** Just enough to report that the tool is left out. */
const leftOut = (name: string): JsonObject => ({
  name: name.toWellFormed(),
  inputSchema: { type: "object" },
  _meta: { [LEFT_OUT]: true },
});

/** Counted without recursion, and only as far as it matters. */
function depthOf(value: unknown): number {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_SCHEMA_DEPTH; depth++) {
    const next = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
    if (next.length === 0) return depth;
    level = next;
  }
  return MAX_SCHEMA_DEPTH + 1;
}
