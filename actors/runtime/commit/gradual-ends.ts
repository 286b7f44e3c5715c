/**
 * Releases the outputs of committed groups: replies, events, messages, effects. This is work for the event loop, and a
 * batch during a flood has many groups: thirty took 5 to 30 ms, in which no other organization was served. So while
 * several organizations are active, only a few groups of one that has used more than its share end in each turn of the
 * loop, and organizations take turns. The groups of one organization end in order, and it counts as in flight until the
 * last of them has ended.
 */
import { Rounds } from "../../rounds.ts";
import type { Clock } from "../ports.ts";
import type { CommitResult } from "../store.ts";
import type { TurnGroup } from "./group.ts";
import type { LoopTime } from "../fairness/loop-time.ts";

/**
 * The time for ending groups in one turn of the loop; the code that continues with their replies takes about as long
 * again.
 */
const GROUP_ENDS_MS = 0.5;
/** The most groups in one turn, however short they are. */
const MOST_GROUPS = 3;

/**
 * The organizations whose groups of the batch end a few at a time. A group that was sent alone ends at once, because
 * the next one may depend on its result.
 */
export function overShare(batch: readonly TurnGroup[], time: Pick<LoopTime, "isShared" | "isOverShare">): Set<string> {
  const heavy = new Set<string>();
  if (batch.length === 1 || !time.isShared) return heavy;
  for (const { organizationId } of batch) if (time.isOverShare(organizationId)) heavy.add(organizationId);
  return heavy;
}

export interface GroupEnd {
  readonly group: TurnGroup;
  readonly result: CommitResult;
}

interface EndingParts {
  readonly clock: Pick<Clock, "monotonic">;
  /** Runs at the next turn of the loop. */
  readonly later: (run: () => void) => void;
  readonly end: (one: GroupEnd) => void;
  /** The last group of an organization has ended. */
  readonly onDone: () => void;
}

export class GradualEnds {
  private readonly parts: EndingParts;
  private readonly waiting = new Rounds<GroupEnd>();

  constructor(parts: EndingParts) {
    this.parts = parts;
  }

  /** Whether committed groups of the organization have not ended yet. */
  has(organizationId: string): boolean {
    return this.waiting.has(organizationId);
  }

  /** All groups that have not ended yet, those of an organization in order. */
  get groups(): readonly TurnGroup[] {
    return this.waiting.entries.map(({ group }) => group);
  }

  add(one: GroupEnd): void {
    if (this.waiting.isEmpty) this.plan();
    this.waiting.add(one.group.organizationId, one);
  }

  /** Ends all of them now. */
  finish(): void {
    while (this.next() !== null);
  }

  private plan(): void {
    this.parts.later(() => this.endSome());
  }

  private endSome(): void {
    const { clock, onDone } = this.parts;
    const from = clock.monotonic();
    let isDone = false;
    for (let ended = 0; ended < MOST_GROUPS; ended++) {
      const organizationId = this.next();
      if (organizationId === null) break;
      if (!this.waiting.has(organizationId)) isDone = true;
      if (clock.monotonic() - from >= GROUP_ENDS_MS) break;
    }
    if (!this.waiting.isEmpty) this.plan();
    if (isDone) onDone();
  }

  /** Ends the next group. Returns its organization, or null if no group waits. */
  private next(): string | null {
    const [organizationId] = this.waiting.organizations;
    if (organizationId === undefined) return null;
    this.parts.end(this.waiting.take(organizationId));
    return organizationId;
  }
}
