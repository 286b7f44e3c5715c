/**
 * Changes, and the one door through which they commit. The door runs an operation's steps as one atomic group, and
 * the answer follows from their replies. So other parts of the same commit (the idempotency key with the stored
 * answer) can join the group without the operation knowing of them. Only a door makes a `Commit`, and a mutation
 * must return one: so no operation can bypass the door.
 */
import { assert } from "../../../actors/assert.ts";
import { ok, type Outcome } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Ask, MemberStep, RepliesOf } from "../../../actors/runtime/turns/members.ts";
import type { JobOrigin } from "../../../actors/job/approval-rule.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { KeyEnding } from "../../../actors/traffic/schema.ts";
import type { TroupeSystem } from "../../../actors/troupe.ts";
import type { EventType, NewsEvent } from "../../../actors/webhook/events.ts";
import type { Caller } from "../request/caller.ts";
import type { Emission } from "./emission.ts";

/** The answer of a change, before it is rendered. */
export interface ChangeAnswer {
  readonly status: 200 | 201 | 202;
  readonly body: object;
  /** Replaces the operation's event where that would be wrong; null: no event, because nothing was changed. */
  readonly emits?: EventType | null;
  /** The event's data, if parts of the answer are for the caller only. */
  readonly eventData?: object;
}
export const done = (body: object): ChangeAnswer => ({ status: 200, body });
/** A new record (GEN-4). */
export const created = (body: object): ChangeAnswer => ({ status: 201, body });
/** Work that continues after the answer (GEN-4). */
export const accepted = (body: object): ChangeAnswer => ({ status: 202, body });

/** The steps of a commit; the first one's reply is typed. */
export type Steps<R> = readonly [Ask<R>, ...MemberStep[]];

/** The same as it is sent, and stored under an idempotency key. */
export type StoredAnswer = Extract<KeyEnding, { readonly kind: "answer" }>;

/** What is committed: an answer, or work that continues. Only doors make it. */
export class Commit {
  readonly ending: KeyEnding;
  /** Whether an earlier request produced it, and this one has done nothing. */
  readonly isReplay: boolean;

  constructor(ending: KeyEnding, isReplay: boolean) {
    this.ending = ending;
    this.isReplay = isReplay;
  }
}
export type Committing = Promise<Outcome<Commit>>;

/** The caller's answer after waiting for work. A final answer stays the same, whenever it is requested. */
export type JoinedAnswer = (ChangeAnswer & { readonly isFinal: boolean }) | Response;

/** Runs the steps of one request; `ending` must be pure, because a group may run more than once. */
export interface CommitDoor {
  commit(steps: readonly MemberStep[], ending: (replies: readonly unknown[]) => KeyEnding): Promise<Outcome<Commit>>;
}

/** The door for requests that add nothing to their own steps. */
export class PlainDoor implements CommitDoor {
  private readonly system: TroupeSystem;

  constructor(system: TroupeSystem) {
    this.system = system;
  }

  async commit(
    steps: readonly MemberStep[],
    ending: (replies: readonly unknown[]) => KeyEnding,
  ): Promise<Outcome<Commit>> {
    const replies = await this.system.dispatchGroup(steps);
    return replies.ok ? ok(new Commit(ending(replies.value), false)) : replies;
  }
}

/** Runs another operation, by its id, the parameters of its path and its body, for the same caller. */
type Perform = (
  id: string,
  params: Readonly<Record<string, string>>,
  body?: JsonObject,
) => Promise<Outcome<object | Response>>;

/** What a change has besides its steps. */
export interface ChangeParts {
  readonly door: CommitDoor;
  /** Null: it emits nothing. */
  readonly emission: Emission | null;
  /** The subject of the event for work that has not begun yet. */
  readonly subject: object;
  /** Names of the fields that the caller has sent. */
  readonly given: readonly string[];
  readonly perform: Perform;
}

/** A request that changes something: its caller, and its way to commit. */
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

  /** Where the work that it begins comes from. */
  get origin(): JobOrigin {
    return this.caller.origin ?? "api";
  }

  get signal(): AbortSignal {
    return this.caller.signal;
  }

  keepOpen(seconds: number): void {
    this.caller.keepOpen(seconds);
  }

  /** Runs another operation for the same caller, in a commit of its own: the key of an operation that does this is held. */
  perform(...asked: Parameters<Perform>): ReturnType<Perform> {
    return this.parts.perform(...asked);
  }

  /** Commits the steps with an answer from their replies; `answer` must be pure. */
  commit<R, const S extends Steps<R>>(
    steps: S & Steps<R>,
    answer: (reply: R, replies: RepliesOf<S>) => ChangeAnswer,
  ): Promise<Outcome<Commit>> {
    const answered = (all: readonly unknown[]): ChangeAnswer => {
      const [reply] = repliesTo<Steps<R>>(all);
      return answer(reply, repliesTo<S>(all));
    };
    const withEvent = this.stepsWithEvent(steps, answered);
    return this.parts.door.commit(withEvent, (replies) => answerEnding(answered(replies)));
  }

  /** Commits the steps of work that continues afterwards. `work` lets `join` find it; `isSame`: nothing has changed. */
  begin<R, const S extends Steps<R>>(
    steps: S & Steps<R>,
    work: (reply: R) => JsonObject,
    isSame: (replies: RepliesOf<S>) => boolean = () => false,
  ): Promise<Outcome<Commit>> {
    const withEvent = this.stepsWithEvent(steps, (replies) => ({
      body: this.parts.subject,
      ...(isSame(repliesTo<S>(replies)) ? { emits: null } : {}),
    }));
    return this.parts.door.commit(withEvent, (replies) => ({
      kind: "work",
      work: work(repliesTo<Steps<R>>(replies)[0]),
    }));
  }

  /** The operation's event, if a separate turn numbers it. */
  event(): NewsEvent {
    const { emission } = this.parts;
    assert(emission !== null, "the operation emits an event");
    return emission.event({}, []);
  }

  /** The steps, followed by the event that they cause (HOOK-3). */
  private stepsWithEvent(
    steps: readonly MemberStep[],
    answerOf: (replies: readonly unknown[]) => Pick<ChangeAnswer, "body" | "emits" | "eventData">,
  ): readonly MemberStep[] {
    const { emission, given } = this.parts;
    if (emission === null || emission.isInOwnTurn) return steps;
    return [
      ...steps,
      (replies) => {
        const { emits, ...answer } = answerOf(replies);
        return emits === null
          ? null
          : emission.message({ ...answer, ...(emits === undefined ? {} : { emits }) }, given);
      },
    ];
  }
}

/** The replies to the steps; the door's own replies may follow them. */
const repliesTo = <S extends readonly MemberStep[]>(replies: readonly unknown[]) => replies as RepliesOf<S>;

export const answerEnding = ({ status, body }: ChangeAnswer): StoredAnswer => ({
  kind: "answer",
  status,
  contentType: "application/json",
  body: JSON.stringify(body),
  isSealed: false,
});
