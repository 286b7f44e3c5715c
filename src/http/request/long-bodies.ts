/**
 * The parsing of long bodies, in slices (`actors/runtime/bulk-work.ts`): many that arrive together are parsed one after
 * the other, and the event loop turns between them (FAIR-7). A short body is parsed at once.
 */
import type { MaybePromise } from "../../../actors/maybe-promise.ts";
import { AT_ONCE_BYTES, type Bulk } from "../../../actors/runtime/bulk-work.ts";

/** Longer bodies wait for a slice: parsing so many bytes takes a tenth of a millisecond. */
export const LONG_BODY_BYTES = 64 * 1024;
/** Bodies of one line, whose list is kept until all of them are parsed. */
const LINE = 64;

interface Line {
  readonly works: (() => number)[];
  done: number;
}

export class LongBodies {
  private readonly bulk: Bulk;
  /** By organization: bodies that are parsed now, to which more can be added. */
  private readonly lines = new Map<string, Line>();

  constructor(bulk: Bulk) {
    this.bulk = bulk;
  }

  /** Parses a body of so many bytes, when the organization has a slice for it. */
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
    // The first one waits for a slice as all others do: as many as have arrived with it would else be parsed at once.
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
    // Rejects never: each work keeps what it throws to itself.
    void this.bulk.each(organizationId, line.works, (run) => run());
  }
}
