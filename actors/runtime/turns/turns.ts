/**
 * Runs turn groups: admission, actors, records, turns, and the gate that everything passes on its
 * way out. One `GroupRun` is one dispatch from its first attempt to its answer.
 *
 *   attempt ─ not admitted ───────────────▶ refusal at once
 *      │  ─ a record is missing ──▶ load ──▶ attempt again
 *      │  ─ an earlier group has not had its turn ──▶ wait in line ──▶ attempt again
 *      │  ─ a turn refuses ──▶ wait for what it has seen ──▶ refusal
 *      │  ─ nothing written ─▶ wait for what it has seen ──▶ outputs, reply
 *      └─ written ──▶ lane ─┬─ committed ──▶ outputs, reply
 *                           ├─ evicted ────▶ attempt again
 *                           ├─ broken, and an actor was taken to be new ──▶ attempt again, with its record; the
 *                           │     same before the commit, if what the group creates is in memory
 *                           └─ fenced, unavailable, unknown, broken ──▶ 503, 503, 503, exception
 *
 * - GR-1: the turns of one actor never overlap. They run in the order of their dispatch, unless its kind is unordered.
 * - GR-2: nothing leaves before its commit, and no reply or refusal before the commits that it has seen: those of the
 *   records that its turns have read. Publications come after all earlier ones of the stream, so they wait for the
 *   actor.
 * - GR-3: a group is answered once. What it holds ends with that: its lines, its reservation, its count in `Shards`.
 */
import { assert } from "../../assert.ts";
import type { BoundedMap } from "../../bounded-map.ts";
import { type Fault, ok, type Outcome, refuse } from "../../fault.ts";
import { type RecordKey, refKey } from "../actor.ts";
import type { LiveActor, PendingGroup } from "./live-actor.ts";
import { type DispatchOrder, Lines } from "./dispatch-order.ts";
import { Draft, MissingRecord, recordKey } from "./draft.ts";
import { alarmId, alarmTable, type CommitResult } from "../store.ts";
import { GroupBroken, TurnGroup } from "../commit/group.ts";
import { GroupTrace } from "./group-trace.ts";
import { isolate, type OnBug } from "../isolate.ts";
import { keepReply } from "./kept-reply.ts";
import type { ShardGrant } from "../placement/placement.ts";
import { type DispatchOptions, firstOf, type GroupMember, type MemberStep } from "./members.ts";
import { type Shards, SHARD_UNAVAILABLE } from "../placement/shards.ts";
import { Reservation } from "./reservation.ts";
import { GroupTx } from "./tx.ts";
import { admitWrites, type WriteHost } from "./write-admission.ts";
import { textBytesOf } from "../sizes.ts";
import type { LiveActors } from "./live-actors.ts";
import type { Chance, Clock } from "../ports.ts";
import type { FlushLane } from "../commit/flush.ts";
import type { Loader } from "./loader.ts";
import type { LoopTime } from "../fairness/loop-time.ts";
import type { Tracing } from "../tracing.ts";

/** Attempts of a group whose actors are evicted before its commit each time; the client retries later. */
const EVICTED_ATTEMPTS = 5;
/**
 * How long the records of an organization's new actors are looked up after one was there already: the failed commit has
 * cost everybody in its statement another one.
 */
const NO_GUESS_MS = 60_000;
/** How long a caller of a full mailbox waits before it retries. */
const OVERLOADED_RETRY_MS = 1_000;
/** How often a group waits for the write guard; the client retries later. */
const GUARD_ROUNDS = 8;
/** A turn that requests more records than this one by one is a bug. */
const LOAD_ROUNDS = 64;

/** The parts of the system that a turn group uses. */
export interface TurnHost extends WriteHost {
  readonly actors: LiveActors;
  readonly shards: Shards;
  readonly loader: Loader;
  readonly order: DispatchOrder;
  /** When an actor of the organization was last taken to be new although its record was stored, by `clock.monotonic`. */
  readonly wrongGuesses: BoundedMap<number>;
  readonly loopTime: LoopTime;
  readonly clock: Clock;
  readonly chance: Chance;
  /** Null if tracing is off. */
  readonly tracing: Tracing | null;
  laneOf(shard: number): FlushLane;
  /** Notifies the handlers of effects whose group is on its way to the store. */
  intend(draft: Draft, grant: ShardGrant): void;
  /** Starts the outputs of a committed group: births, messages, effects, alarms. */
  startOutputs(draft: Draft, grant: ShardGrant): void;
  /** Reports a bug after a commit. */
  readonly onBug: OnBug;
}

