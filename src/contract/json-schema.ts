/**
 * TypeBox schemas as the contract shows them: plain JSON Schema 2020-12. Each noun is once under
 * `components/schemas`, and a reference everywhere else.
 */
import { assert } from "../../actors/assert.ts";
import type { TSchema } from "../../actors/schema.ts";
import { enumName, SHARED_ENUMS } from "./shared-enums.ts";
import { fieldDescription } from "./field-descriptions.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords that only we use, or that the contract expresses in another way. */
const OMITTED_FROM_CONTRACT: ReadonlySet<string> = new Set([
  "$id",
  "errorMessage",
  "form",
  "patternProperties",
  "anyOf",
  "properties",
  "items",
]);

/** The schemas of one document. */
export class Components {
  private readonly nouns = new Map<string, { readonly from: TSchema; readonly schema: JsonSchema }>();

  /** A reference if the schema is a noun, else the schema itself; `component` is the noun that contains it. */
  schema(from: TSchema, component = ""): JsonSchema {
    const { $id } = from;
    const shared = enumName(from["enum"]);
    if (shared !== undefined) return this.sharedEnum(shared, from);
    return $id === undefined ? this.body(from, component) : this.named($id, from);
  }

  /** A reference to the shared list of words, with the description and the default of this field beside it. */
  private sharedEnum(name: string, from: TSchema): JsonSchema {
    const { enum: values, type, ...own } = this.body(from, "");
    const description = SHARED_ENUMS[name]?.about;
    this.nouns.set(name, { from, schema: { title: name, description, type, enum: values } });
    return { ...own, $ref: `#/components/schemas/${name}` };
  }

  /** A reference to the schema, under its own name. */
  named(name: string, from: TSchema): JsonSchema {
    const known = this.nouns.get(name);
    if (known?.from !== from) {
      // Reserve the name first: a noun may contain itself.
      if (known === undefined) this.nouns.set(name, { from, schema: {} });
      const schema = { title: name, ...this.body(from, name) };
      assert(known === undefined || Bun.deepEquals(known.schema, schema), `there is one schema of ${name}`);
      this.nouns.set(name, { from, schema });
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** All nouns by name, in alphabetical order. */
  all(): Record<string, JsonSchema> {
    const names = [...this.nouns.keys()].toSorted();
    return Object.fromEntries(names.map((name) => [name, this.nouns.get(name)?.schema ?? {}]));
  }

  private body(from: TSchema, component: string): JsonSchema {
    const own = Object.fromEntries(Object.entries(from).filter(([key]) => !OMITTED_FROM_CONTRACT.has(key)));
    const variants = from["anyOf"] as readonly TSchema[] | undefined;
    if (variants !== undefined) return this.union(own, variants, component);
    const properties = from["properties"] as Readonly<Record<string, TSchema>> | undefined;
    const items = from["items"] as TSchema | undefined;
    const values = Object.values((from["patternProperties"] ?? {}) as Readonly<Record<string, TSchema>>)[0];
    return {
      ...own,
      ...(properties === undefined ? {} : { properties: this.each(properties, component) }),
      ...(items === undefined ? {} : { items: this.schema(items, component) }),
      ...(values === undefined
        ? {}
        : { additionalProperties: isAnything(values) ? true : this.schema(values, component) }),
    };
  }

  private each(properties: Readonly<Record<string, TSchema>>, component: string): Record<string, JsonSchema> {
    const described = ([name, from]: [string, TSchema]): [string, JsonSchema] => {
      const schema = this.schema(from, component);
      if (schema["description"] !== undefined) return [name, schema];
      const isWord = from["enum"] !== undefined;
      const description = fieldDescription(component, name, isWord ? from : schema);
      return [name, description === undefined ? schema : { description, ...schema }];
    };
    return Object.fromEntries(Object.entries(properties).map(described));
  }

  /** `type: [x, "null"]` for a plain type or null; `oneOf` for variants that a constant distinguishes. */
  private union(own: JsonSchema, variants: readonly TSchema[], component: string): JsonSchema {
    const shown = variants.map((variant) => this.schema(variant, component));
    const [first, second] = shown;
    const isNullable = shown.length === 2 && second?.["type"] === "null";
    if (
      isNullable &&
      typeof first?.["type"] === "string" &&
      first["enum"] === undefined &&
      first["const"] === undefined
    )
      return { ...first, ...own, type: [first["type"], "null"] };
    return { ...own, [variants.every(hasConstant) ? "oneOf" : "anyOf"]: shown };
  }
}

const isAnything = (schema: TSchema): boolean => Object.keys(schema).length === 0;

const hasConstant = (schema: TSchema): boolean =>
  Object.values((schema["properties"] ?? {}) as Readonly<Record<string, TSchema>>).some(
    (property) => property["const"] !== undefined,
  );

/** The schema of a body that rejects unknown fields, also in nested objects (GEN-7). */
export function closedSchema(schema: TSchema): TSchema {
  const variants = schema["anyOf"] as readonly TSchema[] | undefined;
  if (variants !== undefined) return { ...asInput(schema), anyOf: variants.map(closedSchema) };
  const items = schema["items"] as TSchema | undefined;
  if (items !== undefined) return { ...schema, items: closedSchema(items) };
  const properties = schema["properties"] as Readonly<Record<string, TSchema>> | undefined;
  if (properties === undefined) return schema;
  const fields = Object.entries(properties).map(([name, field]) => [name, closedSchema(field)]);
  return { ...asInput(schema), properties: Object.fromEntries(fields), additionalProperties: false };
}

/** With a name of its own: in an answer, the same noun may gain fields. */
function asInput(schema: TSchema): TSchema {
  if (schema.$id === undefined) return schema;
  const name = `${schema.$id}Input`;
  return { ...schema, $id: name, title: name };
}
