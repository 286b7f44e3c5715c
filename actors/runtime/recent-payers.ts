/** The payers that were charged in the current window of time or in the one before. */
export class RecentPayers {
  private window = 0;
  private present = new Set<string>();
  private former = new Set<string>();

  add(payer: string, window: number): void {
    this.turn(window);
    this.present.add(payer);
  }

  /** The number of payers in the window that had more of them. */
  count(window: number): number {
    this.turn(window);
    return Math.max(this.present.size, this.former.size);
  }

  /** Whether there was more than one. */
  areSeveral(window: number): boolean {
    if (this.count(window) > 1) return true;
    const [one] = this.present;
    const [other] = this.former;
    return one !== undefined && other !== undefined && one !== other;
  }

  private turn(window: number): void {
    if (window === this.window) return;
    this.former = window === this.window + 1 ? this.present : new Set();
    this.present = new Set();
    this.window = window;
  }
}
