/** What becomes of running jobs when their process ends: crashes at every point, and takeovers. */
import { describe, expect, test } from "bun:test";
import { refuse } from "../../../actors/fault.ts";
import type { ProviderKeys } from "../../../actors/job/ports.ts";
import type { JobCommand } from "../../../actors/job/protocol.ts";
import { jobExecution } from "../../../actors/job/run/execution.ts";
import { JOB_ATTEMPTS } from "../../../actors/job/limits.ts";
import { jobRef, type ToolUseBlock } from "../../../actors/job/schema.ts";
import { until } from "../../support/condition.ts";
import { settle } from "../../support/fake-clock.ts";
import { gate, USAGE } from "../../support/fake-model.ts";
import { Scene } from "../../support/crash-scene.ts";
import { CHAT, disagreements, JobReplica, ORG, startJobs } from "../../support/job-replica.ts";
import { said } from "../../support/ledger-replica.ts";

const use = (id: string, name = "look"): { readonly use: ToolUseBlock } => ({
  use: { type: "tool_use", id, name, input: {} },
});

/** What a loop of an older attempt might still report. */
const LATE: readonly JobCommand[] = [
  { kind: "run_text", attempt: 1, text: "late" },
  { kind: "tool_finished", attempt: 1, callId: "c1", content: "late", isError: false },
  {
    kind: "step_finished",
    attempt: 1,
    step: 9,
    blocks: [],
    calls: [],
    usage: USAGE,
    timeToFirstTokenMs: null,
    stopReason: "stop",
    result: "",
  },
  {
    kind: "run_failed",
    attempt: 1,
    error: { code: "timeout", message: "late" },
    partial: "",
    result: "",
    usage: USAGE,
  },
];

