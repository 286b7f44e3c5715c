/**
 * The right to use a part of something limited: a job slot, room in memory, a place among the calls of a provider. It is
 * held with `using`, so that it ends once on every way out of its block; `end` ends it earlier.
 */
export class Pass implements Disposable {
  private onEnd: (() => void) | null;

  /** `onEnd` runs once, when the pass ends. */
  constructor(onEnd: () => void) {
    this.onEnd = onEnd;
  }

  /** Idempotent. */
  end(): void {
    const { onEnd } = this;
    this.onEnd = null;
    onEnd?.();
  }

  [Symbol.dispose](): void {
    this.end();
  }
}
