/** Notices where time, crashes and limits matter; over all actors in memory, with a mailbox that a test scripts. */
import { expect, test } from "bun:test";
import { notFound } from "../../../actors/fault.ts";
import type { ApprovalRule } from "../../../actors/job/approval-rule.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import {
  MAILED_PEOPLE,
  NOTICE_ATTEMPTS,
  NOTICE_WINDOW_MS,
  NOTICES_OF_JOB,
  NOTICES_OF_ORGANIZATION,
  SEND_NOTICE,
} from "../../../actors/reach/notices.ts";
import type { OtherDeciders } from "../../../actors/reach/protocol.ts";
import { type ApprovalNotice, type Question, reachRef } from "../../../actors/reach/schema.ts";
import type { EffectHandler } from "../../../actors/runtime/outputs/effects.ts";
import { openApprovalLink } from "../../../src/sign-in/approval-link.ts";
import { until } from "../../support/condition.ts";
import { DELIVERED, NoticeScene, REFUSED, REMINDED } from "../../support/notice-scene.ts";
import { approval, ASKING } from "../../support/decision-scene.ts";
import { settle } from "../../support/fake-clock.ts";
import { CHAT, ORG, startJobs } from "../../support/job-replica.ts";

test("[REACH-2] the person for whom the job acts gets a notice of an approval", async () => {
  const scene = await NoticeScene.open();
  const id = await scene.asked();
  await until("the mail", () => scene.notices(id)[0]?.status === "success");
  expect(scene.mails[0]).toMatchObject({ to: "ann@example.com", subject: "Approval needed: Ada asks to use send" });
});

test("[REACH-7] a reminder comes once, and after the decision everybody hears who decided, once", async () => {
  const scene = await NoticeScene.open();
  const id = await scene.asked();
  await until("the mail", () => scene.notices(id)[0]?.status === "success");
  await scene.world.clock.leap(3_599_000);
  expect(scene.mails).toHaveLength(1);
  await scene.world.clock.advance(1_000);
  await until("the reminder", () => scene.mails.length === 2);
  await scene.world.clock.leap(7_200_000);
  await scene.decide(id, approval);
  await scene.reached(id, "completed");
  await until("the follow-up", () => scene.mails.length === 3);
  await settle();
  expect(scene.subjects()).toEqual([
    "Approval needed: Ada asks to use send",
    "Still waiting: Ada asks to use send",
    "Approved: Ada uses send",
  ]);
  expect(scene.mails[2]?.text).toContain("Ann approved the call");
  expect(scene.world.database.alarms()).toEqual([]);
});

test("[REACH-7] nobody is reminded after the decision, and an expired approval gets its notice too", async () => {
  const scene = await NoticeScene.open();
  const decided = await scene.asked();
  await until("the mail", () => scene.notices(decided)[0]?.status === "success");
  await scene.decide(decided, { ...approval, decision: "deny" });
  await until("the follow-up", () => scene.mails.length === 2);
  await scene.world.clock.leap(7_200_000);
  expect(scene.subjects().at(-1)).toBe("Denied: Ada does not use send");
  const forgotten = await scene.asked(ASKING);
  await until("the mail", () => scene.notices(forgotten)[0]?.status === "success");
  await scene.world.clock.leap(25 * 3_600_000);
  await until("the follow-up", () => scene.subjects().at(-1) === "Over: Ada does not use send");
});

test("[REACH-3] a notice that waits for its next attempt when the decision is made is never sent", async () => {
  const scene = await NoticeScene.open();
  scene.answer = async () => REFUSED;
  const id = await scene.asked();
  await until("the failure", () => scene.notices(id)[0]?.status === "retrying");
  expect(scene.warnings).toEqual([{ error: "timeout" }]);
  scene.answer = async () => DELIVERED;
  await scene.decide(id, approval);
  await scene.reached(id, "completed");
  await scene.world.clock.leap(60_000);
  await until("its end", () => scene.notices(id)[0]?.status === "skipped");
  expect(scene.notices(id)[0]).toMatchObject({ skipped: "decided", attempts: 1 });
  // The attempt that failed may have arrived: its recipient hears of the decision.
  expect(scene.subjects()).toEqual(["Approval needed: Ada asks to use send", "Approved: Ada uses send"]);
});

test("[REACH-8] a process that ends during an attempt makes it again, and only hashes of the keys are stored", async () => {
  const scene = await NoticeScene.open();
  const held = Promise.withResolvers<null>();
  scene.answer = () => held.promise;
  const id = await scene.asked();
  await until("the attempt", () => scene.mails.length === 1);
  scene.replica.crash();
  held.resolve(null);
  scene.answer = async () => DELIVERED;
  await scene.start();
  await scene.world.clock.advance(31_000);
  await until("the mail", () => scene.notices(id)[0]?.status === "success");
  expect(scene.notices(id)[0]).toMatchObject({ attempts: 2, failures: 0 });
  const keys = scene.mails.map(({ text }) => /key=([\w-]+)/.exec(text)?.[1] ?? "");
  expect(new Set(keys).size).toBe(2);
  const stored = JSON.stringify([...scene.world.database.records]);
  for (const key of keys) expect(stored).not.toContain(key);
});

