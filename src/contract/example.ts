/** An example for a schema, built from the examples of its parts: it is valid by construction. */
import type { TSchema } from "../../actors/schema.ts";

export function exampleOf(schema: TSchema): unknown {
  const given = ownExample(schema);
  if (given !== undefined) return given;
  const variants = schema["anyOf"] as readonly TSchema[] | undefined;
  if (variants !== undefined) return variantExample(variants);
  switch (schema["type"]) {
    case "object":
      return objectExample((schema["properties"] ?? {}) as Readonly<Record<string, TSchema>>);
    case "array":
      return [exampleOf(schema["items"] as TSchema)];
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 0;
    case "boolean":
      return false;
    case "string":
      return schema["format"] === "date-time" ? "2026-11-01T12:00:00.000Z" : "text";
    default:
      return null;
  }
}

/** For a value or null: the value if it has its own example, because it is then the common case. */
function variantExample([first, ...others]: readonly TSchema[]): unknown {
  if (first === undefined) return null;
  const isNullable = others.some((variant) => variant["type"] === "null");
  return isNullable && first["examples"] === undefined ? null : exampleOf(first);
}

const objectExample = (properties: Readonly<Record<string, TSchema>>): object =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema)]));

function ownExample(schema: TSchema): unknown {
  const [example] = (schema["examples"] ?? []) as readonly unknown[];
  if (example !== undefined) return example;
  if (schema["const"] !== undefined) return schema["const"];
  if (schema["default"] !== undefined) return schema["default"];
  return (schema["enum"] as readonly unknown[] | undefined)?.[0];
}
