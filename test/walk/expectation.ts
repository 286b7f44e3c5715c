/**
 * What the contract expects of a request: whether its body and its query are within their schemas. Two
 * rules of the service go beyond the schemas: a field that is null counts as absent where the schema takes
 * no null, and an empty parameter as one that is not there.
 */
import type { ContractDocument, Operation, Parameter, Schema } from "./document.ts";
import type { Hostile } from "./hostile.ts";
import type { Judge } from "./judge.ts";

export class Expectation {
  private readonly document: ContractDocument;
  private readonly judge: Judge;

  constructor(document: ContractDocument, judge: Judge) {
    this.document = document;
    this.judge = judge;
  }

  /** Whether the body is JSON that its schema does not take. */
  isBodyBad({ body }: Operation, hostile: Hostile): boolean {
    if (body === null || !("json" in hostile)) return false;
    return !this.judge.takes(body.schema, this.withoutNulls(body.schema, hostile.json));
  }

  /** Whether one of the parameters is what its schema does not take. */
  isQueryBad({ parameters }: Operation, { ask }: Hostile): boolean {
    return parameters.some((parameter) => {
      if (parameter.in !== "query") return false;
      const [, text = ""] = (ask.query ?? []).find(([name]) => name === parameter.name) ?? [];
      return text !== "" && !this.judge.takes(parameter.schema, valueOf(parameter, text.toWellFormed()));
    });
  }

  private withoutNulls(given: Schema, value: unknown): unknown {
    const schema = this.nonNull(given);
    if (Array.isArray(value)) {
      const items = schema["items"] as Schema | undefined;
      return items === undefined ? value : value.map((item) => this.withoutNulls(items, item));
    }
    const properties = schema["properties"] as Readonly<Record<string, Schema>> | undefined;
    if (typeof value !== "object" || value === null || properties === undefined) return value;
    const fields = Object.entries(value).flatMap(([name, field]) => {
      const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (inner === undefined) return [[name, field]];
      if (field === null && !this.judge.takes(inner, null)) return [];
      return [[name, this.withoutNulls(inner, field)]];
    });
    return Object.fromEntries(fields) as unknown;
  }

  /** What a schema says of the values that are not null. */
  private nonNull(given: Schema): Schema {
    const schema = this.document.resolved(given);
    const variants = (schema["anyOf"] ?? schema["oneOf"]) as readonly Schema[] | undefined;
    const variant = variants?.find((one) => one["type"] !== "null");
    return variant === undefined ? schema : this.nonNull(variant);
  }
}

/** A number where the parameter is one; the text itself, which its schema refuses, where it cannot be read as one. */
const valueOf = ({ schema }: Parameter, text: string): unknown =>
  schema["type"] === "integer" && /^\d{1,15}$/.test(text) ? Number(text) : text;