test("[REACH-8] a notice that is prepared while the lease has lapsed is sent when the lease is back", async () => {
  const scene = await NoticeScene.open();
  scene.hasLease = false;
  await scene.asked(ASKING);
  await scene.world.clock.advance(5_000);
  expect(scene.mails).toEqual([]);
  scene.hasLease = true;
  // Its steps may come later than the time that has passed here.
  await until("the notice is sent", async () => {
    await scene.world.clock.advance(1_000);
    return scene.mails.length === 1;
  });
});

test("[REACH-8] an attempt that cannot be prepared fails, and is retried like one that cannot be sent", async () => {
  for (const preparing of [async () => notFound("approval"), () => Promise.reject(new Error("a bug in a turn"))]) {
    const scene = await NoticeScene.open();
    scene.preparing = preparing;
    const id = await scene.asked(ASKING);
    await until("it has failed", () => scene.notices(id)[0]?.status === "retrying");
    scene.preparing = null;
    await scene.world.clock.advance(60_000);
    await until("it is sent", () => scene.notices(id)[0]?.status === "success");
    scene.replica.crash();
  }
});

test("[REACH-8] a notice fails after its attempts, even if none of them could be prepared", async () => {
  const scene = new NoticeScene();
  const waiting: EffectHandler["run"] = (_, { signal }) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
  const effects = () => ({ [SEND_NOTICE]: { run: waiting, recover: waiting } });
  const { system } = await startJobs(scene.world, { hasMail: true, effects });
  const expiresAt = new Date(scene.world.clock.now() + 7_200_000).toISOString();
  const reach = { links: "signed_in", remindAfterSeconds: null } as const;
  const approvals = [{ id: "apr_1", expiresAt, userIds: ["usr_1"], others: null }];
  await system.dispatch(reachRef(ORG), { kind: "ask_people", jobId: "job_1", reach, approvals });
  const noted = (): ApprovalNotice =>
    (scene.world.database.record("reach_question", ORG, "apr_1") as Question | null)!.notices[0]!;
  for (let attempts = 1; attempts <= NOTICE_ATTEMPTS; attempts++) {
    const { id: noticeId, effectId } = noted();
    const head = { approvalId: "apr_1", noticeId };
    await system.dispatch(reachRef(ORG), { kind: "notice_ended", effectId: effectId!, result: REFUSED, ...head });
    expect([attempts, noted().status]).toEqual([attempts, attempts < NOTICE_ATTEMPTS ? "retrying" : "failed"]);
    await system.dispatch(reachRef(ORG), { kind: "notice_due", ...head });
  }
  expect(scene.world.database.effects()).toEqual([]);
});

test("[REACH-8] a process that ends between the decision and the follow-up leaves it to the next one", async () => {
  const scene = await NoticeScene.open();
  const id = await scene.asked();
  await until("the mail", () => scene.notices(id)[0]?.status === "success");
  const held = Promise.withResolvers<null>();
  scene.answer = () => held.promise;
  await scene.decide(id, approval);
  scene.replica.crash();
  held.resolve(null);
  scene.answer = async () => DELIVERED;
  await scene.start();
  await scene.world.clock.advance(31_000);
  await until(
    "the follow-up",
    () => scene.notices(id).at(-1)?.kind === "decided" && scene.notices(id).at(-1)?.status === "success",
  );
  expect(scene.subjects().at(-1)).toBe("Approved: Ada uses send");
});

test("[REACH-2] owners or members of the group that decide get the notice, and members who may not decide do not", async () => {
  const scene = await NoticeScene.open();
  const people = ["usr_2", "usr_3"];
  for (const userId of people) {
    const role = userId === "usr_2" ? "owner" : "member";
    const member = { kind: "add_member", userId, name: userId, email: `${userId}@example.com`, role } as const;
    await scene.replica.system.dispatch(organizationRef(ORG), member);
  }
  const origin = { userId: "usr_1", tokenId: null, address: null };
  const group = { kind: "put_group", name: "finance", version: null, memberIds: ["usr_1", "usr_3"], origin } as const;
  await scene.replica.system.dispatch(organizationRef(ORG), group);
  const tell = async (id: string, others: OtherDeciders): Promise<string[]> => {
    const job = await scene.asked(ASKING);
    const reach = { links: "signed_in", remindAfterSeconds: null } as const;
    const expiresAt = new Date(scene.world.clock.now() + 60_000).toISOString();
    const approvals = [{ id, expiresAt, userIds: [], others }];
    await scene.replica.system.dispatch(reachRef(ORG), { kind: "ask_people", jobId: job, reach, approvals });
    const noted = (): readonly ApprovalNotice[] =>
      (scene.world.database.record("reach_question", ORG, id) as Question | null)?.notices ?? [];
    await until("the people are found", () => noted().length > 0);
    await scene.decide(job, approval);
    await scene.reached(job, "completed");
    return noted().map(({ userId }) => userId ?? "");
  };
  expect(await tell("apr_o", { group: null, exceptUserId: "usr_1" })).toEqual(["usr_2"]);
  expect((await tell("apr_g", { group: "finance", exceptUserId: null })).toSorted()).toEqual(["usr_1", "usr_3"]);
});

