/** A replica of the webhook actor over the model in memory, with a receiver that a test scripts. */
import type { Outcome } from "../../actors/fault.ts";
import type { FoundAttempts, WebhookQueue } from "../../actors/webhook/directory.ts";
import { webhookActor } from "../../actors/webhook/actor.ts";
import { webhookEffects, type WebhookSender } from "../../actors/webhook/delivering.ts";
import { type EventType, type NewsEvent, takes, webhookRef } from "../../actors/webhook/events.ts";
import type {
  AttemptResult,
  DestinationInput,
  EventHead,
  EventRange,
  Prepared,
  WebhookProtocol,
} from "../../actors/webhook/protocol.ts";
import type { SearchIntent } from "../../actors/webhook/queue.ts";
import type { Attempt, WebhookDestination, Feed, WebhookEvent } from "../../actors/webhook/schema.ts";

import { isoTime } from "../../actors/schema.ts";
import type { MemoryDatabase } from "./memory-database.ts";
import { erased, Replica, type World } from "./replica.ts";

export const ORG = "org_a";

/** What the receiver does with an exchange: an end, or none until the test lets it. */
export type Reaction = AttemptResult | Promise<AttemptResult>;
export const delivered: AttemptResult = { kind: "delivered", httpStatus: 200, durationMs: 3 };
export const httpError = (httpStatus: number, more: { readonly retryAfterMs?: number } = {}): AttemptResult => ({
  kind: "failed",
  error: "http_error",
  httpStatus,
  durationMs: 3,
  isTransient: httpStatus >= 500 || httpStatus === 429,
  retryAfterMs: more.retryAfterMs ?? null,
});

/** A receiver that says what the test wants, and counts. */
export class FakeReceiver implements WebhookSender {
  /** What has arrived, in order. */
  readonly arrived: Prepared[] = [];
  underWay = 0;
  most = 0;
  /** When, in ms of the world's clock. */
  readonly times: number[] = [];
  react: (prepared: Prepared) => Reaction = () => delivered;
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  async send(prepared: Prepared, signal: AbortSignal) {
    this.arrived.push(prepared);
    this.times.push(this.now());
    this.underWay++;
    this.most = Math.max(this.most, this.underWay);
    const over = Promise.withResolvers<null>();
    signal.addEventListener("abort", () => over.resolve(null), { once: true });
    try {
      const result = await Promise.race([this.react(prepared), over.promise]);
      return result as Exclude<AttemptResult, { kind: "interrupted" }> | null;
    } finally {
      this.underWay--;
    }
  }

  get sequences(): number[] {
    return this.arrived.map(({ event }) => event.sequence);
  }
}

class MemoryWebhookQueue implements WebhookQueue {
  /** A search has read the table, and answers when this has resolved. */
  answers: () => Promise<void> = () => Promise.resolve();
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  async waiting(organizationId: string, { lane, until, limit, without = [] }: SearchIntent): Promise<FoundAttempts> {
    const waiting = this.database
      .rows<Attempt>("webhook_attempt")
      .filter((attempt) => attempt.organizationId === organizationId && attempt.status === "pending")
      .filter(({ push }) => (push !== undefined) === (lane === "pushes"))
      .sort((a, b) => a.dueAt.localeCompare(b.dueAt) || a.sequence - b.sequence);
    const due = waiting.filter(({ dueAt }) => until === null || dueAt <= until);
    const others = waiting.filter((attempt) => !due.includes(attempt));
    const found = due.filter(({ destinationHost }) => !without.includes(destinationHost));
    await this.answers();
    return { attemptIds: found.slice(0, limit).map(({ id }) => id), nextDueAt: others[0]?.dueAt ?? null };
  }

  async eventsIn(
    organizationId: string,
    { after, until, eventTypes }: EventRange,
    limit: number,
  ): Promise<readonly EventHead[]> {
    return this.database
      .rows<WebhookEvent>("webhook_event")
      .filter((event) => event.organizationId === organizationId && event.sequence > after && event.sequence <= until)
      .filter((event) => takes(eventTypes, event))
      .sort((a, b) => a.sequence - b.sequence)
      .slice(0, limit);
  }
}

export class WebhookReplica extends Replica<{ webhook: WebhookProtocol }> {
  readonly receiver: FakeReceiver;
  readonly queue: MemoryWebhookQueue;

  constructor(world: World) {
    const receiver = new FakeReceiver(() => world.clock.now());
    const queue = new MemoryWebhookQueue(world.database);
    super(world, { definitions: [erased(webhookActor)] });
    const { system } = this;
    const effects = webhookEffects({
      sender: receiver,
      queue,
      clock: world.clock,
      chance: { fraction: () => 1 },
      log: { warn: () => {} },
      group: (members, options) => system.dispatchGroup(members, options),
      joinNext: (organizationId, run) => system.joinNext(organizationId, run),
    });
    system.handle(effects);
    this.receiver = receiver;
    this.queue = queue;
  }

  get feed(): Feed {
    return this.world.database.record("webhook_feed", ORG, "webhook") as Feed;
  }

  get destination(): WebhookDestination {
    return this.world.database.record("webhook_destination", ORG, "webhook") as WebhookDestination;
  }

  get events(): WebhookEvent[] {
    return this.world.database.rows<WebhookEvent>("webhook_event").sort((a, b) => a.sequence - b.sequence);
  }

  /** The ledger, by the event's number and the attempt's. */
  get attempts(): Attempt[] {
    const attempts = this.world.database.rows<Attempt>("webhook_attempt");
    return attempts.sort(
      (a, b) => a.sequence - b.sequence || a.createdAt.localeCompare(b.createdAt) || a.attempt - b.attempt,
    );
  }

  get statuses(): string[] {
    return this.attempts.map(({ status }) => status);
  }

  async ask<C extends WebhookProtocol["command"]>(command: C) {
    return this.system.dispatch(webhookRef(ORG), command);
  }

  async configure(input: Partial<DestinationInput> = {}): Promise<void> {
    const usual = {
      name: "n",
      url: "https://hooks.example.com/x",
      enabled: true,
      eventTypes: [],
      retryProfile: "standard",
    } as const;
    const fresh = { sealed: "s", last4: "abcd" };
    granted(await this.ask({ kind: "configure_destination", input: { ...usual, ...input }, fresh }));
  }

  /** Events as other actors leave them: messages that are delivered. */
  async take(count: number, type: EventType = "agent.updated"): Promise<void> {
    const taken = Array.from({ length: count }, () => this.ask({ kind: "take_event", event: this.news(type) }));
    for (const outcome of await Promise.all(taken)) granted(outcome);
  }

  news(type: EventType): NewsEvent {
    return {
      type,
      source: "api_mutation",
      at: isoTime(this.world.clock.now()),
      actor: { type: "user", id: "usr_1" },
      requestId: "req_1",
      resource: { type: "agent", id: "agt_1", path: "/api/agents/agt_1", version: 1 },
      data: {},
      isTruncated: false,
      changes: [],
    };
  }
}

export function granted<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.fault)}`);
  return outcome.value;
}

export async function startWebhooks(world: World): Promise<WebhookReplica> {
  const replica = new WebhookReplica(world);
  await replica.system.start();
  return replica;
}
