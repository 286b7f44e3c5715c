/**
 * Places for running jobs (JOB-10): so many in the process, so many for each organization. The others
 * wait: organizations take turns, one place each, so that a flood of somebody else's jobs costs nobody
 * more than one round; within an organization the highest priority is first, and of one priority the
 * oldest. An organization at its bound lets the next one pass.
 */
import { JOB_PRIORITIES, type JobPriority } from "./terms.ts";

/** Jobs that run at once in one process: model streams cost sockets and memory. */
export interface Places {
  readonly inProcess: number;
  readonly ofOrganization: number;
}
export const USUAL_PLACES: Places = { inProcess: 64, ofOrganization: 16 };

/** Who asks for a place. */
export interface Applicant {
  readonly organizationId: string;
  readonly priority: JobPriority;
  /** When its job was made, in ms: the older one is first. */
  readonly since: number;
}

interface Waiting extends Applicant {
  readonly grant: (release: () => void) => void;
}

export class Slots {
  private readonly running = new Map<string, number>();
  /** Who waits, by organization; the organization that is first in the map has the next turn. */
  private readonly lines = new Map<string, Waiting[]>();
  private total = 0;
  private readonly limits: Places;

  constructor(limits = USUAL_PLACES) {
    this.limits = limits;
  }

  /** Resolves with the function that gives the place back, or with null when `signal` aborts first. */
  acquire(applicant: Applicant, signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return Promise.resolve(null);
    const { organizationId } = applicant;
    // Who may run never waits, so nobody is passed here.
    if (this.hasPlace(organizationId)) return Promise.resolve(this.take(organizationId));
    return new Promise((resolve) => {
      const entry: Waiting = {
        ...applicant,
        grant: (release) => {
          signal.removeEventListener("abort", leave);
          resolve(release);
        },
      };
      const leave = (): void => {
        this.strike(entry);
        resolve(null);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.enter(entry);
    });
  }

  private hasPlace(organizationId: string): boolean {
    const { inProcess, ofOrganization } = this.limits;
    return this.total < inProcess && (this.running.get(organizationId) ?? 0) < ofOrganization;
  }

  private take(organizationId: string): () => void {
    this.total++;
    this.running.set(organizationId, (this.running.get(organizationId) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.total--;
      const left = (this.running.get(organizationId) ?? 1) - 1;
      if (left === 0) this.running.delete(organizationId);
      else this.running.set(organizationId, left);
      this.next();
    };
  }

  /** Into its organization's line, behind all that go before it. Most are the youngest: the end is looked at first. */
  private enter(entry: Waiting): void {
    const line = this.lines.get(entry.organizationId);
    if (line === undefined) return void this.lines.set(entry.organizationId, [entry]);
    let place = line.length;
    while (place > 0 && goesBefore(entry, line[place - 1]!)) place--;
    line.splice(place, 0, entry);
  }

  private strike(entry: Waiting): void {
    const line = (this.lines.get(entry.organizationId) ?? []).filter((other) => other !== entry);
    if (line.length === 0) this.lines.delete(entry.organizationId);
    else this.lines.set(entry.organizationId, line);
  }

  /** Gives the free place to the first organization that may have it, whose next turn is after all others. */
  private next(): void {
    for (const [organizationId, line] of this.lines) {
      if (!this.hasPlace(organizationId)) continue;
      const entry = line.shift();
      this.lines.delete(organizationId);
      if (line.length > 0) this.lines.set(organizationId, line);
      entry?.grant(this.take(organizationId));
      return;
    }
  }
}

const rank = ({ priority }: Applicant): number => JOB_PRIORITIES.indexOf(priority);
const goesBefore = (a: Applicant, b: Applicant): boolean =>
  rank(a) === rank(b) ? a.since < b.since : rank(a) > rank(b);