export class GroupRun {
  private readonly host: TurnHost;
  private readonly steps: readonly MemberStep[];
  private readonly options: DispatchOptions;
  private readonly reservation = new Reservation();
  private evictions = 0;
  private loads = 0;
  /** Whether its last attempt has taken an actor to be new. If that commit has failed, all records are looked up. */
  private hasGuessed = false;
  private looksUp = false;
  /** The organization, once the first member is known. */
  private organizationId: string | null = null;
  private guarded = 0;
  /** The grant under which it was admitted: it continues under it while its shard is handed over. */
  private grant: ShardGrant | null = null;
  private readonly lines: Lines;
  private readonly trace: GroupTrace | null;
  private resolve!: (outcome: Outcome<readonly unknown[]>) => void;
  private reject!: (cause: unknown) => void;
  private isOver = false;

  constructor(host: TurnHost, steps: readonly MemberStep[], options: DispatchOptions) {
    this.host = host;
    this.steps = steps;
    this.options = options;
    this.lines = new Lines(host.order, () => this.attempt());
    this.trace = GroupTrace.of(host.tracing, steps);
  }

  /** Calls one of the two, once: `resolve` with the replies or a refusal, `reject` for bugs. */
  start(resolve: (outcome: Outcome<readonly unknown[]>) => void, reject: (cause: unknown) => void): void {
    this.resolve = resolve;
    this.reject = reject;
    this.attempt();
  }

  private attempt(): void {
    assert(!this.isOver, "an answered group does not run again (GR-3)");
    const ref = firstOf(this.steps);
    const from = this.host.loopTime.begin("turns", ref?.organizationId ?? null, ref?.kind ?? null);
    try {
      this.run();
    } catch (cause) {
      if (cause instanceof MissingRecord) this.load(cause.actor, [cause.key]);
      else this.fail(cause);
    } finally {
      this.host.loopTime.end(from, this.organizationId, "turns");
    }
  }

  private run(): void {
    const at = this.host.clock.monotonic();
    const draft = new Draft(this.host.clock.now(), this.host.chance.text, this.trace, this.options.keptAs ?? null);
    const replies: unknown[] = [];
    this.hasGuessed = false;
    let grant: ShardGrant | null = null;
    for (const step of this.steps) {
      const member = typeof step === "function" ? step(replies) : step;
      if (member === null) {
        replies.push(undefined);
        continue;
      }
      const admitted = this.host.shards.admit(member.ref.organizationId, this.options, this.grant);
      if (!admitted.ok) return this.answer(admitted);
      if (this.grant === null) this.host.shards.begin(admitted.value.shard);
      this.grant = admitted.value;
      assert(grant === null || grant.shard === admitted.value.shard, "a turn group stays on one shard");
      grant = admitted.value;
      this.organizationId = member.ref.organizationId;
      if (member.isMessage === true) {
        draft.send(member.ref, member.command);
        replies.push(undefined);
        continue;
      }
      const actor = this.host.actors.get(member.ref, grant, at);
      if (!this.reservation.enter(actor, member.command, at)) return this.answer(refuse(OVERLOADED));
      // Even while it waits behind others, so that its records are loaded meanwhile.
      if (this.loadNeeds(actor, member)) return;
      if (actor.definition.isUnordered !== true && this.lines.isBehind(actor.key)) {
        this.enterLines();
        return this.lines.wait();
      }
      const command = this.commandOf(draft, actor, member);
      if (command === null) return this.endAfterGate(draft, ok([]));
      if (this.isNew(actor, member)) draft.of(actor).isNew = this.hasGuessed = true;
      const outcome = turn(draft, actor, command);
      if (!outcome.ok) return this.refuseAfterGate(draft, grant, outcome.fault);
      replies.push(outcome.value);
    }
    assert(grant !== null, "a turn group has a member");
    this.finish(draft, grant, replies);
  }

