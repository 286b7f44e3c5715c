/** One process of the simulation: a system of ledgers, chats and jobs over the model, from its start to its end. */
import { DEFAULT_JOB_LIMITS } from "../../actors/job/limits.ts";
import type { ModelPort } from "../../actors/job/ports.ts";
import { jobExecution } from "../../actors/job/run/execution.ts";
import { NO_RETRIES } from "../../actors/job/run/retry-policy.ts";
import { ProviderLimits } from "../../actors/job/run/provider-limits.ts";
import type { RunServices } from "../../actors/job/run/services.ts";
import { Slots } from "../../actors/job/run/slots.ts";
import { isPassing, type Outcome } from "../../actors/fault.ts";
import type { EffectContext, EffectHandler } from "../../actors/runtime/outputs/effects.ts";
import type { MemberStep } from "../../actors/runtime/turns/members.ts";
import type { EffectRow } from "../../actors/runtime/store.ts";
import type { System } from "../../actors/runtime/system.ts";
import { troupeActors, type TroupeProtocols, type TroupeSystem } from "../../actors/troupe.ts";
import { calendar } from "../../src/schedule/calendar.ts";
import { missionEffects } from "../../src/work/mission-effects.ts";
import { type FakeClock, seededChance } from "../support/fake-clock.ts";
import { ledgerActor, type LedgerProtocols, ledgerRef } from "../support/ledger-actor.ts";
import { MemoryPlacement } from "../support/memory-placement.ts";
import { MemoryActorStore } from "../support/memory-store.ts";
import { erased } from "../support/replica.ts";
import { bareSystem } from "../support/bare-system.ts";
import type { WatchedDatabase } from "./ledger-book.ts";
import { NO_MISSIONS, servicesOf } from "./missions.ts";
import { parsedOutputs } from "../support/fake-tools.ts";
import type { Line, Scheduler } from "./scheduler.ts";
import { type GroupParts, SimulatedGroup } from "./simulated-group.ts";
import { ScriptedWork } from "./scripted-work.ts";
import { type Faults, SimulatedClock, SimulatedPlacement, simulatedStore, type Wiring } from "./simulated-wiring.ts";

/** Between two reports of an effect that nobody could take. */
const REPORT_RETRY_MS = 200;

/** Errors that the runtime may log when its database fails. Every other one is a bug. */
const EXPECTED = new Set([
  "the outcome of a commit is unknown: raising epochs",
  "a message's turn failed",
  "an alarm's turn failed",
  "an effect failed",
  "an actor's last command before its eviction failed",
]);

export interface ReplicaParts {
  readonly name: string;
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly clock: FakeClock;
  readonly database: WatchedDatabase;
  readonly faults: Faults;
  /** Takes what work finds wrong. */
  readonly fail: (cause: unknown) => void;
  readonly lanes: number;
  readonly liveActors: number;
  /** The replicas among which it is one; null: it is alone. */
  readonly world: GroupParts["world"] | null;
}

export class SimulatedReplica {
  readonly line: Line;
  readonly system: System<LedgerProtocols & TroupeProtocols>;
  readonly placement: MemoryPlacement;
  readonly store: MemoryActorStore;
  /** Why it must end: it was declared dead, or could not start. */
  lost: string | null = null;
  isStarted = false;
  readonly bugs: string[] = [];
  readonly models: ModelPort;
  readonly group: SimulatedGroup | null;
  private readonly clock: SimulatedClock;
  private readonly slots = new Slots();
  private readonly limits: ProviderLimits;
  private readonly scheduler: Scheduler;

