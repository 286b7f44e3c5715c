/**
 * Replicas of ledgers over a real PostgreSQL, for fault tests: each has connections of its own
 * through a proxy of its own, its clock is in a hurry, and every flush is noted. `beside` is a
 * connection that no fault meets.
 */
import postgres from "postgres";
import { newId } from "../../actors/ids.ts";
import type { Outcome } from "../../actors/fault.ts";
import type { EffectHandler } from "../../actors/runtime/outputs/effects.ts";
import type { MemberStep } from "../../actors/runtime/turns/members.ts";
import type { System } from "../../actors/runtime/system.ts";
import { type Database, openDatabase } from "../../db/client.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import { systemChance } from "../../src/wiring/clock.ts";
import { until } from "./condition.ts";
import { hurriedClock } from "./hurried-clock.ts";
import { ledgerActor, type LedgerCommand, type LedgerProtocols, ledgerRef } from "./ledger-actor.ts";
import type { StoredLedger } from "./ledger-history.ts";
import { PostgresProxy } from "./postgres-proxy.ts";
import { erased, type LogLine } from "./replica.ts";
import { bareSystem } from "./bare-system.ts";
import { EpochNotes, watchedStore } from "./watched-store.ts";

/** Lease and retries pass this much faster: renewal every 0.6 s, silence after 2 s. */
const HURRY = 4;
/** How long a replica waits for an answer of PostgreSQL; what waits for a lock here is let go sooner. */
const ANSWER_MS = 3_000;
/** Organizations, so that ledgers lie on several shards. */
const ORGANIZATIONS = 8;

const allOrganizations = Array.from({ length: ORGANIZATIONS }, (_, i) => `org_${i}`);

/** `l17` belongs to one organization for ever. */
export const organizationOf = (ledger: string): string => `org_${Number(/\d+/.exec(ledger)?.[0] ?? 0) % ORGANIZATIONS}`;
export const refOf = (ledger: string) => ledgerRef(organizationOf(ledger), ledger);

export interface BenchOptions {
  readonly liveActors?: number;
}

export class BenchReplica {
  readonly id = newId("rpl");
  readonly proxy: PostgresProxy;
  readonly system: System<LedgerProtocols>;
  readonly log: LogLine[] = [];
  /** Why it was told to end; it serves nothing from then on. */
  readonly lost: string[] = [];
  private readonly database: Database;
  private readonly placement: PostgresPlacement;

  constructor(url: string, proxy: PostgresProxy, notes: EpochNotes, options: BenchOptions) {
    this.proxy = proxy;
    this.database = openDatabase(proxy.urlOf(url), { answerMs: ANSWER_MS });
    this.placement = new PostgresPlacement(this.database, {
      id: this.id,
      address: "127.0.0.1:0",
      build: "test",
      folder: null,
    });
    const at = (level: LogLine["level"]) => (fields: object, message: string) =>
      void this.log.push({ level, message, fields });
    this.system = bareSystem<LedgerProtocols>({
      ...options,
      definitions: [erased(ledgerActor())],
      store: watchedStore(new PostgresActorStore(this.database), notes),
      placement: this.placement,
      clock: hurriedClock(HURRY),
      chance: systemChance,
      log: { debug: at("debug"), warn: at("warn"), error: at("error") },
      onLost: (reason) => void this.lost.push(reason),
    });
    this.system.handle({ count: this.counting() });
  }

  /** Whether it refuses every organization, for lack of a lease or of shards. */
  get isSilent(): boolean {
    return allOrganizations.every((organization) => !this.system.shards.admit(organization, {}).ok);
  }

  async start(): Promise<void> {
    await this.placement.join();
    await this.system.start();
  }

  async stop(): Promise<void> {
    this.proxy.thaw();
    this.proxy.forgive();
    // One that has lost its database cannot store its volatile state, and need not.
    await this.system.stop().catch(() => {});
    await this.database.close();
    await this.proxy.close();
  }

  /** An effect whose work is one report; it is reported until a turn has answered. */
  private counting(): EffectHandler {
    const report: EffectHandler["run"] = async (effect, { epoch, signal }) => {
      const ref = ledgerRef(effect.organizationId, effect.actorId);
      while (!signal.aborted) {
        const done = await this.system.dispatch(ref, { kind: "effect_done", effectId: effect.id }, { epoch });
        if (done.ok || done.fault.kind === "outcome_unknown") return;
        await Bun.sleep(5);
      }
    };
    return { run: report, recover: report };
  }
}