  private finish(draft: Draft, grant: ShardGrant, replies: readonly unknown[]): void {
    if (this.hasGuessed && draft.births.some((birth) => this.host.actors.isThere(birth))) return this.lookUp();
    const verdict = admitWrites(this.host, draft, this.options, this.reservation.bytes);
    if (verdict?.kind === "wait") return this.waitForGuard(verdict.until);
    this.lines.leave();
    if (verdict?.kind === "refused") return this.answer(refuse(verdict.fault));
    const { consumes, keptAs } = this.options;
    draft.keepVolatile();
    if (keptAs !== undefined) keepReply(draft, { keptAs, grant, reply: replies[0] });
    if (draft.isEmpty && consumes === undefined) {
      return this.gate(draft, () => this.leave(draft, grant, ok(replies)));
    }
    const writes = draft.seal();
    if (consumes !== undefined) writes.consumed.push(consumes);
    this.reservation.wait();
    // A small command may change a large record, which is stored again as a whole.
    const bytes = 256 + Math.max(this.reservation.bytes, textBytesOf(writes));
    this.trace?.sent();
    const conclude = (result: CommitResult): void => {
      this.trace?.concluded(result);
      verdict?.ended(result.kind === "committed" || result.kind === "unknown");
      this.concluded(result, () => this.leave(draft, grant, ok(replies)));
    };
    const isPatient = draft.isPatient && this.options.mayWait === true;
    const unborn = this.host.actors.unborn(draft.births, grant, this.host.clock.monotonic());
    this.host
      .laneOf(grant.shard)
      .push(
        new TurnGroup(
          grant,
          { writes, drafts: [...draft.actors, ...unborn], bytes, isPatient, hasGuessed: this.hasGuessed },
          conclude,
        ),
      );
    if (writes.effects.length > 0) this.intend(draft, grant);
  }

  private intend(draft: Draft, grant: ShardGrant): void {
    const intend = (): void => this.host.intend(draft, grant);
    isolate(this.trace === null ? intend : () => this.trace?.within(intend), this.host.onBug);
  }

  private waitForGuard(until: Promise<void>): void {
    if (++this.guarded > GUARD_ROUNDS) return this.answer(refuse(OVERLOADED));
    this.enterLines();
    void until.then(() => this.attempt());
  }

  /** The member's command; null if it is that of an alarm which the actor has replaced or cleared. */
  private commandOf(draft: Draft, actor: LiveActor, { command }: GroupMember): GroupMember["command"] | null {
    const { clears } = this.options;
    return clears === undefined ? command : draft.takeAlarm(draft.of(actor), clears);
  }

  /** Answers without writes, after what the draft has read is committed. */
  private endAfterGate(draft: Draft, outcome: Outcome<readonly unknown[]>): void {
    this.lines.leave();
    this.gate(draft, () => this.answer(outcome));
  }

  /** A refusal writes nothing, but it still answers the group's message or alarm. */
  private refuseAfterGate(draft: Draft, grant: ShardGrant, fault: Fault): void {
    const { consumes, clears } = this.options;
    if (consumes === undefined && clears === undefined) return this.endAfterGate(draft, refuse(fault));
    this.lines.leave();
    const answered = new Draft(draft.now, this.host.chance.text);
    for (const { actor } of draft.actors) {
      const own = answered.of(actor);
      if (clears !== undefined) answered.clearAlarm(own, clears.name);
    }
    const writes = answered.seal();
    if (consumes !== undefined) writes.consumed.push(consumes);
    this.reservation.wait();
    const group = new TurnGroup(grant, { writes, drafts: answered.actors, bytes: 256 }, (result) =>
      this.concluded(result, () => this.answer(refuse(fault))),
    );
    this.host.laneOf(grant.shard).push(group);
  }

  /** Runs `then` once everything that the draft has read is committed; at once if it is. */
  private gate(draft: Draft, then: () => void): void {
    let last: PendingGroup | null = null;
    for (const { actor, publications, seen } of draft.actors) {
      const pending = publications.length > 0 ? actor.lastPending : seen;
      if (pending !== null && (last === null || pending.order > last.order)) last = pending;
    }
    if (last === null) return then();
    this.reservation.wait();
    last.follow((result) => {
      // The last group's commit does not prove that earlier groups of the other actors committed.
      const isEvicted = result.kind === "committed" && draft.actors.some(({ actor }) => actor.isEvicted);
      if (isEvicted || result.kind === "evicted") draft.forget();
      this.concluded(isEvicted ? { kind: "evicted" } : result, then);
    });
  }

