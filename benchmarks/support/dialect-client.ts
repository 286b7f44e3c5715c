/**
 * Readers of streams by several ways, in their own process. All connections are opened before anything is measured.
 *
 *   starts  each reader reads one stream after the other, in turns: one by each way, in an order that chance chooses
 *   hold    each way has its own streams, all of them at once; they end when the provider ends them
 */
import { openReader, type ReaderLoad, type StreamReader } from "./stream-reader.ts";
import { shuffled } from "./statistics.ts";
import { serveWorker } from "./worker.ts";

/** By the names of the ways. */
export type Loads = Readonly<Record<string, ReaderLoad>>;

export type DialectQuestion =
  | {
      readonly kind: "starts";
      readonly loads: Loads;
      readonly streams: number;
      readonly seconds: number;
      readonly warmUpSeconds: number;
    }
  /** Answered when each stream has its first text. */
  | { readonly kind: "hold"; readonly loads: Loads; readonly streams: number }
  /** Answered when the way's held streams have had so many pieces of text. */
  | { readonly kind: "heard"; readonly way: string; readonly deltas: number }
  /** Answered when all held streams have ended. */
  | { readonly kind: "ended" };

/** Ms from the request to the first text by each way, in each whole turn of a reader; of `starts`. */
export type DialectAnswer = readonly Readonly<Record<string, number>>[];

const LIMIT_MS = 30_000;
const POLL_MS = 1;

interface Way {
  readonly readers: StreamReader[];
  deltas: number;
}

/** A reader's turn. */
interface Turn {
  /** The ways that follow. */
  readonly left: string[];
  readonly firstMs: Record<string, number>;
  /** Whether it has begun while something is measured. */
  readonly counts: boolean;
}

/** What a reader, by its number, has read. */
interface Heard {
  first(reader: number, way: string, afterMs: number): void;
  /** Its stream is over. */
  ended(reader: number): void;
}
const NOBODY: Heard = { first() {}, ended() {} };

class Readers {
  private readonly ways = new Map<string, Way>();
  private failure: string | null = null;

  async open(loads: Loads, streams: number, { first, ended }: Heard): Promise<void> {
    for (const [name, load] of Object.entries(loads)) {
      const way: Way = { readers: [], deltas: 0 };
      this.ways.set(name, way);
      for (let i = 0; i < streams; i++) {
        const reader = await openReader(load, {
          first: (ms) => first(i, name, ms),
          delta: () => way.deltas++,
          ended: () => ended(i),
          failed: (message) => (this.failure ??= message),
        });
        way.readers.push(reader);
      }
    }
  }

  async starts({
    loads,
    streams,
    seconds,
    warmUpSeconds,
  }: Extract<DialectQuestion, { kind: "starts" }>): Promise<DialectAnswer> {
    const measured: Turn["firstMs"][] = [];
    let isMeasured = false;
    let isOver = false;
    let reading = 0;
    let counting = 0;
    const begun = (): Turn => {
      if (isMeasured) counting++;
      return { left: shuffled(Object.keys(loads)), firstMs: {}, counts: isMeasured };
    };
    const turns = Array.from({ length: streams }, begun);
    const ask = (reader: number): void => {
      reading++;
      this.ways.get(turns[reader]!.left.pop()!)!.readers[reader]!.ask();
    };
    await this.open(loads, streams, {
      first: (reader, way, ms) => (turns[reader]!.firstMs[way] = ms),
      ended(reader) {
        reading--;
        const turn = turns[reader]!;
        if (turn.left.length === 0) {
          if (turn.counts) {
            measured.push(turn.firstMs);
            counting--;
          }
          turns[reader] = begun();
        }
        if (!isOver) ask(reader);
      },
    });
    for (let i = 0; i < streams; i++) {
      ask(i);
      await Bun.sleep((warmUpSeconds * 500) / streams);
    }
    await Bun.sleep(warmUpSeconds * 500);
    isMeasured = true;
    await Bun.sleep(seconds * 1_000);
    isMeasured = false;
    // The others read on beside the last turns that count.
    await this.until(() => counting === 0);
    isOver = true;
    // A job continues when its reader leaves: it would run during the next measurement.
    await this.until(() => reading === 0);
    this.close();
    return measured;
  }

  async hold(loads: Loads, streams: number): Promise<void> {
    await this.open(loads, streams, NOBODY);
    for (const way of this.ways.values()) {
      for (const reader of way.readers) reader.ask();
      await this.until(() => way.deltas >= streams);
      way.deltas = 0;
    }
  }

  async heard(name: string, deltas: number): Promise<void> {
    const way = this.ways.get(name)!;
    await this.until(() => way.deltas >= deltas);
    way.deltas = 0;
  }

  async ended(): Promise<void> {
    await this.until(() => [...this.ways.values()].every(({ readers }) => readers.every(({ hasEnded }) => hasEnded)));
    this.close();
  }

  private close(): void {
    for (const { readers } of this.ways.values()) for (const reader of readers) reader.end();
  }

  private async until(holds: () => boolean): Promise<void> {
    const limit = performance.now() + LIMIT_MS;
    while (this.failure === null && !holds()) {
      if (performance.now() > limit) this.failure = "the streams did not get on";
      await Bun.sleep(POLL_MS);
    }
    if (this.failure !== null) throw new Error(this.failure);
  }
}

let held = new Readers();

serveWorker<DialectQuestion, DialectAnswer>(async (question) => {
  if (question.kind === "starts") return new Readers().starts(question);
  if (question.kind === "hold") {
    held = new Readers();
    await held.hold(question.loads, question.streams);
  } else if (question.kind === "heard") await held.heard(question.way, question.deltas);
  else await held.ended();
  return [];
});