describe("a crash", () => {
  for (const kind of ["lost_request", "lost_reply"] as const) {
    test(`[JOB-4] at any commit of a run, ${kind === "lost_reply" ? "stored" : "not stored"}: the next process brings it to the same end, and no finished tool call is made again`, async () => {
      let nth = 1;
      for (; ; nth++) {
        const scene = new Scene();
        const crashed = await scene.crashAt(nth, kind);
        if (!crashed) break;
        const replica = await scene.start();
        if (scene.jobs().length === 0) {
          // The message itself was lost, and its sender was told that the outcome is unknown.
          expect([nth, kind]).toEqual([1, "lost_request"]);
          continue;
        }
        const job = await replica.ended(scene.jobs()[0]!.id);
        expect(job).toMatchObject({ status: "completed", result: "Let me look. \n\nI have looked.", step: 2 });
        expect(job.attempt).toBeLessThanOrEqual(2);
        expect(job.metrics.toolCalls).toBe(2);
        expect(await replica.transcript(job.id)).toHaveLength(6);
        expect(scene.repeated).toEqual([]);
        expect(await disagreements(replica)).toEqual([]);
        expect(scene.world.database.effects()).toEqual([]);
      }
      expect(nth).toBeGreaterThan(5);
    });
  }

  test("[JOB-7] with two open calls, only the one without a result is repeated, with the same key and the same time", async () => {
    const scene = new Scene();
    const first = await scene.start();
    const script = scene.tools.script;
    const held = gate();
    scene.tools.script = async (call, signal) => {
      if (call.idempotencyKey.endsWith("c2")) await held.hold;
      return script(call, signal);
    };
    const jobId = await first.send("go");
    await until("c1 is stored", async () => (await first.transcript(jobId)).includes("result c1"));
    const asked = new Date(scene.world.clock.now()).toISOString();
    first.crash();
    await scene.world.clock.advance(60_000);
    scene.tools.script = script;
    const second = await scene.start();
    await second.ended(jobId);
    held.open();
    expect(scene.tools.calls.map(({ openedAt }) => openedAt)).toEqual([asked, asked, asked]);
    expect(scene.tools.keys()).toEqual([`${jobId}:1:c1`, `${jobId}:1:c2`, `${jobId}:1:c2`]);
    expect(await second.transcript(jobId)).toEqual([
      "text Let me look. ",
      "use c1",
      "use c2",
      "result c1",
      "result c2",
      "text I have looked.",
    ]);
  });

  test("[JOB-4] with an unsafe call open the job is blocked as interrupted, and is not run again by later restarts", async () => {
    const scene = new Scene((call) =>
      call.entries.length === 1 ? [{ say: "Sending. " }, use("c1", "send"), use("c2")] : [],
    );
    scene.tools.unsafe.add("send");
    scene.tools.script = () => new Promise(() => {});
    const first = await scene.start();
    const jobId = await first.send("go");
    await until("the tools run", () => scene.tools.calls.length === 2);
    await settle();
    first.crash();
    for (let restart = 0; restart < 2; restart++) {
      const next = await scene.start();
      await settle();
      expect(next.job(jobId)).toMatchObject({ status: "blocked", blockedReason: "interrupted", result: "Sending. " });
      expect(next.chat()).toMatchObject({ status: "needs_attention", activeJobId: jobId });
      expect([scene.tools.calls.length, scene.world.database.effects().length]).toEqual([2, 0]);
      expect(next.types(jobId).at(-1)).toBe("job.blocked");
      next.crash();
    }
  });

  test("[JOB-9] a job that is interrupted in its third attempt fails, with the text so far", async () => {
    const held = gate();
    const scene = new Scene((call) =>
      call.entries.length === 1 ? [{ say: "Let me look. " }, use("c1")] : [{ hold: held.hold }],
    );
    let replica = await scene.start();
    const jobId = await replica.send("go");
    for (let attempt = 1; attempt <= JOB_ATTEMPTS; attempt++) {
      await scene.model.called(attempt + 1);
      expect(replica.job(jobId)).toMatchObject({ status: "running", attempt });
      replica.crash();
      replica = await scene.start();
    }
    expect(await replica.ended(jobId)).toMatchObject({
      status: "failed",
      attempt: JOB_ATTEMPTS,
      error: { code: "attempts_exhausted" },
      result: "Let me look. ",
    });
    expect(replica.chat().status).toBe("error");
    expect(await disagreements(replica)).toEqual([]);
    held.open();
  });

  test("[JOB-9] interruptions by orderly stops do not count: the job ends, however often it is handed over", async () => {
    const held = gate();
    const scene = new Scene((call) =>
      call.entries.length === 1 ? [{ say: "Let me look. " }, use("c1")] : [{ hold: held.hold }, { say: "Done." }],
    );
    let replica = await scene.start();
    const jobId = await replica.send("go");
    for (let stops = 1; stops <= JOB_ATTEMPTS + 2; stops++) {
      await scene.model.called(stops + 1);
      await replica.system.effects.stop();
      await replica.system.stop();
      replica = await scene.start();
    }
    await scene.model.called(JOB_ATTEMPTS + 4);
    held.open();
    expect(await replica.ended(jobId)).toMatchObject({ status: "completed", attempt: JOB_ATTEMPTS + 3 });
    expect(await disagreements(replica)).toEqual([]);
  });

  test("[JOB-4] a queued job runs after the restart, with its attempt unspent; the queue continues", async () => {
    const held = gate();
    const scene = new Scene(() => (scene.model.calls.length === 1 ? [{ hold: held.hold }] : [{ say: "ok" }]));
    const first = await scene.start();
    const jobs = [await first.send("a"), await first.send("b"), await first.send("c")];
    await scene.model.called(1);
    first.crash();
    const second = await scene.start();
    for (const id of jobs) await second.ended(id);
    expect(jobs.map((id) => second.job(id).attempt)).toEqual([2, 1, 1]);
    await until("the chat is idle", () => second.chat().activeJobId === null);
    expect(await disagreements(second)).toEqual([]);
    held.open();
  });

  test("[SSE-3] after a restart the live text begins with the committed text, under the new attempt", async () => {
    const held = gate();
    const scene = new Scene((call) => {
      const hasLooked = JSON.stringify(call.entries).includes("tool_result");
      return hasLooked ? [{ say: "lost? " }, { hold: held.hold }, { say: "end" }] : [{ say: "kept. " }, use("c1")];
    });
    const first = await scene.start();
    const jobId = await first.send("go");
    await scene.model.called(2);
    await settle();
    first.crash();
    const second = await scene.start();
    await scene.model.called(3);
    await settle();
    const reader = second.subscribeChat();
    const items: string[] = [];
    while (!items.at(-1)?.startsWith('"')) items.push(...said(await reader.next()));
    expect(second.types(CHAT).slice(-1)).toEqual(["message.restarted"]);
    expect(items.at(-1)).toBe('"kept. \n\nlost? "@14');
    for (const late of LATE) {
      const outcome = await second.system.dispatch(jobRef(ORG, jobId), late);
      expect(outcome.ok ? "taken" : outcome.fault.kind).toBe("invalid_state");
    }
    held.open();
    expect(await second.ended(jobId)).toMatchObject({ result: "kept. \n\nlost? end", attempt: 2 });
    expect(await disagreements(second)).toEqual([]);
  });

  test("[JOB-4] a recovery that the database interrupts is retried, and spends only one attempt", async () => {
    const held = gate();
    const scene = new Scene(() => (scene.model.calls.length === 1 ? [{ hold: held.hold }] : [{ say: "ok" }]));
    const first = await scene.start();
    const jobId = await first.send("go");
    await scene.model.called(1);
    await settle();
    first.crash();
    const replica = new JobReplica(scene.world, { model: scene.model, tools: scene.tools });
    replica.store.failNext({ kind: "abort", code: "53100" }, { kind: "abort", code: "53100" });
    const starting = replica.system.start();
    await scene.world.clock.advance(1_000);
    await starting;
    await replica.ended(jobId);
    expect(replica.job(jobId).attempt).toBe(2);
    held.open();
  });
});

