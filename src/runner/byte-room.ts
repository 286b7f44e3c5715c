/**
 * Room in memory that model calls share. Who needs more than there is waits: first come, first served, but those
 * whose organization has its part already wait behind the others. A call for which there could never be room gets it
 * while nothing else is held.
 */

interface Waiting {
  readonly organizationId: string;
  readonly bytes: number;
  readonly begin: () => void;
}

export class ByteRoom {
  private readonly limit: number;
  private readonly ofOrganization: number;
  private readonly held = new Map<string, number>();
  private waiting: Waiting[] = [];
  private total = 0;

  /** Bytes of all, and of one organization. */
  constructor(limit: number, ofOrganization: number) {
    this.limit = limit;
    this.ofOrganization = ofOrganization;
  }

  /** Bytes that are held. */
  get used(): number {
    return this.total;
  }

  /** Resolves with the function that gives the bytes back; calling it again does nothing. */
  enter(organizationId: string, bytes: number, signal: AbortSignal): Promise<(() => void) | "aborted"> {
    if (signal.aborted) return Promise.resolve("aborted");
    return new Promise((resolve) => {
      const stop = (): void => {
        this.waiting = this.waiting.filter((one) => one !== entry);
        resolve("aborted");
        this.next();
      };
      const entry: Waiting = {
        organizationId,
        bytes,
        begin: () => {
          signal.removeEventListener("abort", stop);
          resolve(this.take(organizationId, bytes));
        },
      };
      signal.addEventListener("abort", stop, { once: true });
      this.waiting.push(entry);
      this.next();
    });
  }

  private take(organizationId: string, bytes: number): () => void {
    this.count(organizationId, bytes);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.count(organizationId, -bytes);
      this.next();
    };
  }

  private count(organizationId: string, bytes: number): void {
    const held = (this.held.get(organizationId) ?? 0) + bytes;
    if (held === 0) this.held.delete(organizationId);
    else this.held.set(organizationId, held);
    this.total += bytes;
  }

  private next(): void {
    for (const entry of this.waiting) {
      const held = this.held.get(entry.organizationId) ?? 0;
      if (held > 0 && held + entry.bytes > this.ofOrganization) continue;
      // Those behind it wait too: a large one would never have its turn.
      if (this.total > 0 && this.total + entry.bytes > this.limit) return;
      this.waiting = this.waiting.filter((one) => one !== entry);
      entry.begin();
    }
  }
}
