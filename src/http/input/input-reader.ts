/**
 * Reads the input of a request by the schemas of its operation: path, query, headers and body. It reads all of them,
 * so that one answer reports every error (GEN-7). It is compiled once per operation.
 *
 *   path ▶ (404 where an id names nothing) ▶ query ▶ headers ▶ body ▶ one typed `Input`, or `invalid_request`
 *
 * A strict reader refuses unknown query parameters, unknown fields, and repeated parameters; a lenient one ignores
 * them.
 */
import { cutText, isLonger } from "../../../actors/cut-text.ts";
import { type Fault, type InputError, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { MaybePromise } from "../../../actors/maybe-promise.ts";
import type { JsonObject, TSchema } from "../../../actors/schema.ts";
import { type BodySchema, NOT_BLANK } from "../contract/body-schema.ts";
import { bad, type FieldReader, type FieldReading, good, READER, TAKES_EMPTY } from "../contract/field.ts";
import { type AnyInput, isJsonBody, type OperationContract } from "../contract/operation.ts";
import { type BodyHold, TOO_SLOW } from "../body/bodies.ts";
import {
  decodeBody,
  isAbsent,
  JSON_BODY_BYTES,
  parseJsonObject,
  readBytes,
  type TextSource,
  typeFault,
} from "../body/json-body.ts";
import { didYouMean } from "../../../actors/near-name.ts";
import { type BinaryBody, rawBody, StreamedBody } from "../body/raw-body.ts";
import { Body, COMPLAINTS, SHOWN_NAME_CHARACTERS } from "./validation.ts";

/** A request before it is read. */
export interface RawInput {
  /** By name, decoded; null if decoding fails. */
  readonly params: Readonly<Record<string, string | null>>;
  /** The query as it was sent, without the question mark. */
  readonly search: string;
  header(name: string): string | null;
  readonly source: TextSource;
  /** Bounds the body's memory and time; null if the body is already in memory. */
  readonly bodies: BodyDoor | null;
}

/** Begins the bodies of a request's caller. */
export interface BodyDoor {
  begin(announced: number): Outcome<BodyHold>;
  beginStream(): Outcome<BodyHold>;
  /** Parses a body of this size when the event loop has time for it. */
  parse<T>(bytes: number, parse: () => T): MaybePromise<T>;
}

/** The input of a request, read, and what else is known by then. */
export interface ReadInput {
  /** The input, or the refusal. */
  readonly input: Outcome<AnyInput>;
  /** Names of the fields in the body. */
  readonly given: readonly string[];
  /** The body's part of the fingerprint of an idempotency key; null until a stream has been read to its end. */
  readonly digest: () => string | null;
}

interface Complaints {
  readonly errors: InputError[];
  /** Replaces `invalid_request` if there is just one error. */
  fault: Fault | null;
}

interface QueryField {
  readonly name: string;
  readonly takesSeveral: boolean;
  readonly takesEmpty: boolean;
  /** The maximum number of values. */
  readonly most: number;
  readonly read: FieldReader<unknown>;
}

const NO_VALUES: Readonly<Record<never, never>> = {};
const NO_FIELDS: readonly string[] = [];
/** Bytes of a body that may say nothing, such as `{}`: clients send it with every POST. A longer one is not read. */
export const EMPTY_BYTES = 64;
const EMPTY_TEXT = /^\s*(?:\{\s*\})?\s*$/;
const TAKES_NO_BODY: Fault = {
  kind: "invalid_request",
  errors: [{ path: "", message: "This operation takes no request body" }],
};

const NO_BODY_READING: BodyReading = { value: ok(undefined), given: NO_FIELDS, digest: () => "" };

/** The result of reading the body. */
interface BodyReading {
  readonly value: Outcome<unknown>;
  readonly given: readonly string[];
  readonly digest: () => string | null;
}

export class InputReader {
  private readonly operation: OperationContract;
  private readonly isStrict: boolean;
  private readonly params: readonly (readonly [string, FieldReader<unknown>])[];
  private readonly query: readonly QueryField[];
  private readonly defaults: Readonly<Record<string, unknown>>;
  private readonly headers: readonly (readonly [string, FieldReader<unknown>])[];
  private readonly body: Body<BodySchema> | null;

  constructor(operation: OperationContract, { isStrict }: { readonly isStrict: boolean }) {
    const { params = {}, query = {}, headers = {}, body } = operation;
    this.operation = operation;
    this.isStrict = isStrict;
    this.params = Object.entries(params).map(([name, schema]) => [name, fieldReader(schema)]);
    this.headers = Object.entries(headers).map(([name, schema]) => [name, fieldReader(schema)]);
    this.query = Object.entries(query).map(([name, schema]) => {
      const takesSeveral = schema["type"] === "array";
      const most = typeof schema["maxItems"] === "number" ? schema["maxItems"] : Number.POSITIVE_INFINITY;
      return {
        name,
        takesSeveral,
        takesEmpty: TAKES_EMPTY in schema,
        most,
        read: fieldReader(takesSeveral ? (schema["items"] as TSchema) : schema),
      };
    });
    const defaults = Object.entries(query).filter(([, schema]) => schema["default"] !== undefined);
    this.defaults = Object.fromEntries(defaults.map(([name, schema]) => [name, schema["default"]]));
    this.body = isJsonBody(body) ? new Body(body, { isStrict }) : null;
  }

  private get jsonBytes(): number {
    return this.operation.bodyBytes ?? JSON_BODY_BYTES;
  }

  /** Whether reading may have to wait. */
  get waits(): boolean {
    return this.operation.body !== undefined;
  }

  /** Reads a request whose operation has no body. */
  readHead(raw: RawInput): ReadInput {
    // Bun does not show the content of a GET, so its length decides.
    const body = this.refusesLength(raw.source, "{}".length) ? unread(TAKES_NO_BODY) : NO_BODY_READING;
    return { input: this.inputOf(raw, body), given: NO_FIELDS, digest: NO_BODY_READING.digest };
  }

  /** Reads a request. `isKeyed`: with an idempotency key, whose fingerprint always needs the body. */
  async read(raw: RawInput, isKeyed: boolean): Promise<ReadInput> {
    const body = await this.bodyOf(raw, isKeyed);
    const input = this.inputOf(raw, body);
    if (!input.ok && body.value.ok) leaveStream(body.value.value);
    return { input, given: body.given, digest: body.digest };
  }

  private inputOf(raw: RawInput, body: BodyReading): Outcome<AnyInput> {
    const complaints: Complaints = { errors: [], fault: null };
    const params = this.paramsOf(raw, complaints);
    if (complaints.fault?.kind === "not_found") return refuse(complaints.fault);
    const query = this.queryOf(raw.search, complaints);
    const headers = this.headersOf(raw, complaints);
    const { value } = body;
    if (!value.ok) {
      if (value.fault.kind !== "invalid_request") return value;
      complaints.errors.push(...value.fault.errors);
    }
    const { errors, fault } = complaints;
    if (errors.length === 1 && fault !== null) return refuse(fault);
    if (errors.length > 0 || !value.ok) return refuse({ kind: "invalid_request", errors: errors.slice(0, COMPLAINTS) });
    // Each part was read by the schema that its type comes from.
    return ok({ params, query, headers, body: value.value });
  }

  private paramsOf({ params }: RawInput, complaints: Complaints): object {
    if (this.params.length === 0) return NO_VALUES;
    const read: Record<string, unknown> = {};
    for (const [name, reader] of this.params) read[name] = take(reader(params[name] ?? "", name), name, complaints);
    return read;
  }

  private headersOf(raw: RawInput, complaints: Complaints): object {
    if (this.headers.length === 0) return NO_VALUES;
    const read: Record<string, unknown> = {};
    for (const [name, reader] of this.headers) {
      const text = raw.header(name);
      // An empty value counts as absent, as in a query.
      if (text !== null && text !== "") read[name] = take(reader(text, name), name, complaints);
    }
    return read;
  }

  private queryOf(search: string, complaints: Complaints): object {
    if (search === "") return this.defaults;
    const given = new URLSearchParams(search);
    if (this.isStrict) this.refuseUnknown(given, complaints);
    const read: Record<string, unknown> = { ...this.defaults };
    for (const field of this.query) {
      const { name } = field;
      const value = field.takesSeveral ? several(field, given, complaints) : this.single(field, given, complaints);
      if (value !== undefined) read[name] = value;
    }
    return read;
  }

  private single({ name, takesEmpty, read }: QueryField, given: URLSearchParams, complaints: Complaints): unknown {
    const text = given.get(name);
    if (text === null || (text === "" && !takesEmpty)) return undefined;
    if (this.isStrict && given.getAll(name).length > 1)
      return take(bad(`Query parameter \`${name}\` is given more than once`), name, complaints);
    return take(read(text, name), name, complaints);
  }

  private refuseUnknown(given: URLSearchParams, { errors }: Complaints): void {
    const names = this.query.map(({ name }) => name);
    for (const name of new Set(given.keys())) {
      if (names.includes(name) || errors.length >= COMPLAINTS) continue;
      const shown = cutText(name, SHOWN_NAME_CHARACTERS);
      errors.push({ path: `/${shown}`, message: `Unknown query parameter \`${shown}\`${didYouMean(name, names)}` });
    }
  }

  private async bodyOf({ source, bodies }: RawInput, isKeyed: boolean): Promise<BodyReading> {
    const { body } = this.operation;
    if (body === undefined && !isKeyed) {
      if (this.refusesLength(source)) return unread(TAKES_NO_BODY);
      if (!this.isStrict || isAbsent(source)) return NO_BODY_READING;
    }
    if (bodies === null || isAbsent(source)) return this.wholeBody(source, isKeyed, null);
    if (body !== undefined && !isJsonBody(body) && body.kind === "stream") {
      const hold = bodies.beginStream();
      return hold.ok ? readingOf(await rawBody(source, body, { hold: hold.value, isKeyed })) : unread(hold.fault);
    }
    const most = body === undefined || isJsonBody(body) ? this.jsonBytes : body.limitBytes;
    const hold = bodies.begin(Math.min(most, Number(source.headers.get("content-length") ?? most)));
    if (!hold.ok) return unread(hold.fault);
    const late = new Promise<BodyReading>((resolve) => hold.value.whenLate(() => resolve(unread(TOO_SLOW))));
    try {
      return await Promise.race([this.wholeBody(source, isKeyed, bodies), late]);
    } finally {
      hold.value.release();
    }
  }

  /** Whether the head announces a body that the operation would ignore. */
  private refusesLength({ headers }: TextSource, most = EMPTY_BYTES): boolean {
    return this.isStrict && this.operation.body === undefined && Number(headers.get("content-length") ?? 0) > most;
  }

  private async wholeBody(source: TextSource, isKeyed: boolean, bodies: BodyDoor | null): Promise<BodyReading> {
    const { body } = this.operation;
    if (body !== undefined && !isJsonBody(body)) return readingOf(await rawBody(source, body, { hold: null, isKeyed }));
    const fault = this.body === null ? null : this.typeFault(source);
    if (fault !== null && !isKeyed) return unread(fault);
    const bytes = await readBytes(source, this.jsonBytes);
    if (!bytes.ok) return unread(bytes.fault);
    const { value } = bytes;
    const parse = (): BodyReading => this.parsed(value, fault);
    return bodies === null ? parse() : bodies.parse(value.byteLength, parse);
  }

  /** `fault`: why the body is not accepted as JSON. */
  private parsed(bytes: Uint8Array, fault: Fault | null): BodyReading {
    const text = decodeBody(bytes);
    if (!text.ok) return unread(text.fault);
    const digest = (): string => text.value;
    if (fault !== null) return { value: refuse(fault), given: NO_FIELDS, digest };
    return { ...this.jsonOf(text.value), digest };
  }

  private typeFault(source: TextSource): Fault | null {
    return this.operation.isBodyOptional === true && isAbsent(source) ? null : typeFault(source);
  }

  private jsonOf(text: string): Pick<BodyReading, "value" | "given"> {
    if (this.body === null)
      return this.isStrict && !EMPTY_TEXT.test(text)
        ? { value: refuse(TAKES_NO_BODY), given: NO_FIELDS }
        : NO_BODY_READING;
    const { isBodyOptional, bodyMayBeIn } = this.operation;
    const json = isBodyOptional === true && text === "" ? ok<JsonObject>({}) : parseJsonObject(text);
    if (!json.ok) return { value: json, given: NO_FIELDS };
    const object = bodyMayBeIn === undefined ? json.value : unwrapBody(json.value, bodyMayBeIn);
    return { value: this.body.parse(object), given: Object.keys(json.value) };
  }
}

/** A body without a fingerprint, because it was not read. */
const unread = (fault: Fault): BodyReading => ({ value: refuse(fault), given: NO_FIELDS, digest: () => null });

const readingOf = (value: Outcome<BinaryBody | StreamedBody>): BodyReading =>
  value.ok ? { value, given: NO_FIELDS, digest: () => value.value.sha256 } : unread(value.fault);

/** Whether the body, if it is a stream, ended properly; a handler may have stopped reading it. */
export const streamFault = (input: unknown): Fault | null => {
  const body = (input as { readonly body?: BinaryBody | StreamedBody | undefined }).body;
  return body instanceof StreamedBody ? body.fault : null;
};

/** Stops counting a streamed body, however much of it was read: its request is answered. */
export const leaveStream = (body: unknown): void => {
  if (body instanceof StreamedBody) body.leave();
};

function take(reading: FieldReading<unknown>, name: string, complaints: Complaints): unknown {
  if (reading.isGood) return reading.value;
  complaints.errors.push({ path: `/${name}`, message: reading.message });
  complaints.fault ??= reading.fault ?? null;
  return undefined;
}

/** `status=failed,cancelled` and `status=failed&status=cancelled`; undefined if absent. */
function several({ name, most, read }: QueryField, given: URLSearchParams, complaints: Complaints): unknown {
  const words = new Set(given.getAll(name).flatMap((text) => text.split(",")));
  words.delete("");
  if (words.size === 0) return undefined;
  if (words.size > most) return take(bad(`${name} takes at most ${most} values`), name, complaints);
  const values: unknown[] = [];
  for (const word of words) {
    const reading = read(word, name);
    if (!reading.isGood) return take(reading, name, complaints);
    values.push(reading.value);
  }
  return values;
}

function unwrapBody(object: JsonObject, name: string): JsonObject {
  const inner = object[name];
  const isWrapped =
    Object.keys(object).length === 1 && typeof inner === "object" && inner !== null && !Array.isArray(inner);
  return isWrapped ? (inner as JsonObject) : object;
}

/** The reader of a field's text: the schema's own, or one by its type. */
function fieldReader(schema: TSchema): FieldReader<unknown> {
  const own = (schema as { readonly [READER]?: FieldReader<unknown> })[READER];
  if (own !== undefined) return own;
  if (schema["const"] !== undefined) return wordReader([String(schema["const"])], schema);
  if (Array.isArray(schema["enum"])) return wordReader(schema["enum"] as readonly string[], schema);
  if (schema["type"] === "integer") return integerReader(schema);
  return textReader(schema);
}

function wordReader(words: readonly string[], schema: TSchema): FieldReader<string> {
  const list = words.join(", ");
  return (text, name) => {
    if (words.includes(text)) return good(text);
    if (typeof schema["errorMessage"] === "string") return bad(schema["errorMessage"]);
    const choice = words.length === 1 ? "must be" : "must be one of";
    return bad(`${name} ${choice}: ${list}${didYouMean(text, words)}`);
  };
}

function integerReader({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: TSchema): FieldReader<number> {
  const [least, most] = [Number(minimum), Number(maximum)];
  const range = most === Number.MAX_SAFE_INTEGER ? `, at least ${least}` : ` from ${least} to ${most}`;
  return (text, name) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? good(value) : bad(`${name} must be a whole number${range}`);
  };
}

function textReader({ maxLength, pattern }: TSchema): FieldReader<string> {
  const most = typeof maxLength === "number" ? maxLength : Number.POSITIVE_INFINITY;
  const form = typeof pattern === "string" ? new RegExp(pattern, "u") : null;
  return (text, name) => {
    if (isLonger(text, most)) return bad(`${name} must have at most ${most} characters`);
    if (form?.test(text) === false)
      return bad(pattern === NOT_BLANK ? `${name} must not be blank` : `${name} must match ${pattern}`);
    // PostgreSQL cannot store it.
    return text.includes("\0") ? bad(`${name} must not contain NUL characters`) : good(text);
  };
}
