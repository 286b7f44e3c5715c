/**
 * Runs turn groups: admission, cells, records, turns, and the gate that everything passes on its
 * way out. One `GroupRun` is one dispatch from its first attempt to its answer.
 *
 *   attempt ─ not admitted ───────────────▶ refusal at once
 *      │  ─ a record is missing ──▶ load ──▶ attempt again
 *      │  ─ a turn refuses ──▶ wait for what it has seen ──▶ refusal
 *      │  ─ nothing written ─▶ wait for what it has seen ──▶ outputs, reply
 *      └─ written ──▶ lane ─┬─ committed ──▶ outputs, reply
 *                           ├─ undercut ───▶ attempt again
 *                           └─ fenced, unavailable, unknown, broken ──▶ 503, 503, 503, exception
 *
 * What a turn has seen may be uncommitted work of an earlier group of the same actors. So even a
 * refusal waits for it: nobody is told of a state that may never have been. It waits for the records
 * that it has read, not for others of the same actor; but what a turn says to the readers of a stream
 * comes after all that was said before, so it waits for the actor.
 */
import { assert } from "../assert.ts";
import { type Fault, type Outcome, ok, refuse } from "../fault.ts";
import type { ActorRef, RecordKey } from "./actor.ts";
import type { Cell } from "./cell.ts";
import type { Cells } from "./cells.ts";
import type { Chance, Clock } from "./clock.ts";
import { CellDraft, Draft, MissingRecord, recordKey } from "./draft.ts";
import type { FlushLane } from "./flush.ts";
import { type Ending, GroupBroken, TurnGroup } from "./group.ts";
import type { Loader } from "./loader.ts";
import { type DispatchOptions, type Place, type Shards, UNAVAILABLE } from "./shards.ts";
import { Stay } from "./stay.ts";
import { type AlarmKey, noWrites, type Writes } from "./store.ts";
import { GroupTx } from "./tx.ts";

/** A group that has been undercut this often stands in a storm; the client had better come back. */
const UNDERCUT_ATTEMPTS = 5;
/** What a caller of a full mailbox waits before it tries again. */
const OVERLOADED_RETRY_MS = 1_000;
/** A turn that asks for more records one by one than this is a bug. */
const LOAD_ROUNDS = 64;

export interface Member {
  readonly ref: ActorRef;
  readonly command: { readonly kind: string };
  /** No turn of the group, but a message of its commit: delivered once after it, and nobody is replied to. */
  readonly isMessage?: true;
}
/** A member of a group, or how it follows from the replies before it; null leaves it out. */
export type MemberStep = Member | ((replies: readonly unknown[]) => Member | null);

export interface TurnHost {
  readonly cells: Cells;
  readonly shards: Shards;
  readonly loader: Loader;
  readonly clock: Clock;
  readonly chance: Chance;
  laneOf(shard: number): FlushLane;
  /** A group that is on its way to the store replaces or clears this alarm; the answer is called when it has ended. */
  supersede(key: AlarmKey): () => void;
  /** Starts what a committed group asked for: births, messages, effects, alarms. */
  release(draft: Draft, place: Place): void;
}

export class GroupRun {
  private readonly host: TurnHost;
  private readonly steps: readonly MemberStep[];
  private readonly options: DispatchOptions;
  private readonly stay = new Stay();
  private undercut = 0;
  private loads = 0;
  private resolve!: (outcome: Outcome<readonly unknown[]>) => void;
  private reject!: (cause: unknown) => void;

  constructor(host: TurnHost, steps: readonly MemberStep[], options: DispatchOptions) {
    this.host = host;
    this.steps = steps;
    this.options = options;
  }

  /** Calls one of both, once: `resolve` with the replies or a refusal, `reject` for bugs. */
  start(resolve: (outcome: Outcome<readonly unknown[]>) => void, reject: (cause: unknown) => void): void {
    this.resolve = resolve;
    this.reject = reject;
    this.attempt();
  }

  private attempt(): void {
    try {
      this.run();
    } catch (cause) {
      if (cause instanceof MissingRecord) this.load(cause.cell, [cause.key]);
      else this.fail(cause);
    }
  }

  private run(): void {
    if (this.options.stands?.() === false) return this.answer(ok([]));
    const at = this.host.clock.monotonic();
    const draft = new Draft(this.host.clock.now(), this.host.chance.text);
    const replies: unknown[] = [];
    let place: Place | null = null;
    for (const step of this.steps) {
      const member = typeof step === "function" ? step(replies) : step;
      if (member === null) {
        replies.push(undefined);
        continue;
      }
      const admitted = this.host.shards.admit(member.ref.organizationId, this.options);
      if (!admitted.ok) return this.answer(admitted);
      assert(place === null || place.shard === admitted.value.shard, "a turn group stays on one shard");
      place = admitted.value;
      if (member.isMessage === true) {
        draft.send(member.ref, member.command);
        replies.push(undefined);
        continue;
      }
      const cell = this.host.cells.get(member.ref, place, at);
      if (!this.stay.enter(cell, member.command, at)) return this.answer(refuse(OVERLOADED));
      if (this.loadNeeds(cell, member)) return;
      const outcome = turn(draft, cell, member);
      if (!outcome.ok) return this.refuseAfterGate(draft, place, outcome.fault);
      replies.push(outcome.value);
    }
    assert(place !== null, "a turn group has a member");
    this.finish(draft, place, replies);
  }

