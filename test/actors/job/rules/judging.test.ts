/** Which rules are about a call, and what happens where that is not known (APR-1, APR-3, APR-5). */
import { expect, test } from "bun:test";
import { callsOf } from "../../../../actors/job/run/step-calls.ts";
import type { Toolbox } from "../../../../actors/job/ports.ts";
import type { Job } from "../../../../actors/job/schema.ts";
import { type ApprovalRule, coversTool, meetsFacts, type RuleFacts } from "../../../../actors/job/approval-rule.ts";
import { judgeCall } from "../../../../actors/job/rules/judging.ts";
import { conditionFlaws, conditionFor, namedFields } from "../../../../actors/job/rules/condition.ts";
import { namesField, strayField } from "../../../../actors/job/rules/tool-fields.ts";
import { AGENT } from "../../../support/job-replica.ts";
import { directRuleChecks } from "../../../support/rule-checks.ts";

const FACTS: RuleFacts = { organizationId: "org_1", userId: "usr_1", agentId: "agt_1", provenance: { origin: "api" } };
const meets = (when: ApprovalRule["when"], facts: Partial<RuleFacts> = {}, then: ApprovalRule["then"] = "allow") =>
  meetsFacts({ when: when ?? {}, then }, { ...FACTS, ...facts });

test("[APR-5] caller, agent and origin are those of the lineage", () => {
  expect(meets({ caller: ["usr_1"] })).toBe(true);
  expect(meets({ caller: ["usr_2"] })).toBe(false);
  expect(meets({ agent: ["agt_0"] })).toBe(false);
  const delegated: Partial<RuleFacts> = { provenance: { origin: "mission", delegators: ["agt_0", "agt_1"] } };
  expect(meets({ agent: ["agt_0"] }, delegated)).toBe(true);
  for (const origin of ["mission", "delegation"] as const) expect(meets({ origin: [origin] }, delegated)).toBe(true);
  expect(meets({ origin: ["api"] }, delegated)).toBe(false);
  expect(meets({ origin: ["delegation"] })).toBe(false);
});

test("[APR-5] if the origin is not known, a rule decides against the call", () => {
  for (const when of [{ origin: ["api"] as const }, { agent: ["agt_0"] }])
    for (const then of ["allow", "ask", "deny"] as const)
      expect(meets(when as never, { provenance: undefined }, then)).toBe(then !== "allow");
});

