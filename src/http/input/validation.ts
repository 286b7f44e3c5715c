/**
 * Validates a body against its TypeBox schema, and words each error for the caller, with its place as a JSON pointer
 * (GEN-7). A strict surface refuses unknown keys, and `null` where the schema does not take it; a lenient one drops
 * both, except unknown keys where the schema says `additionalProperties: false`. Errors come in the order of the schema's
 * fields, missing fields first.
 *
 * A field's schema may have an `errorMessage` for values that are not allowed, and a `form` that says in words what
 * its pattern requires.
 */
import { cutText, isLonger } from "../../../actors/cut-text.ts";
import { type InputError, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { isExactNumber } from "../../../actors/exact-json.ts";
import { type JsonObject, type Static, takesExactNumber, type TSchema } from "../../../actors/schema.ts";
import { type BodySchema, CHECK, type FieldCheck } from "../contract/body-schema.ts";
import { didYouMean } from "../../../actors/near-name.ts";
import { type TypeCheck, TypeCompiler, type ValueError } from "@sinclair/typebox/compiler";

/** Maximum number of errors in one answer. */
export const COMPLAINTS = 20;
/** Characters of an unknown name that an error repeats. */
export const SHOWN_NAME_CHARACTERS = 64;

type CheckedField = readonly [name: string, check: FieldCheck];

/** A compiled schema. Compiling costs about a millisecond, so the first use does it. */
export class Body<S extends BodySchema> {
  private readonly schema: S;
  private readonly isStrict: boolean;
  /** Fields with a check of their own. */
  private readonly checked: readonly CheckedField[];
  private check: TypeCheck<S> | null = null;

  /** `isStrict`: our own objects reject unknown keys. */
  constructor(schema: S, { isStrict }: { readonly isStrict: boolean }) {
    this.schema = schema;
    this.isStrict = isStrict;
    this.checked = Object.entries(schema.properties).flatMap(([name, field]): CheckedField[] =>
      CHECK in field ? [[name, field[CHECK] as FieldCheck]] : [],
    );
  }

  /** The body's known fields, or `invalid_request`. */
  parse(body: JsonObject): Outcome<Static<S>> {
    const errors: InputError[] = [];
    const known = knownFields(this.schema, body, { path: "", errors, isStrict: this.isStrict });
    for (const [name, own] of this.checked) {
      if (known[name] === null) errors.push({ path: `/${escapePointer(name)}`, message: notNull(name) });
      else if (known[name] !== undefined) errors.push(...own(known[name], name).slice(0, COMPLAINTS - errors.length));
    }
    const check = (this.check ??= TypeCompiler.Compile(this.schema));
    if (errors.length === 0 && check.Check(known)) return ok(known);
    for (const { path, value, schema } of innermostErrors(check.Errors(known))) {
      if (errors.some((error) => error.path === path || error.path.startsWith(`${path}/`))) continue;
      const place = schemaPlaceAt(this.schema, path) ?? { schema, isRequired: false };
      if (fitsInCharacters(value, place.schema)) continue;
      errors.push({ path, message: messageFor(path, value, place) });
      if (errors.length === COMPLAINTS) break;
    }
    // TypeBox found a text too long that has few enough characters.
    if (errors.length === 0) return ok(known as Static<S>);
    const order = Object.keys(this.schema.properties);
    const placeIn = ({ path }: InputError): number => order.indexOf(path.split("/")[1] ?? "");
    errors.sort((a, b) => Number(isMissing(b)) - Number(isMissing(a)) || placeIn(a) - placeIn(b));
    return refuse({ kind: "invalid_request", errors });
  }
}

/** For a nullable object or list, the errors within it in place of the one about the whole. */
function* innermostErrors(errors: Iterable<ValueError>): Generator<ValueError> {
  for (const error of errors) {
    const { schema, value } = error;
    const variants = variantsOf(schema) ?? [];
    const [only, another] = variants.filter((variant) => !isNull(variant));
    const isWhole =
      only === undefined || another !== undefined || "errorMessage" in schema || !isOfType(value, only["type"]);
    const inner = isWhole ? undefined : error.errors[variants.indexOf(only)];
    if (inner === undefined) yield error;
    else yield* innermostErrors(inner);
  }
}

interface Walk {
  readonly path: string;
  readonly errors: InputError[];
  readonly isStrict: boolean;
}

/** The known fields of an object; reports the unknown ones if the schema is closed. */
function knownFields(schema: TSchema, value: JsonObject, walk: Walk): Record<string, unknown> {
  const { path, errors, isStrict } = walk;
  const properties = propertiesOf(schema) ?? {};
  const known: Record<string, unknown> = {};
  for (const [field, fieldSchema] of Object.entries(properties)) {
    const given = Object.hasOwn(value, field) ? value[field] : undefined;
    if (given === undefined || (given === null && !isStrict && !takesNull(fieldSchema))) continue;
    known[field] = knownValue(fieldSchema, given, { ...walk, path: `${path}/${escapePointer(field)}` });
  }
  if (isStrict || schema["additionalProperties"] === false) {
    for (const key of Object.keys(value)) {
      if (errors.length < COMPLAINTS && !Object.hasOwn(properties, key)) {
        const message = `Unknown field \`${cutText(key, SHOWN_NAME_CHARACTERS)}\`${didYouMean(key, Object.keys(properties))}`;
        errors.push({ path: `${path}/${escapePointer(key)}`, message });
      }
    }
  }
  return known;
}

function knownValue(schema: TSchema, value: unknown, walk: Walk): unknown {
  // No other type takes it, and NaN fits none.
  if (isExactNumber(value)) return takesExactNumber(schema) ? value : Number.NaN;
  const inner = withoutNull(schema);
  if (Array.isArray(value)) {
    const items = inner["items"] as TSchema | undefined;
    if (items === undefined) return value;
    return value.map((item, i) => knownValue(items, item, { ...walk, path: `${walk.path}/${i}` }));
  }
  if (typeof value !== "object" || value === null || propertiesOf(inner) === undefined) return value;
  return knownFields(inner, value as JsonObject, walk);
}

const propertiesOf = (schema: TSchema) => schema["properties"] as Readonly<Record<string, TSchema>> | undefined;
const isNull = (schema: TSchema): boolean => schema["type"] === "null";
const variantsOf = (schema: TSchema) => schema["anyOf"] as readonly TSchema[] | undefined;
const takesNull = (schema: TSchema): boolean => isNull(schema) || variantsOf(schema)?.some(isNull) === true;
/** The schema for the values that are not null. */
const withoutNull = (schema: TSchema): TSchema => variantsOf(schema)?.find((variant) => !isNull(variant)) ?? schema;
export const escapePointer = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
const unescapePointer = (key: string): string => key.replaceAll("~1", "/").replaceAll("~0", "~");

interface SchemaPlace {
  readonly schema: TSchema;
  readonly isRequired: boolean;
}

/** The schema at a path of the body. */
function schemaPlaceAt(root: TSchema, path: string): SchemaPlace | null {
  let place: SchemaPlace = { schema: root, isRequired: true };
  for (const part of path.split("/").slice(1)) {
    const { schema } = place;
    const name = unescapePointer(part);
    const next = propertiesOf(schema)?.[name] ?? (schema["items"] as TSchema | undefined);
    if (next === undefined) return null;
    const required = schema["required"] as readonly string[] | undefined;
    // The error message of a union applies to all its variants.
    const schemaOf = "errorMessage" in next ? next : withoutNull(next);
    place = { schema: schemaOf, isRequired: required?.includes(name) === true };
  }
  return place;
}

const MISSING = "Missing required field: ";
const notNull = (field: string): string => `Field ${field} must not be null`;
const isMissing = (error: InputError): boolean => error.message.startsWith(MISSING);
const ARTICLES: Readonly<Record<string, string>> = { array: "an", integer: "an", object: "an" };

function messageFor(path: string, value: unknown, { schema, isRequired }: SchemaPlace): string {
  const field = path.split("/").slice(1).map(unescapePointer).join(".");
  if (value === undefined) return `${MISSING}${field}`;
  if (value === null) return notNull(field);
  if (typeof schema["errorMessage"] === "string") return schema["errorMessage"];
  if (Array.isArray(schema["enum"])) {
    const words: readonly string[] = schema["enum"].map(String);
    const near = typeof value === "string" ? didYouMean(value, words) : "";
    return `Field ${field} must be one of: ${words.join(", ")}${near}`;
  }
  const type = String(schema["type"]);
  if (!isOfType(value, type)) return `Field ${field} must be ${ARTICLES[type] ?? "a"} ${type}`;
  if (typeof value === "string" && value.trim() === "") {
    return isRequired ? `${MISSING}${field}` : `Field ${field} must not be empty`;
  }
  return `Field ${field} ${boundOf(schema, value) ?? "is invalid"}`;
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

/** TypeBox counts UTF-16 units: whether a text that it refuses fits after all. */
function fitsInCharacters(value: unknown, { type, maxLength, minLength = 0, pattern }: TSchema): boolean {
  if (typeof value !== "string" || type !== "string" || typeof maxLength !== "number") return false;
  if (value.length <= maxLength || isLonger(value, maxLength) || value.length < Number(minLength)) return false;
  return typeof pattern !== "string" || new RegExp(pattern, "u").test(value);
}

/** Which bound of its schema a value of the right type violates; null if we have no words for it. */
function boundOf(schema: TSchema, value: unknown): string | null {
  const bound = (name: string): number | null => (typeof schema[name] === "number" ? schema[name] : null);
  const [longest, most, least, highest] = [bound("maxLength"), bound("maxItems"), bound("minimum"), bound("maximum")];
  const [fewest, shortest] = [bound("minItems"), bound("minLength")];
  if (typeof value === "string" && longest !== null && isLonger(value, longest))
    return `must have at most ${longest} characters`;
  if (typeof value === "string" && shortest !== null && value.length < shortest)
    return `must have at least ${shortest} ${shortest === 1 ? "character" : "characters"}`;
  if (typeof value === "string" && typeof schema["form"] === "string") return `must be ${schema["form"]}`;
  if (typeof value === "string" && typeof schema["pattern"] === "string") return `must match \`${schema["pattern"]}\``;
  if (Array.isArray(value) && most !== null && value.length > most) return `must have at most ${most} items`;
  if (Array.isArray(value) && fewest !== null && value.length < fewest)
    return `must have at least ${fewest} ${fewest === 1 ? "item" : "items"}`;
  if (Array.isArray(value) && schema["uniqueItems"] === true) return "must not have the same item twice";
  if (typeof value === "number" && least !== null && value < least) return `must be at least ${least}`;
  if (typeof value === "number" && highest !== null && value > highest) return `must be at most ${highest}`;
  return null;
}
