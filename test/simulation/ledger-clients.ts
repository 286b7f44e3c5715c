/**
 * The clients of ledgers: they draw commands and readers, give them to a replica, and hold what they
 * are told against the book.
 */
import { isPassing, type Outcome } from "../../actors/fault.ts";
import { LARGE_BYTES } from "../../actors/runtime/commit/flush-queue.ts";
import type { StreamItem } from "../../actors/runtime/streams/replay.ts";
import type { MemberStep } from "../../actors/runtime/turns/members.ts";
import { type Ledger, type LedgerCommand, ledgerRef } from "../support/ledger-actor.ts";
import { type Callers, isDrawn } from "./callers.ts";
import type { Address, LedgerBook, WatchedDatabase, Write } from "./ledger-book.ts";
import type { SimulatedReplica } from "./simulated-replica.ts";
import type { Scheduler } from "./scheduler.ts";
import { must, Violation } from "./violation.ts";

/** The last one shares the shard of the first: two statements of one shard may be in flight. */
export const ORGANIZATIONS = ["org_a", "org_b", "org_az"];
const IDS = ["x", "y", "z"];
const LONG_NOTE = "x".repeat(LARGE_BYTES);
/** Every fifth change is large, so that two statements are in flight. */
const noteOf = ({ key }: Write): string => (key % 5 === 0 ? LONG_NOTE : "");
/** Alarms are due within this time: some past the horizon in memory. */
const ALARM_WITHIN_MS = 90_000;

const COMMANDS = {
  add: 30,
  read: 16,
  refuse: 4,
  fall: 1,
  tell: 10,
  effect: 8,
  wake: 7,
  wake_and_refuse: 1,
  sleep: 2,
  say: 3,
  begin_text: 2,
  pair: 10,
  half: 4,
  chain: 3,
  list: 3,
};

interface Reader {
  readonly address: Address;
  seq: number;
  /** Where it reads now; null between two connections. */
  replica: SimulatedReplica | null;
}

interface Parts {
  readonly scheduler: Scheduler;
  readonly callers: Callers;
  readonly book: LedgerBook;
  readonly database: WatchedDatabase;
  /** A former owner may not know yet that it is one: what it shows is stored, but may be old. */
  readonly isLawless: boolean;
  /** Takes what went wrong, from wherever it is found. */
  readonly fail: (cause: unknown) => void;
}

