/** Two linters that others use look at the contract and find nothing in it. */
import { expect, test } from "bun:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { type RulesetDefinition, Spectral } from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";

const source = await Bun.file(new URL("../../docs/openapi.json", import.meta.url)).text();

/** The linters take seconds where others use the processor too. */
const PATIENCE_MS = 60_000;

/**
 * Of all rules of Spectral, those that do not fit: the operator's address is not ours to give, a license
 * has either an identifier or a url, the tags are in the order of reading, and scopes of bearer tokens
 * (allowed since OpenAPI 3.1) are taken for those of OAuth flows.
 */
const LEFT_OUT = ["contact-properties", "license-url", "openapi-tags-alphabetical", "oas3-operation-security-defined"];

test(
  "[DOC-1] Redocly finds nothing, by its strict rules",
  async () => {
    const config = await createConfig({ extends: ["recommended-strict"] });
    const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  },
  PATIENCE_MS,
);

test("[DOC-1] Redocly finds what is wrong with an operation", async () => {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const broken = source.replace('"operationId": "createAgent"', '"operationId": "listAgents"');
  const problems = await lintFromString({ source: broken, absoluteRef: "openapi.json", config });
  expect(problems.map(({ ruleId }) => ruleId)).toContain("operation-operationId-unique");
});

test(
  "[DOC-1] Spectral finds nothing, by all of its rules that fit",
  async () => {
    const spectral = new Spectral();
    const rules = Object.fromEntries(LEFT_OUT.map((rule) => [rule, "off" as const]));
    spectral.setRuleset({ extends: [[oas as RulesetDefinition, "all"]], rules });
    const problems = await spectral.run(JSON.parse(source) as Record<string, unknown>);
    expect(problems.map(({ code, message, path }) => [code, message, path.join("/")])).toEqual([]);
  },
  PATIENCE_MS,
);
