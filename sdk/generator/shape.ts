/** JSON Schema as the contract writes it, as the shapes that a language has types for. */

export type JsonSchema = { readonly [keyword: string]: unknown };

export type Shape =
  | { readonly kind: "text" | "integer" | "number" | "boolean" | "null" | "bytes" | "unknown" | "absent" }
  | { readonly kind: "noun"; readonly name: string }
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "list"; readonly item: Shape }
  | { readonly kind: "map"; readonly value: Shape }
  | { readonly kind: "record"; readonly fields: readonly Field[] }
  | { readonly kind: "union"; readonly variants: readonly Shape[] };

export interface Field {
  readonly name: string;
  readonly about: string;
  readonly isRequired: boolean;
  readonly shape: Shape;
}

export const UNKNOWN: Shape = { kind: "unknown" };
const PLAIN = ["string", "integer", "number", "boolean", "null"] as const;
const NOUN = "#/components/schemas/";

/** The shape of a schema; a keyword that no language can say in types is left to the service. */
export function shapeOf(schema: JsonSchema): Shape {
  const { $ref, enum: values, type } = schema;
  if (typeof $ref === "string") return { kind: "noun", name: nounOf($ref) };
  if ("const" in schema) return literal(schema["const"]);
  if (Array.isArray(values)) return union(values.map((value) => literal(value)));
  const variants = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(variants)) return union(variants.map((variant) => shapeOf(variant as JsonSchema)));
  if (Array.isArray(type)) return union(type.map((one) => shapeOf({ ...schema, type: one })));
  if (type === "array") return { kind: "list", item: shapeOf((schema["items"] ?? {}) as JsonSchema) };
  if (type === "object") return objectShape(schema);
  const plain = PLAIN.find((name) => name === type);
  if (plain === undefined) return UNKNOWN;
  return { kind: plain === "string" ? "text" : plain };
}

function objectShape(schema: JsonSchema): Shape {
  const properties = schema["properties"] as Readonly<Record<string, JsonSchema>> | undefined;
  const values = schema["additionalProperties"];
  if (properties === undefined)
    return {
      kind: "map",
      value: typeof values === "object" && values !== null ? shapeOf(values as JsonSchema) : UNKNOWN,
    };
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  return {
    kind: "record",
    fields: Object.entries(properties).map(([name, property]) => ({
      name,
      about: aboutOf(property),
      isRequired: required.has(name),
      shape: shapeOf(property),
    })),
  };
}

/** What a schema says of itself, with its default. */
export function aboutOf(schema: JsonSchema): string {
  const description = typeof schema["description"] === "string" ? schema["description"] : "";
  const preset = schema["default"];
  if (preset === undefined) return description;
  return `${description === "" ? "" : `${description}. `}Default ${JSON.stringify(preset)}`;
}

/** A union without repetitions; unions within are opened. */
function union(shapes: readonly Shape[]): Shape {
  const flat = shapes.flatMap((shape) => (shape.kind === "union" ? shape.variants : [shape]));
  const seen = new Map(flat.map((shape) => [JSON.stringify(shape), shape]));
  const [first, ...others] = [...seen.values()];
  return first === undefined || others.length === 0
    ? (first ?? UNKNOWN)
    : { kind: "union", variants: [...seen.values()] };
}

function literal(value: unknown): Shape {
  if (value === null) return { kind: "null" };
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return { kind: "literal", value };
  return UNKNOWN;
}

function nounOf(ref: string): string {
  if (!ref.startsWith(NOUN)) throw new Error(`The generator knows no reference like ${ref}`);
  return ref.slice(NOUN.length);
}

/** `a, b or c`. */
export const orList = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
