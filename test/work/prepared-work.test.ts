/** How work begins: the checks, and members that a caller commits with its own. */
import { describe, expect, test } from "bun:test";
import { notFound, ok, refuse } from "../../actors/fault.ts";
import { type Job, jobRef, PLAIN_TERMS } from "../../actors/job/schema.ts";
import type { Agent } from "../../actors/organization/schema.ts";
import { ask } from "../../actors/troupe.ts";
import { keyedId, type PreparedWork, prepareWork, type WorkServices } from "../../src/work/prepared-work.ts";
import { AGENT, disagreements, type JobReplica, ORG, startJobs } from "../support/job-replica.ts";
import { inWorld, World } from "../support/replica.ts";

const BY = { organizationId: ORG, userId: "usr_1" };
const FIRE = { purpose: "mission", key: "mis_1:2026-11-22T06:00:00.000Z" };
const CHAT = keyedId("cht", FIRE);
const JOB = keyedId("job", FIRE);

const found: Agent = {
  ...AGENT,
  organizationId: ORG,
  createdAt: "",
  updatedAt: "",
  role: "",
  visibility: "organization",
  description: null,
  status: "active",
  source: "private",
  installState: "installed",
  tags: [],
  createdBy: "usr_1",
};

const servicesOf = (replica: JobReplica): WorkServices => ({
  system: replica.system,
  agents: { find: (_, id) => (id === AGENT.id ? ok(found) : notFound("agent")) },
  models: replica.model,
});

const fire = (work: PreparedWork) =>
  work.firstMessage({
    chatId: CHAT,
    jobId: JOB,
    opening: { workspaceId: "wsp_1", title: "Every morning", mission: { id: "mis_1", runNumber: 7 } },
    content: "Water the plants",
    sender: { type: "user", id: "usr_1" },
    terms: { ...PLAIN_TERMS, priority: "high", missionId: "mis_1", missionTaskId: "mtk_1", metadata: { a: 1 } },
  });

async function prepared(replica: JobReplica): Promise<PreparedWork> {
  const work = await prepareWork(servicesOf(replica), { by: BY, agent: AGENT.id });
  if (!work.ok) throw new Error(work.fault.kind);
  return work.value;
}

describe("the checks", () => {
  test("[RUN-4] the agent, its model and the budget are checked in this order, and nothing is made", async () => {
    const { world, replica } = await inWorld(startJobs);
    const services = servicesOf(replica);
    const cannot = refuse({ kind: "provider_error", message: "Unknown model" });
    const models = {
      inputOf: () => ["text"] as const,
      describe: (model: string | null) => (model === "no:such" ? cannot : replica.model.describe(model)),
    };
    const request = { by: BY, agent: "agt_none", model: "no:such" };
    expect(await prepareWork({ ...services, models }, request)).toEqual(notFound("agent"));
    expect(await prepareWork({ ...services, models }, { ...request, agent: AGENT.id })).toEqual(cannot);
    expect((await prepareWork({ ...services, models }, { ...request, agent: found, model: null })).ok).toBe(true);
    expect([...world.database.records.keys()]).toEqual([]);
    await replica.system.stop();
  });
});

describe("a first message whose ids come from a key", () => {
  test("[CHAT-2][JOB-5] carries the mission, the priority and the metadata of its terms", async () => {
    const replica = await startJobs(new World());
    const work = await prepared(replica);
    const replies = await replica.system.dispatchGroup([fire(work)]);
    expect(replies.ok && (replies.value[0] as Job).id).toBe(JOB);
    const job = await replica.ended(JOB);
    expect(job).toMatchObject({ status: "completed", priority: "high", missionId: "mis_1", missionTaskId: "mtk_1" });
    expect(job.metadata).toEqual({ a: 1 });
    expect(replica.chat(CHAT)).toMatchObject({ missionId: "mis_1", runNumber: 7, options: { title: "Every morning" } });
    expect(replica.messages(CHAT)[0]?.sender).toEqual({ type: "user", id: "usr_1" });
    expect(await disagreements(replica, CHAT)).toEqual([]);
    await replica.system.stop();
  });

  test("[JOB-7] another attempt joins the first one, and makes no second job", async () => {
    const replica = await startJobs(new World());
    const work = await prepared(replica);
    await replica.system.dispatchGroup([fire(work)]);
    await replica.ended(JOB);
    const again = await replica.system.dispatchGroup([fire(work)]);
    expect(again).toEqual(ok([null]));
    expect([...replica.world.database.records.keys()].filter((key) => key.startsWith("job/"))).toHaveLength(1);
    await replica.system.stop();
  });

  test("[RT-2] is not there where another member of its group refuses", async () => {
    const replica = await startJobs(new World());
    const work = await prepared(replica);
    const missing = ask(jobRef(ORG, "job_none"), { kind: "read_job" });
    const outcome = await replica.system.dispatchGroup([fire(work), missing]);
    expect(outcome.ok).toBe(false);
    expect(replica.chat(CHAT)).toBeNull();
    await replica.system.stop();
  });

  test("[GEN-2] the ids have the length of every id, and differ by prefix, purpose and key", () => {
    expect(CHAT).toMatch(/^cht_[A-Za-z0-9_-]{21}$/);
    expect(JOB).toMatch(/^job_[A-Za-z0-9_-]{21}$/);
    const others = [
      { ...FIRE, purpose: "delegation" },
      { ...FIRE, key: "mis_2" },
    ].map((of) => keyedId("job", of));
    expect(new Set([JOB, CHAT.replace("cht_", "job_"), ...others]).size).toBe(4);
    // Children that an earlier version has begun are found again.
    expect(keyedId("job", { purpose: "delegation", key: "job_1:1:call_1" })).toMatchInlineSnapshot(
      `"job_z6EBxmdvs9iYk6t0ZsRoP"`,
    );
  });
});
