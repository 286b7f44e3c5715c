/**
 * Reads a run's content besides its records: its chat's history and its own transcript. The database may be unavailable
 * for a moment, and a failed query must not fail the run. So each read is retried, with pauses that double up to a
 * bound, until it succeeds, the run is aborted, or the epoch is over.
 */
import type { EffectContext } from "../../runtime/outputs/effects.ts";
import type { EffectRow } from "../../runtime/store.ts";
import type { RunServices } from "./services.ts";
import type { ChatHistory } from "../protocol.ts";
import { RunOver } from "./reporter.ts";
import { sleep } from "../../runtime/backoff.ts";
import { Transcript } from "./transcript.ts";

/** The most messages of the chat in a model call, counted from the newest. Compaction starts long before that. */
export const HISTORY_MESSAGES = 1_000;

/** The wait before the first retry of a read; it doubles up to the last. */
const REREAD_FIRST_MS = 100;
const REREAD_LAST_MS = 5_000;
/**
 * Retries of one read while this replica holds its lease, which means that it can reach the database: more than a
 * minute in all. A read that still fails then has a bug.
 */
export const REREAD_TRIES = 20;

type ReadingParts = Pick<RunServices, "transcripts" | "clock" | "log">;

export class RunReading {
  private readonly parts: ReadingParts;
  private readonly effect: EffectRow;
  private readonly context: EffectContext;

  constructor(parts: ReadingParts, effect: EffectRow, context: EffectContext) {
    this.parts = parts;
    this.effect = effect;
    this.context = context;
  }

  /** The conversation before this turn; null if the signal has aborted the run. */
  async history(chatId: string, signal: AbortSignal): Promise<ChatHistory | null> {
    const { organizationId, actorId: jobId } = this.effect;
    const of = { organizationId, chatId, jobId, limit: HISTORY_MESSAGES };
    return this.withRetries(() => this.parts.transcripts.history(of), signal);
  }

  /** The committed content of this run. Throws `RunOver` if the signal has aborted it. */
  async transcript(signal?: AbortSignal): Promise<Transcript> {
    const { organizationId, actorId: jobId } = this.effect;
    const parts = await this.withRetries(() => this.parts.transcripts.parts(organizationId, jobId), signal);
    if (parts === null) throw new RunOver();
    return new Transcript(parts);
  }

  private async withRetries<T>(read: () => Promise<T>, signal?: AbortSignal): Promise<T | null> {
    const { parts, context, effect } = this;
    let waitMs = REREAD_FIRST_MS;
    for (let tries = 1; ;) {
      try {
        return await read();
      } catch (err) {
        // An outage is not counted, however long it lasts: the job waits until it ends.
        if (context.mayAct() && tries++ >= REREAD_TRIES) throw err;
        parts.log.warn({ err, job: effect.actorId, waitMs }, "a run could not be read yet");
      }
      if (context.isOver()) throw new RunOver();
      if (signal?.aborted === true) return null;
      // A cancelled run reads without a signal for its last report: its own signal has aborted already.
      await sleep(waitMs, parts.clock, signal);
      waitMs = Math.min(2 * waitMs, REREAD_LAST_MS);
    }
  }
}
