/**
 * Requests that nobody should send, made from the contract: values that fit a schema, and then what is
 * wrong with them. Wrong types, out of range, no such word, missing, null, huge, odd characters, keys of
 * JavaScript's own objects, bodies that are no JSON.
 */
import fc from "fast-check";
import type { ContractDocument, Operation, Parameter, Schema } from "./document.ts";
import { NUMERALS, ODD, ODD_HEADERS, ODD_KEYS, ODD_PATHS, ODD_TEXTS, ODD_TYPES, RAW_BODIES } from "./odd-values.ts";
import type { Ask } from "./walker.ts";

export interface Hostile {
  readonly ask: Ask;
  /** The value of the body as JSON, where it is sent as JSON of the right type. */
  readonly json?: unknown;
  /** Whether everything besides the body and the query is as it should be. */
  readonly isElsewhereGood: boolean;
}

/** Deeper than this a schema gets the simplest of its values. */
const DEPTH = 5;

export class HostileRequests {
  private readonly document: ContractDocument;

  constructor(document: ContractDocument) {
    this.document = document;
  }

  /** Requests for the operation. `good` is one that has succeeded once: its record is taken in most. */
  of(operation: Operation, good: Ask): fc.Arbitrary<Hostile> {
    const { parameters, body } = operation;
    const query = parameters.filter((parameter) => parameter.in === "query");
    const headers = parameters.filter((parameter) => parameter.in === "header");
    return fc
      .record({
        params: this.params(good.params ?? {}),
        query: this.query(query, good.query ?? []),
        headers: oddHeaders(headers.map(({ name }) => name)),
        sent: body === null ? this.unasked(operation) : this.sent(body.schema),
      })
      .map(({ params, query: pairs, headers: odd, sent }) => ({
        ask: {
          params: params.value,
          query: pairs,
          ...sent.ask,
          headers: { ...odd.value, ...sent.ask.headers },
          ...(good.token === undefined ? {} : { token: good.token }),
          leavesStream: operation.method === "GET",
        },
        ...("json" in sent ? { json: sent.json } : {}),
        isElsewhereGood: params.isGood && odd.isGood,
      }));
  }

  /** Values that fit the schema, or nearly: what only code can check is left to it. */
  fitting(given: Schema, depth = 0): fc.Arbitrary<unknown> {
    const schema = this.document.resolved(given);
    if ("const" in schema) return fc.constant(schema["const"]);
    if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
    const variants = (schema["anyOf"] ?? schema["oneOf"]) as readonly Schema[] | undefined;
    if (variants !== undefined) return fc.oneof(...variants.map((variant) => this.fitting(variant, depth)));
    const types = [schema["type"]].flat() as readonly (string | undefined)[];
    return fc.oneof(...types.map((type) => this.ofType(type, schema, depth)));
  }

  private ofType(type: string | undefined, schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const { minimum = -3, maximum = 1_000, minItems = 0, maxItems = 4 } = schema as Readonly<Record<string, number>>;
    switch (type) {
      case "string":
        return texts(schema);
      case "integer":
        return fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 31) });
      case "number":
        return fc.double({ min: minimum, max: maximum, noNaN: true });
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "array":
        return fc.array(this.fitting((schema["items"] ?? {}) as Schema, depth + 1), {
          minLength: minItems,
          maxLength: Math.max(minItems, Math.min(maxItems, 4)),
        });
      case "object":
        return this.objects(schema, depth);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  }

  private objects(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, Schema>>);
    if (properties.length === 0) return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }));
    const required = (schema["required"] ?? []) as readonly string[];
    const kept = depth < DEPTH ? properties : properties.filter(([name]) => required.includes(name));
    const fields = kept.map(([name, inner]) => [name, this.fitting(inner, depth + 1)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
  }

  /** Mostly a body with one thing wrong, sometimes none, sometimes something that is no body. */
  private sent(schema: Schema): fc.Arbitrary<Sent> {
    const fitting = this.fitting(schema);
    const asJson = (json: unknown): Sent => ({ ask: { body: json }, json });
    const wrong = fc
      .tuple(fitting, CHANGE, fc.nat(), fc.nat())
      .map(([value, change, where, which]) => asJson(change(value, where, which)));
    const type = fc.tuple(fitting, fc.constantFrom(...ODD_TYPES));
    return fc.oneof(
      { weight: 12, arbitrary: wrong },
      { weight: 2, arbitrary: fitting.map(asJson) },
      { weight: 2, arbitrary: fc.constantFrom(...RAW_BODIES).map((raw) => ({ ask: { raw, headers: JSON_TYPE } })) },
      { weight: 1, arbitrary: type.map(([body, headers]) => ({ ask: { body, headers } })) },
    );
  }

  /** A body where none is asked for; not with GET, whose requests have none. */
  private unasked({ method }: Operation): fc.Arbitrary<Sent> {
    const none: Sent = { ask: {} };
    if (method === "GET") return fc.constant(none);
    return fc.oneof(
      { weight: 3, arbitrary: fc.constant(none) },
      fc.constantFrom(...ODD).map((body) => ({ ask: { body } })),
    );
  }

  private params(
    good: Readonly<Record<string, string>>,
  ): fc.Arbitrary<{ value: Record<string, string>; isGood: boolean }> {
    const odd = fc.oneof(fc.constantFrom(...ODD_PATHS), fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 }));
    const isPlain = (text: string): boolean => text !== "." && text !== "..";
    const changed = odd.filter(isPlain).map((text) => ({
      value: Object.fromEntries(Object.keys(good).map((name) => [name, text])),
      isGood: Object.keys(good).length === 0,
    }));
    return fc.oneof({ weight: 4, arbitrary: fc.constant({ value: { ...good }, isGood: true }) }, changed);
  }

  /** The parameters that are known, fitting or not, one of them twice, and some that nobody knows. */
  private query(known: readonly Parameter[], good: NonNullable<Ask["query"]>): fc.Arbitrary<[string, string][]> {
    const given = fc.constant(good.map(([name, value]): [string, string] => [name, value]));
    const unknown = fc.tuple(fc.constantFrom("foo", "__proto__", "limit[]", ""), fc.constantFrom(...ODD_TEXTS));
    if (known.length === 0) return fc.oneof({ weight: 3, arbitrary: given }, fc.array(unknown, { maxLength: 2 }));
    const one = fc.oneof(...known.map((parameter) => this.pair(parameter)));
    return fc.oneof(
      { weight: 1, arbitrary: given },
      {
        weight: 4,
        arbitrary: fc.array(fc.oneof({ weight: 6, arbitrary: one }, unknown), { minLength: 1, maxLength: 4 }),
      },
    );
  }

  private pair({ name, schema }: Parameter): fc.Arbitrary<[string, string]> {
    // A long poll waits for as long as it is asked to; nobody waits here.
    const isLong = (text: string): boolean => name === "wait" && Number(text) > 0 && Number(text) <= 30;
    const fitting = this.fitting(schema).map(String);
    const odd = fc.constantFrom(...ODD_TEXTS, ...NUMERALS);
    return fc.oneof(fitting, odd).map((text): [string, string] => [name, isLong(text) ? "0" : text]);
  }
}

