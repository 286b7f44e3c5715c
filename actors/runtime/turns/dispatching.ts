/**
 * Brings a turn group to its actors: in this process or, if another replica owns the organization, through the port to
 * the others (`peers.ts`). Groups with an epoch belong to the runtime and never leave the process.
 */
import { ok, type Outcome } from "../../fault.ts";
import { type MaybePromise, whenReady } from "../../maybe-promise.ts";
import { type KeptAsk, keptReply } from "./kept-reply.ts";
import type { DispatchOptions, GroupMember, MemberStep } from "./members.ts";
import { type Peers, shardOf } from "../placement/placement.ts";
import type { Shards } from "../placement/shards.ts";
import { GroupRun, type TurnHost } from "./turns.ts";

type Replies = Outcome<readonly unknown[]>;

/** Runs one command; rejects only for bugs. */
export function runOne(
  host: TurnHost,
  peers: Peers | null,
  member: GroupMember,
  options: DispatchOptions,
): Promise<Outcome<unknown>> {
  const there = elsewhere(host.shards, peers, [member], options);
  if (there !== null) return there.then(only);
  return new Promise((resolve, reject) => {
    new GroupRun(host, [member], options).start((outcome) => resolve(only(outcome)), reject);
  });
}

const only = (outcome: Replies): Outcome<unknown> => (outcome.ok ? ok(outcome.value[0]) : outcome);

/** Runs a group; rejects only for bugs. */
export function runGroup(
  host: TurnHost,
  peers: Peers | null,
  steps: readonly MemberStep[],
  options: DispatchOptions,
): Promise<Replies> {
  const there = elsewhere(host.shards, peers, steps, options);
  return there ?? new Promise((resolve, reject) => new GroupRun(host, steps, options).start(resolve, reject));
}

/**
 * Like `runGroup`, but returns the outcome itself instead of a promise if nothing has to be waited for. A bug is then
 * thrown.
 */
export function runGroupSync(
  host: TurnHost,
  peers: Peers | null,
  steps: readonly MemberStep[],
  options: DispatchOptions,
): Replies | Promise<Replies> {
  const there = elsewhere(host.shards, peers, steps, options);
  if (there !== null) return there;
  let outcome: Replies | null = null;
  let resolve = (ended: Replies): void => {
    outcome = ended;
  };
  let reject = (cause: unknown): void => {
    throw cause;
  };
  new GroupRun(host, steps, options).start(
    (ended) => resolve(ended),
    (cause) => reject(cause),
  );
  if (outcome !== null) return outcome;
  return new Promise((whenEnded, whenFailed) => {
    resolve = whenEnded;
    reject = whenFailed;
  });
}

/**
 * Runs one command whose reply may be kept, unless a kept reply answers it; returns the outcome itself if nothing has
 * to be waited for.
 */
export function runKept(host: TurnHost, peers: Peers | null, asked: KeptAsk<unknown>): MaybePromise<Outcome<unknown>> {
  return keptReply(host, asked) ?? whenReady(runGroupSync(host, peers, [asked], { keptAs: asked.keptAs }), only);
}

/** The owner's answer; null if the group must run here: this replica owns it, or it has steps that cannot travel. */
function elsewhere(
  shards: Shards,
  peers: Peers | null,
  steps: readonly MemberStep[],
  options: DispatchOptions,
): Promise<Replies> | null {
  if (peers === null || options.epoch !== undefined) return null;
  const members = steps.filter((step): step is GroupMember => typeof step !== "function");
  const [first] = members;
  if (first === undefined || members.length < steps.length) return null;
  const { organizationId } = first.ref;
  return shards.isOpen(shardOf(organizationId)) ? null : peers.ask(organizationId, members);
}
