/** Jobs whose process has ended under them (JOB-4). */
import { describe, expect, test } from "bun:test";
import type { ChatCommand } from "../../../actors/chat/protocol.ts";
import { chatRef } from "../../../actors/chat/schema.ts";
import { jobRef } from "../../../actors/job/schema.ts";
import { until } from "../../support/condition.ts";
import { approval, ASKING, calling, DecisionScene, use } from "../../support/decision-scene.ts";
import { settle } from "../../support/fake-clock.ts";
import { gate } from "../../support/fake-model.ts";
import { CHAT, MESSAGE, ORG } from "../../support/job-replica.ts";

describe("recovery", () => {
  test("[JOB-4] a job whose approval is pending stays blocked over a crash, and continues when it is approved", async () => {
    const scene = await DecisionScene.begin(calling(["c1", "send"]));
    const before = await scene.blocked();
    await scene.restart();
    expect(scene.replica.job(before.id)).toEqual(before);
    await scene.decide(before.id, { ...approval, toolCallId: "c1", arguments: { edited: true } });
    expect(await scene.reached(before.id, "completed")).toMatchObject({ attempt: 1 });
    expect(scene.tools.calls.map((c) => c.input)).toEqual([{ edited: true }]);
    await scene.consistent();
  });

  test("[JOB-4] a call that was approved but not started is made once by the next process, with its edited arguments", async () => {
    const scene = await DecisionScene.begin(calling(["c1", "send"]));
    const { id } = await scene.blocked();
    // Dies with the commit of the approval: its effect has not begun.
    let isOver = false;
    scene.replica.store.onFlush = () => {
      isOver = true;
      return { kind: "lost_reply" };
    };
    scene.replica.placement.raise = () => new Promise(() => {});
    void scene.decide(id, { ...approval, arguments: { edited: true } }).catch(() => null);
    await until("the approval is stored", () => isOver && scene.replica.job(id).status === "running");
    scene.replica.crash();
    expect(scene.tools.calls).toEqual([]);
    expect(scene.replica.job(id)).toMatchObject({ status: "running", openCalls: [{ asks: false, started: false }] });
    await scene.start();
    expect(await scene.reached(id, "completed")).toMatchObject({ attempt: 2, result: "Let me. \n\nDone." });
    expect(scene.tools.calls.map((c) => c.input)).toEqual([{ edited: true }]);
    await scene.consistent();
  });

  test("[JOB-9] an interrupted unsafe call is repeated with retry_step true, and not with false", async () => {
    for (const retryStep of [true, false]) {
      const scene = await DecisionScene.begin(calling(["c1", "send"], ["c2", "look"]));
      scene.tools.script = () => new Promise(() => {});
      const id = await scene.replica.send("go");
      await until("the tools run", () => scene.tools.calls.length === 2);
      await settle();
      await scene.restart();
      expect(scene.replica.job(id)).toMatchObject({ status: "blocked", blockedReason: "interrupted" });
      const resume = { kind: "resume", by: "usr_1", input: null, retryStep } as const;
      const without = await scene.replica.system.dispatch(jobRef(ORG, id), { ...resume, retryStep: null });
      expect(without).toMatchObject({
        ok: false,
        fault: { kind: "invalid_request", errors: [{ path: "/retry_step" }] },
      });
      scene.tools.script = ({ name }) => ({ content: `${name} done`, isError: false });
      await scene.decide(id, resume);
      expect(await scene.reached(id, "completed")).toMatchObject({ result: "Let me. \n\nDone." });
      expect(
        scene.tools.calls
          .slice(2)
          .map((c) => c.name)
          .sort(),
      ).toEqual(retryStep ? ["look", "send"] : ["look"]);
      await scene.consistent();
    }
  });

  test("[JOB-8] an interrupted step with other calls that need approval is resumed first, then requests approval", async () => {
    const scene = await DecisionScene.begin(calling(["c1", "send"], ["c2", "mail"]));
    const agent = { ...ASKING, approvalTools: ["mail"] };
    scene.tools.script = () => new Promise(() => {});
    const id = await scene.replica.send("go", CHAT, { agent });
    await until("the tool runs", () => scene.tools.calls.length === 1);
    await settle();
    await scene.restart();
    expect(scene.replica.job(id)).toMatchObject({ status: "blocked", blockedReason: "interrupted", approvals: [] });
    scene.tools.script = ({ name }) => ({ content: `${name} done`, isError: false });
    const resumed = await scene.decide(id, { kind: "resume", by: "usr_1", input: null, retryStep: false });
    expect(resumed).toMatchObject({
      status: "blocked",
      blockedReason: "approval_required",
      approvals: [{ toolCallId: "c2" }],
    });
    await scene.decide(id, approval);
    await scene.reached(id, "completed");
    expect(scene.tools.calls.map((c) => c.name)).toEqual(["send", "mail"]);
    await scene.consistent();
  });

  test("[JOB-3] a job that was being cancelled when its process died is cancelled by the next one", async () => {
    const scene = await DecisionScene.begin(() => [{ say: "half " }, use("c1", "look")]);
    scene.tools.script = () => new Promise(() => {});
    const id = await scene.send("go");
    await until("the tool hangs", () => scene.tools.calls.length === 1);
    await scene.decide(id, { kind: "cancel" });
    expect(scene.replica.job(id).status).toBe("cancelling");
    await scene.restart();
    expect(scene.replica.job(id)).toMatchObject({
      status: "cancelled",
      result: "half ",
      stop: { toolCallsAborted: 1 },
    });
    expect(scene.replica.messages().at(-1)).toMatchObject({ status: "cancelled", content: "half " });
    expect(scene.replica.chat()).toMatchObject({ activeJobId: null, status: "done" });
    await scene.consistent();
  });

  test("[CHAT-5] a steering message survives a crash, before the model has it and after, and reaches the model once", async () => {
    for (const isTaken of [false, true]) {
      const held = gate();
      const scene = await DecisionScene.begin((call) =>
        call.entries.length === 1 ? [use("c1", "look")] : [{ hold: held.hold }, { say: "ok" }],
      );
      const looking = gate();
      scene.tools.script = async () => (await looking.hold, { content: "seen", isError: false });
      const id = await scene.send("go");
      await until("the tool runs", () => scene.tools.calls.length === 1);
      const outcome = await scene.replica.system.dispatchGroup([
        {
          ref: chatRef(ORG, CHAT),
          command: { ...MESSAGE, open: null, agent: ASKING, content: "and that", onBusy: "steer" } as ChatCommand,
        },
        ([sent]) => ({
          ref: jobRef(ORG, id),
          command: {
            kind: "steer",
            by: MESSAGE.userId,
            messageId: (sent as { message: { id: string } }).message.id,
            content: "and that",
          },
        }),
      ]);
      expect(outcome.ok).toBe(true);
      if (isTaken) {
        looking.open();
        await scene.model.called(2);
        await settle();
      }
      scene.tools.script = () => ({ content: "seen", isError: false });
      held.open();
      await scene.restart();
      await scene.reached(id, "completed");
      expect(JSON.stringify(scene.model.calls.at(-1)?.entries).split("and that").length - 1).toBe(1);
      expect(scene.model.calls.at(-1)?.entries.at(-1)).toEqual({ role: "user", text: "and that" });
      looking.open();
      await scene.consistent();
    }
  });
});
