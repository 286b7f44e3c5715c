/** A linter that others use looks at the contract and finds nothing in it; another one does in the long tests. */
import { expect, test } from "bun:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";

const source = await Bun.file(new URL("../../docs/openapi.json", import.meta.url)).text();

test("[DOC-1] Redocly finds nothing, by its strict rules", async () => {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});

test("[DOC-1] Redocly finds what is wrong with an operation", async () => {
  const config = await createConfig({ extends: ["recommended-strict"] });
  // Of one path: the linter takes seconds for all.
  const whole = JSON.parse(source) as { readonly paths: Readonly<Record<string, object>> };
  const part = JSON.stringify({ ...whole, paths: { "/api/agents": whole.paths["/api/agents"] } });
  const broken = part.replace('"operationId":"createAgent"', '"operationId":"listAgents"');
  const problems = await lintFromString({ source: broken, absoluteRef: "openapi.json", config });
  expect(problems.map(({ ruleId }) => ruleId)).toContain("operation-operationId-unique");
});
