/**
 * One simulated history: one or two replicas over one model of the database, clients, faults, and a
 * seed that decides everything. After every step the invariants are checked; at the end the faults
 * are over, time passes, and everything must end.
 */
import { LEASE_TERM_MS, shardOf } from "../../actors/runtime/placement/placement.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { Callers } from "./callers.ts";
import { Conversations } from "./conversations.ts";
import { LedgerBook, WatchedDatabase } from "./ledger-book.ts";
import { LedgerClients, ORGANIZATIONS } from "./ledger-clients.ts";
import { checkLiveRecords } from "./live-records.ts";
import { Missions } from "./missions.ts";
import { Scheduler, TRACE_KEPT } from "./scheduler.ts";
import type { SimulatedGroup } from "./simulated-group.ts";
import { SimulatedReplica } from "./simulated-replica.ts";
import type { Faults } from "./simulated-wiring.ts";
import { Visitors } from "./visitors.ts";
import { type Invariant, must, Violation } from "./violation.ts";
import { ACTIONS, AMONG_REPLICAS, FAULTS, FAULTS_AMONG_REPLICAS, WITH_MISSIONS } from "./weights.ts";

/** Steps with faults. */
const STEPS = 1_200;
/** Steps of the end: far more than a healthy history needs. */
const DRAIN_STEPS = 6_000;
/** Steps of the last take-over, before and after it: what is undone, and what comes beside it. */
const BEFORE_SUCCESSION = 60;
const AFTER_SUCCESSION = 200;
const LOAD = { resume: 10, tell: 6, time: 4 };
/** Commands that wait for their answer at most. */
const CALLERS = 16;
/** Processes that live at the same time, each of which would own everything. */
const REPLICAS = 2;
/** Processes that live at the same time, in histories of replicas that divide the organizations between them. */
const TOGETHER = 3;
/** The histories of replicas have the seeds behind this one. */
export const REPLICAS_FROM = 1_000_000;

export interface Report {
  readonly seed: number;
  /** Null: all invariants have held. */
  readonly violation: { readonly invariant: Invariant | "exception"; readonly message: string } | null;
  readonly trace: string;
  readonly last: readonly string[];
  readonly steps: number;
  readonly acknowledged: number;
  readonly commits: number;
  readonly faults: number;
}

export class Simulation {
  private readonly seed: number;
  private readonly scheduler: Scheduler;
  private readonly clock = new FakeClock();
  private readonly database = new WatchedDatabase(this.clock);
  private readonly book = new LedgerBook(this.database);
  private readonly callers: Callers;
  private readonly clients: LedgerClients;
  private readonly conversations: Conversations;
  private readonly visitors: Visitors;
  private readonly missions: Missions;
  private readonly actions: Readonly<Record<keyof typeof WITH_MISSIONS, number>>;
  private readonly faults: Faults;
  /** Shards are taken from living owners too, which no lease allows: fencing must hold by itself. */
  private readonly isLawless: boolean;
  private readonly lanes: number;
  private readonly liveActors: number;
  /** The replicas by name, where they divide the organizations; null: each is alone. */
  private readonly world: Map<string, SimulatedGroup> | null;
  private replicas: SimulatedReplica[] = [];
  private born = 0;
  private steps = 0;
  private failure: unknown = null;

  constructor(seed: number, kept = TRACE_KEPT) {
    this.seed = seed;
    const scheduler = (this.scheduler = new Scheduler(seed, kept));
    this.isLawless = scheduler.happens(0.4);
    this.world = seed > REPLICAS_FROM ? new Map() : null;
    const callers = (this.callers = new Callers(scheduler, this.fail));
    this.clients = new LedgerClients({
      scheduler,
      callers,
      book: this.book,
      database: this.database,
      fail: this.fail,
      isLawless: this.isLawless,
    });
    this.conversations = new Conversations({ scheduler, callers, database: this.database });
    this.visitors = new Visitors({ scheduler, callers, database: this.database });
    this.missions = new Missions({ scheduler, callers, database: this.database });
    this.actions = this.world !== null ? AMONG_REPLICAS : seed % 3 === 0 ? WITH_MISSIONS : { ...ACTIONS, mission: 0 };
    this.faults = {
      isOn: true,
      flush: scheduler.one([0, 0.05, 0.15, 0.3]),
      call: scheduler.one(this.world === null ? [0, 0.02, 0.1] : [0.02, 0.1, 0.2]),
      struck: 0,
    };
    // Between the insert of its rows and its commit a statement is overtaken by others.
    this.database.pace = (operation) =>
      operation !== "commit"
        ? Promise.resolve()
        : new Promise((resolve) => scheduler.hold(null, "a statement commits", resolve));
    this.lanes = scheduler.one([1, 1, 2]);
    this.liveActors = scheduler.one([2, 4, 1_000]);
  }

  private readonly fail = (cause: unknown): void => void (this.failure ??= cause);

