/**
 * A red team against approval rules (APR-1 to APR-3). Each attempt is the text of a call's arguments, as a model writes
 * it, against several shapes of one tool. A call that the rules allow is sent to lenient servers, which take names and
 * values as servers do: if one of them reads an amount beyond the rule, or none at all, the rule was got around.
 */
import { expect, test } from "bun:test";
import { judgeCall } from "../../actors/job/rules/judging.ts";
import type { ApprovalRule } from "../../actors/job/approval-rule.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { buildRequest } from "../../src/runner/tools/http-request.ts";
import { parseExact } from "../../actors/exact-json.ts";
import { isUnparsed, toolInput } from "../../src/runner/tool-input.ts";
import { directRuleChecks } from "../support/rule-checks.ts";
import { HONEST, MOST, object, type Shape, SHAPES, TEXTS, value, VALUES } from "./red-team-attempts.ts";

const facts = { organizationId: "org_1", userId: "usr_1", agentId: "agt_1", provenance: { origin: "api" } } as const;

const rules = ({ condition: given }: Shape): readonly ApprovalRule[] => [
  { tool: "refund", when: { arguments: given }, then: "allow" },
  { tool: "refund", then: "ask" },
];

async function outcomeOf(
  shape: Shape,
  text: string,
): Promise<{ readonly outcome: string; readonly input: JsonObject }> {
  let parsed: unknown = text;
  try {
    parsed = parseExact(text);
  } catch {
    // The model's text is kept as it is.
  }
  const input = toolInput(parsed);
  if (isUnparsed(input)) return { outcome: "unparsed", input };
  const call = { name: "refund", input, schema: shape.schema };
  const verdict = await judgeCall(rules(shape), call, facts, { checks: directRuleChecks });
  return { outcome: verdict?.decision.outcome ?? "default", input };
}

