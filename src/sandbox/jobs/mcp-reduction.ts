/** Reduces results of an MCP server, so that they fit into an answer of the sandbox. */
import { characterStart, cutText } from "../../../actors/cut-text.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { MAX_OUTPUT_BYTES } from "../protocol.ts";
import { repairedSchema } from "./tool-schema.ts";

/** Leaves room for the other messages and for the envelope of a result. */
const MAX_REDUCED_BYTES = MAX_OUTPUT_BYTES - 32 * 1024;
/** Tools of one page of a list. */
export const MAX_PAGE_TOOLS = 500;
/** Characters of a tool's schema; a longer one is dropped, because a cut schema would mean something else. */
export const MAX_SCHEMA = 16_384;
/** Nesting of a tool's schema, the same as for arguments. */
export const MAX_SCHEMA_DEPTH = 64;
/** Characters of a tool's name; a tool with a longer one is left out. */
const MAX_LISTED_NAME = 256;
/** Characters of a description. The service masks secrets in it before it cuts it to its length. */
const MAX_LISTED_DESCRIPTION = 20_000;
/** Characters of any other member of a result, such as a cursor. */
const MAX_RESULT_WORD = 4_096;
/** The key of `_meta` that marks a tool that cannot be offered: its schema is too large or too deep, or it has no name. */
export const LEFT_OUT_KEY = "leftOut";
/** The key of `_meta` that marks a tool whose schema was invalid and has been repaired. */
export const REPAIRED = "repaired";
/** The key of `_meta` with the schema as text, where it has numbers whose digits the client library would lose. */
export const SCHEMA = "schema";

interface UntrustedTool {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly annotations?: { readonly readOnlyHint?: unknown; readonly idempotentHint?: unknown };
}

/** Bytes of a value as JSON; infinite if it is nested too deep to be serialized. */
export function jsonBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The members that a client reads of any result. An odd value of one is left out, so that it costs nothing else. */
export function clientMembers(result: object): JsonObject {
  const { resultType, nextCursor } = result as { readonly resultType?: unknown; readonly nextCursor?: unknown };
  const cursor = typeof nextCursor === "number" ? String(nextCursor) : nextCursor;
  return {
    ...(typeof resultType === "string" && resultType.length <= MAX_RESULT_WORD ? { resultType } : {}),
    ...(typeof cursor === "string" && cursor.length <= MAX_RESULT_WORD ? { nextCursor: cursor } : {}),
  };
}

/**
 * The text, cut to fit beside something of `other` bytes; `cut` is the length of the whole text in bytes, or null if all
 * of it fits.
 */
export function fittingText(whole: string, other: number): { readonly text: string; readonly cut: number | null } {
  const most = MAX_REDUCED_BYTES - other;
  let text = cutText(whole, most);
  for (let size = jsonBytes(text); size > most; size = jsonBytes(text))
    // Escapes take more room than their characters, and are not spread evenly: repeat until it fits.
    text = text.slice(0, characterStart(text, Math.floor((text.length * most * 0.9) / size)));
  return { text, cut: text.length < whole.length ? Buffer.byteLength(whole) : null };
}

/** Results of which the client reads everything: unchanged, if they are small. */
export function reducedResult(result: object): JsonObject {
  if (jsonBytes(result) > MAX_REDUCED_BYTES || depthOf(result) > MAX_SCHEMA_DEPTH)
    throw new Error("its answer is too large");
  return result as JsonObject;
}

/** The result of `initialize` or `server/discover`. Optional members that are invalid are repaired or left out. */
export function reducedHandshake(result: object): JsonObject {
  const { capabilities, serverInfo, instructions: _, ...rest } = reducedResult(result);
  const { name, version } = memberObject(serverInfo);
  return {
    ...rest,
    // A server that forgets to declare its tools still has some: it refuses the list itself if not.
    capabilities: { tools: {}, ...("resources" in memberObject(capabilities) ? { resources: {} } : {}) },
    serverInfo: { name: typeof name === "string" ? name : "", version: typeof version === "string" ? version : "" },
  };
}

const memberObject = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null ? (value as JsonObject) : {};

export function reducedList(result: object): JsonObject {
  const listed: unknown = "tools" in result ? result.tools : undefined;
  if (!Array.isArray(listed)) throw new Error("its answer has no list of tools");
  const tools: JsonObject[] = [];
  let bytes = 0;
  for (const value of listed.slice(0, MAX_PAGE_TOOLS) as unknown[]) {
    let tool = reducedTool(memberObject(value));
    if (bytes + jsonBytes(tool) > MAX_REDUCED_BYTES) tool = leftOutTool(tool["name"]);
    bytes += jsonBytes(tool) + 1;
    if (bytes <= MAX_REDUCED_BYTES) tools.push(tool);
  }
  return { ...clientMembers(result), tools };
}

function reducedTool({ name, description, inputSchema, annotations }: UntrustedTool): JsonObject {
  if (typeof name !== "string" || name === "" || name.length > MAX_LISTED_NAME) return leftOutTool(name);
  // Check the depth first: deep schemas cannot be serialized.
  if (depthOf(inputSchema) > MAX_SCHEMA_DEPTH || (JSON.stringify(inputSchema) ?? "").length > MAX_SCHEMA)
    return leftOutTool(name);
  const repaired = repairedSchema(inputSchema);
  const text = wellFormedJson(JSON.stringify(repaired.schema));
  const plain = JSON.parse(text) as JsonObject;
  const isExact = JSON.stringify(plain) !== text;
  const meta = { ...(repaired.isRepaired ? { [REPAIRED]: true } : {}), ...(isExact ? { [SCHEMA]: text } : {}) };
  return {
    name: name.toWellFormed(),
    ...(typeof description === "string" ? { description: cutText(description, MAX_LISTED_DESCRIPTION) } : {}),
    inputSchema: isExact ? { type: "object" } : plain,
    annotations: {
      readOnlyHint: annotations?.readOnlyHint === true,
      idempotentHint: annotations?.idempotentHint === true,
    },
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
}

/** JSON without halves of characters: `JSON.stringify` escapes these, and of all characters above ASCII only these. */
const wellFormedJson = (json: string): string =>
  json.replaceAll(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (escape) => (escape.startsWith("\\ud") ? "\ufffd" : escape));

/** Just enough to report that the tool is left out. */
const leftOutTool = (name: unknown): JsonObject => ({
  name: typeof name === "string" ? cutText(name, MAX_LISTED_NAME) : "",
  inputSchema: { type: "object" },
  _meta: { [LEFT_OUT_KEY]: true },
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