test("[REACH-8] the attempts of a job and of an organization in an hour are bounded, also those that fail", async () => {
  const scene = new NoticeScene();
  const waiting: EffectHandler["run"] = (_, { signal }) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
  const effects = () => ({ [SEND_NOTICE]: { run: waiting, recover: waiting } });
  const { system } = await startJobs(scene.world, { hasMail: true, effects });
  /** Whether a job's attempt to send another notice is allowed; it fails. */
  const attempt = async (at: number, jobId = "job_1"): Promise<boolean> => {
    const id = `apr_${at}`;
    const expiresAt = new Date(scene.world.clock.now() + 7_200_000).toISOString();
    const reach = { links: "signed_in", remindAfterSeconds: null } as const;
    const ask = {
      kind: "ask_people",
      jobId,
      reach,
      approvals: [{ id, expiresAt, userIds: ["usr_1"], others: null }],
    } as const;
    await system.dispatch(reachRef(ORG), ask);
    const found = await system.dispatch(reachRef(ORG), { kind: "read_question", approvalId: id });
    if (!found.ok) throw new Error(found.fault.kind);
    const [notice] = found.value.notices;
    const head = { approvalId: id, noticeId: notice!.id, effectId: notice!.effectId ?? "" };
    const prepared = await system.dispatch(reachRef(ORG), {
      kind: "prepare_notice",
      hash: "h",
      terms: "t",
      membership: 0,
      ...head,
    });
    await system.dispatch(reachRef(ORG), { kind: "notice_ended", result: { ...REFUSED, isTransient: false }, ...head });
    return prepared.ok && prepared.value !== null;
  };
  for (let at = 0; at < NOTICES_OF_JOB; at++) expect(await attempt(at)).toBe(true);
  expect(await attempt(NOTICES_OF_JOB)).toBe(false);
  const skipped = await system.dispatch(reachRef(ORG), { kind: "read_question", approvalId: `apr_${NOTICES_OF_JOB}` });
  expect(skipped).toMatchObject({ value: { notices: [{ status: "skipped", skipped: "too_many", attempts: 0 }] } });
  // Other jobs go on, until the organization has had its part.
  for (let at = NOTICES_OF_JOB; at < NOTICES_OF_ORGANIZATION; at++)
    expect([at, await attempt(at + 1, `job_of_${Math.floor(at / NOTICES_OF_JOB)}`)]).toEqual([at, true]);
  const last = NOTICES_OF_ORGANIZATION + 1;
  expect(await attempt(last, "job_more")).toBe(false);
  const over = await system.dispatch(reachRef(ORG), { kind: "read_question", approvalId: `apr_${last}` });
  expect(over).toMatchObject({ value: { notices: [{ status: "skipped", skipped: "too_many", attempts: 0 }] } });
  await scene.world.clock.leap(NOTICE_WINDOW_MS);
  expect(await attempt(last + 1)).toBe(true);
});

test("[REACH-2] everybody who may decide after an escalation gets a notice, also by another process and whoever got one before", async () => {
  const scene = new NoticeScene();
  const waiting: EffectHandler["run"] = (_, { signal }) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
  const effects = () => ({ [SEND_NOTICE]: { run: waiting, recover: waiting } });
  const expiresAt = new Date(scene.world.clock.now() + 7_200_000).toISOString();
  const reach = { links: "signed_in", remindAfterSeconds: null } as const;
  const first = Array.from({ length: MAILED_PEOPLE + 4 }, (_, at) => `usr_${at}`);
  const told = async (userIds: readonly string[]): Promise<readonly (string | null)[]> => {
    const replica = await startJobs(scene.world, { hasMail: true, effects });
    const approvals = [{ id: "apr_1", expiresAt, userIds, others: null }];
    const ask = { kind: "ask_people", jobId: "job_1", reach, approvals } as const;
    expect((await replica.system.dispatch(reachRef(ORG), ask)).ok).toBe(true);
    const found = await replica.system.dispatch(reachRef(ORG), { kind: "read_question", approvalId: "apr_1" });
    replica.crash();
    return found.ok ? found.value.notices.map(({ userId }) => userId) : [];
  };
  expect(await told(first)).toEqual(first.slice(0, MAILED_PEOPLE));
  const second = ["usr_0", "usr_boss"];
  for (const _ of ["once", "again"]) expect(await told(second)).toEqual([...first.slice(0, MAILED_PEOPLE), "usr_boss"]);
});

