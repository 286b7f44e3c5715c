/**
 * TypeBox schemas as the contract shows them: plain JSON Schema 2020-12, each noun once under
 * `components/schemas` and by reference everywhere else.
 */
import { assert } from "../../actors/assert.ts";
import type { TSchema } from "../../actors/schema.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords that are ours alone, or that are told in another way. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "$id",
  "errorMessage",
  "patternProperties",
  "anyOf",
  "properties",
  "items",
]);

/** The schemas of one document. */
export class Components {
  private readonly nouns = new Map<string, { readonly from: TSchema; readonly schema: JsonSchema }>();

  /** A reference to the noun, or the schema itself where it is none. */
  schema(from: TSchema): JsonSchema {
    const { $id } = from;
    return $id === undefined ? this.body(from) : this.named($id, from);
  }

  /** The schema under a name of its own. */
  named(name: string, from: TSchema): JsonSchema {
    const known = this.nouns.get(name);
    assert(known === undefined || known.from === from, `there is one schema of ${name}`);
    if (known === undefined) {
      // The place is taken first: nouns come in the order in which they are met.
      this.nouns.set(name, { from, schema: {} });
      this.nouns.set(name, { from, schema: { title: name, ...this.body(from) } });
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** All nouns by their names, in the order of the alphabet. */
  all(): Record<string, JsonSchema> {
    const names = [...this.nouns.keys()].toSorted();
    return Object.fromEntries(names.map((name) => [name, this.nouns.get(name)?.schema ?? {}]));
  }

  private body(from: TSchema): JsonSchema {
    const own = Object.fromEntries(Object.entries(from).filter(([key]) => !LEFT_OUT.has(key)));
    const variants = from["anyOf"] as readonly TSchema[] | undefined;
    if (variants !== undefined) return this.union(own, variants);
    const properties = from["properties"] as Readonly<Record<string, TSchema>> | undefined;
    const items = from["items"] as TSchema | undefined;
    const values = Object.values((from["patternProperties"] ?? {}) as Readonly<Record<string, TSchema>>)[0];
    return {
      ...own,
      ...(properties === undefined ? {} : { properties: this.each(properties) }),
      ...(items === undefined ? {} : { items: this.schema(items) }),
      ...(values === undefined ? {} : { additionalProperties: isAnything(values) ? true : this.schema(values) }),
    };
  }

  private each(properties: Readonly<Record<string, TSchema>>): Record<string, JsonSchema> {
    return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, this.schema(schema)]));
  }

  /** `type: [x, "null"]` for a plain type or null; `oneOf` for variants that a constant tells apart. */
  private union(own: JsonSchema, variants: readonly TSchema[]): JsonSchema {
    const shown = variants.map((variant) => this.schema(variant));
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