/** Whether a lenient server takes the name for that of the amount. */
const isAmount = (name: string): boolean =>
  ["amount", "sum"].includes(
    decodeURIComponent(name.replaceAll(/%(?![0-9a-f]{2})/gi, "%25"))
      .normalize("NFKC")
      .toLowerCase()
      .replaceAll(/\[.*$|\.\d+$|[^a-z]/g, ""),
  );

const numbersIn = (given: unknown): number[] =>
  typeof given === "object" && given !== null && !("rawJSON" in given)
    ? Object.values(given).flatMap(numbersIn)
    : [Number(typeof given === "object" ? String((given as { rawJSON: string } | null)?.rawJSON ?? "NaN") : given)];

/** The amounts that servers read in a request. */
function amountsRead(shape: Shape, { url, body }: { readonly url: string; readonly body?: string }): number[] {
  const address = new URL(url);
  const found = [...address.searchParams].flatMap(([name, text]) => (isAmount(name) ? [Number(text)] : []));
  if (shape.http.url.includes("{")) found.push(...address.pathname.split("/").slice(2).map(Number));
  const walk = (inner: unknown): void => {
    if (typeof inner !== "object" || inner === null) return;
    for (const [name, one] of Object.entries(inner)) {
      if (isAmount(name)) found.push(...numbersIn(one));
      walk(one);
    }
  };
  if (body !== undefined) walk(parseExact(body));
  return found;
}

/** What is wrong with an allowed call; null if every server reads an amount within the rule. */
function wayAround(shape: Shape, input: JsonObject): string | null {
  const built = buildRequest(shape.http, shape.schema, input);
  if (typeof built === "string") return null;
  const amounts = amountsRead(shape, built);
  if (amounts.length === 0) return `no amount in ${JSON.stringify(built)}`;
  return amounts.every((amount) => amount >= 0 && amount <= MOST)
    ? null
    : `${amounts.join()} in ${JSON.stringify(built)}`;
}

test.each(Object.entries(SHAPES))("[APR-2] no arguments get around a rule: %s", async (_, shape) => {
  const ways: string[] = [];
  for (const text of TEXTS) {
    const { outcome, input } = await outcomeOf(shape, text);
    if (outcome === "default") ways.push(`${text}: no rule decided`);
    const way = outcome === "allow" ? wayAround(shape, input) : null;
    if (way !== null) ways.push(`${text}: ${way}`);
  }
  expect(ways).toEqual([]);
});

test("[APR-2] the red team has more than a hundred attempts, and honest calls are allowed", async () => {
  expect(new Set(TEXTS).size).toBeGreaterThan(100);
  for (const shape of Object.values(SHAPES))
    for (const text of HONEST) {
      const { outcome, input } = await outcomeOf(shape, text);
      expect([text, outcome, wayAround(shape, input)]).toEqual([text, "allow", null]);
    }
});

test("[APR-2] the red team finds a way around a rule that is checked as plain JSON Schema", async () => {
  const shape = SHAPES["body without a type"]!;
  const found: string[] = [];
  for (const text of TEXTS) {
    const { input } = await outcomeOf(shape, text);
    const [errors] = await directRuleChecks.check("org_1", [shape.condition], input);
    if (errors?.length === 0 && !isUnparsed(input) && wayAround(shape, input) !== null) found.push(text);
  }
  expect(found.length).toBeGreaterThan(20);
});

test("[APR-2] a rule that denies also denies what it cannot exclude", async () => {
  const schema = object({ amount: { type: ["number", "string", "array", "null"] }, currency: {} });
  const denying: readonly ApprovalRule[] = [
    {
      tool: "refund",
      when: { arguments: { properties: { amount: { type: "number", exclusiveMinimum: MOST } } } },
      then: "deny",
    },
    {
      tool: "refund",
      when: { arguments: { required: ["currency"], properties: { currency: { const: "7" } } } },
      then: "deny",
    },
  ];
  const of = async (text: string) =>
    (
      await judgeCall(denying, { name: "refund", input: parseExact(text) as JsonObject, schema }, facts, {
        checks: directRuleChecks,
      })
    )?.decision.outcome ?? "default";
  for (const text of [
    ...VALUES.filter((one) => !/^[-+0N I1_]/.test(one) && !/false|true|\{/.test(one)).map(value),
    "{}",
    value("501"),
    value("1e3"),
  ])
    expect([text, await of(text)]).toEqual([text, "deny"]);
  expect(await of('{"amount":1,"currency":7}')).toBe("deny");
  expect(await of('{"amount":1,"currency":"8"}')).toBe("default");
  expect(await of(value("500"))).toBe("default");
});

/** Conditions by which an owner keeps one role away, and what a lenient tool may read as that role. */
const ROLE_CONDITIONS: readonly JsonObject[] = [
  { const: "admin" },
  { enum: ["root", "admin"] },
  { type: "string", const: "admin" },
  { type: "string", enum: ["admin"] },
  { type: "string", anyOf: [{ const: "admin" }, { const: "root" }] },
  { allOf: [{ type: "string" }, { const: "admin" }] },
  { anyOf: [{ type: "string", pattern: "^admin$" }, { const: "root" }] },
  { const: "admin", allOf: [{ minLength: 1 }] },
  { type: "string" },
];
const ROLES_READ_SO = [
  '"admin"',
  '["admin"]',
  '[["admin"]]',
  '["user","admin"]',
  '{"0":"admin"}',
  '{"$eq":"admin"}',
  '{"role":"admin"}',
  "null",
  "0",
  "1",
  "true",
  "[]",
  "{}",
];

test("[APR-2] no value of another type gets around a constant, a list of them or a type that is denied", async () => {
  const schema = object({ role: {}, amount: {}, sure: {} });
  const ofRule = async (fields: JsonObject, text: string, then: "ask" | "deny"): Promise<string> => {
    const denying = [{ tool: "refund", when: { arguments: { properties: fields } }, then } as const];
    const call = { name: "refund", input: parseExact(text) as JsonObject, schema };
    return (await judgeCall(denying, call, facts, { checks: directRuleChecks }))?.decision.outcome ?? "default";
  };
  for (const then of ["ask", "deny"] as const) {
    for (const role of ROLE_CONDITIONS)
      for (const text of [...ROLES_READ_SO.map((one) => `{"role":${one}}`), "{}"])
        expect([role, text, await ofRule({ role }, text, then)]).toEqual([role, text, then]);
    for (const amount of [{ const: 1000 }, { type: "integer", enum: [1000] }])
      for (const one of ["1000", "1e3", '"1e3"', '" 1000"', "[1000]", '{"value":1000}', "null", "true"])
        expect([one, await ofRule({ amount }, value(one), then)]).toEqual([one, then]);
    for (const one of ["true", '"true"', '"yes"', '"on"', "1", "[true]"])
      expect([one, await ofRule({ sure: { const: true } }, `{"sure":${one}}`, then)]).toEqual([one, then]);
    for (const one of ["null", '""', '"null"', "[]", "{}"])
      expect([one, await ofRule({ role: { const: null } }, `{"role":${one}}`, then)]).toEqual([one, then]);
  }
  // What is certainly another value is left to the next rule.
  expect(await ofRule({ role: { const: "admin" } }, '{"role":"user"}', "deny")).toBe("default");
  expect(await ofRule({ role: { enum: ["root", "admin"] } }, '{"role":"user"}', "deny")).toBe("default");
  expect(await ofRule({ role: { const: null } }, '{"role":"user"}', "deny")).toBe("default");
  expect(await ofRule({ amount: { const: 1000 } }, value("100"), "deny")).toBe("default");
  expect(await ofRule({ sure: { const: true } }, '{"sure":false}', "deny")).toBe("default");
});

test("[APR-2] a condition that cannot be checked in time refuses the call", async () => {
  const checks = {
    check: async (_: string, schemas: readonly JsonObject[]) => schemas.map((__, at) => (at === 0 ? [] : null)),
  };
  const shape = SHAPES["body"]!;
  const call = { name: "refund", input: { amount: 1 }, schema: shape.schema };
  for (const then of ["allow", "ask", "deny"] as const) {
    const verdict = await judgeCall([{ tool: "refund", when: { arguments: shape.condition }, then }], call, facts, {
      checks,
    });
    expect(verdict).toMatchObject({
      decision: { by: "doubt", outcome: "deny" },
      refusal: expect.stringContaining("rule 0"),
    });
  }
});
