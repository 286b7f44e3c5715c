/** Work that a job hands to another agent: one child, whatever happens in between. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { notFound, ok } from "../../../actors/fault.ts";
import { DELEGATION_DEPTH, DELEGATIONS } from "../../../actors/job/delegation.ts";
import type { ModelCall } from "../../../actors/job/ports.ts";
import { type Job, jobRef, PLAIN_TERMS } from "../../../actors/job/schema.ts";
import { Slots } from "../../../actors/job/run/slots.ts";
import { type Agent, organizationRef } from "../../../actors/organization/schema.ts";
import { actorDelegation } from "../../../src/wiring/delegation.ts";
import { createTools } from "../../../src/runner/tools.ts";
import { delegateTool } from "../../../src/runner/tools/delegate.ts";
import { until } from "../../support/condition.ts";
import { settle } from "../../support/fake-clock.ts";
import { FakeModel, gate, type ModelStep } from "../../support/fake-model.ts";
import { FakeTools } from "../../support/fake-tools.ts";
import { PAUSES } from "../../support/pauses.ts";
import { AGENT, CHAT, disagreements, type JobReplica, ORG, startJobs } from "../../support/job-replica.ts";
import { unwrap, USER } from "../../support/mission-replica.ts";
import { World } from "../../support/replica.ts";

const agent = (name: string, more: Partial<Agent> = {}): Agent => ({
  ...AGENT,
  id: `agt_${name}`,
  name,
  systemPrompt: name,
  organizationId: ORG,
  createdAt: "",
  updatedAt: "",
  role: name,
  visibility: "organization",
  description: null,
  status: "active",
  source: "private",
  installState: "installed",
  allowedTools: ["delegate", "send"],
  tags: [],
  createdBy: "usr_1",
  ...more,
});
const AGENTS = [agent("boss"), agent("helper"), agent("careful", { approvalTools: ["send"] })];
const BOSS = { ...AGENT, ...AGENTS[0]!, id: AGENT.id };

const give = (id: string, to: string, message: string): ModelStep => ({
  use: { type: "tool_use", id, name: "delegate", input: { agent_id: `agt_${to}`, message } },
});
const results = (call: ModelCall): string[] =>
  call.entries.flatMap((entry) =>
    entry.role === "assistant"
      ? entry.blocks.flatMap((block) => (block.type === "tool_result" ? [block.content] : []))
      : [],
  );

/** What an agent does with the message that it got, when it has no results yet; with them it repeats them. */
type Does = (message: string, who: string) => readonly ModelStep[];

/** A world whose processes delegate for real; the model and the agents outlive them. */
class Scene {
  readonly world = new World();
  readonly model = new FakeModel();
  replica!: JobReplica;

  constructor(does: Does) {
    this.model.script = (call) => {
      const heard = results(call);
      if (heard.length > 0) return [{ say: `Heard: ${heard.join(" | ")}` }];
      const first = call.entries[0];
      return does(first?.role === "user" ? first.text : "", call.system);
    };
  }

  async start(slots = new Slots()): Promise<JobReplica> {
    const tools = new FakeTools();
    const replica = await startJobs(this.world, { model: this.model, tools, slots });
    const delegations = actorDelegation({
      system: replica.system,
      agents: { find: (_, id) => Promise.resolve(okOrNone(AGENTS.find((a) => a.id === id))) },
      models: this.model,
    });
    const port = createTools([delegateTool(delegations)], { pauses: PAUSES });
    tools.script = async (call, signal) => {
      if (call.name !== "delegate") return { content: "sent", isError: false };
      const agent = tools.opened.find(({ id }) => id === call.context.agentId);
      return (await port.open(agent!, call.context, signal)).call(call, signal);
    };
    if (this.world.database.record("organization", ORG, ORG) === null) {
      const owner = { userId: USER.userId, name: "Owner", email: "owner@example.com" };
      const command = { kind: "found_organization", name: "Acme", owner, tokens: [] } as const;
      unwrap(await replica.system.dispatch(organizationRef(ORG), command));
    }
    return (this.replica = replica);
  }

  static async begin(does: Does, slots?: Slots): Promise<Scene> {
    const scene = new Scene(does);
    await scene.start(slots);
    return scene;
  }

  send(content = "go"): Promise<string> {
    return this.replica.send(content, CHAT, { agent: BOSS });
  }

  jobs(): Job[] {
    return this.world.database.rows<Job>("job").toSorted((a, b) => a.depth - b.depth);
  }

  children(): Job[] {
    return this.jobs().filter((job) => job.relation === "delegation");
  }

  async ended(jobId: string, status = "completed"): Promise<Job> {
    await until(`${jobId} is ${status}`, () => this.replica.job(jobId)?.status === status);
    return this.replica.job(jobId);
  }
}

const okOrNone = (found: Agent | undefined) => (found === undefined ? notFound("agent") : ok(found));
/** The boss gives one message to the helper, who answers. */
const oneHelper: Does = (message, who) =>
  who === "boss" ? [give("c1", "helper", "look into it")] : [{ say: `done: ${message}` }];

