/**
 * The events of an organization: their types (HOOK-4), who may subscribe to them (HOOK-5), and the form in which a
 * commit sends one. Each change sends its event to the webhook actor as a message. The message is a row of the same
 * commit (HOOK-3), and the actor numbers the event when it handles the message.
 */
import { soleRefTo, type Tx } from "../runtime/actor.ts";
import { isoTime, type JsonObject, OneOf, type Static, Type } from "../schema.ts";

/** By family. The router, the contract and the tests read this table. */
export const EVENT_FAMILIES = {
  agent: ["created", "updated", "deleted", "install_state_changed"],
  chat: ["created", "updated", "deleted", "message_sent"],
  job: [
    "created",
    "started",
    "blocked",
    "resumed",
    "review_requested",
    "approved",
    "denied",
    "tool_results",
    "iteration_requested",
    "cancelled",
    "completed",
    "failed",
    "restarted",
  ],
  mission: ["created", "updated", "started", "completed", "failed", "paused", "resumed", "run_skipped"],
  mission_task: ["created", "updated", "started", "completed"],
  workspace: ["created", "selected", "app_created"],
  workspace_repository: ["added", "cloned"],
  workspace_file: ["changed"],
  /** Any change without a type of its own, including changes of tasks. */
  resource: ["created", "updated", "deleted"],
  connection: ["ended"],
  service_token: ["created", "revoked"],
  webhook: ["configured", "secret_rotated", "test", "disabled", "redelivery_requested"],
} as const;

type Families = typeof EVENT_FAMILIES;
export type EventType = { [F in keyof Families]: `${F}.${Families[F][number]}` }[keyof Families];

/** The event of a test. Its turn numbers and sends it, even if no subscription asks for it. */
export const TEST_EVENT = "webhook.test" satisfies EventType;

/** All types, in the order of the table. */
export const EVENT_TYPES = Object.entries(EVENT_FAMILIES).flatMap(([family, names]) =>
  names.map((name) => `${family}.${name}` as EventType),
);

export const EVENT_SOURCES = ["job_lifecycle", "api_mutation", "test"] as const;
export type WebhookEventSource = (typeof EVENT_SOURCES)[number];

/** Who caused an event; `system` is the service itself. */
export const EventActor = Type.Object(
  {
    type: OneOf(["user", "service_token", "agent", "system"] as const, { description: "Kind of actor" }),
    id: Type.String({ description: "Id of the actor" }),
  },
  { $id: "EventActor", description: "Who caused the event; `system` is the service itself" },
);
export type EventActor = Static<typeof EventActor>;

/** The prefix of a notice's id: it decides where a link that needs no account was opened (REACH-6). */
const NOTICE_PREFIX = "ntc_";
/** Whether the decision was made by a link alone, without a person who is known. */
export const isLinkDecision = (by: string): boolean => by.startsWith(NOTICE_PREFIX);
/** The actor of an event for a user's id, or for that of a link. */
export const personActor = (by: string): EventActor => ({ type: isLinkDecision(by) ? "system" : "user", id: by });

/** The subject of an event. `path` is where the resource can be read; null if it cannot be. */
export const EventResource = Type.Object({
  type: Type.String(),
  id: Type.Union([Type.String(), Type.Null()]),
  path: Type.Union([Type.String(), Type.Null()]),
  version: Type.Union([Type.Integer(), Type.Null()]),
});
export type EventResource = Static<typeof EventResource>;

/** An event as its cause sends it. */
export interface NewsEvent {
  readonly type: EventType;
  readonly source: WebhookEventSource;
  /** ISO 8601. */
  readonly at: string;
  readonly actor: EventActor;
  readonly requestId: string | null;
  readonly resource: EventResource;
  /** For a job's lifecycle, the data of the job's own event; for a request, its answer without secrets. */
  readonly data: JsonObject;
  /** Whether the data was too long and was reduced to ids and status (HOOK-2). */
  readonly isTruncated: boolean;
  /** The fields that the request has set. */
  readonly changes: readonly string[];
}

/** The message with which a commit sends its event. */
export interface TakeEvent {
  readonly kind: "take_event";
  readonly event: NewsEvent;
  /** The event reports a state of a job, which is also sent to the job's own addresses; absent: it is not. */
  readonly push?: { readonly isOver: boolean } | undefined;
}
export const takeEvent = (event: NewsEvent, push?: TakeEvent["push"]): TakeEvent => ({
  kind: "take_event",
  event,
  ...(push === undefined ? {} : { push }),
});

/** One for each organization. */
export const webhookRef = soleRefTo("webhook");

/** Sends an event about what a turn has done, with its commit. */
export function sendNews(
  tx: Tx,
  news: Pick<NewsEvent, "type" | "actor" | "resource" | "data"> & Partial<NewsEvent>,
  push?: TakeEvent["push"],
): void {
  const event = {
    source: "job_lifecycle",
    at: isoTime(tx.now),
    requestId: null,
    isTruncated: false,
    changes: [],
  } as const;
  tx.send(webhookRef(tx.self.organizationId), takeEvent({ ...event, ...news }, push));
}

/**
 * `!<source>` in a filter excludes events of this source. It is useful because a decision emits two events: one of the
 * request, and one of the job's lifecycle.
 */
const EXCLUDES = "!";
export const excludedSources = (filter: readonly string[]): WebhookEventSource[] =>
  EVENT_SOURCES.filter((source) => filter.includes(EXCLUDES + source));
/** The entries that name types or families. */
export const namedTypes = (filter: readonly string[]): string[] =>
  filter.filter((entry) => !entry.startsWith(EXCLUDES));

/** Whether a filter's entry is an existing type or family, or excludes an existing source. */
export function isKnownFilter(entry: string): boolean {
  if (entry.startsWith(EXCLUDES)) return excludedSources([entry]).length > 0;
  const family = /^(\w+)\.\*$/.exec(entry)?.[1];
  return family === undefined ? EVENT_TYPES.some((type) => type === entry) : Object.hasOwn(EVENT_FAMILIES, family);
}

/** Whether a filter accepts this event. A filter without types accepts all of them. */
export function takes(filter: readonly string[], { type, source }: Pick<NewsEvent, "type" | "source">): boolean {
  if (excludedSources(filter).includes(source)) return false;
  const types = namedTypes(filter);
  return types.length === 0 || types.includes(type) || types.includes(`${type.slice(0, type.indexOf("."))}.*`);
}
