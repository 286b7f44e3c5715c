/** A stop that two steps of the shutdown share: the first of them performs it. */
export class StopOnce {
  private readonly run: () => Promise<void>;
  private stopped: Promise<void> | null = null;

  constructor(run: () => Promise<void>) {
    this.run = run;
  }

  stop(): Promise<void> {
    this.stopped ??= this.run();
    return this.stopped;
  }
}