describe("delegation", () => {
  test("[JOB-11] the child job is in the lineage, has its own chat, and its text is the result of the call", async () => {
    const scene = await Scene.begin(oneHelper);
    const parent = await scene.ended(await scene.send());
    expect(parent.result).toBe("Heard: done: look into it");
    const [child] = scene.children();
    expect(child).toMatchObject({
      relation: "delegation",
      parentJobId: parent.id,
      rootJobId: parent.id,
      depth: 1,
      status: "completed",
      createdBy: parent.createdBy,
      workspaceId: parent.workspaceId,
      agent: { id: "agt_helper" },
      result: "done: look into it",
    });
    expect(child!.chatId).not.toBe(parent.chatId);
    const [asked] = scene.replica.messages(child!.chatId);
    expect(asked).toMatchObject({ content: "look into it", sender: { type: "agent", id: parent.agent.id } });
    expect(scene.replica.events(parent.id).filter((e) => e.type === "log")).toHaveLength(1);
    expect(await disagreements(scene.replica, child!.chatId)).toEqual([]);
  });

  for (const kind of ["lost_request", "lost_reply"] as const) {
    test(`[JOB-11] a process that dies at any commit, ${kind === "lost_reply" ? "stored" : "not stored"}: one child, and the same end`, async () => {
      let nth = 1;
      for (; ; nth++) {
        const scene = await Scene.begin(oneHelper);
        const first = scene.replica;
        let count = 0;
        let isOver = false;
        first.store.onFlush = () => {
          if (++count < nth || isOver) return null;
          isOver = true;
          queueMicrotask(() => void settle().then(() => first.crash()));
          return { kind };
        };
        first.placement.raise = () => new Promise(() => {});
        await scene.send().catch(() => "");
        await until("the crash or the end", () => isOver || scene.jobs()[0]?.status === "completed");
        await settle();
        first.crash();
        if (!isOver) break;
        await scene.start();
        const root = scene.jobs()[0];
        if (root === undefined) continue;
        expect((await scene.ended(root.id)).result).toBe("Heard: done: look into it");
        expect(scene.children().map((job) => job.status)).toEqual(["completed"]);
        await until("nothing is left to do", () => scene.world.database.effects().length === 0);
      }
      expect(nth).toBeGreaterThan(9);
    });
  }

  test("[JOB-10] with one slot for all, jobs that wait for jobs do not block them", async () => {
    const does: Does = (message, who) => {
      if (who === "boss")
        return [give("c1", "helper", "one"), give("c2", "helper", "deeper"), give("c3", "helper", "three")];
      return message === "deeper" ? [give("c4", "careful", "deepest")] : [{ say: `done: ${message}` }];
    };
    const scene = await Scene.begin(does, new Slots({ inProcess: 1, ofOrganization: 1 }));
    const parent = await scene.ended(await scene.send());
    for (const heard of ["done: one", "Heard: done: deepest", "done: three"]) expect(parent.result).toContain(heard);
    expect(scene.children().map((job) => job.depth)).toEqual([1, 1, 1, 2]);
  });

  test("[JOB-10] in any tree of jobs, with any number of slots, every job ends", async () => {
    type Tree = readonly Tree[];
    const leaf = fc.constant<Tree>([]);
    const above = (below: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> => fc.array(below, { maxLength: 3 });
    const tree = above(above(above(leaf)));
    const size = (of: Tree): number => of.reduce((sum, child) => sum + size(child), 1);
    await fc.assert(
      fc.asyncProperty(tree, fc.integer({ min: 1, max: 2 }), async (root, places) => {
        const scene = await Scene.begin(
          (message) => {
            const below = JSON.parse(message) as Tree;
            const calls = below.map((child, i) => give(`c${i}`, "helper", JSON.stringify(child)));
            return calls.length > 0 ? calls : [{ say: "leaf" }];
          },
          new Slots({ inProcess: 2, ofOrganization: places }),
        );
        await scene.ended(await scene.send(JSON.stringify(root)));
        expect(scene.jobs().map((job) => job.status)).toEqual(Array.from({ length: size(root) }, () => "completed"));
      }),
      { numRuns: 25 },
    );
  });

  test("[JOB-11] cancelling the parent cancels the children, running and queued", async () => {
    const does: Does = (message, who) =>
      who === "boss"
        ? [give("c1", "helper", "one"), give("c2", "helper", "two")]
        : [{ say: `half of ${message}` }, { hold: gate().hold }];
    const scene = await Scene.begin(does, new Slots({ inProcess: 1, ofOrganization: 1 }));
    const jobId = await scene.send();
    await until("one child runs, the other waits", () => {
      const statuses = scene.children().map((job) => job.status);
      return statuses.includes("running") && statuses.includes("queued");
    });
    const cancelled = await scene.replica.system.dispatch(jobRef(ORG, jobId), { kind: "cancel" });
    expect(cancelled.ok).toBe(true);
    await scene.ended(jobId, "cancelled");
    await until("both are cancelled", () => scene.children().every((job) => job.status === "cancelled"));
    await until("nothing is left to do", () => scene.world.database.effects().length === 0);
  });

  test("[JOB-3] [JOB-11] a cancel reaches each child once, and a repeated delegation counts once", async () => {
    const scene = await Scene.begin((_, who) =>
      who === "boss" ? [give("c1", "helper", "one")] : [{ say: "…" }, { hold: gate().hold }],
    );
    const { replica } = scene;
    const jobId = await scene.send();
    await until("the child runs", () => scene.children()[0]?.status === "running");
    const [child] = scene.children();
    const { step, version } = replica.job(jobId);
    const again = { kind: "delegate", key: `${jobId}:${step}:c1`, childJobId: child!.id } as const;
    expect((await replica.system.dispatch(jobRef(ORG, jobId), again)).ok).toBe(true);
    expect(replica.job(jobId)).toMatchObject({ delegations: 1, version });
    await replica.system.dispatch(jobRef(ORG, jobId), { kind: "cancel" });
    await scene.ended(jobId, "cancelled");
    await until("the child is cancelled", () => scene.children()[0]?.status === "cancelled");
    const sent = replica.store.flushed.flat().flatMap(({ writes }) => writes.messages);
    expect(sent.filter(({ actorId, command }) => actorId === child!.id && command.kind === "cancel")).toHaveLength(1);
  });

  test("[JOB-11] a parent that reaches its deadline ends its child too", async () => {
    const scene = await Scene.begin((_, who) =>
      who === "boss" ? [give("c1", "helper", "one")] : [{ say: "…" }, { hold: gate().hold }],
    );
    const deadlineAt = new Date(scene.world.clock.now() + 60_000).toISOString();
    const terms = { ...PLAIN_TERMS, budget: { ...PLAIN_TERMS.budget, deadlineAt } };
    const jobId = await scene.replica.send("go", CHAT, { agent: BOSS, terms });
    await until("the child runs", () => scene.children()[0]?.status === "running");
    await scene.world.clock.advance(60_000);
    expect((await scene.ended(jobId, "failed")).error?.code).toBe("timeout");
    await until("the child is cancelled", () => scene.children()[0]?.status === "cancelled");
  });

  test("[JOB-11] work is delegated through three levels and no further", async () => {
    const scene = await Scene.begin((message) => [give("c1", "helper", `${message}!`)]);
    const root = await scene.ended(await scene.send());
    expect(scene.children().map((job) => job.depth)).toEqual([1, 2, 3]);
    expect(DELEGATION_DEPTH).toBe(3);
    expect(root.result).toEndWith("Work is handed on at most 3 times: do this yourself");
  });

  test("[JOB-11] a job delegates 16 times, and a 17th call is refused", async () => {
    const scene = await Scene.begin((message, who) =>
      who === "boss"
        ? Array.from({ length: DELEGATIONS + 1 }, (_, i) => give(`c${i}`, "helper", `part ${i}`))
        : [{ say: message }],
    );
    const root = await scene.ended(await scene.send());
    expect(scene.children()).toHaveLength(DELEGATIONS);
    expect(root.result).toContain("A job delegates at most 16 times");
  });

  test("[JOB-11] a child that failed, was cancelled or waits for a person is reported with that status", async () => {
    const held = gate();
    const does: Does = (message, who) => {
      if (who === "boss")
        return [give("c1", "helper", "fail"), give("c2", "careful", "ask"), give("c3", "helper", "stop")];
      if (who === "careful") return [{ use: { type: "tool_use", id: "s1", name: "send", input: {} } }];
      if (message === "stop") return [{ say: "half" }, { hold: held.hold }];
      return [{ say: "I tried. " }, { fail: { code: "provider_stalled", message: "silent" } }];
    };
    const scene = await Scene.begin(does);
    const jobId = await scene.send();
    const stopped = (): Job | undefined => scene.children().find((job) => job.input === "stop");
    await until("the last child runs", () => stopped()?.status === "running");
    await scene.replica.system.dispatch(jobRef(ORG, stopped()!.id), { kind: "cancel" });
    const heard = (await scene.ended(jobId)).result ?? "";
    expect(heard).toMatch(/The work failed in the job job_\S+ of helper: silent\. So far it said: I tried\./);
    expect(heard).toMatch(/not finished: the job job_\S+ of careful waits for a person \(approval required\)/);
    expect(heard).toMatch(/The work was cancelled in the job job_\S+ of helper/);
    expect(scene.replica.types(CHAT).filter((type) => type === "tool.failed")).toHaveLength(3);
    // A person may still decide about what waits: the child is nobody's to cancel any more.
    expect(scene.children().find((job) => job.agent.name === "careful")?.status).toBe("blocked");
  });

  test("[JOB-11] an agent that the user may not execute is not found, and nothing starts", async () => {
    const scene = await Scene.begin((_, who) => (who === "boss" ? [give("c1", "nobody", "x")] : []));
    expect((await scene.ended(await scene.send())).result).toBe("Heard: There is no such agent.");
    expect(scene.children()).toEqual([]);
  });
});
