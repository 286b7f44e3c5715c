/** The loop of a run, over all actors and the model in memory. */
import { DEFAULT_JOB_LIMITS } from "../../../../actors/job/limits.ts";
import type { ModelOutcome } from "../../../../actors/job/ports.ts";
import type { ToolUseBlock } from "../../../../actors/job/schema.ts";
import { until } from "../../../support/condition.ts";
import { gate, USAGE } from "../../../support/fake-model.ts";
import { settle } from "../../../support/fake-clock.ts";
import { AGENT, CHAT, disagreements, ORG, startJobs } from "../../../support/job-replica.ts";
import { said } from "../../../support/ledger-replica.ts";
import { World } from "../../../support/replica.ts";
import { describe, expect, test } from "bun:test";

const start = async (world = new World()) => ({ world, replica: await startJobs(world) });
const use = (id: string, name = "look"): { readonly use: ToolUseBlock } => ({
  use: { type: "tool_use", id, name, input: { id } },
});

describe("text", () => {
  test("[JOB-2] a message becomes a job that completes, and both streams report it in order", async () => {
    const { replica } = await start();
    const jobId = await replica.send("hello");
    const job = await replica.ended(jobId);
    expect(job).toMatchObject({ status: "completed", result: "echo: hello", error: null, step: 1, attempt: 1 });
    expect(job.metrics).toMatchObject({ ...USAGE, toolCalls: 0 });
    expect(replica.types(jobId)).toEqual([
      "job.created",
      "runner.status",
      "job.started",
      "runner.status",
      "transcript.event",
      "runner.status",
      "job.completed",
    ]);
    expect(replica.types(CHAT)).toEqual([
      "message.created",
      "job.linked",
      "message.started",
      "job.updated",
      "message.completed",
      "usage.updated",
      "job.updated",
      "chat.updated",
    ]);
    expect(replica.chat()).toMatchObject({
      status: "done",
      activeJobId: null,
      queue: [],
      messageCount: 2,
      lastMessagePreview: "echo: hello",
    });
    expect(replica.messages().map((m) => [m.role, m.status, m.content])).toEqual([
      ["user", "completed", "hello"],
      ["assistant", "completed", "echo: hello"],
    ]);
    expect(await disagreements(replica)).toEqual([]);
  });

  test("[SSE-3] readers of the chat and of the job get the deltas between the events, in order", async () => {
    const { replica } = await start();
    const held = gate();
    replica.model.script = () => [{ say: "one " }, { hold: held.hold }, { say: "two" }];
    const jobId = await replica.send("hello");
    await replica.model.called(1);
    const [chat, job] = [replica.subscribeChat(), replica.subscribeJob(jobId)];
    const items = { chat: [] as string[], job: [] as string[] };
    const read = async (reader: typeof chat, into: string[], last: string): Promise<void> => {
      while (into.at(-1) !== last) into.push(...said(await reader.next()));
    };
    await Promise.all([read(chat, items.chat, '"one "@4'), read(job, items.job, '"one "@4')]);
    held.open();
    await Promise.all([read(chat, items.chat, "8"), read(job, items.job, "7")]);
    expect(items.chat).toEqual(["1", "2", "3", "4", '"one "@4', '"two"@7', "5", "6", "7", "8"]);
    expect(items.job).toEqual(["1", "2", "3", "4", '"one "@4', '"two"@7', "5", "6", "7"]);
  });

  test("[CHAT-5] a later turn gets the earlier messages, and the agent as it was when the job started", async () => {
    const { replica } = await start();
    await replica.ended(await replica.send("first"));
    await replica.ended(await replica.send("second"));
    const [first, second] = replica.model.calls;
    expect(first?.entries).toEqual([{ role: "user", text: "first" }]);
    expect(second?.entries).toEqual([
      { role: "user", text: "first" },
      { role: "assistant", blocks: [{ type: "text", text: "echo: first" }] },
      { role: "user", text: "second" },
    ]);
    expect([second?.system, second?.model]).toEqual([AGENT.systemPrompt, null]);
  });

  test("[RUN-2] notes for the model about its tools are part of the agent's instructions", async () => {
    const { replica } = await start();
    replica.tools.notes = ["The wiki cannot be reached."];
    await replica.ended(await replica.send("hello"));
    expect(replica.model.calls[0]?.system).toBe(`${AGENT.systemPrompt}\n\nThe wiki cannot be reached.`);
  });

  test("[JOB-5] the time to the first token and the duration are measured", async () => {
    const { world, replica } = await start();
    const [first, rest] = [gate(), gate()];
    replica.model.script = () => [{ hold: first.hold }, { say: "a" }, { hold: rest.hold }, { say: "b" }];
    const jobId = await replica.send("x");
    await replica.model.called(1);
    await world.clock.advance(300);
    first.open();
    await settle();
    await world.clock.advance(700);
    rest.open();
    expect((await replica.ended(jobId)).metrics).toMatchObject({ timeToFirstTokenMs: 300, durationMs: 1_000 });
  });
});