export class LedgerBench {
  readonly notes = new EpochNotes();
  readonly replicas: BenchReplica[] = [];
  readonly beside: postgres.Sql;
  url: string;
  private first = 0;

  constructor(url: string) {
    this.url = url;
    // Faults end its sessions too, so it reconnects without a wait.
    this.beside = postgres(url, { max: 3, onnotice: () => {}, backoff: () => 0.02 });
  }

  static async open(url: string, options: BenchOptions = {}): Promise<LedgerBench> {
    const bench = new LedgerBench(url);
    await bench.addReplica(options);
    return bench;
  }

  /** Replicas that have not been told to end. */
  get living(): BenchReplica[] {
    return this.replicas.filter((replica) => replica.lost.length === 0);
  }

  /** The server is at another port now. */
  turnTo(url: string): void {
    this.url = url;
    for (const { proxy } of this.replicas) proxy.turnTo(url);
  }

  async addReplica(options: BenchOptions = {}): Promise<BenchReplica> {
    const replica = new BenchReplica(this.url, await PostgresProxy.open(this.url), this.notes, options);
    this.replicas.push(replica);
    await replica.start();
    return replica;
  }

  /** Ends the replicas there are; the new one owns everything. */
  async replaceReplica(options: BenchOptions): Promise<BenchReplica> {
    await Promise.all(this.replicas.splice(0).map((replica) => replica.stop()));
    return this.addReplica(options);
  }

  get replica(): BenchReplica {
    return this.replicas[0]!;
  }

  ask(ledger: string, command: LedgerCommand): Promise<Outcome<unknown>> {
    return this.route((system) => system.dispatch(refOf(ledger), command));
  }

  group(members: readonly MemberStep[]): Promise<Outcome<readonly unknown[]>> {
    return this.route((system) => system.dispatchGroup(members));
  }

  /** Resolves when every replica that is not lost serves, and together they serve every shard. */
  async serving(): Promise<void> {
    const { living } = this;
    await until("all shards are served", () => {
      const served = new Set(living.flatMap(({ system }) => system.shards.all()));
      return served.size === 128 && living.every(({ system }) => !system.shards.all().length || system.isReady);
    });
    await until("all ledgers answer", async () => {
      const answers = await Promise.all(
        Array.from({ length: ORGANIZATIONS }, (_, i) => this.ask(`l${i}`, { kind: "read" })),
      );
      return answers.every((answer) => answer.ok);
    });
  }

  /** What is stored, once nothing is undone any more. */
  async stored(): Promise<{ ledgers: StoredLedger[]; undone: number; sent: EpochNotes["sent"] }> {
    let undone = await this.undone();
    await until("every promise is kept", async () => (undone = await this.undone()) === 0).catch(() => {});
    const records = await this.beside<
      { id: string; body: { count: number; lastSeq: number } }[]
    >`select id, body from chat`;
    const events = await this.beside<{ stream: string; seqs: number[]; bys: string[] }[]>`
      select stream, array_agg(seq order by seq) as seqs, array_agg(data ->> 'by' order by seq) as bys from event group by stream`;
    const byStream = new Map(
      events.map(({ stream, seqs, bys }) => [stream, seqs.map((seq, i) => ({ seq, by: Number(bys[i]) }))]),
    );
    const ledgers = records.map(({ id, body }) => ({
      id,
      count: body.count,
      lastSeq: body.lastSeq,
      events: byStream.get(id) ?? [],
    }));
    for (const [id, found] of byStream) {
      if (!records.some((record) => record.id === id)) ledgers.push({ id, count: 0, lastSeq: 0, events: found });
    }
    return { ledgers, undone, sent: this.notes.sent };
  }

  async close(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await this.beside.end({ timeout: 1 });
  }

  /** Messages, effects and alarms that nobody has taken yet. */
  async undone(): Promise<number> {
    const [row] = await this.beside<{ n: number }[]>`
      select ((select count(*) from actor_message) + (select count(*) from effect) + (select count(*) from alarm))::int as n`;
    return row!.n;
  }

  /** Asks one replica after the other, the one that answered last first: `unavailable` says that nothing was done. */
  private async route<T>(ask: (system: System<LedgerProtocols>) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const { length } = this.replicas;
    const { first } = this;
    for (let i = 0; ; i++) {
      const at = (first + i) % length;
      const outcome = await ask(this.replicas[at]!.system);
      if (outcome.ok || outcome.fault.kind !== "unavailable" || i === length - 1) return outcome;
      this.first = (at + 1) % length;
    }
  }
}
