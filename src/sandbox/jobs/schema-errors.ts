/** Collects why a value does not fit its schema, as messages that a person or a model can act on. */
import type { EvaluationPlugin, ValidationContext } from "@hyperjump/json-schema/experimental";
import * as Instance from "@hyperjump/json-schema/instance/experimental";
import { pointerPart } from "../../../actors/json-pointer.ts";
import { withoutMarks } from "./exact-keywords.ts";

/** One reason. */
export interface SchemaError {
  /** The JSON pointer of the value; for a missing or unknown field, that of the field. */
  readonly path: string;
  readonly kind: "missing" | "unknown" | "type" | "enum" | "other";
  /** The rest of a sentence that begins with the field. */
  readonly words: string;
}

type KeywordWords = (value: unknown) => string;
const jsonWords = (value: unknown): string => withoutMarks(typeof value === "string" ? value : JSON.stringify(value));

/** By keyword, from its compiled value. */
const KEYWORD_WORDS: Readonly<Record<string, KeywordWords>> = {
  type: (types) => `must be ${[types as string | string[]].flat().map(withArticle).join(" or ")}`,
  // The library compiles the values to JSON.
  enum: (values) => `must be one of: ${(values as string[]).map(plainValue).join(", ")}`,
  const: (value) => `must be ${plainValue(value as string)}`,
  maximum: (bound) => `must be <= ${jsonWords(bound)}`,
  exclusiveMaximum: (bound) => `must be < ${jsonWords(bound)}`,
  minimum: (bound) => `must be >= ${jsonWords(bound)}`,
  exclusiveMinimum: (bound) => `must be > ${jsonWords(bound)}`,
  multipleOf: (of) => `must be a multiple of ${jsonWords(of)}`,
  minLength: (least) => `must have at least ${jsonWords(least)} characters`,
  maxLength: (most) => `must have at most ${jsonWords(most)} characters`,
  pattern: (pattern) => `must match \`${(pattern as RegExp).source}\``,
  minItems: (least) => `must have at least ${jsonWords(least)} items`,
  maxItems: (most) => `must have at most ${jsonWords(most)} items`,
  uniqueItems: () => "must not have equal items",
  contains: (of) => containsWords(of as Contains),
  minProperties: (least) => `must have at least ${jsonWords(least)} fields`,
  maxProperties: (most) => `must have at most ${jsonWords(most)} fields`,
  propertyNames: () => "has a field whose name is not allowed",
  dependentRequired: () => "lacks fields that others of its fields require",
  anyOf: () => "must fit at least one of the alternatives of its schema",
  oneOf: () => "must fit exactly one of the alternatives of its schema",
  not: () => "must not fit what its schema excludes",
};

/** Before 2019-09 it has no bounds. */
interface Contains {
  readonly minContains?: number;
  readonly maxContains?: number;
}

function containsWords({ minContains = 1, maxContains = Number.MAX_SAFE_INTEGER }: Contains): string {
  const most = maxContains === Number.MAX_SAFE_INTEGER ? "" : ` and at most ${maxContains}`;
  return `must have at least ${minContains}${most} of the items that its schema describes`;
}

/** JSON of a value; a text without its quotes. */
function plainValue(text: string): string {
  const value: unknown = JSON.parse(text);
  return withoutMarks(typeof value === "string" ? value : text);
}

/** `a string`, `an object`; `null` has none. */
function withArticle(type: string): string {
  if (type === "null") return type;
  return `${/^[aio]/.test(type) ? "an" : "a"} ${type}`;
}

/** A subschema under one of these allows no further field. */
const NO_MORE_FIELDS = /\/(?:additional|unevaluated)Properties$/;
/** A subschema under one of these allows no further item. */
const NO_MORE_ITEMS = /\/(?:items|additionalItems|unevaluatedItems)$/;

type Reasons = (SchemaError | Reasons)[];

interface Collected extends ValidationContext {
  reasons?: Reasons;
}

/** Collects the errors of one check. Those of an alternative count only if no alternative fits. */
export class ErrorCollector implements EvaluationPlugin<Collected> {
  private collected: Reasons = [];

  get errors(): readonly SchemaError[] {
    return (this.collected as unknown[]).flat(Number.POSITIVE_INFINITY) as SchemaError[];
  }

  afterKeyword(
    [keyword, , value]: Parameters<NonNullable<EvaluationPlugin["afterKeyword"]>>[0],
    instance: Instance.JsonNode,
    context: Collected,
    isValid: boolean,
    schemaContext: Collected,
  ): void {
    if (isValid) return;
    const reasons = (schemaContext.reasons ??= []);
    const name = keyword.split("/").at(-1)!;
    const own = reasonsOf(name, value, instance);
    reasons.push(...own);
    if (context.reasons !== undefined) reasons.push(context.reasons);
    else if (own.length === 0)
      reasons.push({ path: instance.pointer, kind: "other", words: `must fit \`${name}\` of its schema` });
  }

  afterSchema(url: string, instance: Instance.JsonNode, context: Collected, isValid: boolean): void {
    if (!isValid && context.ast[url] === false) (context.reasons ??= []).push(unexpectedValue(url, instance));
    this.collected = context.reasons ?? [];
  }
}

function reasonsOf(keyword: string, value: unknown, instance: Instance.JsonNode): SchemaError[] {
  const path = instance.pointer;
  if (keyword === "required")
    return (value as readonly string[])
      .filter((name) => !Instance.has(name, instance))
      .map((name) => ({ path: `${path}/${pointerPart(name)}`, kind: "missing", words: "is missing" }));
  const words = KEYWORD_WORDS[keyword];
  if (words === undefined) return [];
  const kind = keyword === "type" || keyword === "enum" ? keyword : "other";
  return [{ path, kind, words: words(value) }];
}

/** A value where the schema allows none. */
function unexpectedValue(url: string, { pointer: path }: Instance.JsonNode): SchemaError {
  if (NO_MORE_FIELDS.test(url)) return { path, kind: "unknown", words: "is unknown" };
  return { path, kind: "other", words: NO_MORE_ITEMS.test(url) ? "is one item too many" : "is not allowed" };
}
