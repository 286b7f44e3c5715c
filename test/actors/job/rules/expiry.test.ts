/** What happens to a call for which nobody decides in time (APR-9), also over restarts; and what votes are worth then. */
import { expect, test } from "bun:test";
import type { ApprovalRule } from "../../../../actors/job/approval-rule.ts";
import { jobRef } from "../../../../actors/job/schema.ts";
import { approval, ASKING, calling, DecisionScene } from "../../../support/decision-scene.ts";
import { CHAT, ORG } from "../../../support/job-replica.ts";
import { directRuleChecks } from "../../../support/rule-checks.ts";
import { fittingArguments } from "../../../../src/operations/fitting-arguments.ts";
import type { JsonObject } from "../../../../actors/schema.ts";

const rule = (fields: Partial<ApprovalRule>): ApprovalRule => ({ tool: "send", then: "ask", ...fields });
const people = (...names: string[]) =>
  Object.fromEntries(
    names.map((name) => [name, { isOwner: name === "usr_boss", groups: name === "usr_boss" ? [] : ["finance"] }]),
  );

async function waiting(...rules: readonly Partial<ApprovalRule>[]): Promise<{ scene: DecisionScene; jobId: string }> {
  const scene = await DecisionScene.begin(calling(["c1", "send"]));
  const agent = { ...ASKING, approvalTools: [], approvalRules: rules.map(rule) };
  const jobId = await scene.replica.send("go", CHAT, { agent });
  await scene.reached(jobId, "blocked");
  return { scene, jobId };
}
const decide = (scene: DecisionScene, jobId: string, by: string, more: object = {}) =>
  scene.replica.system.dispatch(jobRef(ORG, jobId), { ...approval, by, people: people(by, "usr_2", "usr_3"), ...more });
const openOf = (scene: DecisionScene, jobId: string) => scene.replica.job(jobId).approvals.at(-1);

test("[APR-9] escalate hands the call on once, with a time of its own, after which the call is denied and never runs", async () => {
  const expiry = { afterSeconds: 60, onExpiry: "escalate", escalateTo: "owners" } as const;
  const { scene, jobId } = await waiting({ of: { group: "finance" }, count: 2, expiry });
  expect((await decide(scene, jobId, "usr_2")).ok).toBe(true);
  expect((await decide(scene, jobId, "usr_boss")).ok).toBe(false);
  await scene.world.clock.advance(59_999);
  await scene.restart();
  expect(openOf(scene, jobId)).toMatchObject({ policy: { of: { group: "finance" } }, votes: [{ by: "usr_2" }] });
  await scene.world.clock.advance(1);
  await scene.consistent();
  const raised = openOf(scene, jobId);
  expect(raised).toMatchObject({ policy: { of: "owners", count: 2 }, onExpiry: "deny" });
  expect([raised?.votes, raised?.decision]).toEqual([[], undefined]);
  expect(scene.replica.types(jobId).filter((type) => type === "approval.updated")).toHaveLength(2);
  for (const by of ["usr_2", "usr_3"]) expect((await decide(scene, jobId, by)).ok).toBe(false);
  expect((await decide(scene, jobId, "usr_boss")).ok).toBe(true);
  await scene.world.clock.advance(60_000);
  await scene.reached(jobId, "completed");
  expect(openOf(scene, jobId)).toMatchObject({ decision: "expired", decidedBy: null });
  expect(scene.tools.calls).toEqual([]);
  await scene.consistent();
});

test("[APR-9] an escalated call runs if those who then decide approve it", async () => {
  const expiry = { afterSeconds: 60, onExpiry: "escalate", escalateTo: "owners" } as const;
  const { scene, jobId } = await waiting({ of: { group: "finance" }, expiry });
  await scene.world.clock.advance(60_000);
  expect((await decide(scene, jobId, "usr_boss")).ok).toBe(true);
  await scene.reached(jobId, "completed");
  expect(scene.tools.calls).toHaveLength(1);
});

test("[APR-9] keep lets the call wait without an end, and deny denies it at its expiry", async () => {
  const kept = await waiting({ expiry: { afterSeconds: 60, onExpiry: "keep" } });
  await kept.scene.world.clock.leap(40 * 24 * 60 * 60_000);
  await kept.scene.restart();
  expect(openOf(kept.scene, kept.jobId)?.decision).toBeUndefined();
  expect((await decide(kept.scene, kept.jobId, "usr_2")).ok).toBe(true);
  await kept.scene.reached(kept.jobId, "completed");
  expect(kept.scene.tools.calls).toHaveLength(1);
  const denied = await waiting({ expiry: { afterSeconds: 60, onExpiry: "deny" } });
  await denied.scene.world.clock.advance(60_000);
  await denied.scene.reached(denied.jobId, "completed");
  expect(denied.scene.tools.calls).toEqual([]);
});