describe("tools", () => {
  test("[JOB-7] a step is committed before its first tool starts, each result before the next step, with deterministic keys", async () => {
    const { replica } = await start();
    replica.model.script = (call) =>
      call.entries.at(-1)?.role === "user"
        ? [{ say: "Let me see. " }, use("c1"), use("c2", "send")]
        : [{ say: "Done." }];
    const storedAtCall: string[][] = [];
    const storedAtStep: string[][] = [];
    replica.tools.script = async ({ name }) => {
      storedAtCall.push(await replica.transcript(jobId));
      return { content: `${name} says hi`, isError: name === "send" };
    };
    const script = replica.model.script;
    replica.model.script = (call) => {
      storedAtStep.push(replica.events(jobId).map((event) => event.type));
      return script(call);
    };
    const jobId = await replica.send("go");
    const job = await replica.ended(jobId);
    for (const stored of storedAtCall) expect(stored.slice(0, 3)).toEqual(["text Let me see. ", "use c1", "use c2"]);
    expect(storedAtStep[1]?.filter((type) => type === "transcript.event").length).toBe(5);
    expect(replica.tools.keys()).toEqual([`${jobId}:1:c1`, `${jobId}:1:c2`]);
    expect(replica.tools.opened).toEqual([AGENT]);
    expect(replica.tools.calls[0]).toMatchObject({
      input: { id: "c1" },
      context: { organizationId: ORG, userId: "usr_1", agentId: AGENT.id, jobId },
    });
    expect(job).toMatchObject({ status: "completed", result: "Let me see. \n\nDone.", step: 2, openCalls: [] });
    expect(job.metrics).toMatchObject({ toolCalls: 2, inputTokens: 2 * USAGE.inputTokens });
    expect(
      replica
        .types(CHAT)
        .filter((t) => t.startsWith("tool."))
        .sort(),
    ).toEqual(["tool.completed", "tool.failed", "tool.started", "tool.started"]);
    expect(await disagreements(replica)).toEqual([]);
  });

  test("[JOB-7] the model gets its calls with their results, and text after a call stays after it", async () => {
    const { replica } = await start();
    replica.model.script = (call) => (call.entries.length === 1 ? [{ say: "a" }, use("c1")] : [{ say: "b" }]);
    const jobId = await replica.send("go");
    await replica.ended(jobId);
    expect(replica.model.calls[1]?.entries.at(-1)).toEqual({
      role: "assistant",
      blocks: [
        { type: "text", text: "a" },
        { type: "tool_use", id: "c1", name: "look", input: { id: "c1" } },
        { type: "tool_result", tool_use_id: "c1", content: "look done", is_error: false },
      ],
    });
    expect(await replica.transcript(jobId)).toEqual(["text a", "use c1", "result c1", "text b"]);
  });

  test("[JOB-7] text between calls keeps its place, in the transcript as in the chat", async () => {
    const { replica } = await start();
    const step: ModelOutcome = {
      kind: "finished",
      usage: USAGE,
      finishReason: "tool_use",
      blocks: [{ type: "text", text: "a" }, use("c1").use, { type: "text", text: "b" }, use("c2").use],
    };
    const end: ModelOutcome = {
      kind: "finished",
      usage: USAGE,
      finishReason: "stop",
      blocks: [{ type: "text", text: "c" }],
    };
    replica.model.call = async (call) => (call.entries.length === 1 ? step : end);
    const jobId = await replica.send("go");
    await replica.ended(jobId);
    expect((await replica.transcript(jobId)).slice(0, 4)).toEqual(["text a", "use c1", "text b", "use c2"]);
    expect(await disagreements(replica)).toEqual([]);
  });

  test("[RT-10] a tool that throws is a bug: the job fails with internal_error, the log has the cause, the other tools are aborted", async () => {
    const { replica } = await start();
    replica.model.script = () => [use("c1"), use("c2", "send")];
    let aborted = false;
    replica.tools.script = async ({ name }, signal) => {
      if (name === "look") throw new Error("a bug in a tool");
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      aborted = true;
      return { content: "late", isError: false };
    };
    const job = await replica.ended(await replica.send("go"));
    expect(job).toMatchObject({ status: "failed", error: { code: "internal_error" } });
    await until("the other tool is told", () => aborted);
    expect(replica.bugs.map((bug) => bug.message)).toEqual(["a run failed"]);
    expect(JSON.stringify(job.error)).not.toContain("a bug in a tool");
    expect(await disagreements(replica)).toEqual([]);
  });
});