  async run(): Promise<Report> {
    try {
      this.begin();
      while (this.steps < STEPS) await this.step(() => this.act());
      await this.drain();
    } catch (cause) {
      this.failure ??= cause;
    }
    for (const { line } of this.replicas) this.scheduler.end(line);
    const { failure, scheduler, book, database } = this;
    return {
      seed: this.seed,
      violation: failure === null ? null : describe(failure),
      trace: scheduler.digest(),
      last: scheduler.last,
      steps: this.steps,
      acknowledged: book.acknowledged,
      commits: database.commits,
      faults: this.faults.struck,
    };
  }

  private async step(act: () => void): Promise<void> {
    this.steps++;
    act();
    await settle();
    this.bury();
    this.check();
  }

  private act(): void {
    switch (this.scheduler.weighted(this.actions)) {
      case "resume":
        return void (this.scheduler.resume() || this.time());
      case "command": {
        const replica = this.anyone();
        if (replica !== null && this.callers.count < CALLERS) this.clients.command(replica);
        return;
      }
      case "message": {
        const replica = this.anyone();
        return replica === null ? undefined : this.conversations.send(replica);
      }
      case "visit": {
        const replica = this.anyone();
        return replica === null || this.callers.count >= CALLERS ? undefined : this.visitors.visit(replica);
      }
      case "mission": {
        const replica = this.anyone();
        return replica === null || this.callers.count >= CALLERS ? undefined : this.missions.act(replica);
      }
      case "time":
        return this.time();
      case "connect": {
        const replica = this.anyone();
        const isHere = (organizationId: string): boolean =>
          this.world === null || replica?.serves(organizationId) === true;
        const free = this.clients.readers.filter(
          (reader) => reader.replica === null && isHere(reader.address.split("/")[0] ?? ""),
        );
        if (replica !== null && free.length > 0) this.clients.connect(this.scheduler.one(free), replica);
        return;
      }
      case "fault":
        return this.fault();
    }
  }

  private time(): void {
    const { scheduler } = this;
    this.pass(scheduler.happens(0.9) ? scheduler.below(300) : scheduler.below(4_000));
  }

  /** Time goes on; timers that fall due become waits. */
  private pass(ms: number): void {
    let left = ms;
    for (let next = this.clock.nextInMs; next !== null && next <= left; next = this.clock.nextInMs) {
      left -= Math.max(0, next);
      this.clock.step();
    }
    this.clock.jump(left);
    this.scheduler.note(`${ms} ms pass`);
  }

  private fault(): void {
    const { scheduler } = this;
    const kind = scheduler.weighted(this.world === null ? FAULTS : FAULTS_AMONG_REPLICAS);
    const replica = this.replicas.length > 0 ? scheduler.one(this.replicas) : null;
    scheduler.note(`fault: ${kind} ${replica?.line.name ?? ""}`);
    this.faults.struck++;
    switch (kind) {
      case "start":
        return void (this.replicas.length < (this.world === null ? REPLICAS : TOGETHER) && this.begin());
      case "steal":
        return this.steal(scheduler.one(ORGANIZATIONS));
      case "give_back":
        return this.giveBack();
      case "pause":
        return this.pass(LEASE_TERM_MS + scheduler.below(LEASE_TERM_MS));
      case "rest":
        return this.pass(scheduler.below(LEASE_TERM_MS));
      case "crash":
      case "kill":
        return replica === null ? undefined : this.end(replica, kind === "kill");
      case "stop":
        return void (replica?.isStarted === true && !replica.line.isFrozen && replica.stop());
      case "freeze":
      case "thaw":
        if (replica !== null) replica.line.isFrozen = kind === "freeze";
        return;
      case "cut":
      case "mend":
        if (replica !== null) replica.store.isCut = replica.placement.isCut = kind === "cut";
        return;
    }
  }

  private begin(): void {
    const { scheduler, clock, database, faults, fail, lanes, liveActors, world } = this;
    const name = `r${++this.born}`;
    const replica = new SimulatedReplica({
      name,
      seed: this.seed * 1_000 + this.born,
      scheduler,
      clock,
      database,
      faults,
      fail,
      lanes,
      liveActors,
      world,
    });
    this.replicas.push(replica);
    replica.start();
  }

  /** kill -9. Its lease runs out by itself, unless somebody has noticed the end. */
  private end(replica: SimulatedReplica, isNoticed: boolean): void {
    this.scheduler.note(`${replica.line.name} ends`);
    this.scheduler.end(replica.line);
    replica.group?.ended();
    this.callers.abandon(replica);
    this.clients.abandon(replica);
    this.replicas = this.replicas.filter((other) => other !== replica);
    const row = this.database.replicas.get(replica.line.name);
    if (isNoticed && row !== undefined) row.dead = true;
  }

  /** A process that was told to end does so. */
  private bury(): void {
    for (const replica of this.replicas) {
      if (replica.lost === null) continue;
      this.scheduler.note(`${replica.line.name} was told: ${replica.lost}`);
      this.end(replica, false);
    }
  }

