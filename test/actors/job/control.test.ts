/** What people decide about jobs, where time, crashes and races matter; over all actors in memory. */
import { DEFAULT_JOB_LIMITS, DECISION_MS } from "../../../actors/job/limits.ts";
import { describe, expect, test } from "bun:test";
import type { ChatCommand, SentMessage } from "../../../actors/chat/protocol.ts";
import { chatRef } from "../../../actors/chat/schema.ts";
import type { JobCommand } from "../../../actors/job/protocol.ts";
import { type Job, jobRef, PLAIN_TERMS } from "../../../actors/job/schema.ts";
import { Slots } from "../../../actors/job/run/slots.ts";
import { until } from "../../support/condition.ts";
import { approval, ASKING, calling, DecisionScene } from "../../support/decision-scene.ts";
import { settle } from "../../support/fake-clock.ts";
import { gate } from "../../support/fake-model.ts";
import { CHAT, MESSAGE, ORG } from "../../support/job-replica.ts";

describe("approvals", () => {
  test("[JOB-9] a minute before its expiry an approval waits; at its expiry the call is denied and the job continues", async () => {
    const scene = await DecisionScene.begin(calling(["c1", "send"]));
    const { id } = await scene.blocked();
    expect(scene.world.database.alarms().length).toBe(1);
    await scene.world.clock.leap(DECISION_MS - 60_000);
    expect(scene.replica.job(id).status).toBe("blocked");
    await scene.world.clock.advance(60_000);
    expect(await scene.reached(id, "completed")).toMatchObject({
      result: "Let me. \n\nDone.",
      approvals: [{ decision: "expired", decidedBy: null }],
    });
    expect(scene.tools.calls).toEqual([]);
    expect(scene.replica.events(id).find((e) => e.type === "approval.resolved")?.data).toMatchObject({
      decision: "expired",
      by: null,
    });
    expect(scene.world.database.alarms()).toEqual([]);
    await scene.consistent();
  });

  test("[JOB-8] an agent sets how long its approvals wait, and whether their expiry cancels the job", async () => {
    const scene = await DecisionScene.begin(calling(["c1", "send"]));
    const approvalExpiry = { afterSeconds: 60, onExpiry: "cancel" } as const;
    const jobId = await scene.replica.send("go", CHAT, { agent: { ...ASKING, approvalExpiry } });
    const { approvals } = await scene.reached(jobId, "blocked");
    expect(approvals).toMatchObject([
      { onExpiry: "cancel", expiresAt: new Date(scene.world.clock.now() + 60_000).toISOString() },
    ]);
    await scene.world.clock.advance(59_999);
    expect(scene.replica.job(jobId).status).toBe("blocked");
    await scene.world.clock.advance(1);
    expect(await scene.reached(jobId, "cancelled")).toMatchObject({
      approvals: [{ decision: "expired" }],
      result: "Let me. ",
    });
    expect(scene.tools.calls).toEqual([]);
    await until("the chat is done", () => scene.replica.chat().status === "done");
    expect(scene.replica.messages().at(-1)).toMatchObject({ status: "cancelled", content: "Let me. " });
    expect(scene.replica.types(jobId)).toContain("approval.resolved");
    await scene.consistent();
  });

  test("[JOB-9] an approval that expires while no process runs is denied by the next one", async () => {
    const scene = await DecisionScene.begin(calling(["c1", "send"]));
    const { id } = await scene.blocked();
    scene.replica.crash();
    scene.world.clock.jump(DECISION_MS + 1);
    await scene.start();
    await scene.world.clock.advance(31_000);
    await scene.reached(id, "completed");
    expect(scene.tools.calls).toEqual([]);
    await scene.consistent();
  });

  test("[JOB-9] an expired review completes the job", async () => {
    const scene = await DecisionScene.begin(() => [{ say: "done" }]);
    const id = await scene.replica.send("go", CHAT, { terms: { ...PLAIN_TERMS, reviewRequired: true } });
    await scene.reached(id, "needs_review");
    await scene.world.clock.leap(DECISION_MS);
    expect(await scene.reached(id, "completed")).toMatchObject({
      review: { state: "expired", decidedBy: null },
      result: "done",
    });
    await until("the chat is done", () => scene.replica.chat().status === "done");
    await scene.consistent();
  });

  test("[JOB-9] time spent waiting for a person does not count for the run", async () => {
    const scene = await DecisionScene.begin(calling(["c1", "send"]));
    const { id } = await scene.blocked();
    await scene.world.clock.advance(DEFAULT_JOB_LIMITS.runMs + 1);
    await scene.decide(id, approval);
    expect((await scene.reached(id, "completed")).result).toBe("Let me. \n\nDone.");
    await scene.consistent();
  });

  test("[JOB-8] approvals are requested when the rest of the step is done", async () => {
    const scene = await DecisionScene.begin(calling(["c1", "send"], ["c2", "look"]));
    const held = gate();
    scene.tools.script = async ({ name }) => {
      if (name === "look") await held.hold;
      return { content: "x", isError: false };
    };
    const id = await scene.send("go");
    await until("the tool runs", () => scene.tools.calls.length === 1);
    await settle();
    expect(scene.replica.job(id)).toMatchObject({ status: "running", approvals: [] });
    held.open();
    expect((await scene.reached(id, "blocked")).approvals.map((a) => a.toolCallId)).toEqual(["c1"]);
    await scene.decide(id, approval);
    await scene.reached(id, "completed");
    await scene.consistent();
  });
});

