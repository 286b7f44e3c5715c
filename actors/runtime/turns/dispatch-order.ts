/**
 * The order of turns at each actor while some groups wait for records. A group that has to wait joins the line of each
 * of its actors until it has had its turns, and later groups wait behind it.
 *
 * There is no deadlock: a group waits only for groups that were dispatched before it, and the first of them waits only
 * for the database. While no group waits there are no lines, and nothing is looked up.
 */
import { assert } from "../../assert.ts";

/** A turn group in a line. */
interface InLine {
  /** Rises with each dispatch. */
  readonly order: number;
  /** Called when it becomes the first of a line; does nothing unless it waits behind others. */
  resume(): void;
}

export class DispatchOrder {
  private dispatched = 0;
  /** By the actor's key; each line is sorted by order and never empty. */
  private readonly lines = new Map<string, InLine[]>();

  /** The order of a new dispatch. */
  next(): number {
    return ++this.dispatched;
  }

  /** Whether an earlier group has not had its turn at this actor yet. */
  isBehind(key: string, order: number): boolean {
    if (this.lines.size === 0) return false;
    const first = this.lines.get(key)?.[0];
    return first !== undefined && first.order < order;
  }

  enter(key: string, group: InLine): void {
    const line = this.lines.get(key);
    if (line === undefined) {
      this.lines.set(key, [group]);
      return;
    }
    let at = line.length;
    while (at > 0 && line[at - 1]!.order > group.order) at--;
    assert(line[at - 1]?.order !== group.order, "a group is in a line once");
    line.splice(at, 0, group);
  }

  /** The group has had its turn, or is answered without one. */
  leave(key: string, group: InLine): void {
    const line = this.lines.get(key);
    const at = line?.indexOf(group) ?? -1;
    if (line === undefined || at === -1) return;
    line.splice(at, 1);
    const [first] = line;
    if (first === undefined) this.lines.delete(key);
    // Deferred: a thousand groups that wait for each other would otherwise be as many nested calls.
    else if (at === 0) queueMicrotask(() => first.resume());
  }
}

/** The lines that one group is in, usually none. */
export class Lines implements InLine {
  readonly order: number;
  private readonly dispatches: DispatchOrder;
  private readonly goOn: () => void;
  private keys: Set<string> | null = null;
  private isWaiting = false;

  /** `goOn` is called when the waiting group becomes the first of a line. */
  constructor(dispatches: DispatchOrder, goOn: () => void) {
    this.dispatches = dispatches;
    this.goOn = goOn;
    this.order = dispatches.next();
  }

  isBehind(key: string): boolean {
    return this.dispatches.isBehind(key, this.order);
  }

  enter(key: string): void {
    this.keys ??= new Set();
    if (this.keys.has(key)) return;
    this.keys.add(key);
    this.dispatches.enter(key, this);
  }

  wait(): void {
    this.isWaiting = true;
  }

  resume(): void {
    if (!this.isWaiting) return;
    this.isWaiting = false;
    this.goOn();
  }

  /** The group has had its turns, or is answered without them. */
  leave(): void {
    if (this.keys === null) return;
    const { keys } = this;
    this.keys = null;
    for (const key of keys) this.dispatches.leave(key, this);
  }
}
