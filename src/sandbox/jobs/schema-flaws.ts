/**
 * Whether a JSON Schema can be used at all: it fits the meta-schema of its dialect, and compiles. It is somebody's
 * own words, patterns and references and all, so it is compiled in a child.
 */
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject } from "../../../actors/schema.ts";

const OPTIONS = { strict: false, allErrors: true, validateFormats: false, logger: false } as const;
/** Flaws that are reported at most. */
const MOST_FLAWS = 20;

/** What is wrong with it, with places within the schema as JSON pointers; none where it can be used. */
export function schemaFlaws(_options: JsonObject, content: Uint8Array): { path: string; message: string }[] {
  const { $schema: dialect, ...rules } = JSON.parse(new TextDecoder().decode(content)) as JsonObject;
  const ajv = typeof dialect === "string" && dialect.includes("draft-07") ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  if (ajv.validateSchema(rules) !== true) {
    return (ajv.errors ?? []).slice(0, MOST_FLAWS).map(({ instancePath, message = "is invalid" }) => ({
      path: instancePath,
      message: `is no JSON Schema: ${message}`,
    }));
  }
  try {
    ajv.compile(rules);
    return [];
  } catch (error) {
    return [{ path: "", message: `cannot be used: ${error instanceof Error ? error.message : "it does not compile"}` }];
  }
}
