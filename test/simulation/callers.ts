/** Who waits for an answer of which replica. Of a process that is gone nobody hears anything. */
import type { Outcome } from "../../actors/fault.ts";
import { GroupBroken } from "../../actors/runtime/commit/group.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimulatedReplica } from "./simulated-replica.ts";
import { BREAKING } from "./simulated-wiring.ts";

/** What a caller does with its end. */
export interface Ends {
  readonly answered: (outcome: Outcome<unknown>) => void;
  readonly threw: (cause: unknown) => void;
  /** The process has ended first. */
  readonly abandoned: () => void;
}

interface Caller {
  readonly what: string;
  readonly ends: Ends;
}

export class Callers {
  private readonly waitingAt = new Map<SimulatedReplica, Set<Caller>>();
  private readonly scheduler: Scheduler;
  private readonly fail: (cause: unknown) => void;

  /** `fail` takes what an end throws. */
  constructor(scheduler: Scheduler, fail: (cause: unknown) => void) {
    this.scheduler = scheduler;
    this.fail = fail;
  }

  get count(): number {
    return this.names().length;
  }

  names(): readonly string[] {
    return [...this.waitingAt].flatMap(([{ line }, callers]) =>
      [...callers].map(({ what }) => `${line.name}: ${what}`),
    );
  }

  wait(replica: SimulatedReplica, what: string, answer: Promise<Outcome<unknown>>, ends: Ends): void {
    this.scheduler.note(`${replica.line.name} is asked: ${what}`);
    let callers = this.waitingAt.get(replica);
    if (callers === undefined) this.waitingAt.set(replica, (callers = new Set()));
    const caller = { what, ends };
    callers.add(caller);
    const over = (as: string, run: () => void): void => {
      if (this.waitingAt.get(replica)?.delete(caller) !== true) return;
      this.scheduler.note(`${replica.line.name} answers ${what}: ${as}`);
      try {
        run();
      } catch (cause) {
        this.fail(cause);
      }
    };
    answer.then(
      (outcome) => over(outcome.ok ? "ok" : outcome.fault.kind, () => ends.answered(outcome)),
      (cause: unknown) => over("exception", () => ends.threw(cause)),
    );
  }

  abandon(replica: SimulatedReplica): void {
    for (const { ends } of this.waitingAt.get(replica) ?? []) ends.abandoned();
    this.waitingAt.delete(replica);
  }
}

/** Whether an exception says that the store refused the group, as a drawn fault made it do. */
export const isDrawn = (cause: unknown): boolean =>
  cause instanceof GroupBroken &&
  BREAKING.some((code) => cause.message.includes(code)) &&
  (cause.cause as Error).message === "a scripted fault";
