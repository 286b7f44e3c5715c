/**
 * The people who have missions: they make them, run them by hand, pause, resume and delete them. However
 * processes end and shards move, each time of a schedule is decided about once, and each run has one job.
 */
import { isPassing, notFound, ok, type Outcome } from "../../actors/fault.ts";
import type { Job } from "../../actors/job/schema.ts";
import type { MissionDirectory } from "../../actors/mission/directory.ts";
import type { MissionCommand } from "../../actors/mission/protocol.ts";
import { DEFAULT_SCHEDULE } from "../../actors/mission/schedule-input.ts";
import {
  type Mission,
  missionRef,
  type MissionRun,
  OVERLAPS,
  type ScheduleSettings,
} from "../../actors/mission/schema.ts";
import { type Agent, organizationRef } from "../../actors/organization/schema.ts";
import type { ModelPort } from "../../actors/job/ports.ts";
import { followedBy } from "../../actors/runtime/turns/members.ts";
import { ask, type TroupeSystem } from "../../actors/troupe.ts";
import { workspaceRef } from "../../actors/workspace/schema.ts";
import { idsOfRun, runJob } from "../../src/work/missions.ts";
import { prepareWork, type WorkServices } from "../../src/work/prepared-work.ts";
import { AGENT } from "../support/job-replica.ts";
import { type Callers, isDrawn } from "./callers.ts";
import type { WatchedDatabase } from "./ledger-book.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimulatedReplica } from "./simulated-replica.ts";
import { must } from "./violation.ts";

/** Two organizations with their missions. */
const MISSIONS = ["org_a/mis_1", "org_a/mis_2", "org_b/mis_3"];
const WORKSPACE = "wsp_1";
const OWNER = { userId: "usr_1", isOwner: true };
/** After so long no schedule fires any more: the history must come to an end. */
const LIFE_MS = 150_000;
/** Refusals that only say that the mission has moved on. */
const LATE: ReadonlySet<string> = new Set(["invalid_state", "not_found", "invalid_request", "invalid_schedule"]);

const AGENT_RECORD: Agent = {
  ...AGENT,
  organizationId: "org_a",
  createdAt: "",
  updatedAt: "",
  role: "reporter",
  visibility: "organization",
  description: null,
  status: "active",
  source: "private",
  installState: "installed",
  tags: [],
  createdBy: OWNER.userId,
};

interface Parts {
  readonly scheduler: Scheduler;
  readonly callers: Callers;
  readonly database: WatchedDatabase;
}

/** What runs of missions need of a process; now and then the agent is gone. */
export const servicesOf = (system: TroupeSystem, models: ModelPort, scheduler: Scheduler): WorkServices => ({
  system,
  models,
  agents: { find: () => (scheduler.happens(0.05) ? notFound("agent") : ok(AGENT_RECORD)) },
});

/** Nobody archives an agent here: nothing has to be told. */
export const NO_MISSIONS: Pick<MissionDirectory, "missionsOf"> = { missionsOf: () => Promise.resolve([]) };

export class Missions {
  private readonly parts: Parts;
  /** Jobs of runs by hand that were acknowledged. */
  private readonly acknowledged = new Set<string>();
  private asked = 0;
  private checked = -1;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** One person does one thing with one mission. */
  act(replica: SimulatedReplica): void {
    const { scheduler, database } = this.parts;
    const [organizationId = "", id = ""] = scheduler.one(MISSIONS).split("/");
    if (database.record("organization", organizationId, organizationId) === null)
      return this.found(replica, organizationId);
    if (database.record("workspace", organizationId, WORKSPACE) === null) return this.open(replica, organizationId);
    const mission = database.record("mission", organizationId, id) as Mission | null;
    if (mission === null) return this.create(replica, organizationId, id);
    switch (scheduler.weighted({ run: 5, pause: 2, resume: 4, overlap: 1, delete: 0.3 })) {
      case "run":
        return this.run(replica, organizationId, id);
      case "pause":
        return this.change(replica, organizationId, id, { status: "paused" });
      case "resume":
        return this.change(replica, organizationId, id, { status: "pending" });
      case "overlap":
        return this.change(replica, organizationId, id, { schedule: { overlap: scheduler.one(OVERLAPS) } });
      case "delete":
        return this.tell(replica, organizationId, id, { kind: "delete_mission", by: OWNER });
    }
  }

