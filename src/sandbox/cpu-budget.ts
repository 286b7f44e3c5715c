/** CPU time that several jobs share: what one has used, the next one has no more. */

/** For all tool calls of one step together. An honest page takes a hundredth of it. */
export const STEP_CPU_MS = 10_000;

export class CpuBudget {
  private leftMs: number;

  constructor(ms = STEP_CPU_MS) {
    this.leftMs = ms;
  }

  /** A job under way may pass it once; nothing begins after that. */
  get isSpent(): boolean {
    return this.leftMs <= 0;
  }

  spend(ms: number): void {
    this.leftMs -= ms;
  }
}
