/**
 * The book of all writes: what each was, what its client was told, and whether what is stored agrees.
 * The key of a write is the amount that it adds, so the stored events name the writes. It watches
 * every commit of the model, because an alarm's history cannot be seen in the tables afterwards.
 */
import type { ShardWrites } from "../../actors/runtime/store.ts";
import type { Ledger } from "../support/ledger-actor.ts";
import { MemoryDatabase, streamOf } from "../support/memory-database.ts";
import { must } from "./violation.ts";

/** What an effect adds when it is done; keys are far above it. */
const EFFECT_DONE = 1;
const FIRST_KEY = 10_000;

/** A ledger as `organization/id`. */
export type Address = string;

export interface Write {
  readonly key: number;
  /** The ledgers that must all have it, or none; none for an alarm, which adds later. */
  readonly ledgers: readonly Address[];
  /** The ledger that its message adds to. */
  readonly tells: Address | null;
  /** The ledger whose alarm it sets. */
  readonly wakes: Address | null;
  readonly hasEffect: boolean;
  answer: "pending" | "acknowledged" | "refused" | "unknown";
}

interface Account {
  /** Place of each key. */
  readonly places: Map<number, number>;
  /** The count after each event. */
  readonly sums: number[];
  effectsDone: number;
}

/** The model, with an eye on every commit. */
export class WatchedDatabase extends MemoryDatabase {
  onCommit: (groups: readonly ShardWrites[]) => void = () => {};
  /** Rises with each commit. */
  commits = 0;

  override commit(batch: readonly ShardWrites[], live: ReadonlySet<number>, position?: number): void {
    super.commit(batch, live, position);
    this.commits++;
    this.onCommit(batch.filter((group) => live.has(group.shard)));
  }
}

export class LedgerBook {
  readonly writes = new Map<number, Write>();
  private readonly database: WatchedDatabase;
  private accounts = new Map<Address, Account>();
  private readonly floors = new Map<Address, number>();
  /** The key of each alarm's row, and the keys whose row has ever been stored. */
  private readonly alarms = new Map<Address, number | null>();
  private readonly alarmsStored = new Set<number>();
  /** Ledgers whose alarm somebody has asked to clear. */
  private readonly sleepers = new Set<Address>();
  private readonly epochs = new Map<Address, number>();
  private checked = -1;
  private failure: unknown = null;
  acknowledged = 0;

  constructor(database: WatchedDatabase) {
    this.database = database;
    database.onCommit = (groups) => {
      // Not thrown here: the commit would seem to fail, and the runtime would take it for an outcome.
      try {
        for (const group of groups) this.follow(group);
      } catch (cause) {
        this.failure ??= cause;
      }
    };
  }

  begin(write: Partial<Omit<Write, "key" | "answer">>): Write {
    const key = FIRST_KEY + this.writes.size;
    const begun: Write = { ledgers: [], tells: null, wakes: null, hasEffect: false, ...write, key, answer: "pending" };
    this.writes.set(key, begun);
    return begun;
  }

  sleeps(address: Address): void {
    this.sleepers.add(address);
  }

  /** The write is acknowledged, and each of its ledgers was said to count this. */
  acknowledge(write: Write, counts: readonly (number | null)[]): void {
    write.answer = "acknowledged";
    this.acknowledged++;
    this.read();
    must(
      write.wakes === null || this.alarmsStored.has(write.key),
      "stored",
      () => `the alarm ${write.key} of ${write.wakes}`,
    );
    write.ledgers.forEach((address, i) => {
      const account = this.accounts.get(address);
      const place = account?.places.get(write.key);
      must(place !== undefined, "stored", () => `${write.key} in ${address}`);
      const count = counts[i];
      const stored = account?.sums[place];
      must(
        count === null || count === undefined || count === stored,
        "gate",
        () => `the reply to ${write.key} counts ${count}, stored is ${stored}`,
      );
      this.floors.set(address, Math.max(this.floor(address), place + 1));
    });
  }

  /** Events of the ledger that have been acknowledged so far. */
  floor(address: Address): number {
    return this.floors.get(address) ?? 0;
  }

  /** A reader was shown this record; `floor` had been acknowledged when it asked. */
  shown(address: Address, ledger: Ledger | null, floor: number): void {
    const { lastSeq, count } = ledger ?? { lastSeq: 0, count: 0 };
    this.read();
    const stored = lastSeq === 0 ? 0 : this.accounts.get(address)?.sums[lastSeq - 1];
    must(stored === count, "gate", () => `${address} was shown with ${count} at seq ${lastSeq}, stored is ${stored}`);
    must(lastSeq >= floor, "gate", () => `${address} was shown at seq ${lastSeq} after ${floor} had been acknowledged`);
  }

  /** The invariants of what is stored. */
  check(): void {
    if (this.failure !== null) throw this.failure;
    if (!this.read()) return;
    for (const write of this.writes.values()) this.checkWrite(write);
    this.checkEffects();
  }

  private has(address: Address, key: number): boolean {
    return this.accounts.get(address)?.places.has(key) === true;
  }

