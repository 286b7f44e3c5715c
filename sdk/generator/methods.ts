/**
 * The methods of a client, in no language yet: one for each operation, and more where an operation is
 * used in several ways. Their names follow from the operation's id, so that who knows the contract knows
 * the SDKs.
 *
 *   getChat        ─▶ getChat, waitForChat (answers when it has changed, or null)
 *   listChats      ─▶ listChats (a page), listAllChats (every chat, page by page)
 *   v1ExecuteAgent ─▶ v1ExecuteAgent, v1ExecuteAgentStream
 *   readFile       ─▶ readFile (all bytes), readFileStream (pieces, as they arrive)
 *   queryData      ─▶ queryData (the record), queryDataBytes (the content, in a format other than JSON)
 */
import { isJson, type Contract, type ErrorCode, type Operation } from "./contract.ts";
import type { Field, Shape } from "./shape.ts";

/** How the answer is read: see the transport of each language. */
export type Reading =
  | { readonly kind: "json" | "changed" | "text" | "bytes" | "chunks" }
  | { readonly kind: "items"; readonly of: Method; readonly items: string; readonly cursor: string }
  | { readonly kind: "resumed" }
  | { readonly kind: "once"; readonly last: readonly string[] };

export interface Method {
  /** In camelCase. */
  readonly name: string;
  readonly operation: Operation;
  readonly reading: Reading;
  /** What varies in the path: the name of the parameter, in snake_case, and what it is. */
  readonly params: readonly Field[];
  readonly query: readonly Field[];
  /** What it answers; of items and streams one of them. */
  readonly result: Shape;
  /** Said before the operation's own words. */
  readonly about: string;
  /** The operation's own words, where they are about this method. */
  readonly description: string;
  /** Where the body says how it is answered: what this method says. */
  readonly isStream: boolean | null;
}

/** The events that end a stream without a cursor. */
const LAST_EVENTS = ["result", "error"];
const POLL_QUERY = new Set(["since_version", "wait"]);
/** The parameters of a list that take its `next_cursor`. */
const CURSORS = ["cursor", "after"];
const EVENT_STREAM = "text/event-stream";
/** Refusals that any request may meet; naming them at every method would hide what is its own. */
const EVERYWHERE: ReadonlySet<string> = new Set([
  "invalid_json",
  "invalid_request",
  "invalid_idempotency_key",
  "unsupported_api_version",
  "unauthenticated",
  "token_expired",
  "insufficient_scope",
  "idempotency_conflict",
  "idempotency_in_progress",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limited",
  "internal_error",
  "overloaded",
  "unavailable",
  "outcome_unknown",
  "shutting_down",
]);

export const methodsOf = (contract: Contract): readonly Method[] =>
  contract.operations.flatMap((operation) => methodsOfOperation(contract, operation));

/** The codes that make a method different from others. */
export const ownCodes = ({ operation }: Method): readonly string[] =>
  [...new Set(operation.codes)].filter((code) => !EVERYWHERE.has(code));

function methodsOfOperation(contract: Contract, operation: Operation): readonly Method[] {
  const stream = operation.answers.get(EVENT_STREAM);
  const plain = [...operation.answers].find(([type]) => type !== EVENT_STREAM);
  const { id, summary, query } = operation;
  const isSaid = operation.description === `${summary}.` || operation.isPolled;
  const description = isSaid ? "" : operation.description;
  const own = { name: id, operation, params: paramsOf(operation), query, about: "", description, isStream: null };
  const found: Method[] = [];
  if (plain !== undefined) {
    const [type, result] = plain;
    const kind = isJson(type) ? "json" : result.kind === "text" ? "text" : "bytes";
    const query = operation.isPolled ? own.query.filter(({ name }) => !POLL_QUERY.has(name)) : own.query;
    const method: Method = { ...own, query, result, reading: { kind }, isStream: stream === undefined ? null : false };
    found.push(method, ...(operation.isPolled ? [polling(method)] : []), ...paging(contract, method));
    if (kind === "bytes") found.push(chunked(method));
    const isOtherwise = [...operation.answers.keys()].some((other) => other !== EVENT_STREAM && !isJson(other));
    if (kind === "json" && isOtherwise) found.push(asBytes(method));
  }
  if (stream !== undefined) {
    const isResumable = own.query.some(({ name }) => name === "after");
    found.push({
      ...own,
      name: plain === undefined ? operation.id : `${operation.id}Stream`,
      result: stream,
      reading: isResumable ? { kind: "resumed" } : { kind: "once", last: LAST_EVENTS },
      about: isResumable ? "Goes on by itself where it was cut, without a gap and without a repetition." : "",
      isStream: plain === undefined ? null : true,
    });
  }
  if (found.length === 0) throw new Error(`${operation.id} answers nothing that a method can give`);
  return found;
}