  /** The invariants of missions and their runs. */
  check(): void {
    const { database } = this.parts;
    if (this.checked === database.commits) return;
    this.checked = database.commits;
    const missions = this.all<Mission>("mission");
    if (missions.length === 0) return;
    const [runs, jobs] = [this.all<MissionRun>("mission_run"), this.all<Job>("job")];
    for (const mission of missions) {
      const own = runs.filter(({ missionId }) => missionId === mission.id);
      checkTimes(mission, own);
      checkRuns(
        mission,
        own,
        jobs.filter(({ missionId }) => missionId === mission.id),
      );
      this.checkPromises(mission, jobs);
    }
    for (const id of this.acknowledged)
      must(
        jobs.some((job) => job.id === id),
        "stored",
        () => `the run with job ${id}`,
      );
  }

  /** Each open run goes on: an effect is to begin its job, or its job is open, or its end is on its way. */
  private checkPromises({ id, openRuns }: Mission, jobs: readonly Job[]): void {
    const { database } = this.parts;
    const effects = new Set(database.effects().map((effect) => effect.id));
    const told = database.messages().filter(({ actorId }) => actorId === id).length;
    for (const { id: runId, effectId, jobId } of openRuns) {
      const job = jobs.find((one) => one.id === jobId);
      const goesOn = effectId === null ? job !== undefined && (!isOver(job) || told > 0) : effects.has(effectId);
      must(goesOn, "effect", () => `run ${runId} of ${id} waits for nothing: ${effectId ?? `${jobId} ${job?.status}`}`);
    }
  }

  private found(replica: SimulatedReplica, organizationId: string): void {
    const owner = { userId: OWNER.userId, name: "Owner", email: "owner@example.com" };
    const command = { kind: "found_organization", name: "Acme", owner, tokens: [] } as const;
    this.wait(replica, `found ${organizationId}`, replica.system.dispatch(organizationRef(organizationId), command));
  }

  private open(replica: SimulatedReplica, organizationId: string): void {
    const by = { description: null, instructions: null, createdBy: OWNER.userId };
    const answer = replica.system.dispatch(workspaceRef(organizationId, WORKSPACE), {
      kind: "create_workspace",
      name: "Work",
      ...by,
    });
    this.wait(replica, `open the workspace of ${organizationId}`, answer);
  }

  private create(replica: SimulatedReplica, organizationId: string, id: string): void {
    this.tell(replica, organizationId, id, {
      kind: "create_mission",
      by: OWNER,
      settings: {
        title: "Report",
        goal: "Write it",
        agentId: AGENT.id,
        workspaceId: WORKSPACE,
        visibility: "organization",
        priority: "medium",
        reviewRequired: false,
        budget: { maxTokens: null, maxSteps: null },
        schedule: { ...DEFAULT_SCHEDULE, ...this.schedule() },
      },
    });
  }

  private schedule(): Partial<ScheduleSettings> {
    const { scheduler, database } = this.parts;
    const now = database.clock.now();
    const at = (ms: number): string => new Date(now + ms).toISOString();
    const overlap = scheduler.one(OVERLAPS);
    const life = { overlap, endAt: at(LIFE_MS), maxRuns: 3 };
    switch (scheduler.weighted({ none: 1, once: 3, cron: 3, continuous: 3 })) {
      case "none":
        return { type: "none", overlap };
      case "once":
        return { type: "once", value: at(scheduler.below(8_000)), overlap };
      case "cron":
        return { type: "cron", value: "* * * * *", ...life };
      case "continuous":
        return { type: "continuous", value: "PT1S", ...life };
    }
  }

