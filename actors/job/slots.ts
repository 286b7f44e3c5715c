/**
 * Places for running jobs (JOB-10): so many in the process, so many for each organization. The others
 * wait, oldest first; an organization at its bound lets the next one pass, so nobody is starved by a
 * flood of somebody else's jobs.
 */

/** Running jobs of one process: model streams cost sockets and memory. */
export const RUNNING_JOBS = 64;
/** Running jobs of one organization in one process. */
export const RUNNING_JOBS_OF_ORGANIZATION = 16;

interface Waiting {
  readonly organizationId: string;
  readonly grant: (release: () => void) => void;
}

export class Slots {
  private readonly running = new Map<string, number>();
  private waiting: Waiting[] = [];
  private total = 0;
  private readonly limit: number;
  private readonly limitOfOrganization: number;

  constructor(limit = RUNNING_JOBS, limitOfOrganization = RUNNING_JOBS_OF_ORGANIZATION) {
    this.limit = limit;
    this.limitOfOrganization = limitOfOrganization;
  }

  /** Resolves with the function that gives the place back, or with null when `signal` aborts first. */
  acquire(organizationId: string, signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return Promise.resolve(null);
    if (this.hasPlace(organizationId)) return Promise.resolve(this.take(organizationId));
    return new Promise((resolve) => {
      const entry: Waiting = {
        organizationId,
        grant: (release) => {
          signal.removeEventListener("abort", leave);
          resolve(release);
        },
      };
      const leave = (): void => {
        this.waiting = this.waiting.filter((w) => w !== entry);
        resolve(null);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.waiting.push(entry);
    });
  }

  private hasPlace(organizationId: string): boolean {
    return this.total < this.limit && (this.running.get(organizationId) ?? 0) < this.limitOfOrganization;
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

  private next(): void {
    const index = this.waiting.findIndex((w) => this.hasPlace(w.organizationId));
    if (index === -1) return;
    const [entry] = this.waiting.splice(index, 1);
    if (entry !== undefined) entry.grant(this.take(entry.organizationId));
  }
}