describe("ends", () => {
  test("[JOB-2] a model that fails fails the job with its error, and keeps the partial text", async () => {
    const { replica } = await start();
    const error = { code: "provider_stalled", message: "silent" } as const;
    replica.model.script = () => [{ say: "half a " }, { fail: error }];
    const jobId = await replica.send("go");
    expect(await replica.ended(jobId)).toMatchObject({ status: "failed", error, result: "half a " });
    expect(replica.types(CHAT).slice(-5)).toEqual([
      "error",
      "message.completed",
      "usage.updated",
      "job.updated",
      "chat.updated",
    ]);
    expect(replica.messages()[1]).toMatchObject({ status: "failed", content: "half a " });
    expect(replica.chat().status).toBe("error");
    expect(await disagreements(replica)).toEqual([]);
  });

  test("[RUN-1] without a usable model the job fails before it starts, and the chat continues", async () => {
    const { replica } = await start();
    replica.model.becomeUnusable("no key");
    const jobId = await replica.send("go");
    expect(await replica.ended(jobId)).toMatchObject({
      status: "failed",
      error: { code: "model_unavailable", message: "no key" },
      startedAt: null,
    });
    expect([replica.model.calls.length, replica.messages().length]).toEqual([0, 1]);
    expect(await disagreements(replica)).toEqual([]);
    replica.model.info = { ok: true, value: { provider: "fake", name: "fake", demo: false } };
    expect((await replica.ended(await replica.send("again"))).status).toBe("completed");
  });

  test("[RUN-3] a run makes 32 steps and no 33rd", async () => {
    const { replica } = await start();
    replica.model.script = (call) => [use(`c${call.entries.length}_${replica.model.calls.length}`)];
    const job = await replica.ended(await replica.send("go"));
    expect(job).toMatchObject({ status: "failed", error: { code: "step_limit" }, step: DEFAULT_JOB_LIMITS.steps });
    expect(replica.model.calls.length).toBe(DEFAULT_JOB_LIMITS.steps);
    expect(await disagreements(replica)).toEqual([]);
    const { replica: other } = await start();
    other.model.script = () =>
      other.model.calls.length < DEFAULT_JOB_LIMITS.steps
        ? [use(`c${other.model.calls.length}`)]
        : [{ say: "just in time" }];
    expect((await other.ended(await other.send("go"))).status).toBe("completed");
  });

  test("[JOB-9] after its deadline a job fails with timeout and its text so far, in a model call or in a tool", async () => {
    for (const where of ["model", "tool"] as const) {
      const { world, replica } = await start();
      replica.model.script = () =>
        where === "model" ? [{ say: "so far" }, { hold: gate().hold }] : [{ say: "so far" }, use("c1")];
      replica.tools.script = (_, signal) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve({ content: "aborted", isError: true }), { once: true }),
        );
      const jobId = await replica.send("go");
      await until(
        "it hangs",
        () => (where === "model" ? replica.model.calls.length : replica.tools.calls.length) === 1,
      );
      await world.clock.advance(DEFAULT_JOB_LIMITS.runMs - 1);
      expect(replica.job(jobId).status).toBe("running");
      await world.clock.advance(1);
      expect(await replica.ended(jobId)).toMatchObject({
        status: "failed",
        error: { code: "timeout" },
        result: "so far",
      });
      expect(await disagreements(replica)).toEqual([]);
    }
  });
});
