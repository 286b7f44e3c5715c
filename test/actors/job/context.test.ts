/** What a model call is given of a long chat: what fits, with a summary in the place of what does not. */
import { describe, expect, test } from "bun:test";
import { chatRef, messageBlocks } from "../../../actors/chat/schema.ts";
import type { ModelCall, TranscriptEntry } from "../../../actors/job/ports.ts";
import { ContextWindow, UNCOUNTED_BYTES, windowWithAnswer } from "../../../actors/job/run/context-window.ts";
import { COMPACTED_MESSAGES } from "../../../actors/job/run/run-context.ts";
import { PLAIN_TERMS, contentText } from "../../../actors/job/schema.ts";
import { createModels } from "../../../src/runner/models.ts";
import { Scene } from "../../support/crash-scene.ts";
import type { ModelStep } from "../../support/fake-model.ts";
import { AGENT, CHAT, disagreements, type JobReplica, ORG, startJobs } from "../../support/job-replica.ts";
import { NO_MODELS } from "../../support/model-calls.ts";
import { World } from "../../support/replica.ts";

/** 1,800 tokens for the conversation. */
const WINDOW = { contextTokens: 2_500, answerTokens: 500 };
const promptOf = (text: string) => ({ system: "", tools: [], entries: [{ role: "user" as const, text }] });

/** What each call has, in words. */
const words = (entries: readonly TranscriptEntry[]): string[] =>
  entries.map((entry) => (entry.role === "user" ? entry.text : contentText(entry.blocks)));
/** Answers briefly, and summarizes by the first words of each message. */
const script = (call: ModelCall): readonly ModelStep[] => {
  const [asked = ""] = words(call.entries).slice(-1);
  if (call.purpose !== "summary") return [{ say: `answer to ${asked.slice(0, 6)}` }];
  return [
    {
      say: `summary of ${[...asked.matchAll(/(?:User: |summary of )(t\d+[^\n]{0,24})/g)].map(([, of]) => of!.trim().split(" ")[0]).join("+")}`,
    },
  ];
};
/** A message that counts as some 500 tokens. */
const long = (name: string): string => `${name} ${"x".repeat(500 * UNCOUNTED_BYTES)}`;

async function started(): Promise<JobReplica> {
  const replica = await startJobs(new World());
  replica.model.window = WINDOW;
  replica.model.script = script;
  // Nobody has counted: two bytes a token.
  replica.model.usageOf = () => ({ inputTokens: 0, outputTokens: 3 });
  return replica;
}
/** One turn after the other. */
async function talk(replica: JobReplica, messages: readonly string[]): Promise<void> {
  for (const message of messages) {
    const job = await replica.ended(await replica.send(message));
    expect(job).toMatchObject({ status: "completed", error: null });
  }
}
/** What the calls from here on are for; the pieces of a summary count once. */
const purposes = (replica: JobReplica, from: number): string[] =>
  replica.model.calls
    .slice(from)
    .map(({ purpose = "step" }) => purpose)
    .filter((one, i, all) => one === "step" || all[i - 1] !== one);
const told = (replica: JobReplica): string[] => words(replica.model.calls.at(-1)!.entries);
const compact = (replica: JobReplica, instructions = "") =>
  replica.system.dispatch(chatRef(ORG, CHAT), {
    kind: "compact_chat",
    agent: AGENT,
    instructions,
    userId: "usr_1",
    terms: PLAIN_TERMS,
  });