  /** A replica without a process takes a shard: a statement that holds its epoch makes it wait, here for ever. */
  private steal(organizationId: string): void {
    const shard = shardOf(organizationId);
    const row = this.database.shards[shard];
    if (!this.isLawless || row === undefined || this.database.holding([shard]) !== null) return;
    this.database.replicas.set("thief", { leaseUntil: Number.POSITIVE_INFINITY, dead: false });
    row.owner = "thief";
    row.epoch++;
  }

  private giveBack(): void {
    const thief = this.database.replicas.get("thief");
    if (thief !== undefined) thief.dead = true;
  }

  /** Who is asked: mostly somebody who serves. */
  private anyone(): SimulatedReplica | null {
    const here = this.replicas.filter(({ line }) => line.isAlive);
    const serving = here.filter((replica) => ORGANIZATIONS.some((organizationId) => replica.serves(organizationId)));
    if (serving.length > 0 && this.scheduler.happens(0.9)) return this.scheduler.one(serving);
    return here.length > 0 ? this.scheduler.one(here) : null;
  }

  private check(): void {
    if (this.failure !== null) throw this.failure;
    this.book.check();
    this.conversations.check();
    this.missions.check();
    for (const organizationId of ORGANIZATIONS) {
      const serving = this.replicas.filter((replica) => replica.serves(organizationId));
      must(
        this.isLawless || serving.length <= 1,
        "owner",
        () => `${serving.map(({ line }) => line.name).join(" and ")} serve ${organizationId}`,
      );
    }
    for (const replica of this.replicas) {
      must(replica.bugs.length === 0, "bug", () => replica.bugs.join("; "));
      checkLiveRecords(replica, this.database);
    }
  }

  /** No faults any more: everything that was begun ends, and everybody sees the same. */
  private async drain(): Promise<void> {
    this.scheduler.note("no faults from here");
    this.faults.isOn = false;
    this.giveBack();
    for (const { line, store, placement } of this.replicas) {
      line.isFrozen = false;
      store.isCut = placement.isCut = false;
    }
    // Not in each history: a take-over also finds what former ones have lost.
    if (this.world === null && this.seed % 4 === 1) await this.succeed();
    const until = this.steps + DRAIN_STEPS;
    while (!this.isQuiet()) {
      must(this.steps < until, "drained", () => this.leftovers());
      await this.step(() => this.goOn());
    }
    // A run gives its passes back after its last commit. A replica whose lease runs out meanwhile has ended.
    for (const replica of this.replicas) {
      const holds = (): boolean => replica.line.isAlive && replica.passes !== "";
      while (holds() && this.steps < until) await this.step(() => this.goOn());
      must(!holds(), "limiters", () => `${replica.line.name} holds ${replica.passes}`);
    }
    for (const { address, replica, seq } of this.clients.readers) {
      const [organizationId = ""] = address.split("/");
      const stored = this.database.streams.get(address)?.length ?? 0;
      must(
        replica?.serves(organizationId) !== true || seq === stored,
        "drained",
        () => `a reader of ${address} stands at ${seq} of ${stored}`,
      );
    }
  }

  /** One more take-over, under load: what it passes over is found by no later one. */
  private async succeed(): Promise<void> {
    for (let left = BEFORE_SUCCESSION; left > 0; left--) await this.step(() => this.load());
    for (const replica of this.replicas) this.end(replica, true);
    this.begin();
    for (let left = AFTER_SUCCESSION; left > 0; left--) await this.step(() => this.load());
  }

  private load(): void {
    const { scheduler } = this;
    const kind = scheduler.weighted(LOAD);
    if (kind === "time") return this.pass(scheduler.below(60));
    if (kind === "resume") return void (scheduler.resume() || this.pass(scheduler.below(60)));
    const [replica] = this.replicas;
    if (replica !== undefined && this.callers.count < CALLERS) this.clients.command(replica, kind);
  }

  private goOn(): void {
    if (this.scheduler.resume()) return;
    if (this.replicas.length === 0) return this.begin();
    this.pass(Math.min(this.clock.nextInMs ?? 500, 500));
  }

  private isServed(): boolean {
    return ORGANIZATIONS.every((organizationId) => this.replicas.some((replica) => replica.serves(organizationId)));
  }

  private isQuiet(): boolean {
    return this.isServed() && this.leftovers() === "" && !this.scheduler.hasWaits;
  }

  private leftovers(): string {
    const { database } = this;
    const asked = [...this.callers.names(), ...this.conversations.unfinished()];
    const rows = [...database.messages(), ...database.effects(), ...database.alarms()].map((row) =>
      JSON.stringify(row),
    );
    if (asked.length + rows.length === 0) return this.isServed() ? "" : "an organization is served by nobody";
    return [...asked, ...rows].join("; ");
  }
}

function describe(cause: unknown): NonNullable<Report["violation"]> {
  if (cause instanceof Violation) return { invariant: cause.invariant, message: cause.message };
  return { invariant: "exception", message: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) };
}