test("[REACH-7] after an escalation only those are reminded who decide from then on", async () => {
  const scene = await NoticeScene.open();
  const member = { kind: "add_member", userId: "usr_3", name: "Cy", email: "cy@example.com", role: "member" } as const;
  await scene.replica.system.dispatch(organizationRef(ORG), member);
  const origin = { userId: "usr_1", tokenId: null, address: null };
  const group = { kind: "put_group", name: "finance", version: null, memberIds: ["usr_3"], origin } as const;
  await scene.replica.system.dispatch(organizationRef(ORG), group);
  const expiry = { afterSeconds: 7_200, onExpiry: "escalate", escalateTo: "owners" } as const;
  const rule = { tool: "send", then: "ask", of: { group: "finance" }, expiry } as const;
  const jobId = await scene.replica.send("go", CHAT, {
    agent: { ...REMINDED, approvalTools: [], approvalRules: [rule] },
  });
  await scene.reached(jobId, "blocked");
  const told = () => scene.notices(jobId).map(({ kind, userId, status, skipped }) => [kind, userId, skipped ?? status]);
  const since: (string | null)[][] = [];
  const after = async (ms: number, ...next: (string | null)[][]): Promise<void> => {
    if (ms > 0) await scene.world.clock.advance(ms);
    since.push(...next);
    await until(
      `${since.length} notices have ended`,
      () => scene.notices(jobId).filter(({ status }) => status !== "pending").length >= since.length,
    );
    expect(told()).toEqual(since);
  };
  await after(0, ["asked", "usr_3", "success"]);
  await after(3_600_000, ["reminder", "usr_3", "success"]);
  await after(3_600_000, ["asked", "usr_1", "success"]);
  await after(3_600_000, ["reminder", "usr_3", "not_theirs"], ["reminder", "usr_1", "success"]);
  expect(scene.mails.map(({ to }) => to)).toEqual(["cy", "cy", "ann", "ann"].map((name) => `${name}@example.com`));
  // Everybody who was told hears how it ended.
  await scene.decide(jobId, { ...approval, people: { usr_1: { isOwner: true, groups: [] } } });
  await scene.reached(jobId, "completed");
  await after(0, ["decided", "usr_3", "success"], ["decided", "usr_1", "success"]);
});

test("[REACH-6] after the deadline a link says that it is over, also if the service was down and its alarm rings late", async () => {
  const expiries: readonly ApprovalRule["expiry"][] = [
    { afterSeconds: 60, onExpiry: "deny" },
    { afterSeconds: 60, onExpiry: "cancel" },
    { afterSeconds: 60, onExpiry: "escalate", escalateTo: "owners" },
  ];
  for (const expiry of expiries) {
    const scene = await NoticeScene.open();
    const rule: ApprovalRule = {
      tool: "send",
      then: "ask",
      of: "starter",
      ...(expiry === undefined ? {} : { expiry }),
    };
    const agent = { ...ASKING, approvalTools: [], approvalRules: [rule] };
    const jobId = await scene.replica.send("go", CHAT, { agent });
    await scene.reached(jobId, "blocked");
    await until("the mail", () => scene.notices(jobId)[0]?.status === "success");
    const [approvalId, query = ""] = /approvals\/(\S+)/.exec(scene.mails[0]?.text ?? "")?.[1]?.split("?") ?? [];
    const given = new URLSearchParams(query);
    const link = {
      approvalId: approvalId ?? "",
      organizationId: given.get("organization") ?? "",
      noticeId: given.get("notice") ?? "",
      key: given.get("key") ?? "",
    };
    const stateNow = async (): Promise<string> => {
      const { clock } = scene.world;
      const agents = { find: () => notFound("agent") };
      const opened = await openApprovalLink({ system: scene.replica.system, agents, clock }, link);
      return opened.ok ? opened.value.state : opened.fault.kind;
    };
    expect(await stateNow()).toBe("open");
    scene.replica.crash();
    await scene.world.clock.leap(60_000);
    await scene.start();
    // Before the alarm has rung.
    const { decision } = scene.replica.job(jobId).approvals[0] ?? {};
    expect([expiry, await stateNow(), decision]).toEqual([expiry, "expired", undefined]);
    expect(scene.tools.calls).toEqual([]);
  }
});