  constructor(parts: ReplicaParts) {
    const { name, scheduler, clock, database, faults } = parts;
    this.line = { name, isAlive: true, isFrozen: false };
    this.scheduler = scheduler;
    const wiring: Wiring = { scheduler, line: this.line, faults };
    this.store = new MemoryActorStore(database);
    this.placement = new MemoryPlacement(database, name);
    this.placement.join();
    this.clock = new SimulatedClock(clock, wiring);
    this.limits = new ProviderLimits(this.clock);
    const work = new ScriptedWork(wiring, database, parts.fail);
    this.models = work.models;
    const hasDatabase = (): boolean => !this.placement.isCut;
    this.group =
      parts.world === null
        ? null
        : new SimulatedGroup({
            wiring,
            clock: this.clock,
            database,
            world: parts.world,
            system: () => this.system,
            hasDatabase,
          });
    this.system = bareSystem<LedgerProtocols & TroupeProtocols>({
      ...(this.group === null ? {} : { peers: this.group }),
      definitions: [erased(ledgerActor()), ...troupeActors({ calendar })],
      store: simulatedStore(this.store, wiring),
      placement: new SimulatedPlacement(this.placement, wiring),
      clock: this.clock,
      // Jitter has draws of its own: ids stay as they are for a seed.
      chance: { ...seededChance(parts.seed), fraction: seededChance(~parts.seed).fraction },
      log: {
        debug: () => {},
        warn: () => {},
        error: (fields, message) => void (EXPECTED.has(message) || this.bugs.push(`${message} ${Bun.inspect(fields)}`)),
      },
      onLost: (reason) => void (this.lost = reason),
      lanes: parts.lanes,
      liveActors: parts.liveActors,
    });
    this.system.handle({ count: this.counting(), run: this.running(work), ...this.missions() });
  }

  start(): void {
    const started = this.system.start().then(() => this.group?.joined());
    started.then(
      () => void (this.isStarted = true),
      (cause: unknown) => void (this.lost = String(cause)),
    );
  }

  /** Gives its shards up and ends. */
  stop(): void {
    this.isStarted = false;
    const held = this.group?.holdAll() ?? Promise.resolve();
    const stopped = held.then(() => this.system.stop()).then(() => this.group?.announce());
    stopped.then(
      () => void (this.lost = "stopped"),
      (cause: unknown) => void (this.lost = String(cause)),
    );
  }

  /** A client's request, which may be another replica's. */
  request(organizationId: string, steps: readonly MemberStep[]): Promise<Outcome<readonly unknown[]>> {
    return this.group?.request(organizationId, steps) ?? this.system.dispatchGroup(steps);
  }

  /** Whether it serves this organization now. */
  serves(organizationId: string): boolean {
    return this.line.isAlive && this.system.shards.admit(organizationId, {}).ok;
  }

  /** The effect of a job: the service's own loop, with a scripted model and scripted tools. */
  private running(work: ScriptedWork): EffectHandler {
    const services: RunServices = {
      models: work.models,
      tools: work.tools,
      outputs: parsedOutputs,
      transcripts: work,
      slots: this.slots,
      steps: DEFAULT_JOB_LIMITS.steps,
      retry: NO_RETRIES,
      chance: { fraction: () => 1 },
      clock: this.clock,
      group: (members, admission) => this.system.dispatchGroup(members, admission),
      textWriter: (text) => this.system.textWriter(text),
      log: { warn: () => {}, error: () => {} },
    };
    return jobExecution(services, this.limits);
  }

  /** What its limiters have given out: nothing once nothing runs. */
  get passes(): string {
    const { slots, limits } = this;
    return slots.inUse + limits.callsInFlight === 0 ? "" : `${slots.inUse} slots, ${limits.callsInFlight} calls`;
  }

  /** The effects of missions: the service's own. */
  private missions(): Readonly<Record<string, EffectHandler>> {
    const system = this.system as unknown as TroupeSystem;
    return missionEffects({
      services: servicesOf(system, this.models, this.scheduler),
      missions: NO_MISSIONS,
      clock: this.clock,
      chance: { fraction: () => 1 },
      log: { info: () => {}, warn: () => {}, error: () => {} },
    });
  }

  /** The effect of `add_with_effect`: a step outside, and then its report, until somebody takes it. */
  private counting(): EffectHandler {
    const report = async (effect: EffectRow, { epoch, signal }: EffectContext): Promise<void> => {
      await this.scheduler.pass(this.line, `effect ${effect.actorId}`);
      while (!signal.aborted) {
        const ref = ledgerRef(effect.organizationId, effect.actorId);
        const outcome = await this.system.dispatch(ref, { kind: "effect_done", effectId: effect.id }, { epoch });
        if (outcome.ok || !isPassing(outcome.fault)) return;
        await new Promise<void>((resolve) => this.clock.after(REPORT_RETRY_MS, resolve));
      }
    };
    // A report that a drawn fault has broken is made again.
    const surely = async (effect: EffectRow, context: EffectContext): Promise<void> => {
      while (!context.signal.aborted) {
        try {
          return await report(effect, context);
        } catch {
          await this.scheduler.pass(this.line, `effect ${effect.actorId} again`);
        }
      }
    };
    return { run: surely, recover: (effect, context) => surely(effect, context) };
  }
}
