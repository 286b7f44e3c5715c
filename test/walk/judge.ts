/**
 * Says what of an answer is not in the contract: an undocumented status, media type or header, a promised
 * header that is missing, a body that does not fit its schema. It is stricter than a client has to be:
 * fields that no schema names are complaints too.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { FrameParser } from "../support/event-streams.ts";
import type { ContractDocument, Operation, Schema } from "./document.ts";

export interface Given {
  readonly status: number;
  readonly headers: Headers;
  /** Null where it has not been read. */
  readonly text: string | null;
}

/** What any response of HTTP may say without a word in the contract. */
const PLAIN_HEADERS = new Set(
  (
    "content-type content-encoding content-length vary date transfer-encoding connection cache-control allow x-accel-buffering " +
    "content-security-policy x-content-type-options referrer-policy cross-origin-resource-policy access-control-allow-origin"
  ).split(" "),
);
/** Shown of a body that does not fit. */
const SHOWN_CHARACTERS = 600;

export class Judge {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: false });
  private readonly compiled = new Map<Schema, ValidateFunction>();
  /** By its text: operations that answer the same have equal schemas, and compiling one takes milliseconds. */
  private readonly compiledTexts = new Map<string, ValidateFunction>();

  constructor(document: Pick<ContractDocument, "schemas">) {
    addFormats.default(this.ajv);
    const named = (change: (schema: Schema) => Schema): object =>
      Object.fromEntries(Object.entries(document.schemas).map(([name, schema]) => [name, change(schema)]));
    this.ajv.addSchema({ $id: ANSWERS, components: { schemas: named((schema) => withRoot(closed(schema), ANSWERS)) } });
    this.ajv.addSchema({ $id: REQUESTS, components: { schemas: named((schema) => withRoot(schema, REQUESTS)) } });
  }

  /** All that is wrong with an answer of the operation; none for one that is as it should be. */
  complaints(operation: Operation, given: Given): string[] {
    const answer = operation.answers[String(given.status)];
    if (answer === undefined) return [`status ${given.status} is not documented: ${shown(given.text)}`];
    const missing = answer.promised.filter((name) => !given.headers.has(name));
    const known = new Set([...PLAIN_HEADERS, ...answer.headers.map((name) => name.toLowerCase())]);
    const unknown = [...given.headers.keys()].filter((name) => !known.has(name));
    return [
      ...missing.map((name) => `${given.status} lacks the header ${name}`),
      ...unknown.map((name) => `${given.status} has the header ${name}, which is not documented`),
      ...this.bodyComplaints(answer.content, given),
    ];
  }

  /** Whether the body of a request fits its schema; what the schema does not name is of no account. */
  takes(schema: Schema, value: unknown): boolean {
    return this.validator(schema, () => withRoot(schema, REQUESTS))(value) as boolean;
  }

  private bodyComplaints(content: Readonly<Record<string, Schema>>, { status, headers, text }: Given): string[] {
    const types = Object.keys(content);
    const type = (headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";
    if (types.length === 0) return text === null || text === "" ? [] : [`${status} has a body: ${shown(text)}`];
    const named = content[type];
    // A file is bytes, whatever type its owner gives it: JSON that is a file is not read.
    const schema = named ?? content["*/*"];
    if (schema === undefined) return [`${status} is of type ${type}, documented is ${types.join(", ")}`];
    if (text === null) return [];
    if (named === undefined) return this.misfits(schema, text, `${status}`);
    if (type === "text/event-stream") return this.eventComplaints(schema, text);
    if (type !== "application/json") return this.misfits(schema, text, `${status}`);
    return this.misfits(schema, JSON.parse(text), `${status}`);
  }

  private eventComplaints(schema: Schema, text: string): string[] {
    const parser = new FrameParser();
    parser.feed(text);
    return parser.frames.flatMap(({ event, id, data }) =>
      this.misfits(schema, { event, ...(id === null ? {} : { id }), data }, `the event ${event}`),
    );
  }

  private misfits(schema: Schema, value: unknown, what: string): string[] {
    const validate = this.validator(schema, () => withRoot(closed(schema), ANSWERS));
    if (validate(value) as boolean) return [];
    const [first] = (validate.errors ?? []).toReversed();
    const more = JSON.stringify(first?.params ?? {});
    return [
      `${what} does not fit: ${first?.instancePath} ${first?.message} ${more} in ${shown(JSON.stringify(value))}`,
    ];
  }

  private validator(schema: Schema, ready: () => Schema): ValidateFunction {
    const known = this.compiled.get(schema);
    if (known !== undefined) return known;
    const made = ready();
    const text = JSON.stringify(made);
    const validate = this.compiledTexts.get(text) ?? this.ajv.compile(made);
    this.compiledTexts.set(text, validate);
    this.compiled.set(schema, validate);
    return validate;
  }
}

/** Where the validator has the schemas of answers, and those of requests. */
const ANSWERS = "answers:/";
const REQUESTS = "requests:/";

const shown = (text: string | null): string => (text ?? "").slice(0, SHOWN_CHARACTERS);

/** The schemas within a schema, changed. */
function mapped(schema: Schema, change: (inner: Schema, keyword: string) => Schema): Schema {
  const each = ([keyword, value]: [string, unknown]): [string, unknown] => {
    if (keyword === "properties" || keyword === "patternProperties") {
      const fields = Object.entries(value as Record<string, Schema>);
      return [keyword, Object.fromEntries(fields.map(([name, inner]) => [name, change(inner, keyword)]))];
    }
    if (keyword === "anyOf" || keyword === "oneOf" || keyword === "allOf" || keyword === "prefixItems")
      return [keyword, (value as Schema[]).map((inner) => change(inner, keyword))];
    const isSchema = (keyword === "items" || keyword === "additionalProperties") && typeof value === "object";
    return [keyword, isSchema ? change(value as Schema, keyword) : value];
  };
  return Object.fromEntries(Object.entries(schema).map(each));
}

/** Takes no field that it does not name, where it does not say that it takes any. */
function closed(schema: Schema, isPart = false): Schema {
  const inner = mapped(schema, (one, keyword) => closed(one, keyword === "allOf"));
  const isOpen = "additionalProperties" in schema || "patternProperties" in schema;
  if (isPart || isOpen || !("properties" in schema)) return inner;
  return { ...inner, unevaluatedProperties: false };
}

/** References lead to the schemas under this root. */
function withRoot(schema: Schema, root: string): Schema {
  const inner = mapped(schema, (one) => withRoot(one, root));
  return typeof inner["$ref"] === "string" ? { ...inner, $ref: inner["$ref"].replace(/^#/, `${root}#`) } : inner;
}