  private finish(draft: Draft, place: Place, replies: readonly unknown[]): void {
    const { consumes, clears } = this.options;
    draft.keepInMind();
    if (draft.isEmpty && clears === undefined && consumes === undefined) {
      return this.gate(draft, () => this.leave(draft, place, ok(replies)));
    }
    const writes = draft.seal();
    const supersessions = this.supersede(writes);
    if (clears !== undefined) writes.cleared.unshift(clears);
    if (consumes !== undefined) writes.consumed.push(consumes);
    this.stay.wait();
    const bytes = 256 + this.stay.bytes;
    const conclude = (ending: Ending): void => {
      for (const end of supersessions) end();
      this.concluded(ending, () => this.leave(draft, place, ok(replies)));
    };
    const unborn = this.host.cells.unborn(draft.births, place, this.host.clock.monotonic());
    this.host
      .laneOf(place.shard)
      .push(new TurnGroup(place, { writes, drafts: [...draft.cells, ...unborn], bytes }, conclude));
  }

  /** The alarm that it answers stands until the commit: the group may have to run again. */
  private supersede({ alarms, cleared }: Writes): readonly (() => void)[] {
    const own = this.options.clears;
    if (alarms.length + cleared.length === 0) return [];
    const isOther = (key: AlarmKey): boolean => own?.actorId !== key.actorId || own.name !== key.name;
    return [...alarms, ...cleared].filter(isOther).map((key) => this.host.supersede(key));
  }

  /** A refusal writes nothing, except that a message or an alarm is answered by it all the same. */
  private refuseAfterGate(draft: Draft, place: Place, fault: Fault): void {
    const { consumes, clears } = this.options;
    if (consumes === undefined && clears === undefined) return this.gate(draft, () => this.answer(refuse(fault)));
    const writes = noWrites();
    if (consumes !== undefined) writes.consumed.push(consumes);
    if (clears !== undefined) writes.cleared.push(clears);
    const drafts = draft.cells.map((d) => new CellDraft(d.cell));
    this.stay.wait();
    const group = new TurnGroup(place, { writes, drafts, bytes: 256 }, (ending) =>
      this.concluded(ending, () => this.answer(refuse(fault))),
    );
    this.host.laneOf(place.shard).push(group);
  }

  /** Runs `then` once everything that the draft has seen is committed; at once when it is. */
  private gate(draft: Draft, then: () => void): void {
    let last: TurnGroup | null = null;
    for (const { cell, publications, seen } of draft.cells) {
      const pending = publications.length > 0 ? cell.lastPending : seen;
      if (pending !== null && (last === null || pending.order > last.order)) last = pending;
    }
    if (last === null) return then();
    this.stay.wait();
    last.follow((ending) => {
      // The last group does not speak for an earlier one of another of the actors.
      const isUndercut = ending.kind === "committed" && draft.cells.some(({ cell }) => cell.dead);
      if (isUndercut || ending.kind === "undercut") draft.forget();
      this.concluded(isUndercut ? { kind: "undercut" } : ending, then);
    });
  }

  private concluded(ending: Ending, then: () => void): void {
    switch (ending.kind) {
      case "committed":
        return then();
      case "undercut":
        if (++this.undercut >= UNDERCUT_ATTEMPTS) this.answer(refuse(OVERLOADED));
        else this.attempt();
        return;
      case "fenced":
      case "unavailable":
        return this.answer(refuse(UNAVAILABLE));
      case "unknown":
        return this.answer(refuse({ kind: "outcome_unknown", retryAfterMs: OVERLOADED_RETRY_MS }));
      case "broken":
        return this.fail(new GroupBroken(`the store refused the group (${ending.code})`, { cause: ending.cause }));
    }
  }

  private loadNeeds(cell: Cell, member: Member): boolean {
    let missing: RecordKey[] | null = null;
    for (const key of cell.definition.needs(cell.ref, member.command))
      if (cell.get(recordKey(key.table, key.id)) === undefined) (missing ??= []).push(key);
    if (missing === null) return false;
    this.load(cell, missing);
    return true;
  }

  private load(cell: Cell, keys: readonly RecordKey[]): void {
    if (++this.loads > LOAD_ROUNDS) return this.fail(new Error(`${cell.ref.kind} keeps asking for records`));
    this.stay.wait();
    this.stay.hold(cell, keys);
    this.host.loader.into(cell, keys).then(
      () => this.attempt(),
      () => this.answer(refuse(UNAVAILABLE)),
    );
  }

  private leave(draft: Draft, place: Place, outcome: Outcome<readonly unknown[]>): void {
    for (const { cell, publications } of draft.cells) {
      if (publications.length === 0) continue;
      const replay = this.host.cells.streamOf(cell);
      for (const p of publications) {
        if (p.kind === "event") replay.publish(p.event);
        else if (p.kind === "add") replay.addText(p.messageId, p.text);
        else if (p.kind === "begin") replay.beginText(p.messageId, p.attempt, p.text, p.told);
        else replay.endText(p.messageId);
      }
      replay.wake();
    }
    this.host.release(draft, place);
    this.answer(outcome);
  }

  private answer(outcome: Outcome<readonly unknown[]>): void {
    this.stay.end();
    this.resolve(outcome);
  }

  private fail(cause: unknown): void {
    this.stay.end();
    this.reject(cause);
  }
}

const OVERLOADED: Fault = { kind: "overloaded", retryAfterMs: OVERLOADED_RETRY_MS };

function turn(draft: Draft, cell: Cell, member: Member): Outcome<unknown> {
  const handler = cell.definition.handlers[member.command.kind];
  if (handler === undefined) throw new Error(`${cell.ref.kind} does not know ${member.command.kind}`);
  // The system's typed `dispatch` has matched the command with its handler; here both are erased.
  return handler(new GroupTx(draft, draft.of(cell)), member.command as never);
}
