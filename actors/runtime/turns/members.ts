/** The arguments of a dispatch: the members of a turn group with the types of their replies, and options. */
import type { Outcome } from "../../fault.ts";
import type { ActorRef, CommandOf, Protocol, ReplyOf } from "../actor.ts";
import type { AlarmRow } from "../store.ts";

export interface GroupMember {
  readonly ref: ActorRef;
  readonly command: { readonly kind: string };
  /** Not a turn of the group but a message of its commit: delivered once after it, without a reply. */
  readonly isMessage?: true;
  /**
   * The command creates the actor. Its record is not looked up, because most likely there is none. If one is stored, the
   * commit fails, and the group runs again with it (docs/decisions/0070).
   */
  readonly isNew?: true;
}
/** A member of a group, or a function that derives it from the replies before it; null leaves it out. */
export type MemberStep = GroupMember | ((replies: readonly unknown[]) => GroupMember | null);

/** The actor of the first member, unless that member is derived from replies. */
export function firstOf([first]: readonly MemberStep[]): ActorRef | null {
  return typeof first === "object" && first !== null ? first.ref : null;
}

/** A member that knows the type of its reply. */
export interface Ask<R> extends GroupMember {
  /** Never set: it only carries the type. */
  readonly reply?: R;
}

type ReplyOfMember<M> = M extends { readonly isMessage: true } ? undefined : M extends Ask<infer R> ? R : unknown;
type ReplyOfStep<S> = S extends (replies: readonly unknown[]) => infer M
  ? ReplyOfMember<NonNullable<M>> | (null extends M ? undefined : never)
  : ReplyOfMember<S>;
/** The replies of a group, one for each of its members: undefined for a message, and for one that was left out. */
export type RepliesOf<S extends readonly MemberStep[]> = { readonly [I in keyof S]: ReplyOfStep<S[I]> };

/** The type of the system's `dispatchGroup`, for parts that are created before the system. */
export type DispatchGroup = <const S extends readonly MemberStep[]>(
  members: S,
  admission: DispatchAdmission,
) => Promise<Outcome<RepliesOf<S>>>;

/** A function of replies as a step of a group, which sees them untyped. */
type StepTo<M> = (replies: readonly unknown[]) => M;

/** The members, and one more that is derived from their replies. Only here do the replies get their types back. */
export const following = <const S extends readonly MemberStep[], M extends GroupMember | null>(
  before: S,
  next: (replies: RepliesOf<S>) => M,
): readonly [...S, StepTo<M>] => [...before, (replies) => next(replies as RepliesOf<S>)];

/** Two members, the second derived from the reply of the first. */
export const followedBy = <A, M extends GroupMember | null>(
  first: Ask<A>,
  next: (reply: A) => M,
): readonly [Ask<A>, StepTo<M>] => following([first] as const, ([reply]) => next(reply));

/** Makes members for one kind of actor, with the types of their replies. */
export const asking =
  <P extends Protocol>() =>
  <C extends CommandOf<P>>(ref: ActorRef, command: C): Ask<ReplyOf<P, C>> => ({ ref, command });

/** The member for an actor that its command creates. */
export const toNew = <R>(member: Ask<R>): Ask<R> => ({ ...member, isNew: true });

/** The data for admitting a dispatch, besides its command. */
export interface DispatchAdmission {
  /**
   * The epoch under which an effect, a message or an alarm began; it is valid under no other. Only the runtime sets it,
   * so such a dispatch is admitted during a recovery and while draining.
   */
  readonly epoch?: number;
}

export interface DispatchOptions extends DispatchAdmission {
  /** The message that this group handles: its row is deleted in the commit, even if the turn refuses. */
  readonly consumes?: string;
  /** The alarm that this group's only turn answers, unless the actor has replaced or cleared it. */
  readonly clears?: AlarmRow;
  /** No caller waits for the answer, so its turn may delay its commit (`Tx.mayWait`). */
  readonly mayWait?: true;
  /** The name of the question, if its reply is to be kept (`kept-reply.ts`). */
  readonly keptAs?: string;
}
