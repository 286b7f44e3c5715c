/** Every field of the contract says what it means, and no description is left over. */
import { expect, test } from "bun:test";
import { FIELD_DESCRIPTIONS } from "../../src/contract/field-descriptions.ts";
import { openApiDocument } from "../../src/contract/document.ts";

interface Field {
  readonly where: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What holds examples and values, and no schemas. */
const VALUES: ReadonlySet<string> = new Set(["example", "examples", "default", "const", "enum"]);

/** Every property of every schema below `node`. */
function* fields(node: unknown, where: string): Generator<Field> {
  if (typeof node !== "object" || node === null) return;
  const properties: unknown = Array.isArray(node) ? null : Reflect.get(node, "properties");
  const isSchema = typeof properties === "object" && properties !== null;
  if (isSchema)
    for (const [name, schema] of Object.entries(properties))
      yield { where: `${where}.${name}`, schema: schema as object as Field["schema"] };
  for (const [key, value] of Object.entries(node)) if (!VALUES.has(key)) yield* fields(value, `${where}/${key}`);
}

const document = openApiDocument();
const all = [...fields(document, "")];
const components = (document["components"] as { readonly schemas: Readonly<Record<string, Field["schema"]>> }).schemas;

/** The description of the field, or of the component that it is. */
function descriptionOf({ schema }: Field): unknown {
  const reference = schema["$ref"];
  const component = typeof reference === "string" ? components[reference.split("/").at(-1) ?? ""] : undefined;
  return schema["description"] ?? component?.["description"];
}

test("[DOC-1] every field of the contract has a description in words", () => {
  expect(all.length).toBeGreaterThan(1_500);
  const silent = all.filter((field) => {
    const description = descriptionOf(field);
    return typeof description !== "string" || description.trim().length < 3;
  });
  expect(silent.map(({ where }) => where)).toEqual([]);
});

test("[DOC-1] every description of the table is used by a field", () => {
  const used = new Set(all.map(({ schema }) => schema["description"]));
  expect(Object.entries(FIELD_DESCRIPTIONS).filter(([, text]) => !used.has(text))).toEqual([]);
});

test("[DOC-1] a name that means something else in a component is described there", () => {
  const described = (component: string, ...path: readonly string[]): unknown => {
    let at = components[component];
    for (const key of path) at = (at?.[key] ?? {}) as Field["schema"];
    return at?.["description"];
  };
  const expected = {
    "CreateAgentRequest properties tools": /own/,
    "CreateAgentRequest properties visibility": /`unlisted`/,
    "McpServerInput properties name": /^Name of the MCP server/,
    "UpdateMessageRequest properties pinned": /message/,
    "RedeliverEventsRequest properties since_sequence": /first event/,
    "QueryDataRequest properties format": /`csv`/,
    "Task properties priority": /urgent/,
  };
  for (const [place, words] of Object.entries(expected)) {
    const [component = "", ...path] = place.split(" ");
    expect({ place, description: described(component, ...path) }).toEqual({
      place,
      description: expect.stringMatching(words) as string,
    });
  }
});
