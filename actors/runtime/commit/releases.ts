/**
 * Committed groups whose outputs leave: replies, events, messages, effects. Ending a group is work for the event loop,
 * and a batch during a flood ends many: thirty took 5 to 30 ms, in which nobody else was served. So while several
 * organizations are at work, the groups of one that has used more than its share end a few in each turn of the loop,
 * and organizations take turns. The groups of one organization end in order, and it counts as in flight until the last
 * of them has ended.
 */
import type { Clock } from "../ports.ts";
import type { CommitResult } from "../store.ts";
import type { TurnGroup } from "./group.ts";
import type { LoopTime } from "../fairness/loop-time.ts";

/**
 * The time for ending groups in one turn of the loop; the code that continues with their replies takes about as long
 * again.
 */
const RELEASE_MS = 0.5;
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

export interface Release {
  readonly group: TurnGroup;
  readonly result: CommitResult;
}

interface ReleaseParts {
  readonly clock: Pick<Clock, "monotonic">;
  /** Runs at the next turn of the loop. */
  readonly later: (run: () => void) => void;
  readonly end: (release: Release) => void;
  /** The last group of an organization has ended. */
  readonly onDone: () => void;
}

export class Releases {
  private readonly parts: ReleaseParts;
  /** The first organization ends its next group. */
  private readonly lines = new Map<string, Release[]>();

  constructor(parts: ReleaseParts) {
    this.parts = parts;
  }

  /** Whether committed groups of the organization have not ended yet. */
  has(organizationId: string): boolean {
    return this.lines.has(organizationId);
  }

  /** All groups that have not ended yet, those of an organization in order. */
  get groups(): readonly TurnGroup[] {
    return [...this.lines.values()].flatMap((line) => line.map(({ group }) => group));
  }

  add(release: Release): void {
    if (this.lines.size === 0) this.plan();
    const { organizationId } = release.group;
    const line = this.lines.get(organizationId);
    if (line === undefined) this.lines.set(organizationId, [release]);
    else line.push(release);
  }

  /** Ends all of them now. */
  finish(): void {
    while (this.lines.size > 0) this.next();
  }

  private plan(): void {
    this.parts.later(() => this.turn());
  }

  private turn(): void {
    const { clock, onDone } = this.parts;
    const from = clock.monotonic();
    const before = this.lines.size;
    for (let ended = 0; ended < MOST_GROUPS && this.lines.size > 0; ended++) {
      this.next();
      if (clock.monotonic() - from >= RELEASE_MS) break;
    }
    if (this.lines.size > 0) this.plan();
    if (this.lines.size < before) onDone();
  }

  private next(): void {
    const [first] = this.lines;
    if (first === undefined) return;
    const [organizationId, line] = first;
    const release = line.shift()!;
    // To the end: all others end a group first.
    this.lines.delete(organizationId);
    if (line.length > 0) this.lines.set(organizationId, line);
    this.parts.end(release);
  }
}