interface Sent {
  readonly ask: Ask;
  readonly json?: unknown;
}
const JSON_TYPE = { "content-type": "application/json" };

/** Mostly none of them. */
function oddHeaders(names: readonly string[]): fc.Arbitrary<{ value: Record<string, string>; isGood: boolean }> {
  const some = [...names, "x-request-id", "accept", "authorization"].flatMap((name) =>
    (ODD_HEADERS[name] ?? []).map((text) => ({ value: { [name]: text }, isGood: false })),
  );
  const none = fc.constant({ value: {}, isGood: true });
  return fc.oneof({ weight: 4, arbitrary: none }, fc.constantFrom(...some));
}

/** Fitting a pattern where one of a few texts does. */
function texts(schema: Schema): fc.Arbitrary<string> {
  const {
    pattern,
    maxLength = 40,
    minLength = 0,
  } = schema as { pattern?: string; maxLength?: number; minLength?: number };
  const examples = (schema["examples"] ?? []) as readonly string[];
  const isFit = (text: string): boolean =>
    (pattern === undefined || new RegExp(pattern, "u").test(text)) &&
    text.length <= maxLength &&
    text.length >= minLength;
  // Nothing is to leave for the internet: the hosts of examples are somebody's.
  const safe = examples.filter((text) => !text.includes("://"));
  const plain = [...safe, "Ada", "demo:echo", "current_time", "https://127.0.0.1:9/x", "2026-11-01T00:00:00Z"];
  const fit = plain.filter(isFit);
  const any = fc.string({ unit: "grapheme", minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) });
  if (fit.length === 0) return any;
  return fc.oneof(
    fc.constantFrom(...fit),
    any.map((text) => (isFit(text) ? text : (fit[0] ?? ""))),
  );
}

/** Makes one thing wrong somewhere in a value; the numbers choose where, and what. */
type Change = (value: unknown, where: number, which: number) => unknown;

const replace: Change = (value, where, which) => edited(value, where, () => ODD[which % ODD.length]);
const remove: Change = (value, where) => edited(value, where, () => undefined);
const add: Change = (value, where, which) => {
  const key = ODD_KEYS[which % ODD_KEYS.length] ?? "";
  return edited(value, where, (inner) =>
    isObject(inner) ? withKey(inner, key, ODD[which % ODD.length]) : ODD[which % ODD.length],
  );
};
const wrap: Change = (value, where, which) =>
  edited(value, where, (inner) => (which % 2 === 0 ? [inner] : { value: inner }));
const CHANGE = fc.constantFrom(replace, replace, replace, remove, add, wrap);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An own property, whatever its name. */
function withKey(object: Record<string, unknown>, key: string, value: unknown): Record<string, unknown> {
  const copy = { ...object };
  Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}

/** The value with one of its fields, at any depth, changed; undefined leaves it out. */
function edited(value: unknown, where: number, change: (inner: unknown) => unknown): unknown {
  const keys = isObject(value) ? Object.keys(value) : Array.isArray(value) ? [...value.keys()] : [];
  const key = keys[where % (keys.length + 1)];
  if (key === undefined)
    return keys.length === 0 ? (change(value) ?? {}) : isObject(value) ? (change(value) ?? {}) : value;
  const rest = Math.floor(where / (keys.length + 1));
  const inner = (value as Record<string | number, unknown>)[key];
  const goesIn = (isObject(inner) || Array.isArray(inner)) && rest % 3 > 0;
  const next = goesIn ? edited(inner, rest, change) : change(inner);
  if (Array.isArray(value)) return next === undefined ? value.toSpliced(Number(key), 1) : value.with(Number(key), next);
  const { [key]: _, ...others } = value as Record<string, unknown>;
  return next === undefined ? others : withKey(value as Record<string, unknown>, String(key), next);
}
