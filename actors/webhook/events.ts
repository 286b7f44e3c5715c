/**
 * The events of an organization: their types (HOOK-4), who may subscribe to what (HOOK-5), and the
 * form in which a commit leaves one behind. Each change sends the webhook actor a message
 * with its event; the message is a row of the same commit (HOOK-3), and the actor gives the event its
 * number when it takes it.
 */
import type { ActorRef } from "../runtime/actor.ts";
import { type JsonObject, OneOf, type Static, Type } from "../schema.ts";

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
  /** Any change without a type of its own, of tasks among them. */
  resource: ["created", "updated", "deleted"],
  service_token: ["created", "revoked"],
  webhook: ["configured", "secret_rotated", "test", "disabled", "redelivery_requested"],
} as const;

type Families = typeof EVENT_FAMILIES;
export type EventType = { [F in keyof Families]: `${F}.${Families[F][number]}` }[keyof Families];

/** The test's event: the turn that sends it numbers it itself, whatever is subscribed to. */
export const TEST_EVENT = "webhook.test" satisfies EventType;

/** All types, in the order of the table. */
export const EVENT_TYPES = Object.entries(EVENT_FAMILIES).flatMap(([family, names]) =>
  names.map((name) => `${family}.${name}` as EventType),
);

export const EVENT_SOURCES = ["job_lifecycle", "api_mutation", "test"] as const;
export type EventSource = (typeof EVENT_SOURCES)[number];

/** Who has caused an event; `system` is the service itself. */
export const EventActor = Type.Object({
  type: OneOf(["user", "service_token", "agent", "system"] as const),
  id: Type.String(),
});
export type EventActor = Static<typeof EventActor>;

/** What it is about. `path` is where the resource is read; null where nothing can be. */
export const EventResource = Type.Object({
  type: Type.String(),
  id: Type.Union([Type.String(), Type.Null()]),
  path: Type.Union([Type.String(), Type.Null()]),
  version: Type.Union([Type.Integer(), Type.Null()]),
});
export type EventResource = Static<typeof EventResource>;

/** An event as its cause tells it. */
export interface NewsEvent {
  readonly type: EventType;
  readonly source: EventSource;
  /** ISO 8601. */
  readonly at: string;
  readonly actor: EventActor;
  readonly requestId: string | null;
  readonly resource: EventResource;
  /** Of a job's lifecycle as in the job's own events; of a request as it was answered, without secrets. */
  readonly data: JsonObject;
  /** Whether the data was too long and is ids and status only (HOOK-2). */
  readonly isTruncated: boolean;
  /** The fields that the request has set. */
  readonly changes: readonly string[];
}

/** The message by which a commit leaves its event behind. */
export interface TakeEvent {
  readonly kind: "take_event";
  readonly event: NewsEvent;
}
export const takeEvent = (event: NewsEvent): TakeEvent => ({ kind: "take_event", event });

/** An organization has one. */
export const webhookRef = (organizationId: string): ActorRef<"webhook"> => ({
  kind: "webhook",
  organizationId,
  id: "webhook",
});

/** `!<source>` in a filter takes no event of this source: a decision leaves one of its request and one of the job's life. */
const EXCLUDES = "!";
export const excludedSources = (filter: readonly string[]): EventSource[] =>
  EVENT_SOURCES.filter((source) => filter.includes(EXCLUDES + source));
/** The entries that name types. */
export const namedTypes = (filter: readonly string[]): string[] =>
  filter.filter((entry) => !entry.startsWith(EXCLUDES));

/** Whether a filter's entry is a type, a family or an excluded source that exists. */
export function isKnownFilter(entry: string): boolean {
  if (entry.startsWith(EXCLUDES)) return excludedSources([entry]).length > 0;
  const family = /^(\w+)\.\*$/.exec(entry)?.[1];
  return family === undefined ? EVENT_TYPES.some((type) => type === entry) : Object.hasOwn(EVENT_FAMILIES, family);
}

/** Whether a filter takes this event. One that names no types takes all of them. */
export function takes(filter: readonly string[], { type, source }: Pick<NewsEvent, "type" | "source">): boolean {
  if (excludedSources(filter).includes(source)) return false;
  const types = namedTypes(filter);
  return types.length === 0 || types.includes(type) || types.includes(`${type.slice(0, type.indexOf("."))}.*`);
}
