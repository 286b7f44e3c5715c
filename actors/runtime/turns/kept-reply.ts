/**
 * Kept replies (RT-19), for frequent questions: each request asks whether its token is valid. A turn that only reads
 * records declares until when its reply holds (`tx.holdsUntil`). The reply is then kept at its actor, with the records
 * that it read and the grant under which the turn ran. It answers the same question while
 * - the replica holds its lease and serves the shard under the same grant, and the organization is not erased,
 * - the actor is in memory, and its mailbox has room,
 * - each record that the turn read is unchanged, and no change of it waits for its commit,
 * - its time has not come, and it is younger than `MOVED_MS`: the turn after that keeps its actor among the recently
 *   used.
 *
 * In these cases a turn would read the same, answer the same and wait for nothing. In every other case a turn answers.
 */
import { BoundedMap } from "../../bounded-map.ts";
import { ok, type Outcome } from "../../fault.ts";
import { refKey } from "../actor.ts";
import type { Clock } from "../ports.ts";
import type { Draft } from "./draft.ts";
import type { KeptReply, LiveActor } from "./live-actor.ts";
import { type LiveActors, MOVED_MS } from "./live-actors.ts";
import type { Ask } from "./members.ts";
import type { ShardGrant } from "../placement/placement.ts";
import type { Shards } from "../placement/shards.ts";

/** Replies that one actor keeps, such as those for its tokens and its agents. About 1 MiB. */
export const KEPT_REPLIES = 2_000;

/** A question whose reply may be kept. */
export interface KeptAsk<R> extends Ask<R> {
  /** Names the question at its actor; different commands have different names. */
  readonly keptAs: string;
  readonly actorKey: string;
}

/** A question, built once for many uses. `keptAs` must name everything that determines the command. */
export const keptAsk = <R>(asked: Ask<R>, keptAs: string): KeptAsk<R> => ({
  ...asked,
  keptAs,
  actorKey: refKey(asked.ref),
});

interface KeptHost {
  readonly shards: Shards;
  readonly actors: LiveActors;
  readonly clock: Clock;
}

/** The kept reply if it holds, otherwise null. */
export function keptReply({ shards, actors, clock }: KeptHost, asked: KeptAsk<unknown>): Outcome<unknown> | null {
  const actor = actors.known(asked.actorKey);
  const kept = actor?.kept?.get(asked.keptAs);
  if (actor === undefined || kept === undefined) return null;
  const admitted = shards.admit(asked.ref.organizationId, WITHOUT_ADMISSION);
  if (!admitted.ok || admitted.value !== kept.grant || actor.isEvicted) return null;
  const now = clock.now();
  if (now < kept.fromMs || now >= kept.untilMs) return null;
  if (!actor.mailbox.isEmpty && !actor.mailbox.hasRoom(clock.monotonic(), 0)) return null;
  for (const { slot, record } of kept.reads)
    if (slot.record !== record || slot.pending !== null || slot.isGone) return null;
  for (const { slot } of kept.reads) slot.isUsed = true;
  return kept.outcome;
}

const WITHOUT_ADMISSION = {};

/**
 * Keeps the reply of a turn that was asked with a name, if it can be kept. Not for an actor whose turns are ordered,
 * because a reply without a turn waits in no line.
 */
export function keepReply(
  draft: Draft,
  { keptAs, grant, reply }: { readonly keptAs: string; readonly grant: ShardGrant; readonly reply: unknown },
): void {
  const { actors, reads, holdsUntilMs, now } = draft;
  const [only] = actors;
  if (only === undefined || reads === null || holdsUntilMs === null) return;
  const { actor, seen, remembered, publications } = only;
  // A commit that it has seen may be undone; publications, volatile values and writes would be skipped.
  if (seen !== null || remembered !== null || publications.length > 0 || !draft.isEmpty) return;
  if (actor.definition.isUnordered !== true) return;
  keep(actor, keptAs, {
    outcome: ok(reply),
    grant,
    reads,
    fromMs: now,
    untilMs: Math.min(holdsUntilMs, now + MOVED_MS),
  });
}

function keep(actor: LiveActor, keptAs: string, reply: KeptReply): void {
  (actor.kept ??= new BoundedMap(KEPT_REPLIES)).set(keptAs, reply);
}