  private concluded(result: CommitResult, then: () => void): void {
    switch (result.kind) {
      case "committed":
        return then();
      case "evicted":
        if (++this.evictions >= EVICTED_ATTEMPTS) this.answer(refuse(OVERLOADED));
        else this.attempt();
        return;
      case "fenced":
      case "unavailable":
        return this.answer(refuse(SHARD_UNAVAILABLE));
      case "unknown":
        return this.answer(refuse({ kind: "outcome_unknown", retryAfterMs: OVERLOADED_RETRY_MS }));
      case "broken":
        if (this.hasGuessed) return this.lookUp();
        return this.fail(new GroupBroken(`the store refused the group (${result.code})`, { cause: result.cause }));
    }
  }

  /** Whether the member's actor is taken to be new: not if anything of it is in memory. */
  private isNew(actor: LiveActor, { isNew, ref }: GroupMember): boolean {
    if (isNew !== true || this.looksUp || !actor.isBlank) return false;
    const wrongAt = this.host.wrongGuesses.get(ref.organizationId);
    return wrongAt === undefined || this.host.clock.monotonic() - wrongAt > NO_GUESS_MS;
  }

  /** Runs again with the records of actors that it has taken to be new. */
  private lookUp(): void {
    this.looksUp = true;
    this.host.wrongGuesses.set(this.organizationId ?? "", this.host.clock.monotonic());
    this.attempt();
  }

  private loadNeeds(actor: LiveActor, member: GroupMember): boolean {
    let missing: RecordKey[] | null = null;
    const { clears } = this.options;
    const needs = actor.definition.needs(actor.ref, member.command);
    const keys = clears === undefined ? needs : [...needs, { table: alarmTable.name, id: alarmId(clears) }];
    for (const key of keys) {
      const name = recordKey(key.table, key.id);
      if (actor.get(name) !== undefined || (this.isNew(actor, member) && key.id === actor.ref.id)) continue;
      (missing ??= []).push(key);
    }
    if (missing === null) return false;
    this.load(actor, missing);
    return true;
  }

  private load(actor: LiveActor, keys: readonly RecordKey[]): void {
    if (++this.loads > LOAD_ROUNDS) return this.fail(new Error(`${actor.ref.kind} keeps asking for records`));
    this.enterLines();
    this.reservation.pin(actor, keys);
    this.host.loader.into(actor, keys).then(
      () => this.attempt(),
      () => this.answer(refuse(SHARD_UNAVAILABLE)),
    );
  }

  /** Joins the line of each actor that it has reached or that it names. */
  private enterLines(): void {
    this.reservation.wait();
    for (const { key, definition } of this.reservation.actors())
      if (definition.isUnordered !== true) this.lines.enter(key);
    for (const step of this.steps) {
      if (typeof step === "function" || step.isMessage === true) continue;
      if (this.host.actors.definitionOf(step.ref.kind).isUnordered !== true) this.lines.enter(refKey(step.ref));
    }
  }

  private leave(draft: Draft, grant: ShardGrant, outcome: Outcome<readonly unknown[]>): void {
    // The commit is done, so the caller is answered whatever a bug here breaks.
    isolate(() => this.publish(draft), this.host.onBug);
    isolate(() => this.host.startOutputs(draft, grant), this.host.onBug);
    this.answer(outcome);
  }

  private publish(draft: Draft): void {
    for (const { actor, publications } of draft.actors)
      if (publications.length > 0) this.host.actors.streamOf(actor).publishAll(publications);
  }

  private answer(outcome: Outcome<readonly unknown[]>): void {
    this.leaveAll();
    this.trace?.answered(outcome.ok ? null : outcome.fault);
    this.resolve(outcome);
  }

  private fail(cause: unknown): void {
    this.leaveAll();
    this.trace?.failed();
    this.reject(cause);
  }

  private leaveAll(): void {
    assert(!this.isOver, "a group is answered once (GR-3)");
    this.isOver = true;
    this.lines.leave();
    this.reservation.end();
    if (this.grant !== null) this.host.shards.end(this.grant.shard);
  }
}

const OVERLOADED: Fault = { kind: "overloaded", retryAfterMs: OVERLOADED_RETRY_MS };

function turn(draft: Draft, actor: LiveActor, command: GroupMember["command"]): Outcome<unknown> {
  const handler = actor.definition.handlers[command.kind];
  if (handler === undefined) throw new Error(`${actor.ref.kind} does not know ${command.kind}`);
  // The system's typed `dispatch` has matched the command with its handler; both types are erased here.
  return handler(new GroupTx(draft, draft.of(actor)), command as never);
}