describe("the context window", () => {
  test("[CHAT-8] uses the provider's count if there is one, and two bytes per token before", () => {
    const prompt = promptOf("x".repeat(4_000 - 18));
    const fits = (contextTokens: number, measured: { tokens: number; bytes: number } | null): boolean =>
      new ContextWindow({ contextTokens, answerTokens: 0 }, measured).fits(prompt);
    // 4,000 bytes are 2,000 tokens, and a tenth of the window stays free.
    expect([fits(2_223, null), fits(2_222, null)]).toEqual([true, false]);
    // A provider has counted 1,000 tokens for 4,000 bytes: four bytes a token.
    expect([fits(1_112, { tokens: 1_000, bytes: 4_000 }), fits(1_111, { tokens: 1_000, bytes: 4_000 })]).toEqual([
      true,
      false,
    ]);
    // What it has counted stays, and only what came since is reckoned by its rate.
    const more = new ContextWindow({ contextTokens: 10_000, answerTokens: 0 }, { tokens: 8_000, bytes: 16_000 });
    expect([more.fits(promptOf("x".repeat(18_000 - 18))), more.fits(promptOf("x".repeat(18_002 - 18)))]).toEqual([
      true,
      false,
    ]);
  });

  test("[CHAT-8] [RUN-32] keeps room for max_output_tokens, up to half of it", () => {
    const window = { contextTokens: 1_000, answerTokens: 300 };
    expect([
      windowWithAnswer(window, {}),
      windowWithAnswer(window, { maxOutputTokens: 100 }),
      windowWithAnswer(window, { maxOutputTokens: 600 }),
    ]).toEqual([window, { contextTokens: 1_000, answerTokens: 100 }, { contextTokens: 1_000, answerTokens: 500 }]);
    expect(new ContextWindow(windowWithAnswer(window, { maxOutputTokens: 100 }), null).limitTokens).toBe(810);
  });

  test("[CHAT-8] shrinks if a provider refuses a call that seemed to fit", () => {
    const window = new ContextWindow({ contextTokens: 100_000, answerTokens: 0 }, null);
    const prompt = promptOf("x".repeat(2_000 - 18));
    window.wasTooLong(prompt);
    expect([window.limitTokens, window.fits(prompt)]).toEqual([600, false]);
  });
});

describe("a long chat", () => {
  test("[CHAT-11] has a summary instead of its older turns, which stay readable and are counted", async () => {
    const replica = await started();
    await talk(replica, ["t1", "t2", "t3"].map(long));
    expect(replica.model.calls.map(({ purpose = "step" }) => purpose)).toEqual(["step", "step", "step"]);
    expect(told(replica)).toHaveLength(5);
    await talk(replica, [long("t4")]);
    expect(purposes(replica, 3)).toEqual(["summary", "step"]);
    const entries = told(replica);
    expect(entries).toHaveLength(2);
    expect(entries[0]).toEndWith("\n\nsummary of t1+t2+t3");
    expect(entries[1]).toStartWith("t4 ");
    const messages = replica.messages();
    expect(messages.map(({ role, status }) => `${role} ${status}`)).toEqual([
      ...Array.from({ length: 4 }, () => ["user completed", "assistant completed"]).flat(),
      "system completed",
    ]);
    const summary = messages.at(-1)!;
    expect(summary).toMatchObject({ content: "summary of t1+t2+t3", compaction: { messages: 6 } });
    expect(replica.chat()).toMatchObject({ messageCount: 9, summary: { messageId: summary.id, messages: 6 } });
    const job = replica.job(summary.jobId!);
    // All calls of the turn.
    expect(job.metrics.outputTokens).toBe(3 * (replica.model.calls.length - 3));
    expect(replica.events(job.id).filter(({ data }) => data["kind"] === "summary")).toHaveLength(1);
    expect(replica.types(CHAT)).toContain("chat.compacted");
    // The next one goes on from the summary, and is summarized with it.
    await talk(replica, ["t5", "t6"].map(long));
    await talk(replica, [long("t7")]);
    expect(told(replica)[0]).toEndWith("\n\nsummary of t1+t2+t3+t4+t5+t6");
    expect(await disagreements(replica)).toEqual([]);
  });

  test("[CHAT-11] is compacted after 800 messages, however short, down to the newest 200", async () => {
    const replica = await startJobs(new World());
    await talk(replica, ["t0"]);
    const [said, answer] = replica.messages();
    const fork = async (turns: number): Promise<number> => {
      const messages = Array.from({ length: turns }, (_, i) =>
        [said!, answer!].map((message, at) => ({
          ...message,
          id: `msg_${i}_${at}`,
          jobId: `job_${i}`,
          seq: 2 * i + at,
        })),
      ).flat();
      const id = `cht_${turns}`;
      const of = { from: messages.at(-1)!.id, agent: AGENT, title: "Fork", userId: "usr_1", summary: null };
      await replica.system.dispatch(chatRef(ORG, id), { kind: "fork_chat", source: replica.chat(), messages, ...of });
      await replica.ended(await replica.send("one more", id));
      expect(replica.chat(id).forkedFrom).toEqual({ chatId: CHAT, messageId: of.from });
      return replica.model.calls.at(-1)!.entries.length;
    };
    expect(await fork(COMPACTED_MESSAGES / 2 - 1)).toBe(COMPACTED_MESSAGES - 2 + 1);
    // The summary and the message itself besides.
    expect(await fork(COMPACTED_MESSAGES / 2)).toBe(200 + 2);
  });

  test("[CHAT-12] keeps pinned messages unchanged", async () => {
    const replica = await started();
    await talk(replica, ["t1 my name is Ada", "t2"]);
    const [first, answer] = replica.messages();
    const pin = (messageId: string, isPinned: boolean) =>
      replica.system.dispatch(chatRef(ORG, CHAT), { kind: "pin_message", messageId, isPinned });
    for (const { id } of [first!, answer!]) expect(await pin(id, true)).toMatchObject({ ok: true });
    expect((await compact(replica)).ok).toBe(true);
    await replica.ended(replica.chat().activeJobId!);
    await talk(replica, ["t3"]);
    expect(told(replica).slice(1)).toEqual(["t1 my name is Ada", "answer to t1 my ", "t3"]);
    expect(await pin(first!.id, false)).toMatchObject({ ok: true });
    await talk(replica, ["t4"]);
    expect(told(replica).slice(1)).toEqual(["answer to t1 my ", "t3", "answer to t3", "t4"]);
    expect(await pin(replica.chat().summary!.messageId, true)).toMatchObject({ fault: { kind: "invalid_state" } });
    expect(await pin("msg_none", true)).toMatchObject({ fault: { kind: "not_found" } });
  });

  test("[CHAT-11] is compacted on demand by a job that answers nothing", async () => {
    const replica = await started();
    expect(await compact(replica)).toMatchObject({ ok: false, fault: { kind: "not_found" } });
    await talk(replica, ["t1", "t2"]);
    const begun = await compact(replica, "the names");
    const job = await replica.ended(begun.ok ? begun.value.job.id : "");
    expect(job).toMatchObject({ status: "completed", isCompaction: true, result: "summary of t1+t2", step: 0 });
    expect(words(replica.model.calls.at(-1)!.entries)[0]).toContain("What the user asks of the summary: the names");
    expect(replica.chat()).toMatchObject({ status: "done", activeJobId: null, lastMessagePreview: "answer to t2" });
    expect(replica.messages().at(-1)).toMatchObject({
      role: "system",
      status: "completed",
      content: "summary of t1+t2",
      compaction: { messages: 4 },
      jobId: job.id,
    });
    await talk(replica, ["t3"]);
    expect(told(replica)).toEqual([expect.stringMatching(/summary of t1\+t2$/) as string, "t3"]);
    expect(await disagreements(replica)).toEqual([]);
  });
});

