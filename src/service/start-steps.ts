/**
 * Where a start is. A step that takes long is logged, and again while it goes on: a start that hangs, or that a slow
 * machine makes wait, says what it waits for.
 */
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Logger } from "../log/log.ts";

/** A hundred times the duration of most steps on a quiet machine, and what the start waits for a program at most. */
export const SLOW_STEP_MS = 10_000;

export type StartStep =
  | "choosing the models"
  | "starting the embedded PostgreSQL"
  | "migrating the database"
  | "opening the files"
  | "loading the service"
  | "trying the programs of this machine"
  | "waiting for the place among the replicas"
  | "taking the shards"
  | "creating the first organization"
  | "opening the ports"
  | "looking for models on this machine";

interface StartStepsParts {
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly log: Pick<Logger, "warn">;
}

export class StartSteps {
  private readonly parts: StartStepsParts;
  private cancel = (): void => {};

  constructor(parts: StartStepsParts) {
    this.parts = parts;
  }

  /** Ends the step before it. */
  begin(step: StartStep): void {
    const { clock, log } = this.parts;
    this.cancel();
    const from = clock.monotonic();
    const look = (): void => {
      log.warn({ step, seconds: Math.round((clock.monotonic() - from) / 1_000) }, "the start takes long");
      this.cancel = clock.after(SLOW_STEP_MS, look);
    };
    this.cancel = clock.after(SLOW_STEP_MS, look);
  }

  /** The start is over, or has failed. */
  end(): void {
    this.cancel();
  }
}
