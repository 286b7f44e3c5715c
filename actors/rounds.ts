/**
 * Entries that wait, by organization, in rounds: organizations take turns, one entry each, so one organization's
 * entries delay another's by one at most in each round.
 *
 * - RO-1: the first organization has the next turn. It goes behind all others when an entry of it is taken.
 * - RO-2: an organization is here as long as an entry of it waits, and entries of one leave in their order.
 */
import { assert } from "./assert.ts";

export class Rounds<T> {
  /** No line is empty. */
  private readonly lines = new Map<string, T[]>();

  get isEmpty(): boolean {
    return this.lines.size === 0;
  }

  /** The organizations, the next one first. One that goes to the end is reached again by a loop over them. */
  get organizations(): Iterable<string> {
    return this.lines.keys();
  }

  has(organizationId: string): boolean {
    return this.lines.has(organizationId);
  }

  /** Adds the entry behind those of its organization, but before those at the end that it `goesBefore`. */
  add(organizationId: string, entry: T, goesBefore: (other: T) => boolean = () => false): void {
    const line = this.lines.get(organizationId);
    if (line === undefined) return void this.lines.set(organizationId, [entry]);
    let at = line.length;
    while (at > 0 && goesBefore(line[at - 1]!)) at--;
    line.splice(at, 0, entry);
  }

  /** The organization's next entry. */
  first(organizationId: string): T {
    return this.lineOf(organizationId)[0]!;
  }

  /** Takes the organization's next entry, or the given one: that was its turn. */
  take(organizationId: string, entry = this.first(organizationId)): T {
    const line = this.lineOf(organizationId);
    this.remove(organizationId, entry);
    this.lines.delete(organizationId);
    if (line.length > 0) this.lines.set(organizationId, line);
    return entry;
  }

  /** Removes an entry that does not wait any more; its organization keeps its place. */
  remove(organizationId: string, entry: T): void {
    const line = this.lineOf(organizationId);
    const at = line.indexOf(entry);
    assert(at >= 0, "an entry that leaves was waiting");
    if (at === 0) line.shift();
    else line.splice(at, 1);
    if (line.length === 0) this.lines.delete(organizationId);
  }

  private lineOf(organizationId: string): T[] {
    const line = this.lines.get(organizationId);
    assert(line !== undefined, "an organization waits as long as an entry of it does (RO-2)");
    return line;
  }
}
