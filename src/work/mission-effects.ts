/**
 * The effects of missions: beginning the job of a fire, and notifying missions that their agent or workspace is gone.
 * Both may be repeated. A recovered effect lets its actor replace it with a new one, because the recovery of a shard
 * must not wait for other actors of that shard.
 */
import type { Fault, Noun, Outcome } from "../../actors/fault.ts";
import type { MissionDirectory, MissionGround, MissionPlace } from "../../actors/mission/directory.ts";
import type { ImpossibleReason, MissionCommand, RunRefusal } from "../../actors/mission/protocol.ts";
import { RUN_EFFECT, type MissionRunIntent } from "../../actors/mission/runs.ts";
import { missionRef } from "../../actors/mission/schema.ts";
import { Slots } from "../../actors/job/run/slots.ts";
import { TELL_MISSIONS } from "../../actors/organization/agents.ts";
import { isAgentsIntent, type MissionsIntent } from "../../actors/organization/protocol.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { Backoff, decidedUnlessAborted } from "../../actors/runtime/backoff.ts";
import type { Chance, Clock } from "../../actors/runtime/ports.ts";
import type { EffectContext, EffectHandler } from "../../actors/runtime/outputs/effects.ts";
import { followedBy } from "../../actors/runtime/turns/members.ts";
import type { EffectRow } from "../../actors/runtime/store.ts";
import { ask } from "../../actors/troupe.ts";
import { workspaceRef } from "../../actors/workspace/schema.ts";
import type { HttpLog } from "../log/port.ts";
import { idsOfRun, runJob } from "./missions.ts";
import { prepareWork, type WorkServices } from "./prepared-work.ts";

/**
 * Jobs of missions that begin at once: thousands of missions may be due in the same second, and the process must do
 * other work between them. Jobs of a higher priority begin first.
 */
const BEGINNING = { inProcess: 16, ofOrganization: 8 };
/** Between two checks whether a burst of fires is over, and the most checks. */
const BURST = { firstMs: 20, lastMs: 20, looks: 500 };
/** Missions that are looked up and notified at a time. */
const MISSIONS_PAGE = 100;
/** The first pause before a retry; doubled up to the last. */
const MISSION_RETRY = { firstMs: 50, lastMs: 5_000 };

export interface MissionEffectParts {
  readonly services: WorkServices;
  readonly missions: Pick<MissionDirectory, "missionsOf">;
  readonly clock: Clock;
  readonly chance: Pick<Chance, "fraction">;
  readonly log: HttpLog;
}

export function missionEffects(parts: MissionEffectParts) {
  const slots = new Slots(BEGINNING);
  const burst = new Burst(parts);
  const begin: EffectHandler["run"] = async (effect, context) => {
    await burst.over();
    await beginMissionRun(parts, slots, effect, context);
  };
  const tell: EffectHandler["run"] = (effect, context) => notifyMissions(parts, effect, context);
  return {
    [RUN_EFFECT]: { run: begin, recover: (effect, context) => retryRun(parts, effect, context) },
    [TELL_MISSIONS]: { run: tell, recover: (effect, context) => tellAgain(parts, effect, context) },
  } satisfies Readonly<Record<string, EffectHandler>>;
}

/**
 * Waits for the end of a burst. Thousands of missions may be due in the same second: all are entered into the ledger
 * before the first of their jobs begins, so that the most urgent ones begin first and none is late because of the
 * others' jobs.
 */
class Burst {
  private readonly parts: MissionEffectParts;
  private waiting: Promise<void> | null = null;

  constructor(parts: MissionEffectParts) {
    this.parts = parts;
  }

  /** Resolves when no alarm waits to fire, or after some seconds. All callers share the checks. */
  over(): Promise<void> {
    return (this.waiting ??= this.calm().finally(() => (this.waiting = null)));
  }

  private async calm(): Promise<void> {
    const backoff = new Backoff(this.parts, BURST);
    for (let looks = 0; looks < BURST.looks && this.parts.services.system.hasDueAlarms; looks++) await backoff.pause();
  }
}

async function beginMissionRun(
  parts: MissionEffectParts,
  slots: Slots,
  { organizationId, actorId, id: effectId, intent }: EffectRow,
  context: EffectContext,
): Promise<void> {
  const { runId, priority, since } = intent as unknown as MissionRunIntent;
  using slot = await slots.acquire({ organizationId, priority, since: Date.parse(since) }, context.signal);
  if (slot === null) return;
  const run = { organizationId, missionId: actorId, runId, effectId };
  const begun = await untilRunDecided(parts, context, () => tryRun(parts, run, context));
  if (begun === null || begun.ok) return;
  const refusal = runRefusal(begun.fault);
  await untilRunDecided(parts, context, () =>
    dispatch(parts, run, { kind: "refuse_run", runId, effectId, refusal }, context),
  );
}

async function retryRun(
  parts: MissionEffectParts,
  { organizationId, actorId: missionId, id: effectId, intent }: EffectRow,
  context: EffectContext,
): Promise<void> {
  const { runId } = intent as unknown as MissionRunIntent;
  const run = { organizationId, missionId, runId, effectId };
  await untilRunDecided(parts, context, () => dispatch(parts, run, { kind: "retry_run", runId, effectId }, context));
}

/** A run, and the effect that begins it. */
interface BeginningRun {
  readonly organizationId: string;
  readonly missionId: string;
  readonly runId: string;
  readonly effectId: string;
}

