/** What a text must be is said in words: no error of the current surface shows a regular expression. */
import { expect, test } from "bun:test";
import { OPERATIONS } from "../../src/contract/document.ts";
import { NOT_BLANK } from "../../src/http/contract/body-schema.ts";

interface Field {
  readonly where: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Every schema below `node` that has a pattern. */
function* patterns(node: unknown, where: string): Generator<Field> {
  if (typeof node !== "object" || node === null) return;
  const schema = node as Field["schema"];
  if (typeof schema["pattern"] === "string") yield { where, schema };
  for (const [key, value] of Object.entries(schema)) if (key !== "examples") yield* patterns(value, `${where}/${key}`);
}

test("[GEN-7] every pattern of a body or a query has an error message", () => {
  const all = OPERATIONS.filter(({ surface }) => surface === "current").flatMap(({ id, operation }) =>
    [operation.body, operation.query, operation.headers].flatMap((given) => [...patterns(given, id)]),
  );
  expect(all.length).toBeGreaterThan(60);
  // A blank text has words of its own.
  const wordless = all.filter(
    ({ schema }) => schema["pattern"] !== NOT_BLANK && !("form" in schema) && !("errorMessage" in schema),
  );
  expect(wordless.map(({ where, schema }) => `${where}: ${String(schema["pattern"])}`)).toEqual([]);
});