/** What varies in the path, by what it names: the `{id}` after `chats` is `chat_id`. */
function paramsOf({ path, params }: Operation): readonly Field[] {
  return params.map((param) => {
    const before = /([a-z-]+)\/\{id\}/.exec(path)?.[1];
    if (param.name !== "id" || before === undefined) return param;
    return { ...param, name: `${singular(before)}_id` };
  });
}

/** `service-tokens` are tokens, and one of them is a token. */
const singular = (plural: string): string =>
  (plural.split("-").at(-1) ?? plural).replace(/ies$/, "y").replace(/s$/, "");

const polling = (method: Method): Method => ({
  ...method,
  name: method.name.replace(/^get/, "waitFor"),
  query: method.operation.query.filter(({ name }) => POLL_QUERY.has(name)),
  reading: { kind: "changed" },
  about:
    "Answers as soon as `version` is past `since_version`; nothing where that did not happen within `wait` seconds.",
});

/** The method for content of any size. */
const chunked = (method: Method): Method => ({
  ...method,
  name: `${method.name}Stream`,
  reading: { kind: "chunks" },
  about: "The content in pieces, as they arrive: a file of any size takes little memory.",
});

/** The method for an answer that the body can ask for in another format than JSON. */
const asBytes = (method: Method): Method => ({
  ...method,
  name: `${method.name}Bytes`,
  result: { kind: "bytes" },
  reading: { kind: "bytes" },
  about: "The content in the `format` that the body names.",
});

/** The method for all items of a list that has pages. */
function paging(contract: Contract, method: Method): readonly Method[] {
  const cursor = CURSORS.find((name) => method.query.some((field) => field.name === name));
  const page = recordOf(contract, method.result);
  // A change in pages is no list: each page of it is asked for.
  if (method.operation.method !== "GET") return [];
  if (cursor === undefined || !page.some(({ name }) => name === "next_cursor")) return [];
  const [items, ...others] = page.filter(({ shape }) => shape.kind === "list");
  if (items === undefined || items.shape.kind !== "list" || others.length > 0)
    throw new Error(`It is not clear what ${method.name} lists`);
  return [
    {
      ...method,
      name: method.name.replace(/^list/, "listAll"),
      query: method.query.filter(({ name }) => name !== cursor),
      result: items.shape.item,
      reading: { kind: "items", of: method, items: items.name, cursor },
      about: "All of them: the next page is asked for when it is needed.",
    },
  ];
}

function recordOf({ nouns }: Contract, shape: Shape): readonly Field[] {
  const found = shape.kind === "noun" ? nouns.find(({ name }) => name === shape.name)?.shape : shape;
  return found?.kind === "record" ? found.fields : [];
}

/** `InvalidStateError` for `invalid_state`. Names that a language has already are the API's. */
export function errorClassOf(code: string): string {
  const name = `${code
    .replace(/_error$/, "")
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")}Error`;
  return name === "TimeoutError" || name === "ConnectionError" ? `Api${name}` : name;
}

export const explained = ({ code, about }: ErrorCode): string =>
  about === "" ? `The code \`${code}\`.` : `\`${code}\`: ${about}`;
