/**
 * Parses long bodies in slices (`actors/runtime/fairness/bulk-work.ts`): bodies that arrive together are parsed one after the
 * other, and the event loop turns between them (FAIR-7). A short body is parsed at once.
 */
import type { MaybePromise } from "../../../actors/maybe-promise.ts";
import { AT_ONCE_BYTES, type Bulk } from "../../../actors/runtime/fairness/bulk-work.ts";

/** Longer bodies wait for a slice: parsing this many bytes takes a tenth of a millisecond. */
export const LONG_BODY_BYTES = 64 * 1024;
/** Bodies of one line; its list is kept until all of them are parsed. */
const LINE = 64;

interface Line {
  readonly works: (() => number)[];
  done: number;
}

export class LongBodies {
  private readonly bulk: Bulk;
  /** Lines by organization to which bodies can still be added. */
  private readonly lines = new Map<string, Line>();

  constructor(bulk: Bulk) {
    this.bulk = bulk;
  }

  /** Parses a body of this size when the organization has a slice for it. */
  parse<T>(organizationId: string, bytes: number, parse: () => T): MaybePromise<T> {
    if (bytes <= LONG_BODY_BYTES) return parse();
    return new Promise((resolve, reject) => {
      this.add(organizationId, () => {
        try {
          resolve(parse());
        } catch (cause) {
          reject(cause);
        }
        return bytes;
      });
    });
  }

  private add(organizationId: string, work: () => number): void {
    const open = this.lines.get(organizationId);
    // The first body waits for a slice like all others: otherwise every body of a burst would be parsed at once.
    const line = open ?? { works: [() => AT_ONCE_BYTES], done: 1 };
    line.works.push(() => {
      line.done++;
      const isEnd = line.done === line.works.length && this.lines.get(organizationId) === line;
      if (isEnd) this.lines.delete(organizationId);
      return work();
    });
    if (line.works.length === LINE) this.lines.delete(organizationId);
    if (open !== undefined) return;
    if (line.works.length < LINE) this.lines.set(organizationId, line);
    // Never rejects: each work handles its own error.
    void this.bulk.each(organizationId, line.works, (run) => run());
  }
}