test("[APR-9] approvals of one job expire each in its own time", async () => {
  const scene = await DecisionScene.begin(calling(["c1", "send"], ["c2", "look"]));
  const agent = {
    ...ASKING,
    approvalTools: [],
    approvalRules: [
      rule({ expiry: { afterSeconds: 60, onExpiry: "deny" } }),
      rule({ tool: "look", expiry: { afterSeconds: 120, onExpiry: "deny" } }),
    ],
  };
  const jobId = await scene.replica.send("go", CHAT, { agent });
  await scene.reached(jobId, "blocked");
  await scene.world.clock.advance(60_000);
  await scene.restart();
  expect(scene.replica.job(jobId).approvals.map(({ decision = null }) => decision)).toEqual(["expired", null]);
  expect((await decide(scene, jobId, "usr_2")).ok).toBe(true);
  await scene.reached(jobId, "completed");
  expect(scene.tools.calls.map(({ name }) => name)).toEqual(["look"]);
  await scene.consistent();
});

test("[APR-7] a decision without known people cannot decide a call that a rule keeps for certain people", async () => {
  const { scene, jobId } = await waiting({ of: "anyone" });
  for (const by of ["usr_1", "usr_2"])
    expect(await scene.replica.system.dispatch(jobRef(ORG, jobId), { ...approval, by })).toMatchObject({
      ok: false,
      fault: { kind: "forbidden" },
    });
  expect((await decide(scene, jobId, "usr_2", { people: {} })).ok).toBe(false);
  expect((await decide(scene, jobId, "usr_2", { isService: true })).ok).toBe(false);
  expect((await decide(scene, jobId, "usr_2")).ok).toBe(true);
});

test("[APR-4] changed arguments that another rule keeps for other people need these people too", async () => {
  const { scene, jobId } = await waiting({});
  const judged = {
    decision: { by: "rule", outcome: "ask", rule: 1 },
    policy: { of: "owners", count: 1, notStarter: false, services: false },
  } as const;
  const edit = { arguments: { to: "y" }, judged };
  expect(await decide(scene, jobId, "usr_1", { ...edit, people: people("usr_1") })).toMatchObject({
    ok: false,
    fault: { kind: "forbidden" },
  });
  const several = { ...judged, policy: { ...judged.policy, of: "anyone", count: 2 } };
  expect((await decide(scene, jobId, "usr_1", { ...edit, judged: several })).ok).toBe(false);
  expect(scene.tools.calls).toEqual([]);
});

test("[APR-9] after its time nobody of those before decides, also if the service was down when it ended", async () => {
  for (const onExpiry of ["escalate", "deny"] as const) {
    const after = onExpiry === "escalate" ? ({ escalateTo: "owners" } as const) : {};
    const { scene, jobId } = await waiting({
      of: { group: "finance" },
      expiry: { afterSeconds: 60, onExpiry, ...after },
    });
    scene.replica.crash();
    await scene.world.clock.leap(60_000);
    await scene.start();
    // Before the alarm has been rung.
    expect(await decide(scene, jobId, "usr_2")).toMatchObject({ ok: false });
    expect(scene.tools.calls).toEqual([]);
  }
});

test("[APR-4] changed arguments are used only for the call that they were checked for", async () => {
  const scene = await DecisionScene.begin(calling(["c1", "send"], ["c2", "send"]));
  const jobId = await scene.send("go");
  const [first, second] = (await scene.reached(jobId, "blocked")).approvals;
  const services = { argumentChecks: { errorsOf: async () => [] } as never, ruleChecks: directRuleChecks };
  const when = { arguments: { properties: { id: { const: "evil" } } } };
  const check = async (given: JsonObject, approvalId: string | null) => {
    const job = scene.replica.job(jobId);
    const schema = { type: "object", properties: { id: { type: "string" } } };
    const openCalls = job.openCalls.map((call) => ({ ...call, schema }));
    const ruled = { ...job, openCalls, agent: { ...job.agent, approvalRules: [rule({ when, then: "deny" })] } };
    const meant = { given, approvalId, toolCallId: null, field: "arguments" };
    return fittingArguments(services, { userId: "usr_1" }, ruled, meant);
  };
  const unnamed = await check({ id: "evil" }, null);
  expect(unnamed).toEqual({ ok: true, value: { approvalId: null, judged: null } });
  // Meanwhile one of the two calls is decided, so that a single one is left.
  expect((await decide(scene, jobId, "usr_1", { approvalId: first?.id })).ok).toBe(true);
  for (const checkedFor of [null, first?.id])
    expect(await decide(scene, jobId, "usr_1", { arguments: { id: "evil" }, checkedFor })).toMatchObject({
      ok: false,
      fault: { kind: "invalid_state" },
    });
  expect(await check({ id: "evil" }, null)).toMatchObject({ ok: false, fault: { kind: "invalid_request" } });
  expect(await check({ id: "good" }, null)).toMatchObject({ ok: true, value: { approvalId: second?.id } });
  expect((await decide(scene, jobId, "usr_1", { arguments: { id: "good" }, checkedFor: second?.id })).ok).toBe(true);
  await scene.reached(jobId, "completed");
  expect(scene.tools.calls.map(({ input }) => input)).toEqual([{ id: "c1" }, { id: "good" }]);
});
