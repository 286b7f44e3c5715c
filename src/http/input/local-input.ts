/** The input of a caller without HTTP, in the form of a request's input. */
import type { Json } from "../../../actors/schema.ts";
import type { OperationContract } from "../contract/operation.ts";
import type { RawInput } from "./input-reader.ts";

type Word = string | number | boolean;

/** The input; names are those of the operation. */
export interface LocalInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, Word | readonly Word[] | undefined>>;
  /** By name in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or bytes if the operation takes them. */
  readonly body?: Json | Uint8Array | ReadableStream<Uint8Array>;
  /** With a key, a repetition is not executed again (IDEM-1). */
  readonly idempotencyKey?: string;
}

/** Converts it to what a request would contain. */
export function localInput({ path }: OperationContract, given: LocalInput) {
  const { params = {}, query = {}, headers = {}, body, idempotencyKey = null } = given;
  const raw: RawInput = {
    params,
    search: searchOf(query),
    header: (name) => headers[name] ?? null,
    source: sourceOf(body, headers),
    bodies: null,
  };
  return {
    raw,
    path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? "")),
    key: idempotencyKey,
  };
}

function searchOf(query: NonNullable<LocalInput["query"]>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((word): [string, string] => [name, String(word)]),
  );
  return new URLSearchParams(pairs).toString();
}

/** What a header of a request can have. Another text is left to its reader, which refuses it. */
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

function sourceOf(body: LocalInput["body"], given: Readonly<Record<string, string>>): RawInput["source"] {
  const headers = new Headers(Object.entries(given).filter(([, text]) => HEADER_TEXT.test(text)));
  const none = { headers, bytes: () => Promise.resolve(new Uint8Array()) };
  if (body === undefined) return { ...none, body: null };
  if (body instanceof ReadableStream) return { ...none, body };
  if (body instanceof Uint8Array) return { ...none, body: new Blob([new Uint8Array(body)]).stream() };
  const bytes = Buffer.from(JSON.stringify(body));
  headers.set("content-type", "application/json");
  headers.set("content-length", String(bytes.byteLength));
  return { headers, body: new Blob([bytes]).stream(), bytes: () => Promise.resolve(bytes) };
}
