/** A budget of CPU time that several jobs share. */

/** For all tool calls of one step together. A normal page takes a hundredth of it. */
export const STEP_CPU_MS = 10_000;

export class CpuBudget {
  private leftMs: number;

  constructor(ms = STEP_CPU_MS) {
    this.leftMs = ms;
  }

  /** A running job may overrun the budget; no job begins after that. */
  get isSpent(): boolean {
    return this.leftMs <= 0;
  }

  spend(ms: number): void {
    this.leftMs -= ms;
  }
}
