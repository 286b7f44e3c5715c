/**
 * Operations that change something, and the one door through which they commit. The door runs an
 * operation's steps as one atomic group and lets its answer follow from their replies, so that what
 * belongs to the same commit (the idempotency key with the stored answer) can join the group without
 * the operation's knowing of it. Only a door makes a `Committed`, and a mutation can answer nothing
 * else: none can forget it.
 */
import type { Server } from "bun";
import { ok, type Outcome } from "../../actors/fault.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import type { MemberStep } from "../../actors/runtime/turns.ts";
import type { JsonObject } from "../../actors/schema.ts";
import type { KeyEnding } from "../../actors/traffic/schema.ts";
import type { Ask, TroupeSystem } from "../../actors/troupe.ts";
import type { EventType } from "../../actors/webhook/events.ts";
import type { Emission } from "./emission.ts";
import type { RequestBody } from "./json-body.ts";
import type { Call, Needs } from "./surface.ts";

/** What a mutation answers. */
export interface Answer {
  readonly status: 200 | 201 | 202;
  readonly body: object;
  /** What it leaves where its operation's own event would say what is not so. */
  readonly emits?: EventType;
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

export interface Mutation extends Needs {
  /** The one event that it leaves when it succeeds (HOOK-12). */
  readonly emits?: EventType;
  run(call: MutatingCall): Promise<Outcome<Committed>>;
  /** Whether there is room for its caller; asked before anything else, also of one who only joins. */
  admit?(call: Call): Outcome<null>;
  /** Its answer has a secret that is never shown again; kept for replays, it is encrypted. */
  readonly hasOneTimeSecret?: true;
  /** It commits more than once, or does something outside first: its key is held from its start. */
  readonly holdsKey?: true;
  /** Waits for work that `begin` has committed, and answers what has become of it. */
  join?(call: Call, work: JsonObject): Promise<Outcome<Joined>>;
}

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

/** A request that changes something. */
export class MutatingCall implements Call {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly principal: Principal;
  readonly requestId: string;
  readonly server: Server<unknown> | null;
  readonly body: RequestBody;
  private readonly door: Door;
  private readonly emission: Emission | null;

  constructor(
    { request, params, principal, requestId, server }: Call,
    body: RequestBody,
    { door, emission }: { readonly door: Door; readonly emission: Emission | null },
  ) {
    this.request = request;
    this.params = params;
    this.principal = principal;
    this.requestId = requestId;
    this.server = server;
    this.body = body;
    this.door = door;
    this.emission = emission;
  }

  /** Commits the steps with the answer that follows from their replies; `answer` must be pure. */
  commit<R>(steps: Steps<R>, answer: (reply: R, replies: readonly unknown[]) => Answer): Promise<Outcome<Committed>> {
    const answered = (replies: readonly unknown[]): Answer => answer(replies[0] as R, replies);
    const told = this.telling(steps, answered);
    return this.door.commit(told, (replies) => answerEnding(answered(replies)));
  }

  /** Commits the steps of work that is not over with them; `work` is what `join` finds it by. */
  begin<R>(steps: Steps<R>, work: (reply: R, replies: readonly unknown[]) => JsonObject): Promise<Outcome<Committed>> {
    // What is known of it now is what the path says.
    const told = this.telling(steps, () => ({ body: this.params }));
    return this.door.commit(told, (replies) => ({ kind: "work", work: work(replies[0] as R, replies) }));
  }

  /** The steps with the event that they leave (HOOK-3). */
  private telling(
    steps: readonly MemberStep[],
    told: (replies: readonly unknown[]) => Pick<Answer, "body" | "emits">,
  ): readonly MemberStep[] {
    const { emission, body } = this;
    return emission === null ? steps : [...steps, (replies) => emission.message(told(replies), body.fields)];
  }
}

export const answerEnding = ({ status, body }: Answer): Answered => ({
  kind: "answer",
  status,
  contentType: "application/json",
  body: JSON.stringify(body),
  isSealed: false,
});
