/** Evicts idle actors periodically. The search is done in pieces, so that it delays nobody. */
import type { Clock } from "./clock.ts";
import type { LiveActors } from "./live-actors.ts";
import type { RuntimeLog } from "./log.ts";

const EVERY_MS = 10_000;
/** The interval between two pieces of one search. */
const PIECES_APART_MS = 2;

export class Passivation {
  private readonly actors: Pick<LiveActors, "passivating" | "count">;
  private readonly clock: Pick<Clock, "monotonic" | "after">;
  private readonly log: Pick<RuntimeLog, "debug">;
  private cancel: () => void = () => {};

  constructor(
    parts: { readonly clock: Pick<Clock, "monotonic" | "after">; readonly log: RuntimeLog },
    actors: LiveActors,
  ) {
    this.clock = parts.clock;
    this.log = parts.log;
    this.actors = actors;
  }

  start(): void {
    this.cancel = this.clock.after(EVERY_MS, () => this.goOn(this.actors.passivating(this.clock.monotonic())));
  }

  stop(): void {
    this.cancel();
  }

  private goOn(pieces: Generator<undefined, number, undefined>): void {
    const { done, value: dropped } = pieces.next();
    if (done !== true) {
      this.cancel = this.clock.after(PIECES_APART_MS, () => this.goOn(pieces));
      return;
    }
    if (dropped > 0) this.log.debug({ dropped, live: this.actors.count }, "idle actors have left memory");
    this.start();
  }
}