describe("a long run", () => {
  /** Calls a tool this many times, one after the other. */
  const calling =
    (times: number) =>
    (call: ModelCall): readonly ModelStep[] => {
      if (call.purpose === "summary") return [{ say: `summary of ${call.entries.length}` }];
      const [asked] = call.entries.filter(({ role }) => role === "user").slice(-1);
      const from = Number(/call (\d+)/.exec(words([asked!])[0]!)?.[1] ?? 0);
      const made = call.entries
        .flatMap((entry) => (entry.role === "assistant" ? entry.blocks : []))
        .filter(({ type }) => type === "tool_use");
      const last = made.at(-1);
      const next = last?.type === "tool_use" ? Number(last.input["n"]) + 1 : from;
      return next >= times
        ? [{ say: "done" }]
        : [{ use: { type: "tool_use", id: `c${next}`, name: "look", input: { n: next } } }];
    };

  test("[CHAT-11] summarizes its own finished calls, and repeats none of them", async () => {
    const replica = await started();
    replica.tools.script = () => ({ content: "y".repeat(600 * UNCOUNTED_BYTES), isError: false });
    replica.model.script = calling(8);
    const job = await replica.ended(await replica.send("call 0"));
    expect(job).toMatchObject({ status: "completed", result: "done", metrics: { toolCalls: 8 }, step: 9 });
    const summaries = replica.model.calls.filter(({ purpose }) => purpose === "summary");
    expect(summaries.length).toBeGreaterThan(1);
    expect(told(replica)[0]).toContain("summary of 1");
    // The request stays as it was said, and the message has all of its blocks.
    expect(told(replica)[1]).toBe("call 0");
    const answer = replica.messages().find(({ role }) => role === "assistant")!;
    expect(messageBlocks(answer).filter(({ type }) => type === "tool_result")).toHaveLength(8);
    expect(replica.messages()).toHaveLength(2);
    expect(replica.tools.calls).toHaveLength(8);
    expect(await disagreements(replica)).toEqual([]);
  });

  test("[RUN-1] [CHAT-11] the demo repeats no step after a summary, and the ids of its calls continue", async () => {
    const replica = await started();
    const demo = createModels(NO_MODELS);
    replica.model.call = async (call, onText, signal) => {
      replica.model.calls.push(call);
      const outcome = await demo.call(call, onText, signal);
      // Nobody has counted: two bytes a token.
      return outcome.kind === "aborted" ? outcome : { ...outcome, usage: { inputTokens: 0, outputTokens: 3 } };
    };
    replica.tools.script = ({ input }) => ({
      content: `${String(input["n"])} ${"y".repeat(600 * UNCOUNTED_BYTES)}`,
      isError: false,
    });
    const steps = Array.from({ length: 6 }, (_, n) => `/call look {"n": ${n}}`);
    const job = await replica.ended(await replica.send([...steps, "/say done"].join("\n/then\n")));
    expect(job).toMatchObject({ status: "completed", result: "done", step: 7, metrics: { toolCalls: 6 } });
    expect(replica.model.calls.some(({ purpose }) => purpose === "summary")).toBe(true);
    expect(replica.tools.calls.map(({ input }) => input["n"])).toEqual([0, 1, 2, 3, 4, 5]);
    expect((await replica.transcript(job.id)).filter((word) => word.startsWith("use"))).toEqual(
      steps.map((_, n) => `use demo_call_${n + 1}`),
    );
  });

  test("[OPS-8] [CHAT-11] costs the sum of its steps and its summaries", async () => {
    const replica = await started();
    replica.model.usageOf = () => ({ inputTokens: 0, outputTokens: 10, cost: "0.1", pricedTokens: 10 });
    replica.tools.script = () => ({ content: "y".repeat(600 * UNCOUNTED_BYTES), isError: false });
    replica.model.script = calling(8);
    const { metrics } = await replica.ended(await replica.send("call 0"));
    expect(replica.model.calls.some(({ purpose }) => purpose === "summary")).toBe(true);
    const tokens = 10 * replica.model.calls.length;
    expect(metrics).toMatchObject({ cost: String(tokens / 100), pricedTokens: tokens });
    expect(await disagreements(replica)).toEqual([]);
  });

  for (const kind of ["lost_request", "lost_reply"] as const) {
    test(`[CHAT-11] is the same after a crash at any commit, ${kind === "lost_reply" ? "stored" : "not stored"}`, async () => {
      let nth = 1;
      for (; ; nth++) {
        const scene = new Scene(calling(5));
        scene.model.window = WINDOW;
        scene.model.usageOf = () => ({ inputTokens: 0, outputTokens: 3 });
        scene.tools.script = () => ({ content: "y".repeat(600 * UNCOUNTED_BYTES), isError: false });
        if (!(await scene.crashAt(nth, kind))) break;
        const replica = await scene.start();
        const [made] = scene.jobs();
        if (made === undefined) continue;
        const job = await replica.ended(made.id);
        expect(job).toMatchObject({ status: "completed", result: "done", step: 6, metrics: { toolCalls: 5 } });
        const kinds = replica.events(job.id).map(({ data }) => data["kind"]);
        expect(kinds.filter((one) => one === "summary").length).toBeGreaterThan(0);
        expect(await disagreements(replica)).toEqual([]);
        expect(scene.world.database.effects()).toEqual([]);
      }
      expect(nth).toBeGreaterThan(10);
    });
  }
});