/** One attempt to begin the run: reads its brief, prepares the work, and commits everything at once. */
async function tryRun(parts: MissionEffectParts, run: BeginningRun, context: EffectContext): Promise<Outcome<unknown>> {
  const { organizationId, missionId, runId, effectId } = run;
  const { services } = parts;
  const { system } = services;
  const ref = missionRef(organizationId, missionId);
  const read = await system.dispatch(ref, { kind: "read_run", runId, effectId });
  if (!read.ok) return read;
  // Cancelled meanwhile, which has settled the effect.
  if (read.value === null) return read;
  const { createdBy: userId, agentId, workspaceId } = read.value;
  const member = await system.dispatch(organizationRef(organizationId), { kind: "read_member", userId });
  if (!member.ok) return member;
  const workspace = await system.dispatch(workspaceRef(organizationId, workspaceId), { kind: "read_workspace" });
  if (!workspace.ok) return workspace;
  const work = await prepareWork(services, { by: { organizationId, userId }, agent: agentId });
  if (!work.ok) return work;
  const ids = idsOfRun(organizationId, runId);
  return system.dispatchGroup(
    followedBy(ask(ref, { kind: "begin_run", runId, effectId, ids }), (brief) => runJob(work.value, ids, brief, null)),
    { epoch: context.epoch },
  );
}

const IMPOSSIBLE_REASONS: Partial<Record<Noun, ImpossibleReason>> = {
  user: "creator_removed",
  workspace: "workspace_deleted",
};

function runRefusal(fault: Fault): RunRefusal {
  if (fault.kind === "budget_exceeded") return { kind: "budget_spent", of: fault.of };
  if (fault.kind === "not_found")
    return { kind: "impossible", reason: IMPOSSIBLE_REASONS[fault.noun] ?? "agent_unavailable" };
  const message =
    fault.kind === "quota_exceeded"
      ? `The organization has reached its quota of ${fault.quota.replaceAll("_", " ")} (${fault.limit})`
      : "message" in fault
        ? fault.message
        : "The run could not begin";
  return { kind: "failed", error: { code: fault.kind, message } };
}

const dispatch = (
  { services }: MissionEffectParts,
  { organizationId, missionId }: BeginningRun,
  command: MissionCommand,
  { epoch }: EffectContext,
): Promise<Outcome<unknown>> =>
  services.system.dispatchGroup([{ ref: missionRef(organizationId, missionId), command }], { epoch });

/** Retries until there is a decision; null when the effect is over. */
const untilRunDecided = <T>(
  parts: MissionEffectParts,
  { signal }: EffectContext,
  attempt: () => Promise<Outcome<T>>,
): Promise<Outcome<T> | null> => decidedUnlessAborted(parts, MISSION_RETRY, signal, attempt);

async function notifyMissions(parts: MissionEffectParts, effect: EffectRow, context: EffectContext): Promise<void> {
  const { ground, command } = newsOf(effect.organizationId, effect.intent as MissionsIntent);
  const { system } = parts.services;
  // What was committed before the loss is in the table by then; later commits notice the loss themselves.
  const settled = await untilRunDecided(parts, context, () => system.settled(effect.organizationId));
  if (settled === null) return;
  let last: MissionPlace = { organizationId: "", id: "" };
  for (;;) {
    const page = await lookUntilFound(parts, context, () => parts.missions.missionsOf(ground, last, MISSIONS_PAGE));
    if (page === null) return;
    for (const { organizationId, id } of page) {
      const notified = await untilRunDecided(parts, context, () =>
        system.dispatch(missionRef(organizationId, id), command),
      );
      if (notified === null) return;
    }
    if (page.length < MISSIONS_PAGE) break;
    last = page.at(-1) ?? last;
  }
  await settleTelling(parts, effect, context, null);
}

/** Which missions to notify, and of what. */
function newsOf(organizationId: string, intent: MissionsIntent): { ground: MissionGround; command: MissionCommand } {
  if (isAgentsIntent(intent)) {
    const { agentId, isGone } = intent;
    return { ground: { agentId }, command: { kind: "agent_changed", agentId, isGone } };
  }
  const { workspaceId } = intent;
  return { ground: { organizationId, workspaceId }, command: { kind: "workspace_deleted", workspaceId } };
}

const tellAgain = (parts: MissionEffectParts, effect: EffectRow, context: EffectContext): Promise<void> =>
  settleTelling(parts, effect, context, effect.intent as MissionsIntent);

async function settleTelling(
  parts: MissionEffectParts,
  { id: effectId, organizationId }: EffectRow,
  context: EffectContext,
  again: MissionsIntent | null,
): Promise<void> {
  const member = ask(organizationRef(organizationId), { kind: "missions_told", effectId, again });
  const { system } = parts.services;
  await untilRunDecided(parts, context, () => system.dispatchGroup([member], { epoch: context.epoch }));
}

/** Reads from the table, retrying until it answers; null when the effect is over. */
async function lookUntilFound<T>(
  parts: MissionEffectParts,
  { signal }: EffectContext,
  look: () => Promise<T>,
): Promise<T | null> {
  const backoff = new Backoff(parts, MISSION_RETRY);
  while (!signal.aborted) {
    try {
      return await look();
    } catch (err) {
      parts.log.warn({ err }, "the missions of an agent could not be read; it is tried again");
    }
    await backoff.pause(signal);
  }
  return null;
}
