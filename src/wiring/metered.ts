/** Wrappers of ports that count calls. They are used only if metrics are on. */
import { isCostKnown } from "../../actors/job/budget.ts";
import { type ModelPort, withCalls } from "../../actors/job/ports.ts";
import type { FlushOutcome, ShardWrites } from "../../actors/runtime/store.ts";
import type { WebhookSender } from "../../actors/webhook/delivering.ts";
import type { Database } from "../../db/client.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import type { Meters } from "../metrics/meters.ts";

const secondsSince = (from: number): number => (performance.now() - from) / 1_000;

/** The store, with the size and the time of each flush. */
export class MeteredActorStore extends PostgresActorStore {
  private readonly meters: Meters;

  constructor(database: Database, meters: Meters) {
    super(database);
    this.meters = meters;
  }

  override async flush(batch: readonly ShardWrites[]): Promise<FlushOutcome> {
    const from = performance.now();
    const outcome = await super.flush(batch);
    this.meters.flushed(batch.length, outcome.kind, secondsSince(from));
    return outcome;
  }
}

/** The placement of replicas, with the time of the last renewal. */
export class MeteredPlacement extends PostgresPlacement {
  private readonly meters: Meters;

  constructor(database: Database, self: ConstructorParameters<typeof PostgresPlacement>[1], meters: Meters) {
    super(database, self);
    this.meters = meters;
  }

  override async renew(): Promise<boolean> {
    const from = performance.now();
    const isAlive = await super.renew();
    if (isAlive) this.meters.leaseRenewedAt = from;
    return isAlive;
  }
}

/** The models, counting the outcome of each call. */
export function meteredModels(models: ModelPort, meters: Meters): ModelPort {
  meters.currency = models.currency ?? null;
  if (meters.currency !== null)
    for (const model of models.allowed())
      if (!isCostKnown(models, model)) meters.unpriced(`${model.provider}:${model.name}`);
  return withCalls(models, async (call, onText, signal) => {
    const from = performance.now();
    let firstTokenSeconds: number | null = null;
    const onPiece = (text: string): void => {
      if (text !== "") firstTokenSeconds ??= secondsSince(from);
      onText(text);
    };
    const outcome = await models.call(call, onPiece, signal);
    const described = models.describe(call.model);
    const model = described.ok ? `${described.value.provider}:${described.value.name}` : "unknown";
    meters.called(model, outcome, { seconds: secondsSince(from), firstTokenSeconds });
    return outcome;
  });
}

/** The sender of webhooks, counting the outcome of each attempt. */
export const meteredSender = (sender: WebhookSender, meters: Meters): WebhookSender => ({
  async send(prepared, signal) {
    const from = performance.now();
    const result = await sender.send(prepared, signal);
    meters.sent(outcomeOf(result), secondsSince(from));
    return result;
  },
});

type Result = Awaited<ReturnType<WebhookSender["send"]>>;
const outcomeOf = (result: Result): string =>
  result === null ? "interrupted" : result.kind === "failed" ? result.error : result.kind;
