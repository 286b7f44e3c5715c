/** Readers of streams, in their own process: each reads one stream after the other. */
import { cpuOf } from "./cpu.ts";
import { Samples } from "./statistics.ts";
import type { StreamLoad, StreamRun } from "./stream-load.ts";
import { openReader, type StreamReader } from "./stream-reader.ts";
import { serveWorker } from "./worker.ts";

const DRAIN_LIMIT_MS = 20_000;

class Readers {
  private readonly load: StreamLoad;
  private readonly meta = new Samples(200_000);
  private readonly first = new Samples(200_000);
  private readonly delta = new Samples();
  private isMeasured = false;
  private isOver = false;
  private failure: string | null = null;

  constructor(load: StreamLoad) {
    this.load = load;
  }

  async run(): Promise<StreamRun> {
    const { streams, seconds, pid, warmUpSeconds } = this.load;
    const readers: StreamReader[] = [];
    for (let i = 0; i < streams; i++) {
      const reader = await this.open();
      readers.push(reader);
      reader.ask();
      await Bun.sleep((warmUpSeconds * 500) / streams);
    }
    await Bun.sleep(warmUpSeconds * 500);
    this.isMeasured = true;
    const cpu = cpuOf(pid);
    await Bun.sleep(seconds * 1_000);
    const used = cpuOf(pid) - cpu;
    this.isOver = true;
    const delta = this.delta.summary();
    const first = this.first.summary();
    await this.allEnded(readers);
    for (const reader of readers) reader.end();
    if (this.failure !== null) throw new Error(this.failure);
    return {
      meta: this.meta.summary(),
      firstDelta: first,
      delta,
      cpuUsPerDelta: (used * 1e6) / delta.count,
      cpuUsPerStream: (used * 1e6) / first.count,
    };
  }

  private async open(): Promise<StreamReader> {
    const reader = await openReader(this.load, {
      meta: (ms) => this.isMeasured && this.meta.add(ms),
      first: (ms) => this.isMeasured && !this.isOver && this.first.add(ms),
      delta: (ms) => this.isMeasured && !this.isOver && this.delta.add(ms),
      ended: () => {
        if (!this.isOver) reader.ask();
      },
      failed: (message) => (this.failure ??= message),
    });
    return reader;
  }

  /**
   * A job continues when its reader leaves, so the readers stay; otherwise the job would run during the next
   * measurement.
   */
  private async allEnded(readers: readonly StreamReader[]): Promise<void> {
    const until = performance.now() + DRAIN_LIMIT_MS;
    while (this.failure === null && readers.some(({ hasEnded }) => !hasEnded)) {
      if (performance.now() > until) this.failure = "the streams did not end";
      await Bun.sleep(20);
    }
  }
}

serveWorker<StreamLoad, StreamRun>((load) => new Readers(load).run());