describe("a handover", () => {
  test("[RT-11] a run whose process ends while it asks for its key does not fail: the next one answers", async () => {
    const scene = new Scene(() => [{ say: "whole" }]);
    let asked = 0;
    const endingKeys: ProviderKeys = {
      secretFor: () => {
        asked++;
        return Promise.resolve(refuse({ kind: "shutting_down", retryAfterMs: 1_000 }));
      },
    };
    const first = await startJobs(scene.world, {
      model: scene.model,
      execution: (services) => jobExecution({ ...services, providerKeys: endingKeys }),
    });
    const jobId = await first.send("go");
    await until("the key is asked for", () => asked > 0);
    const ends = first.system.effects.stop();
    await scene.world.clock.advance(1_000);
    await ends;
    expect(first.job(jobId).status).toBe("running");
    await first.system.stop();
    const second = await scene.start();
    expect(await second.ended(jobId)).toMatchObject({ status: "completed", result: "whole", attempt: 2 });
  });

  test("[JOB-7] an unsafe call that a process has not begun when it ends is made by the next one", async () => {
    const held = gate();
    const scene = new Scene((call) => (call.entries.length === 1 ? [{ hold: held.hold }, use("c1", "send")] : []));
    scene.tools.unsafe.add("send");
    const first = await scene.start();
    const jobId = await first.send("go");
    await scene.model.called(1);
    // The process ends while the step is on its way.
    const door = first.store.holdNext();
    held.open();
    await door.reached;
    const ends = first.system.effects.stop();
    door.open();
    await ends;
    expect(first.job(jobId)).toMatchObject({ status: "running", step: 1, openCalls: [{ id: "c1", started: false }] });
    expect(scene.tools.calls).toEqual([]);
    await first.system.stop();
    const second = await scene.start();
    expect(await second.ended(jobId)).toMatchObject({ status: "completed", attempt: 2 });
    expect(scene.tools.calls.map(({ name }) => name)).toEqual(["send"]);
  });

  test("[RT-11] a drained replica's running job is taken up by the next one, and both agree on its end", async () => {
    const held = gate();
    const scene = new Scene(() =>
      scene.model.calls.length === 1 ? [{ say: "half" }, { hold: held.hold }] : [{ say: "whole" }],
    );
    const first = await scene.start();
    const jobId = await first.send("go");
    await scene.model.called(1);
    await first.system.stop();
    expect(first.job(jobId).status).toBe("running");
    const second = await scene.start();
    expect(await second.ended(jobId)).toMatchObject({ status: "completed", result: "whole", attempt: 2 });
    expect(await disagreements(second)).toEqual([]);
    expect([...first.bugs, ...second.bugs]).toEqual([]);
    held.open();
  });

  test("[RT-5] a replica that lost its shard in mid-run reports nothing more", async () => {
    const held = gate();
    const scene = new Scene(() =>
      scene.model.calls.length === 1 ? [{ hold: held.hold }, { say: "ghost" }] : [{ say: "new" }],
    );
    const first = await scene.start();
    const jobId = await first.send("go");
    await scene.model.called(1);
    scene.world.clock.jump(10_001);
    const second = await scene.start();
    await second.ended(jobId);
    held.open();
    await settle();
    await scene.world.clock.advance(30_000);
    expect(second.job(jobId)).toMatchObject({ status: "completed", result: "new", attempt: 2 });
    expect(first.lost.length).toBe(1);
    expect(await disagreements(second)).toEqual([]);
  });
});