test("[APR-1] names are compared as they are: no other spelling is the tool, or a part of the pattern", () => {
  expect(coversTool("refund", "refund")).toBe(true);
  for (const name of ["Refund", "refund ", "ｒefund", "refund\u200b", "rеfund", "refunds", "xrefund", ""])
    expect([name, coversTool("refund", name)]).toEqual([name, false]);
  expect(["shop__a", "shop__", "shop_a", "xshop__a"].map((name) => coversTool("shop__*", name))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(coversTool("*", "anything")).toBe(true);
});

const box = (...names: string[]): Pick<Toolbox, "rulesOf" | "misfits" | "tools"> => ({
  tools: names.map((name) => ({
    name,
    description: name,
    inputSchema: { type: "object", properties: { n: { type: "number" } } },
  })),
  rulesOf: () => ({ safe: false, needsApproval: false }),
  misfits: async () => new Map(),
});
async function decided(rules: readonly ApprovalRule[], names: readonly string[], tools: readonly string[] = names) {
  const job = {
    agent: { ...AGENT, approvalRules: rules },
    organizationId: "org_1",
    createdBy: "usr_1",
  } as unknown as Job;
  const made = names.map((name, at) => ({ type: "tool_use" as const, id: `c${at}`, name, input: { n: 1 } }));
  const calls = await callsOf(made, box(...tools), job, new AbortController().signal, directRuleChecks);
  return calls?.map(({ needsApproval, refusal, decision }) =>
    refusal !== undefined ? "refused" : `${needsApproval ? "ask" : "run"} by ${decision?.by}`,
  );
}

test("[APR-2] a constant of any type is met, also null and a list", async () => {
  const schema = { type: "object", properties: { to: {} } };
  for (const value of [null, [], ["a", "b"], [["a"]], { x: 1 }])
    for (const condition of [{ const: value }, { enum: [value] }])
      for (const then of ["allow", "ask", "deny"] as const) {
        const rules: ApprovalRule[] = [{ tool: "t", when: { arguments: { properties: { to: condition } } }, then }];
        const call = { name: "t", schema, input: { to: value } };
        const verdict = await judgeCall(rules, call, FACTS, { checks: directRuleChecks });
        expect([condition, verdict?.decision]).toEqual([condition, { by: "rule", outcome: then, rule: 0 }]);
        const other = await judgeCall(rules, { ...call, input: { to: "c" } }, FACTS, { checks: directRuleChecks });
        // A text is another type than a list or an object.
        const isOther = then !== "allow" && value !== null;
        expect([condition, other?.decision.outcome ?? null]).toEqual([condition, isOther ? then : null]);
      }
});

test("[APR-3] a tool that its MCP server has renamed does not leave its rule behind: the server's tools wait", async () => {
  const rules: ApprovalRule[] = [
    { tool: "shop__refund", then: "deny" },
    { tool: "shop__look", then: "allow" },
  ];
  expect(await decided(rules, ["shop__refund", "shop__look", "shop__other", "crm__refund"])).toEqual([
    "refused",
    "run by rule",
    "run by default",
    "run by default",
  ]);
  const renamed = ["shop__refunds", "shop__look", "crm__refund"];
  expect(await decided(rules, renamed)).toEqual(["ask by doubt", "run by rule", "run by default"]);
});

test("[APR-1] calls of an agent without rules have no decision, and those of tools that do not exist are left to the toolbox", async () => {
  expect(await decided([], ["look"])).toEqual(["run by undefined"]);
  const when = { arguments: { properties: { n: { maximum: 5 } } } };
  expect(await decided([{ tool: "*", when, then: "allow" }], ["look", "gone"], ["look"])).toEqual([
    "run by rule",
    "run by default",
  ]);
});

test("[APR-2] a condition has two readings, and only keywords that ask for something", () => {
  const given = {
    properties: { a: { maximum: 5 }, b: { type: ["string", "null"], minLength: 1 }, c: { enum: [3, "x"] } },
  };
  expect(conditionFor("allow", given)).toEqual({
    type: ["object"],
    required: ["a", "b", "c"],
    properties: { a: { type: ["number"], maximum: 5 }, b: { type: ["string"], minLength: 1 }, c: { enum: [3, "x"] } },
  });
  expect(conditionFor("deny", given)).toEqual({
    properties: {
      a: { maximum: 5 },
      b: { minLength: 1 },
      c: {
        allOf: [{ anyOf: [{ enum: [3, "x"] }, { type: ["null", "boolean", "string", "array", "object", "number"] }] }],
      },
    },
  });
  for (const word of [
    "not",
    "if",
    "oneOf",
    "$ref",
    "$defs",
    "maxProperties",
    "propertyNames",
    "patternProperties",
    "dependentRequired",
    "maxContains",
    "constructor",
    "__proto__",
  ])
    expect([word, conditionFlaws(JSON.parse(`{"allOf":[{"${word}":{}}]}`)).map(({ path }) => path)]).toEqual([
      word,
      [`/allOf/0/${word}`],
    ]);
  expect(conditionFlaws(true)).toHaveLength(1);
  const deep = (levels: number): never => (levels === 0 ? {} : { allOf: [deep(levels - 1)] }) as never;
  expect([conditionFlaws(deep(7)).length, conditionFlaws(deep(8)).length]).toEqual([0, 1]);
  expect(namedFields({ properties: { a: { items: { required: ["b"] } } }, required: ["c"] })).toEqual([
    ["a"],
    ["a", "*", "b"],
    ["c"],
  ]);
});

test("[APR-3] fields of a tool are found through references, combinations and circles", () => {
  const tree = {
    type: "object",
    properties: {
      child: { $ref: "#" },
      list: { type: "array", items: { properties: { x: {} } } },
      free: {},
      map: { additionalProperties: { type: "string" } },
    },
  } as const;
  for (const field of [["child"], ["child", "child", "list", "*", "x"], ["free", "any"], ["map", "any"]])
    expect([field, namesField(tree, field)]).toEqual([field, true]);
  for (const field of [["other"], ["child", "other"], ["list", "*", "y"], ["toString"]])
    expect([field, namesField(tree, field)]).toEqual([field, false]);
  expect(namesField({ $ref: "#/nowhere" }, ["a"])).toBe(false);
  const stray = (given: unknown) => strayField(tree, given as never);
  expect(stray({ child: { child: {} }, list: [{ x: 1 }], free: { any: 1 }, map: { any: "x" } })).toBeNull();
  expect(stray({ other: 1 })).toBe("other");
  expect(stray({ child: { list: [{ x: 1 }, { X: 2 }] } })).toBe("child.list.1.X");
  let deep: object = {};
  for (let level = 0; level < 100; level++) deep = { child: deep };
  expect(stray(deep)).not.toBeNull();
});
