/**
 * The only validator for untrusted JSON Schemas: of tools, answers and forms. It passes the required cases of the
 * official test suite; `test/sandbox/schema-suite.test.ts` names the exceptions. Schemas and their patterns are
 * untrusted, so only the sandbox runs it, and nothing is fetched for a `$ref`.
 */
import { type Browser, removeUriSchemePlugin } from "@hyperjump/browser";
import { type SchemaObject, setShouldValidateSchema } from "@hyperjump/json-schema";
import "@hyperjump/json-schema/draft-07";
import "@hyperjump/json-schema/draft-2019-09";
import "@hyperjump/json-schema/draft-2020-12";
import {
  buildSchemaDocument,
  compile,
  type CompiledSchema,
  getSchema,
  interpret,
  type SchemaDocument,
} from "@hyperjump/json-schema/experimental";
import type { Json, JsonObject } from "../../../actors/schema.ts";
import { instanceOf, markExact } from "./exact-keywords.ts";
import { ErrorCollector, type SchemaError } from "./schema-errors.ts";

/** A compiled schema: the errors of a value; empty if it fits. */
export type Check = (given: unknown) => readonly SchemaError[];

const DRAFT_7 = "http://json-schema.org/draft-07/schema";
const DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema";
const DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema";
/** The address of a schema without an id. */
const UNNAMED_SCHEMA = "https://schema.invalid/";
/** It would define a dialect for all later schemas of this child. */
const VOCABULARY = '"$vocabulary":';

for (const scheme of ["http", "https", "file"]) removeUriSchemePlugin(scheme);
// Below, with errors for each place.
setShouldValidateSchema(false);

/** The dialect of a schema: 2020-12 unless it names another one. Drafts 4 and 6 are read as draft 7. */
export function dialectOf({ $schema: named }: JsonObject): string {
  if (typeof named !== "string") return DRAFT_2020;
  if (/draft-0[467]/.test(named)) return DRAFT_7;
  return named.includes("2019-09") ? DRAFT_2019 : DRAFT_2020;
}

/** Compiles a schema. Rejects if its references, patterns or keywords cannot be used. */
export async function compileSchema(schema: JsonObject, dialect: string): Promise<Check> {
  const rules = rulesOf(schema);
  if (JSON.stringify(rules).includes(VOCABULARY)) throw new Error("`$vocabulary` is not allowed");
  const document = buildSchemaDocument(markExact(rules) as SchemaObject, UNNAMED_SCHEMA, dialect);
  const cache = { [UNNAMED_SCHEMA]: document, [document.baseUri]: document };
  return checkWith(
    await compile(await getSchema(UNNAMED_SCHEMA, { _cache: cache } as unknown as Browser<SchemaDocument>)),
  );
}

const checkWith =
  (schema: CompiledSchema): Check =>
  (given) => {
    const collector = new ErrorCollector();
    const { valid } = interpret(schema, instanceOf(markExact(given as Json)), {
      outputFormat: "FLAG",
      plugins: [collector],
    });
    return valid ? [] : collector.errors;
  };

const metaCheck = async (dialect: string): Promise<Check> => checkWith(await compile(await getSchema(dialect)));
// Compiled when this is loaded: what reads them cannot wait.
const META: Readonly<Record<string, Check>> = {
  [DRAFT_7]: await metaCheck(DRAFT_7),
  [DRAFT_2019]: await metaCheck(DRAFT_2019),
  [DRAFT_2020]: await metaCheck(DRAFT_2020),
};

/** Errors of a schema by the meta-schema of its dialect. */
export const metaErrors = (schema: JsonObject, dialect: string): readonly SchemaError[] =>
  META[dialect]!(rulesOf(schema));

/** The schema without the name of its dialect, which may be one that the library does not know. */
function rulesOf(schema: JsonObject): JsonObject {
  const { $schema: _, ...rules } = schema;
  return rules;
}
