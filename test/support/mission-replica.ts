/** Missions in a world in memory: a fake clock, a scripted model, and processes that come and go. */
import { ok, type Outcome } from "../../actors/fault.ts";
import { isTerminal } from "../../actors/job/machine.ts";
import type { Job } from "../../actors/job/schema.ts";
import type { Slots } from "../../actors/job/run/slots.ts";
import type { MissionChanges, MissionCommand, MissionReplies, MissionSettings } from "../../actors/mission/protocol.ts";
import {
  type Mission,
  type MissionRun,
  missionRef,
  type MissionTask,
  type ScheduleSettings,
} from "../../actors/mission/schema.ts";
import { DEFAULT_SCHEDULE } from "../../actors/mission/schedule-input.ts";
import { type Agent, organizationRef } from "../../actors/organization/schema.ts";
import type { RecordFields } from "../../actors/runtime/actor.ts";
import { forsakingEffects } from "../../src/work/forsaken-connections.ts";
import { missionEffects } from "../../src/work/mission-effects.ts";
import { idsOfRun, runJob, taskJob } from "../../src/work/missions.ts";
import { prepareWork, type WorkServices } from "../../src/work/prepared-work.ts";
import { ask } from "../../actors/troupe.ts";
import { workspaceRef } from "../../actors/workspace/schema.ts";
import { until } from "./condition.ts";
import { FakeModel } from "./fake-model.ts";
import { AGENT, type JobReplica, NO_JITTER, ORG, startJobs } from "./job-replica.ts";
import { World } from "./replica.ts";

export const USER = { userId: "usr_1", isOwner: true };
export const MISSION = "mis_1";
export const WORKSPACE = "wsp_1";
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const QUIET = { info: () => {}, warn: () => {}, error: () => {} };
const AGENT_RECORD: Agent = {
  ...AGENT,
  organizationId: ORG,
  createdAt: "",
  updatedAt: "",
  role: "reporter",
  visibility: "organization",
  description: null,
  status: "active",
  source: "private",
  installState: "installed",
  tags: [],
  createdBy: USER.userId,
};

export class MissionWorld {
  readonly world: World;
  readonly model = new FakeModel();
  /** What the finder answers for the mission's agent. */
  agent: Outcome<Agent> = ok(AGENT_RECORD);
  replica!: JobReplica;
  private readonly slots: Slots | undefined;

  constructor(options: { readonly seed?: number; readonly slots?: Slots } = {}) {
    this.world = new World(options.seed);
    this.slots = options.slots;
  }

  /** A process begins; a second one takes over what the first has left. */
  async start(): Promise<JobReplica> {
    const { model, slots } = this;
    this.replica = await startJobs(this.world, {
      model,
      ...(slots === undefined ? {} : { slots }),
      effects: (system) => ({
        ...forsakingEffects({
          system,
          connections: { connectionsOf: () => Promise.resolve([]) },
          pauses: { clock: this.world.clock, chance: NO_JITTER },
          log: QUIET,
        }),
        ...missionEffects({
          services: this.servicesOf(system),
          missions: {
            missionsOf: () => Promise.resolve(this.missions.map(({ organizationId, id }) => ({ organizationId, id }))),
          },
          clock: this.world.clock,
          chance: NO_JITTER,
          log: QUIET,
        }),
      }),
    });
    if (this.world.database.record("organization", ORG, ORG) === null) await this.found();
    return this.replica;
  }

  private async found(): Promise<void> {
    const owner = { userId: USER.userId, name: "Owner", email: "owner@example.com" };
    const command = { kind: "found_organization", name: "Acme", owner, tokens: [] } as const;
    unwrap(await this.replica.system.dispatch(organizationRef(ORG), command));
    const make = {
      kind: "create_workspace",
      name: "W",
      description: null,
      instructions: null,
      createdBy: USER.userId,
    } as const;
    unwrap(await this.replica.system.dispatch(workspaceRef(ORG, WORKSPACE), make));
  }

  private servicesOf(system: JobReplica["system"]): WorkServices {
    const find = () => this.agent;
    return { system, agents: { find }, models: this.model };
  }

  ask<K extends MissionCommand["kind"]>(
    command: Extract<MissionCommand, { readonly kind: K }>,
    id = MISSION,
  ): Promise<Outcome<MissionReplies[K]>> {
    return this.replica.system.dispatch(missionRef(ORG, id), command) as Promise<Outcome<MissionReplies[K]>>;
  }

  create(
    schedule: Partial<ScheduleSettings> = {},
    settings: Partial<MissionSettings> = {},
    id = MISSION,
  ): Promise<Outcome<Mission>> {
    return this.ask(
      {
        kind: "create_mission",
        by: USER,
        settings: {
          title: "Report",
          goal: "Write the report",
          agentId: AGENT.id,
          workspaceId: WORKSPACE,
          visibility: "organization",
          priority: "medium",
          reviewRequired: false,
          budget: { maxTokens: null, maxSteps: null },
          schedule: { ...DEFAULT_SCHEDULE, ...schedule },
          ...settings,
        },
      },
      id,
    );
  }