  private checkWrite(write: Write): void {
    const { key, ledgers, tells, wakes, answer } = write;
    const stored = ledgers.filter((address) => this.has(address, key));
    must(
      stored.length === 0 || stored.length === ledgers.length,
      "whole",
      () => `${key} is in ${stored.join()} of ${ledgers.join()}`,
    );
    if (answer === "acknowledged")
      must(stored.length === ledgers.length, "stored", () => `${key} is in ${stored.length} of ${ledgers.join()}`);
    if (answer === "refused") {
      must(
        stored.length === 0 && (wakes === null || !this.alarmsStored.has(key)),
        "refused",
        () => `${key} in ${ledgers.join()}`,
      );
    }
    if (tells === null) return;
    const rows = this.database.messages().filter(({ command }) => "by" in command && command.by === key).length;
    const taken = this.has(tells, key) ? 1 : 0;
    must(
      rows + taken === (stored.length > 0 ? 1 : 0),
      "message",
      () => `${key} to ${tells}: ${rows} rows, taken ${taken} times`,
    );
  }

  private checkEffects(): void {
    const wanted = new Map<Address, number>();
    for (const { key, hasEffect, ledgers } of this.writes.values()) {
      const [address = ""] = ledgers;
      if (hasEffect && this.has(address, key)) wanted.set(address, (wanted.get(address) ?? 0) + 1);
    }
    for (const [address, { effectsDone }] of this.accounts) {
      const rows = this.database
        .effects()
        .filter((row) => row.kind === "count" && streamOf(row.organizationId, row.actorId) === address).length;
      must(
        rows + effectsDone === (wanted.get(address) ?? 0),
        "effect",
        () => `${address}: ${rows} rows, ${effectsDone} done, ${wanted.get(address) ?? 0} wanted`,
      );
    }
  }

  /** Reads the streams of ledgers; false when nothing has been committed since the last time. */
  private read(): boolean {
    if (this.checked === this.database.commits) return false;
    this.checked = this.database.commits;
    this.accounts = new Map();
    for (const [address, events] of this.database.streams) {
      if (events[0]?.type !== "added") continue;
      const account: Account = { places: new Map(), sums: [], effectsDone: 0 };
      this.accounts.set(address, account);
      let sum = 0;
      events.forEach(({ seq, data }, place) => {
        const by = Number(data["by"]);
        must(seq === place + 1, "sequence", () => `${address}: seq ${seq} stands at place ${place + 1}`);
        account.sums.push((sum += by));
        if (by === EFFECT_DONE) return void account.effectsDone++;
        must(!account.places.has(by), "once", () => `${by} is twice in ${address}`);
        account.places.set(by, place);
        const { ledgers = [], tells = null, wakes = null } = this.writes.get(by) ?? {};
        must(
          ledgers.includes(address) || tells === address || wakes === address,
          "once",
          () => `nobody wrote ${by} to ${address}`,
        );
      });
      const [organizationId = "", id = ""] = address.split("/");
      const record = this.database.record("chat", organizationId, id) as Ledger | null;
      must(
        record?.lastSeq === events.length && record.count === sum,
        "sequence",
        () =>
          `${address} has ${events.length} events of ${sum}, its record says ${record?.lastSeq} and ${record?.count}`,
      );
    }
    return true;
  }

  /** Follows the rows of alarms through a commit, and the epochs under which streams were written. */
  private follow({ shard, epoch, writes }: ShardWrites): void {
    must(
      epoch === this.database.shards[shard]?.epoch,
      "fenced",
      () => `shard ${shard} is at ${this.database.shards[shard]?.epoch}, stored is a group of ${epoch}`,
    );
    const fired = new Set<string>();
    for (const { organizationId, stream, data } of writes.events) {
      const address = streamOf(organizationId, stream);
      must(epoch >= (this.epochs.get(address) ?? 0), "fenced", () => `${address} went back to epoch ${epoch}`);
      this.epochs.set(address, epoch);
      const key = Number(data["by"]);
      if (this.writes.get(key)?.wakes !== address) continue;
      fired.add(`${address}:${key}`);
      const clears = writes.cleared.some((row) => streamOf(row.organizationId, row.actorId) === address);
      must(
        clears && this.alarms.get(address) === key,
        "alarm",
        () => `${address}: ${key} fired while ${this.alarms.get(address)} stood`,
      );
    }
    for (const row of writes.cleared) {
      const address = streamOf(row.organizationId, row.actorId);
      const key = this.alarms.get(address) ?? null;
      const isAnswered = key === null || this.sleepers.has(address) || fired.has(`${address}:${key}`);
      must(isAnswered, "alarm", () => `${address}: ${key} went without its turn`);
      this.alarms.delete(address);
    }
    for (const row of writes.alarms) {
      const key = "by" in row.command ? Number(row.command.by) : null;
      this.alarms.set(streamOf(row.organizationId, row.actorId), key);
      if (key !== null) this.alarmsStored.add(key);
    }
  }
}
