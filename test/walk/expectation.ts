/**
 * What the contract expects of a request: whether its body and its query are within their schemas. Some
 * rules of the service go beyond the schemas: a field that is null counts as absent where the schema takes
 * no null, an empty parameter counts as absent, and the current surface takes no parameter that its operation
 * does not name, and none twice unless it is a list (GEN-7).
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

  /** Whether one of the parameters is what its schema does not take, or one that the operation does not take. */
  isQueryBad(operation: Operation, { ask }: Hostile): boolean {
    const { query = [] } = ask;
    const known = operation.parameters.filter((parameter) => parameter.in === "query");
    const isUnnamed = isStrict(operation) && query.some(([name]) => known.every((one) => one.name !== name));
    return isUnnamed || known.some((parameter) => this.isBad(operation, parameter, query));
  }

  private isBad(operation: Operation, parameter: Parameter, query: readonly (readonly [string, string])[]): boolean {
    const { name, schema } = parameter;
    const texts = query.filter(([given]) => given === name).map(([, text]) => text.toWellFormed());
    if (schema["type"] === "array") {
      const values = texts.flatMap((text) => text.split(",")).filter((text) => text !== "");
      return !this.judge.takes(schema, [...new Set(values)]);
    }
    const [text = ""] = texts;
    if (text === "") return false;
    return (isStrict(operation) && texts.length > 1) || !this.judge.takes(schema, valueOf(parameter, text));
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

/** On the current surface; v1 and the public documents ignore what they do not know. */
const isStrict = ({ path, scopes }: Operation): boolean => !path.startsWith("/api/v1/") && scopes !== null;

/** A number where the parameter is one; the text itself, which its schema refuses, where it cannot be read as one. */
const valueOf = ({ schema }: Parameter, text: string): unknown =>
  schema["type"] === "integer" && /^\d{1,15}$/.test(text) ? Number(text) : text;
