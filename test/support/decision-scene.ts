/** Jobs of an agent whose `send` waits for approval, over all actors in memory; the world outlives the process. */
import type { ModelCall } from "../../actors/job/ports.ts";
import type { JobCommand, JobReplies } from "../../actors/job/protocol.ts";
import { type AgentSnapshot, type Job, jobRef } from "../../actors/job/schema.ts";
import { Slots } from "../../actors/job/run/slots.ts";
import { until } from "./condition.ts";
import { settle } from "./fake-clock.ts";
import { FakeModel, type ModelStep } from "./fake-model.ts";
import { FakeTools } from "./fake-tools.ts";
import { AGENT, CHAT, disagreements, type JobReplica, ORG, startJobs } from "./job-replica.ts";
import { World } from "./replica.ts";
import { expect } from "bun:test";

export const ASKING: AgentSnapshot = { ...AGENT, approvalTools: ["send"] };
export const use = (id: string, name: string): ModelStep => ({ use: { type: "tool_use", id, name, input: { id } } });
/** Calls these tools once, then answers. What it says depends on the conversation only. */
export const calling =
  (...calls: readonly [string, string][]) =>
  (call: ModelCall): readonly ModelStep[] => {
    const last = call.entries.at(-1)!;
    const hasCalled = last.role === "assistant" && last.blocks.some((block) => block.type === "tool_result");
    return hasCalled ? [{ say: "Done." }] : [{ say: "Let me. " }, ...calls.map(([id, name]) => use(id, name))];
  };
export const approval = {
  kind: "approve",
  by: "usr_1",
  decision: "approve",
  approvalId: null,
  toolCallId: null,
  arguments: null,
  comment: null,
} as const;

/** The world with a model and tools that outlive the process. */
export class DecisionScene {
  readonly world = new World();
  readonly model = new FakeModel();
  readonly tools = new FakeTools();
  replica!: JobReplica;

  static async begin(script: (call: ModelCall) => readonly ModelStep[]): Promise<DecisionScene> {
    const scene = new DecisionScene();
    scene.model.script = script;
    scene.tools.unsafe.add("send");
    await scene.start();
    return scene;
  }

  async start(slots = new Slots()): Promise<void> {
    this.replica = await startJobs(this.world, { model: this.model, tools: this.tools, slots });
  }

  async restart(): Promise<void> {
    this.replica.crash();
    await this.start();
    await settle();
  }

  send(content: string): Promise<string> {
    return this.replica.send(content, CHAT, { agent: ASKING });
  }

  async blocked(): Promise<Job> {
    return this.reached(await this.send("go"), "blocked");
  }

  async reached(jobId: string, status: string): Promise<Job> {
    await until(`the job is ${status}`, () => this.replica.job(jobId)?.status === status);
    return this.replica.job(jobId);
  }

  async decide<C extends JobCommand>(jobId: string, command: C): Promise<JobReplies[C["kind"]]> {
    const outcome = await this.replica.system.dispatch(jobRef(ORG, jobId), command);
    if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.fault)}`);
    return outcome.value;
  }

  async consistent(): Promise<void> {
    await settle();
    expect(await disagreements(this.replica)).toEqual([]);
    expect(this.world.database.effects()).toEqual([]);
    expect(this.replica.bugs).toEqual([]);
  }
}
