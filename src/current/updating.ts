/** Updates that may change nothing: they are answered like others, but emit no event (GEN-8). */
import type { Outcome } from "../../actors/fault.ts";
import type { Ask, GroupMember } from "../../actors/runtime/turns/members.ts";
import { type Change, type Commit, done } from "../http/commit/commit.ts";

/** Reads the record (null if absent) and updates it, if the conditions hold. */
type ReadAndWrite<R> = readonly [read: Ask<R | null>, write: Ask<R>, ...conditions: GroupMember[]];
interface Versioned {
  readonly version: number;
}

/** Commits the update; `read` and `write` are turns of one group, so nothing happens between them. */
export function updateRecord<R extends Versioned>(
  change: Change,
  steps: ReadAndWrite<R>,
  view: (record: R) => object,
): Promise<Outcome<Commit>>;
export function updateRecord<R>(
  change: Change,
  steps: ReadAndWrite<R>,
  view: (record: R) => object,
  versionOf: (record: R) => number,
): Promise<Outcome<Commit>>;
export function updateRecord<R>(
  change: Change,
  steps: ReadAndWrite<R>,
  view: (record: R) => object,
  versionOf: (record: R) => number = (record) => (record as Versioned).version,
): Promise<Outcome<Commit>> {
  return change.commit<R | null, ReadAndWrite<R>>(steps, (before, [, after]) => {
    const isSame = before !== null && versionOf(before) === versionOf(after);
    return doneIf(!isSame, view(after));
  });
}

/** The answer to a request that may have changed nothing, and then emits nothing (HOOK-12). */
export const doneIf = (isChanged: boolean, body: object) => ({ ...done(body), ...(isChanged ? {} : { emits: null }) });
