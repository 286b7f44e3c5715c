/**
 * Which runs have a connected reader in this process. A run without one may have lost its client: then a request that
 * asks for the same is that client's retry (DIA-2). Nothing of it outlives the process, and neither does a connection.
 */
export class RunReaders {
  private readonly counts = new Map<string, number>();

  has(jobId: string): boolean {
    return this.counts.has(jobId);
  }

  /** Counts a reader; the result leaves, once. */
  enter(jobId: string): () => void {
    this.counts.set(jobId, (this.counts.get(jobId) ?? 0) + 1);
    let isHere = true;
    return () => {
      if (!isHere) return;
      isHere = false;
      const left = (this.counts.get(jobId) ?? 1) - 1;
      if (left === 0) this.counts.delete(jobId);
      else this.counts.set(jobId, left);
    };
  }
}