describe("cancel", () => {
  test("[CHAT-5] a job that is created in a commit in flight can be steered and interrupted by the next sender", async () => {
    for (const onBusy of ["steer", "interrupt"] as const) {
      const scene = await DecisionScene.begin(() => [{ say: "ok" }]);
      const held = gate();
      scene.world.database.pace = (operation) => (operation === "flush" ? held.hold : Promise.resolve());
      const first = scene.send("one");
      const second = scene.replica.system.dispatchGroup([
        {
          ref: chatRef(ORG, CHAT),
          command: { ...MESSAGE, open: null, agent: ASKING, content: "two", onBusy } as ChatCommand,
        },
        ([reply]) => {
          const { also, message } = reply as SentMessage;
          if (also === null) return null;
          const command: JobCommand =
            onBusy === "steer"
              ? { kind: "steer", by: MESSAGE.userId, messageId: message.id, content: "two" }
              : { kind: "cancel" };
          return { ref: jobRef(ORG, also.jobId), command };
        },
      ]);
      await settle();
      held.open();
      const [id, outcome] = await Promise.all([first, second]);
      expect(outcome.ok).toBe(true);
      await scene.reached(id, onBusy === "steer" ? "completed" : "cancelled");
      await until("all is done", () => scene.replica.chat().activeJobId === null);
      expect(scene.model.calls.at(-1)?.entries.at(-1)).toEqual({ role: "user", text: "two" });
      await scene.consistent();
    }
  });

  test("[JOB-3] at any commit of a run, a cancel ends the job with the text shown so far, or is too late", async () => {
    for (let nth = 1; nth < 12; nth++) {
      const scene = await DecisionScene.begin(calling(["c1", "look"], ["c2", "look"]));
      let count = 0;
      let cancel: Promise<unknown> | null = null;
      scene.replica.store.onFlush = () => {
        const [job] = scene.world.database.rows<Job>("job");
        if (++count >= nth && cancel === null && job !== undefined)
          cancel = scene.replica.system.dispatch(jobRef(ORG, job.id), { kind: "cancel" });
        return null;
      };
      const id = await scene.send("go");
      await until("it is over", () => ["cancelled", "completed"].includes(scene.replica.job(id)?.status ?? ""));
      await settle();
      await cancel;
      const job = scene.replica.job(id);
      if (job.status === "cancelled") expect(job.stop?.seq).toBe(job.lastSeq);
      expect(scene.replica.chat()).toMatchObject({ activeJobId: null });
      await scene.consistent();
    }
  });

  test("[JOB-3] a resumed job that waits for a slot is cancelled at once", async () => {
    const scene = new DecisionScene();
    scene.model.script = calling(["c1", "send"]);
    await scene.start(new Slots({ inProcess: 1, ofOrganization: 1 }));
    const { id } = await scene.blocked();
    const held = gate();
    scene.model.script = () => [{ hold: held.hold }, { say: "x" }];
    await scene.replica.send("other", "cht_2");
    await scene.model.called(2);
    await scene.decide(id, approval);
    expect(scene.replica.job(id).status).toBe("running");
    await scene.decide(id, { kind: "cancel" });
    expect(await scene.reached(id, "cancelled")).toMatchObject({ result: "Let me. ", stop: { toolCallsAborted: 1 } });
    held.open();
    await until("the other is done", () => scene.replica.chat("cht_2").status === "done");
    await scene.consistent();
  });

  test("[CHAT-1] a deleted chat's jobs are cancelled, running, blocked and queued", async () => {
    for (const script of [calling(["c1", "send"]), () => [{ say: "half" }, { hold: gate().hold }]]) {
      const scene = await DecisionScene.begin(script);
      const first = await scene.send("go");
      await scene.model.called(1);
      await settle();
      const second = await scene.send("next");
      await scene.replica.system.dispatch(chatRef(ORG, CHAT), { kind: "delete_chat" });
      await scene.reached(first, "cancelled");
      await scene.reached(second, "cancelled");
      await until("nothing is active", () => scene.replica.chat().activeJobId === null);
      expect(scene.model.calls.length).toBe(1);
      await scene.consistent();
    }
  });
});
