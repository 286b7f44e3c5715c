/**
 * Everything that is counted as it happens. The counted parts of the service know only a port, or are wrapped
 * by `src/wiring/metered.ts`. Values that can be read at any time (memory, open streams, actors) are not here:
 * a scrape reads them.
 */
import type { FaultKind } from "../../actors/fault.ts";
import type { ModelOutcome } from "../../actors/job/ports.ts";
import { unpricedTokens } from "../../actors/money.ts";
import type { FlushOutcome } from "../../actors/runtime/store.ts";
import { Amounts, LabelledCounts, Distribution, Distributions } from "./tally.ts";

/** In seconds: from an answer out of memory to a request that waits for a slow disk. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const FLUSH_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const FLUSH_GROUPS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
/** A model takes from a fraction of a second to minutes. */
const MODEL_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600];
const DELIVERY_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];
/** Everybody notices an event loop that blocks for a tenth of a second. */
const LOOP_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

const FLUSH_OUTCOMES: readonly FlushOutcome["kind"][] = ["answered", "aborted", "unknown"];

/** The operation of a request that matched none. */
const NO_OPERATION = "none";

/** How one attempt to deliver a webhook ended: `delivered`, or the error that the ledger has. */
type DeliveryOutcome = string;

export class Meters {
  readonly requests = new LabelledCounts("operation", "status");
  readonly requestSeconds = new Distributions("operation", REQUEST_SECONDS);
  readonly refusals = new LabelledCounts("kind");
  readonly flushes = new LabelledCounts("outcome");
  readonly flushSeconds = new Distribution(FLUSH_SECONDS);
  readonly flushGroups = new Distribution(FLUSH_GROUPS);
  readonly modelCalls = new LabelledCounts("model", "outcome");
  readonly modelSeconds = new Distributions("model", MODEL_SECONDS);
  readonly firstTokenSeconds = new Distributions("model", MODEL_SECONDS);
  readonly modelTokens = new LabelledCounts("model", "direction");
  readonly modelCacheTokens = new LabelledCounts("model", "use");
  readonly modelCosts = new Amounts();
  /** Counted only if there is a price table: without one, every token is unpriced. */
  readonly unpricedTokens = new LabelledCounts("model");
  /** The currency of the costs; null if no model has a price. */
  currency: string | null = null;
  readonly deliveries = new LabelledCounts("outcome");
  readonly deliverySeconds = new Distribution(DELIVERY_SECONDS);
  readonly spans = new LabelledCounts("outcome");
  readonly loopSeconds = new Distribution(LOOP_SECONDS);
  /** When the lease was last renewed, monotonic ms; null before. */
  leaseRenewedAt: number | null = null;

  /** Counters that alerts watch start at 0: if a counter starts with its first event, Prometheus sees no increase. */
  constructor() {
    for (const outcome of FLUSH_OUTCOMES) this.flushes.add(0, outcome);
    this.refusals.add(0, "storage_full");
  }

  /** Registers a model whose tokens have no price. */
  unpriced(model: string): void {
    this.unpricedTokens.add(0, model);
  }

  answered(operation: string | null, status: number, seconds: number): void {
    this.requests.add(1, operation ?? NO_OPERATION, String(status));
    this.requestSeconds.observe(operation ?? NO_OPERATION, seconds);
  }

  refused(kind: FaultKind): void {
    this.refusals.add(1, kind);
  }

  flushed(groups: number, outcome: FlushOutcome["kind"], seconds: number): void {
    this.flushes.add(1, outcome);
    this.flushGroups.observe(groups);
    this.flushSeconds.observe(seconds);
  }

  /** `firstTokenSeconds` is null if no text came. */
  called(
    model: string,
    outcome: ModelOutcome,
    { seconds, firstTokenSeconds }: { readonly seconds: number; readonly firstTokenSeconds: number | null },
  ): void {
    this.modelCalls.add(1, model, outcome.kind === "failed" ? outcome.error.code : outcome.kind);
    this.modelSeconds.observe(model, seconds);
    if (firstTokenSeconds !== null) this.firstTokenSeconds.observe(model, firstTokenSeconds);
    const { usage } = outcome;
    if (usage === undefined) return;
    this.modelTokens.add(usage.inputTokens, model, "input");
    this.modelTokens.add(usage.outputTokens, model, "output");
    this.modelCacheTokens.add(usage.cachedInputTokens ?? 0, model, "read");
    this.modelCacheTokens.add(usage.cacheWriteTokens ?? 0, model, "written");
    if (usage.cost !== undefined) this.modelCosts.add(usage.cost, model);
    if (this.currency !== null && unpricedTokens(usage) > 0) this.unpricedTokens.add(unpricedTokens(usage), model);
  }

  /** `outcome`: exported, failed or dropped. */
  traced(outcome: string, spans: number): void {
    this.spans.add(spans, outcome);
  }

  sent(outcome: DeliveryOutcome, seconds: number): void {
    this.deliveries.add(1, outcome);
    this.deliverySeconds.observe(seconds);
  }
}
