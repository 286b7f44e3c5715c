/** A stop that two steps of the end need: it happens at the first of them. */
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