  update(changes: MissionChanges, id = MISSION): Promise<Outcome<Mission>> {
    return this.ask({ kind: "update_mission", by: USER, changes, version: null }, id);
  }

  /** As the surface does it: the run and its job in one commit. */
  async runNow(id = MISSION): Promise<Outcome<MissionReplies["run_now"]>> {
    const by = { organizationId: ORG, userId: USER.userId };
    const work = await prepareWork(this.servicesOf(this.replica.system), { by, agent: AGENT.id });
    if (!work.ok) return work;
    const ids = idsOfRun(ORG, `manual-${this.runs(id).length}`);
    const replies = await this.replica.system.dispatchGroup([
      ask(missionRef(ORG, id), { kind: "run_now", by: USER, ids }),
      ([reply]) => {
        const { brief } = reply as MissionReplies["run_now"];
        return brief === null ? null : runJob(work.value, ids, brief, null);
      },
    ]);
    return replies.ok ? ok(replies.value[0] as MissionReplies["run_now"]) : replies;
  }

  async startTask(taskId: string, key = taskId): Promise<Outcome<MissionReplies["start_task"]>> {
    const by = { organizationId: ORG, userId: USER.userId };
    const work = await prepareWork(this.servicesOf(this.replica.system), { by, agent: AGENT.id });
    if (!work.ok) return work;
    const ids = idsOfRun(ORG, key);
    const replies = await this.replica.system.dispatchGroup([
      ask(missionRef(ORG, MISSION), { kind: "start_task", by: USER, taskId, ids }),
      ([reply]) => taskJob(work.value, ids, reply as MissionReplies["start_task"], null),
    ]);
    return replies.ok ? ok(replies.value[0] as MissionReplies["start_task"]) : replies;
  }

  async addTask(title: string, dependsOn: readonly string[] = []): Promise<MissionTask> {
    const settings = {
      title,
      description: null,
      priority: "medium",
      assignedTo: null,
      dependsOn: [...dependsOn],
    } as const;
    return unwrap(await this.ask({ kind: "add_task", by: USER, settings: { ...settings, dependsOn: [...dependsOn] } }))
      .task;
  }

  mission(id = MISSION): Mission {
    return this.world.database.record("mission", ORG, id) as Mission;
  }

  get missions(): Mission[] {
    return this.world.database.rows<Mission>("mission");
  }

  /** The ledger, oldest first. */
  runs(id = MISSION): MissionRun[] {
    return this.world.database.rows<MissionRun>("mission_run").filter((run) => run.missionId === id);
  }

  /** `2026-01-01T09:00 schedule succeeded` for each entry of the ledger. */
  ledger(id = MISSION): string[] {
    return this.runs(id).map(({ scheduledAt, trigger, outcome, count }) =>
      [scheduledAt?.slice(0, 16) ?? "-", trigger, outcome, ...(count === 1 ? [] : [`×${count}`])].join(" "),
    );
  }

  jobs(): Job[] {
    return this.world.database.rows<Job>("job");
  }

  /** Types of the events that have gone to the webhook actor, oldest first. */
  emitted(): string[] {
    return this.world.database.rows<RecordFields & { readonly type: string }>("webhook_event").map(({ type }) => type);
  }

  /** Moves the time. Where nothing is in progress, it goes forward at once to shortly before the next alarm. */
  async advance(ms: number): Promise<void> {
    const { clock, database } = this.world;
    for (const end = clock.now() + ms; clock.now() < end;) {
      await clock.advance(Math.min(MINUTE_MS, end - clock.now()));
      const quietUntil = Math.min(end, database.alarms()[0]?.dueAtMs ?? end) - 2 * MINUTE_MS;
      if (database.effects().length === 0 && quietUntil > clock.now()) clock.setForward(quietUntil - clock.now());
    }
  }

  /** Resolves when no job goes on and no message or effect is on its way. */
  async settled(): Promise<void> {
    const { database } = this.world;
    await until("all work is over", async () => {
      // The numbers of events wait for the next commit (RT-4), and the time of this clock does not pass by itself.
      await this.replica.system.settled(ORG);
      const isQuiet = database.effects().length === 0 && database.messages().length === 0;
      return isQuiet && this.jobs().every(({ status }) => isTerminal(status));
    });
  }
}

export async function startMissions(
  options: { readonly seed?: number; readonly slots?: Slots } = {},
): Promise<MissionWorld> {
  const world = new MissionWorld(options);
  await world.start();
  return world;
}

export function unwrap<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.fault)}`);
  return outcome.value;
}
