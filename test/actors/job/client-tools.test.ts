/** Tools that the client runs: blocked for their results, over crashes, approvals and silence. */
import { describe, expect, test } from "bun:test";
import type { ModelCall } from "../../../actors/job/ports.ts";
import { CLIENT_RESULT_MS } from "../../../actors/job/client-call.ts";
import { callsLeft } from "../../../actors/job/open-calls.ts";
import type { ShardWrites } from "../../../actors/runtime/store.ts";
import { flushStatement } from "../../../db/flush.ts";
import { jobRef } from "../../../actors/job/schema.ts";
import { Scene } from "../../support/crash-scene.ts";
import type { ModelStep } from "../../support/fake-model.ts";
import { AGENT, disagreements, type JobReplica, ORG } from "../../support/job-replica.ts";

const use = (id: string, name: string): ModelStep => ({ use: { type: "tool_use", id, name, input: { id } } });
const looksUp = (call: ModelCall): readonly ModelStep[] =>
  call.entries.at(-1)!.role === "user" ? [use("c1", "look"), use("c2", "ask"), use("c3", "ask")] : [{ say: "done" }];

function scene(): Scene {
  const made = new Scene(looksUp);
  made.tools.clients.add("ask");
  return made;
}

const answer = (replica: JobReplica, jobId: string, ...ids: readonly string[]) =>
  replica.system.dispatch(jobRef(ORG, jobId), {
    kind: "tool_results",
    by: "usr_1",
    results: ids.map((toolCallId) => ({ toolCallId, content: `result of ${toolCallId}`, isError: false })),
  });

/** The bytes of the job's part of the statement of a batch; empty if it writes no job. */
function jobBytes(batch: readonly ShardWrites[]): number[] {
  const { text, parameters } = flushStatement(batch);
  const at = [...text.matchAll(/w_(\w+) as \(/g)].findIndex(([, name]) => name === "record_job");
  return at === -1 ? [] : [Buffer.byteLength(parameters[at + 2] as string)];
}

describe("a tool of the client", () => {
  for (const kind of ["lost_request", "lost_reply"] as const) {
    test(`[JOB-17] has one result after a crash at any commit, ${kind === "lost_reply" ? "stored" : "not stored"}`, async () => {
      let nth = 1;
      for (; ; nth++) {
        const at = scene();
        at.onRest = async (replica) => void (await answer(replica, at.jobs()[0]!.id, "c2", "c3"));
        if (!(await at.crashAt(nth, kind))) break;
        const replica = await at.start();
        const [made] = at.jobs();
        if (made === undefined) continue;
        let job = await replica.ended(made.id);
        if (job.status === "blocked") {
          expect(job.openCalls.map(({ id, arguments: given }) => [id, given])).toEqual([
            ["c2", { id: "c2" }],
            ["c3", { id: "c3" }],
          ]);
          expect((await answer(replica, job.id, "c2", "c3")).ok).toBe(true);
          job = await replica.ended(job.id);
        }
        expect(job).toMatchObject({ status: "completed", result: "done", step: 2, metrics: { toolCalls: 3 } });
        const words = await replica.transcript(job.id);
        expect(words).toEqual(["use c1", "use c2", "use c3", "result c1", "result c2", "result c3", "text done"]);
        expect(at.repeated).toEqual([]);
        expect(at.tools.calls.every(({ name }) => name === "look")).toBe(true);
        expect(await disagreements(replica)).toEqual([]);
        expect(at.world.database.effects()).toEqual([]);
      }
      expect(nth).toBeGreaterThan(8);
    });
  }

  test("[JOB-17] that needs an approval is requested after the approval; each call has one result, and the job waits for all", async () => {
    const at = scene();
    const replica = await at.start();
    const id = await replica.send("go", undefined, { agent: { ...AGENT, approvalTools: ["ask"] } });
    expect(await replica.ended(id)).toMatchObject({ status: "blocked", blockedReason: "approval_required" });
    expect(await answer(replica, id, "c2")).toMatchObject({ ok: false, fault: { kind: "invalid_state" } });
    const approve = { by: "usr_1", decision: "approve", approvalId: null, comment: null } as const;
    const edited = { ...approve, toolCallId: "c2", arguments: { id: "edited" } };
    await replica.system.dispatch(jobRef(ORG, id), { kind: "approve", ...edited });
    await replica.system.dispatch(jobRef(ORG, id), { kind: "approve", ...approve, toolCallId: "c3", arguments: null });
    const asked = replica.job(id);
    expect(asked).toMatchObject({ status: "blocked", blockedReason: "tool_result_required" });
    expect(asked.openCalls.map((call) => call.arguments)).toEqual([{ id: "edited" }, { id: "c3" }]);
    expect((await answer(replica, id, "c2")).ok).toBe(true);
    expect(await answer(replica, id, "c2")).toMatchObject({ ok: false, fault: { kind: "invalid_state" } });
    expect(replica.job(id)).toMatchObject({ status: "blocked" });
    await answer(replica, id, "c3");
    expect(await replica.ended(id)).toMatchObject({ status: "completed", result: "done" });
    expect(replica.types("cht_1").filter((type) => type === "tool.requested")).toHaveLength(2);
    expect(await disagreements(replica)).toEqual([]);
  });

  test("[JOB-7] of many waiting calls, a result is stored without the others, and a result is never taken twice", async () => {
    const ids = Array.from({ length: 64 }, (_, index) => `call_${index}`);
    const at = new Scene((call) =>
      call.entries.at(-1)!.role === "user"
        ? ids.map((id): ModelStep => ({ use: { type: "tool_use", id, name: "ask", input: { text: "x".repeat(500) } } }))
        : [{ say: "done" }],
    );
    at.tools.clients.add("ask");
    const first = await at.start();
    const jobId = await first.send("go");
    await first.ended(jobId);
    const before = first.store.flushed.length;
    for (const id of ids.slice(0, 40)) expect((await answer(first, jobId, id)).ok).toBe(true);
    const jobs = first.store.flushed.slice(before).flatMap((batch) => jobBytes(batch));
    expect(jobs.length).toBe(40);
    expect(Math.max(...jobs)).toBeLessThan(1_000);
    first.crash();
    const second = await at.start();
    expect(callsLeft(second.job(jobId)).map(({ id }) => id)).toEqual(ids.slice(40));
    expect(await answer(second, jobId, "call_7")).toMatchObject({ ok: false, fault: { kind: "invalid_state" } });
    for (const id of ids.slice(40)) expect((await answer(second, jobId, id)).ok).toBe(true);
    expect(await second.ended(jobId)).toMatchObject({
      status: "completed",
      openCalls: [],
      endedCalls: [],
      metrics: { toolCalls: 64 },
    });
    expect(await disagreements(second)).toEqual([]);
  });

  test("[JOB-17] whose client stays silent for a day fails, and the job continues", async () => {
    const at = scene();
    const replica = await at.start();
    const id = await replica.send("go");
    await replica.ended(id);
    await at.world.clock.leap(CLIENT_RESULT_MS + 1);
    expect(await replica.ended(id)).toMatchObject({ status: "completed" });
    const results = replica.events(id).filter(({ data }) => data["kind"] === "tool_result");
    expect(results.map(({ data }) => data["isError"])).toEqual([false, true, true]);
  });
});