describe("a call that the provider refuses as too long", () => {
  const tooLong = { fail: { code: "context_length_exceeded", message: "Too long." } } as const;

  test("[CHAT-8] is repeated once after a compaction", async () => {
    const replica = await started();
    replica.model.window = { contextTokens: 1_000_000, answerTokens: 0 };
    await talk(replica, ["t1", "t2"].map(long));
    let refused = 0;
    replica.model.script = (call) => (call.purpose === undefined && refused++ === 0 ? [tooLong] : script(call));
    await talk(replica, ["t3"]);
    expect(purposes(replica, 2)).toEqual(["step", "summary", "step"]);
    expect(told(replica)[0]).toContain("summary of t1");
    expect(told(replica).at(-1)).toBe("t3");
  });

  test("[CHAT-8] fails the job if nothing can be compacted, or if it is still too long", async () => {
    const replica = await started();
    replica.model.script = (call) => (call.purpose === undefined ? [tooLong] : script(call));
    const first = await replica.ended(await replica.send("t1"));
    expect(first).toMatchObject({ status: "failed", error: { code: "context_length_exceeded" } });
    const before = replica.model.calls.length;
    const second = await replica.ended(await replica.send("t2"));
    expect(second).toMatchObject({ status: "failed", error: { code: "context_length_exceeded" } });
    expect(purposes(replica, before)).toEqual(["step", "summary", "step"]);
  });
});