  /** As the surface does it: the run and its job in one commit. */
  private run(replica: SimulatedReplica, organizationId: string, id: string): void {
    const ids = idsOfRun(organizationId, `hand-${++this.asked}`);
    const system = replica.system as unknown as TroupeSystem;
    const begin = async (): Promise<Outcome<unknown>> => {
      const services = servicesOf(system, replica.models, this.parts.scheduler);
      const work = await prepareWork(services, { by: { organizationId, userId: OWNER.userId }, agent: AGENT.id });
      if (!work.ok) return work;
      const begun = await system.dispatchGroup(
        followedBy(ask(missionRef(organizationId, id), { kind: "run_now", by: OWNER, ids }), ({ brief }) =>
          brief === null ? null : runJob(work.value, ids, brief, null),
        ),
      );
      if (begun.ok && begun.value[0].brief !== null) this.acknowledged.add(ids.jobId);
      return begun;
    };
    this.wait(replica, `run ${id}`, begin());
  }

  private change(
    replica: SimulatedReplica,
    organizationId: string,
    id: string,
    changes: Extract<MissionCommand, { readonly kind: "update_mission" }>["changes"],
  ): void {
    this.tell(replica, organizationId, id, { kind: "update_mission", by: OWNER, changes, version: null });
  }

  private tell(replica: SimulatedReplica, organizationId: string, id: string, command: MissionCommand): void {
    const answer = replica.system.dispatchGroup([{ ref: missionRef(organizationId, id), command }]);
    this.wait(replica, `${command.kind} ${id}`, answer);
  }

  private wait(replica: SimulatedReplica, what: string, answer: Promise<Outcome<unknown>>): void {
    this.parts.callers.wait(replica, what, answer, {
      answered: (outcome) =>
        must(
          outcome.ok || isPassing(outcome.fault) || LATE.has(outcome.fault.kind),
          "bug",
          () => `${what} is refused: ${outcome.ok ? "" : outcome.fault.kind}`,
        ),
      threw: (cause) => must(isDrawn(cause), "bug", () => `${what}: ${String(cause)}`),
      abandoned: () => {},
    });
  }

  private all<T>(table: string): readonly T[] {
    const { records } = this.parts.database;
    return [...records].flatMap(([key, record]) => (key.startsWith(`${table}/`) ? [record as unknown as T] : []));
  }
}

const isOver = ({ status }: Job): boolean => status === "completed" || status === "failed" || status === "cancelled";

/** Each time of the schedule is in one entry: entries of several times do not overlap either. */
function checkTimes({ id }: Mission, runs: readonly MissionRun[]): void {
  const times = runs
    .flatMap(({ scheduledAt, until }) => (scheduledAt === null ? [] : [[scheduledAt, until ?? scheduledAt] as const]))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [i, [from]] of times.entries()) {
    const before = times[i - 1]?.[1] ?? "";
    must(before < from, "mission", () => `${id}: ${from} comes after ${before} was decided about`);
  }
}

/** The record and its ledger agree, and each run has one job. */
function checkRuns(mission: Mission, runs: readonly MissionRun[], jobs: readonly Job[]): void {
  const { id, openRuns, runCount } = mission;
  const open = runs.filter(({ outcome }) => outcome === "started").map((run) => run.id);
  must(
    open.toSorted().join() ===
      openRuns
        .map((run) => run.id)
        .toSorted()
        .join(),
    "whole",
    () => `${id}: ${open.join()} are open, its record has ${openRuns.map((run) => run.id).join()}`,
  );
  const begun = runs.flatMap(({ jobId }) => (jobId === null ? [] : [jobId]));
  must(
    begun.toSorted().join() ===
      jobs
        .map((job) => job.id)
        .toSorted()
        .join(),
    "mission",
    () => `${id}: its ledger has the jobs ${begun.join()}, there are ${jobs.map((job) => job.id).join()}`,
  );
  const numbers = runs.flatMap(({ number }) => (number === null ? [] : [number])).toSorted((a, b) => a - b);
  must(
    numbers.length === runCount && numbers.every((number, i) => number === i + 1),
    "mission",
    () => `${id}: ${runCount} runs with the numbers ${numbers.join()}`,
  );
  must(new Set(jobs.map(({ chatId }) => chatId)).size === jobs.length, "mission", () => `${id}: runs share a chat`);
}
