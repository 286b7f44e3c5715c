/** A process that ends at a chosen commit of a run, and the processes after it, over one store. */
import type { ModelCall } from "../../actors/job/ports.ts";
import type { Job, ToolUseBlock } from "../../actors/job/schema.ts";
import { until } from "./condition.ts";
import { settle } from "./fake-clock.ts";
import { FakeModel, type ModelStep } from "./fake-model.ts";
import { FakeTools } from "./fake-tools.ts";
import { CHAT, type JobReplica, type Sending, startJobs } from "./job-replica.ts";
import { World } from "./replica.ts";

const use = (id: string, name = "look"): { readonly use: ToolUseBlock } => ({
  use: { type: "tool_use", id, name, input: {} },
});

/** Looks once, then answers. What it says depends on the conversation only, as a crash asks it again. */
const lookThenAnswer = (call: ModelCall): readonly ModelStep[] => {
  const last = call.entries.at(-1)!;
  const hasLooked = last.role === "assistant" && last.blocks.some((block) => block.type === "tool_result");
  return hasLooked ? [{ say: "I have " }, { say: "looked." }] : [{ say: "Let me look. " }, use("c1"), use("c2")];
};

/** A job in one of these goes on by itself no more. */
const RESTS: ReadonlySet<string> = new Set(["completed", "failed", "blocked"]);

/** The world of one crash: a model and tools that outlive the process, as the outside does. */
export class Scene {
  readonly world = new World();
  readonly model = new FakeModel();
  readonly tools = new FakeTools();
  /** Calls that were made although their result was stored. */
  readonly repeated: string[] = [];
  /** What is done once the job rests, before the crash is due. */
  onRest: ((replica: JobReplica) => Promise<void>) | null = null;
  private last: JobReplica | null = null;

  constructor(script: (call: ModelCall) => readonly ModelStep[] = lookThenAnswer) {
    this.model.script = script;
    this.tools.script = async (call) => {
      const callId = call.idempotencyKey.split(":")[2]!;
      if ((await this.last!.transcript(call.context.jobId)).includes(`result ${callId}`))
        this.repeated.push(call.idempotencyKey);
      return { content: "seen", isError: false };
    };
  }

  async start(): Promise<JobReplica> {
    return (this.last = await startJobs(this.world, { model: this.model, tools: this.tools }));
  }

  /** Starts a replica that ends with its `nth` flush, before or after the commit; answers whether it came to that. */
  async crashAt(nth: number, kind: "lost_request" | "lost_reply", how: Sending = {}): Promise<boolean> {
    const replica = await this.start();
    let count = 0;
    let isOver = false;
    replica.store.onFlush = () => {
      if (++count < nth || isOver) return null;
      isOver = true;
      queueMicrotask(() => void settle().then(() => replica.crash()));
      return { kind };
    };
    // Nothing more of the process counts from the fault on.
    replica.placement.raise = () => new Promise(() => {});
    await replica.send("go", CHAT, how).catch(() => "");
    await until("the crash or the end", () => isOver || this.jobs().every(({ status }) => RESTS.has(status)));
    if (!isOver && this.onRest !== null) {
      await this.onRest(replica).catch(() => {});
      await until("the crash or the end", () => isOver || this.jobs().every((job) => job.status === "completed"));
    }
    await settle();
    replica.crash();
    return isOver;
  }

  jobs() {
    return this.world.database.rows<Job>("job");
  }
}