export class LedgerClients {
  readonly readers: Reader[] = [];
  private readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
    for (const organizationId of ORGANIZATIONS) {
      for (const id of IDS) this.readers.push({ address: `${organizationId}/${id}`, seq: 0, replica: null });
    }
  }

  /** One command, drawn unless given, to one or two ledgers of an organization. */
  command(replica: SimulatedReplica, drawn?: keyof typeof COMMANDS): void {
    const { scheduler, book, database } = this.parts;
    const kind = drawn ?? scheduler.weighted(COMMANDS);
    const organizationId = scheduler.one(ORGANIZATIONS);
    const id = scheduler.one(IDS);
    const to = scheduler.one(IDS.filter((other) => other !== id));
    const [address, other] = [`${organizationId}/${id}`, `${organizationId}/${to}`];
    const one = (command: LedgerCommand): MemberStep[] => [{ ref: ledgerRef(organizationId, id), command }];
    const adds = (by: number) => ({ ref: ledgerRef(organizationId, to), command: { kind: "add", by } });
    const dueAtMs = database.clock.now() + scheduler.below(ALARM_WITHIN_MS);
    switch (kind) {
      case "add": {
        const write = book.begin({ ledgers: [address] });
        return this.send(replica, kind, one({ kind, by: write.key, note: noteOf(write) }), write);
      }
      case "tell": {
        const write = book.begin({ ledgers: [address], tells: other });
        return this.send(replica, kind, one({ kind: "add_and_tell", by: write.key, to, note: noteOf(write) }), write);
      }
      case "effect": {
        const write = book.begin({ ledgers: [address], hasEffect: true });
        return this.send(replica, kind, one({ kind: "add_with_effect", by: write.key }), write);
      }
      case "wake": {
        const write = book.begin({ wakes: address });
        return this.send(replica, kind, one({ kind: "wake_at", by: write.key, dueAtMs }), write);
      }
      case "pair": {
        const write = book.begin({ ledgers: [address, other] });
        return this.send(replica, kind, [...one({ kind: "add", by: write.key }), adds(write.key)], write);
      }
      case "chain": {
        const write = book.begin({ ledgers: [address, other] });
        const next: MemberStep = ([count]) => (count === undefined ? null : adds(write.key));
        return this.send(replica, kind, [...one({ kind: "add", by: write.key }), next], write);
      }
      case "half": {
        const write = book.begin({ ledgers: [address, other] });
        const refusing = { ref: ledgerRef(organizationId, to), command: { kind: "refuse_after_writing" } };
        return this.send(replica, kind, [...one({ kind: "add", by: write.key }), refusing], write);
      }
      case "read":
        return this.read(replica, address);
      case "list":
        return this.list(replica, organizationId);
      case "sleep":
        book.sleeps(address);
        return this.send(replica, `sleep ${address}`, one({ kind: "sleep_on" }), null);
      case "wake_and_refuse":
        return this.send(replica, kind, one({ kind, dueAtMs }), null);
      case "refuse":
        return this.send(replica, kind, one({ kind: "refuse_after_writing" }), null);
      case "say":
        return this.send(replica, kind, one({ kind, text: "and " }), null);
      case "begin_text":
      case "fall":
        return this.send(replica, kind, one({ kind }), null);
    }
  }

  /** The process is gone: its readers have to connect again. */
  abandon(replica: SimulatedReplica): void {
    for (const reader of this.readers) if (reader.replica === replica) reader.replica = null;
  }

  /** A reader connects, from where it had come to. */
  connect(reader: Reader, replica: SimulatedReplica): void {
    const { scheduler, fail } = this.parts;
    scheduler.note(`a reader of ${reader.address} after ${reader.seq} at ${replica.line.name}`);
    reader.replica = replica;
    void this.follow(reader, replica).catch((cause: unknown) => {
      if (cause instanceof Violation) return fail(cause);
      if (reader.replica === replica) reader.replica = null;
    });
  }

  private async follow(reader: Reader, replica: SimulatedReplica): Promise<void> {
    const [organizationId = "", id = ""] = reader.address.split("/");
    const subscription = replica.system.subscribe(ledgerRef(organizationId, id), reader.seq);
    const isHere = (): boolean => replica.line.isAlive && reader.replica === replica;
    try {
      while (isHere()) {
        const items = await subscription.next();
        if (!isHere()) return;
        // Its stream goes on at another replica.
        if (items.length === 0) return void (reader.replica = null);
        for (const item of items) this.take(reader, item);
        await this.parts.scheduler.pass(replica.line, `a reader of ${reader.address} has come to ${reader.seq}`);
      }
    } finally {
      subscription.close();
    }
  }

  private take(reader: Reader, item: StreamItem): void {
    const stored = this.parts.database.streams.get(reader.address) ?? [];
    if (item.kind === "event") {
      const { seq, data } = item.event;
      must(seq === reader.seq + 1, "reader", () => `${reader.address}: seq ${seq} after ${reader.seq}`);
      must(
        stored[seq - 1]?.data["by"] === data["by"],
        "reader",
        () =>
          `${reader.address}: seq ${seq} shows ${String(data["by"])}, stored is ${String(stored[seq - 1]?.data["by"])}`,
      );
      reader.seq = seq;
      return;
    }
    // Each turn that adds says its seq: the reader has the event by then.
    for (const seq of item.text.split(" ").filter((word) => /^\d+$/.test(word))) {
      must(Number(seq) <= reader.seq, "reader", () => `${reader.address}: the text of seq ${seq} at ${reader.seq}`);
    }
  }

  private read(replica: SimulatedReplica, address: Address): void {
    const { book, isLawless } = this.parts;
    const [organizationId = "", id = ""] = address.split("/");
    const floor = isLawless ? 0 : book.floor(address);
    const members = [{ ref: ledgerRef(organizationId, id), command: { kind: "read" } }];
    this.send(replica, `read ${address}`, members, null, ([ledger]) =>
      book.shown(address, ledger as Ledger | null, floor),
    );
  }

  private list(replica: SimulatedReplica, organizationId: string): void {
    this.await(replica, `list ${organizationId}`, replica.system.settled(organizationId), null, () => {});
  }

  private send(
    replica: SimulatedReplica,
    what: string,
    members: MemberStep[],
    write: Write | null,
    onValue?: (replies: readonly unknown[]) => void,
  ): void {
    const { book } = this.parts;
    const told =
      onValue ??
      ((replies) => {
        if (write !== null)
          book.acknowledge(
            write,
            write.ledgers.map((_, i) => (typeof replies[i] === "number" ? replies[i] : null)),
          );
      });
    const name = write === null ? what : `${what} ${write.key} ${write.wakes ?? write.ledgers.join()}`;
    const [first] = members;
    const { organizationId } = (first as { readonly ref: { readonly organizationId: string } }).ref;
    this.await(replica, name, replica.request(organizationId, members), write, (value) =>
      told(value as readonly unknown[]),
    );
  }

  private await(
    replica: SimulatedReplica,
    what: string,
    answer: Promise<Outcome<unknown>>,
    write: Write | null,
    onValue: (value: unknown) => void,
  ): void {
    this.parts.callers.wait(replica, what, answer, {
      answered: (outcome) => (outcome.ok ? onValue(outcome.value) : refuse(outcome, write)),
      threw: (cause) => broken(cause, what, write),
      abandoned: () => {
        if (write !== null) write.answer = "unknown";
      },
    });
  }
}

function refuse(outcome: Extract<Outcome<unknown>, { ok: false }>, write: Write | null): void {
  const { fault } = outcome;
  must(isPassing(fault) || fault.kind === "invalid_request", "bug", () => `an answer of ${fault.kind}`);
  if (write !== null) write.answer = fault.kind === "outcome_unknown" ? "unknown" : "refused";
}

function broken(cause: unknown, what: string, write: Write | null): void {
  must(
    isDrawn(cause) || what === "fall",
    "bug",
    () => `${what}: ${String(cause)} ${String(cause instanceof Error ? cause.cause : "")}`,
  );
  if (write !== null) write.answer = "refused";
}
