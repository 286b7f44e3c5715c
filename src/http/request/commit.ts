/**
 * Operations that change something, and the one door through which they commit. The door runs an
 * operation's steps as one atomic group and lets its answer follow from their replies, so that what
 * belongs to the same commit (the idempotency key with the stored answer) can join the group without
 * the operation's knowing of it. Only a door makes a `Committed`, and a mutation can answer nothing
 * else: none can forget it.
 */
import { assert } from "../../../actors/assert.ts";
import { ok, type Outcome } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Ask, MemberStep, RepliesOf } from "../../../actors/runtime/members.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { KeyEnding } from "../../../actors/traffic/schema.ts";
import type { TroupeSystem } from "../../../actors/troupe.ts";
import type { EventType, NewsEvent } from "../../../actors/webhook/events.ts";
import type { Caller } from "./caller.ts";
import type { Emission } from "./emission.ts";

/** What a mutation answers. */
export interface Answer {
  readonly status: 200 | 201 | 202;
  readonly body: object;
  /** What it leaves where its operation's own event would say what is not so; null: nothing, for it has changed nothing. */
  readonly emits?: EventType | null;
  /** What the event has of it, where some of the answer is for its caller only. */
  readonly told?: object;
}
export const done = (body: object): Answer => ({ status: 200, body });
/** A new record (GEN-4). */
export const created = (body: object): Answer => ({ status: 201, body });
/** Work that goes on after the answer (GEN-4). */
export const accepted = (body: object): Answer => ({ status: 202, body });

/** The steps of a commit; the first one's reply has a type. */
export type Steps<R> = readonly [Ask<R>, ...MemberStep[]];

/** An answer as it is sent and kept. */
export type Answered = Extract<KeyEnding, { readonly kind: "answer" }>;

/** What a commit has come to: an answer, or work that goes on. Made by doors only. */
export class Committed {
  readonly ending: KeyEnding;
  /** Whether an earlier request came to it, and this one has done nothing. */
  readonly isReplay: boolean;

  constructor(ending: KeyEnding, isReplay: boolean) {
    this.ending = ending;
    this.isReplay = isReplay;
  }
}

/** What the caller hears of work that it has waited for. A final answer stays what it is, whenever it is asked for. */
export type Joined = (Answer & { readonly isFinal: boolean }) | Response;

/** Runs the steps of one request; `ending` must be pure, for a group may run more than once. */
export interface Door {
  commit(steps: readonly MemberStep[], ending: (replies: readonly unknown[]) => KeyEnding): Promise<Outcome<Committed>>;
}

/** The door of requests that nothing but their own steps belongs to. */
export class PlainDoor implements Door {
  private readonly system: TroupeSystem;

  constructor(system: TroupeSystem) {
    this.system = system;
  }

  async commit(
    steps: readonly MemberStep[],
    ending: (replies: readonly unknown[]) => KeyEnding,
  ): Promise<Outcome<Committed>> {
    const replies = await this.system.dispatchGroup(steps);
    return replies.ok ? ok(new Committed(ending(replies.value), false)) : replies;
  }
}

/** What belongs to a change besides its steps. */
export interface ChangeParts {
  readonly door: Door;
  /** Null where nothing is emitted. */
  readonly emission: Emission | null;
  /** What is known of the work before it is begun. */
  readonly subject: object;
  /** The names of the fields that the caller has sent. */
  readonly given: readonly string[];
}

/** A request that changes something: who asks, and how it commits. */
export class Change implements Caller {
  private readonly caller: Caller;
  private readonly parts: ChangeParts;

  constructor(caller: Caller, parts: ChangeParts) {
    this.caller = caller;
    this.parts = parts;
  }

  get principal(): Principal {
    return this.caller.principal;
  }

  get requestId(): string {
    return this.caller.requestId;
  }

  get address(): string | null {
    return this.caller.address;
  }

  get signal(): AbortSignal {
    return this.caller.signal;
  }

  keepOpen(seconds: number): void {
    this.caller.keepOpen(seconds);
  }

  /** Commits the steps with the answer that follows from their replies; `answer` must be pure. */
  commit<R, const S extends Steps<R>>(
    steps: S & Steps<R>,
    answer: (reply: R, replies: RepliesOf<S>) => Answer,
  ): Promise<Outcome<Committed>> {
    const answered = (all: readonly unknown[]): Answer => {
      const [reply] = repliesTo<Steps<R>>(all);
      return answer(reply, repliesTo<S>(all));
    };
    const told = this.telling(steps, answered);
    return this.parts.door.commit(told, (replies) => answerEnding(answered(replies)));
  }

  /** Commits the steps of work that is not over with them; `work` is what `join` finds it by. */
  begin<R>(steps: Steps<R>, work: (reply: R) => JsonObject): Promise<Outcome<Committed>> {
    const told = this.telling(steps, () => ({ body: this.parts.subject }));
    return this.parts.door.commit(told, (replies) => ({ kind: "work", work: work(repliesTo<Steps<R>>(replies)[0]) }));
  }

  /** The operation's event, where a turn of its own numbers it. */
  event(): NewsEvent {
    const { emission } = this.parts;
    assert(emission !== null, "the operation emits an event");
    return emission.event({}, []);
  }

  /** The steps with the event that they leave (HOOK-3). */
  private telling(
    steps: readonly MemberStep[],
    told: (replies: readonly unknown[]) => Pick<Answer, "body" | "emits" | "told">,
  ): readonly MemberStep[] {
    const { emission, given } = this.parts;
    if (emission === null || emission.isInOwnTurn) return steps;
    return [
      ...steps,
      (replies) => {
        const { emits, ...answer } = told(replies);
        return emits === null
          ? null
          : emission.message({ ...answer, ...(emits === undefined ? {} : { emits }) }, given);
      },
    ];
  }
}

/** The replies to the steps, which may have been followed by the door's own. */
const repliesTo = <S extends readonly MemberStep[]>(replies: readonly unknown[]) => replies as RepliesOf<S>;

export const answerEnding = ({ status, body }: Answer): Answered => ({
  kind: "answer",
  status,
  contentType: "application/json",
  body: JSON.stringify(body),
  isSealed: false,
});
