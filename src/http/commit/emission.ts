/**
 * The event of a mutating request (HOOK-12): a message to the organization's webhook actor, in the request's own
 * commit. So an event exists exactly if the request changed something: a refused or replayed request emits none.
 *
 * Its data is the answer of the request, without the parts that are for its caller only: links, permitted verbs,
 * secrets.
 */
import type { Principal } from "../../../actors/organization/principal.ts";
import type { GroupMember } from "../../../actors/runtime/turns/members.ts";
import { isoTime, type Json, type JsonObject } from "../../../actors/schema.ts";
import {
  type EventActor,
  type EventResource,
  type EventType,
  type NewsEvent,
  takeEvent,
  TEST_EVENT,
  webhookRef,
  personActor,
} from "../../../actors/webhook/events.ts";
import type { Caller } from "../request/caller.ts";

/** Longer data is cut to ids and status (HOOK-2). */
export const DATA_BYTES = 20 * 1024;

/** What an event contains of the request besides its answer. */
export interface Emitter {
  readonly caller: Pick<Caller, "principal" | "requestId">;
  /** The path of the operation, with `{name}` for parameters. */
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Wall clock in ms. */
  readonly at: number;
}

export class Emission {
  private readonly type: EventType;
  private readonly emitter: Emitter;

  constructor(type: EventType, emitter: Emitter) {
    this.type = type;
    this.emitter = emitter;
  }

  /** A separate turn numbers the event: a test event, which is sent regardless of subscriptions. */
  get isInOwnTurn(): boolean {
    return this.type === TEST_EVENT;
  }

  /** The group member that emits the event. `given` are the fields of the request's body. */
  message(
    answer: { readonly body: object; readonly emits?: EventType; readonly eventData?: object },
    given: readonly string[],
  ): GroupMember {
    const { principal } = this.emitter.caller;
    const command = takeEvent(this.event((answer.eventData ?? answer.body) as JsonObject, given, answer.emits));
    return { ref: webhookRef(principal.organizationId), command, isMessage: true };
  }

  /** The event itself, for an operation that numbers it in a separate turn. */
  event(answer: JsonObject, given: readonly string[], type = this.type): NewsEvent {
    const { caller, at } = this.emitter;
    const { principal, requestId } = caller;
    const whole = shownToReceivers(answer);
    const isTruncated = Buffer.byteLength(JSON.stringify(whole)) > DATA_BYTES;
    return {
      type,
      source: "api_mutation",
      at: isoTime(at),
      actor: eventCause(principal),
      requestId,
      resource: eventResource(this.emitter, answer),
      data: isTruncated ? cutTexts(whole) : whole,
      isTruncated,
      changes: CHANGING.test(type) ? given.filter((field) => Object.hasOwn(whole, field)) : [],
    };
  }
}

/** Types of events that list the fields that were set. */
const CHANGING = /\.(?:updated|configured|install_state_changed)$/;

/** The caller as the cause of an event. */
export const eventCause = ({ isOperator, tokenKind, tokenId, userId }: Principal): EventActor =>
  isOperator === true
    ? { type: "system", id: "operator" }
    : tokenKind === "service"
      ? { type: "service_token", id: tokenId }
      : personActor(userId);

/** Collections whose records have no path of their own. */
const WITHOUT_PATH: ReadonlySet<string> = new Set([
  "service-tokens",
  "personal-access-tokens",
  "secrets",
  "invitations",
  "sessions",
  "oauth-grants",
]);

/** The subject of the request, by its path: `/api/<collection>/{id}/…`. */
function eventResource({ path, params }: Emitter, answer: JsonObject): EventResource {
  const [collection = "", second] = path.split("/").slice(2);
  const type = collection.replace(/s$/, "").replaceAll("-", "_");
  const made = typeof answer["id"] === "string" ? answer["id"] : null;
  const given = /^\{(\w+)\}$/.exec(second ?? "")?.[1];
  const id = second === undefined ? made : given === undefined ? null : String(params[given]);
  const at = WITHOUT_PATH.has(collection) ? null : `/api/${collection}${id === null ? "" : `/${id}`}`;
  return { type, id, path: at, version: versionOf(answer) ?? versionOf(answer[type]) };
}

function versionOf(value: Json | undefined): number | null {
  const version = typeof value === "object" && value !== null && "version" in value ? value.version : null;
  return typeof version === "number" ? version : null;
}

/** For the caller only, secret or not. */
const CALLERS_OWN: ReadonlySet<string> = new Set(["links", "allowed_actions", "decision_refusal", "token", "secret"]);

const shownToReceivers = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (CALLERS_OWN.has(key) ? [] : [[key, shownValue(item)]])),
  );

/** Records are in the answer itself or one level below; deeper data belongs to somebody else. */
function shownValue(value: Json | undefined): Json | undefined {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value))
    return (value as readonly Json[]).map((item) => (Array.isArray(item) ? item : (shownValue(item) as Json)));
  return Object.fromEntries(Object.entries(value).filter(([key]) => !CALLERS_OWN.has(key)));
}

/** The part of the data that identifies the records, with their status. */
function cutTexts(data: JsonObject): JsonObject {
  const kept = Object.entries(data).flatMap(([key, value]): [string, Json][] => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const inner = idsOf(value as JsonObject);
      return Object.keys(inner).length === 0 ? [] : [[key, inner]];
    }
    return isTelling(key, value) ? [[key, value]] : [];
  });
  return Object.fromEntries(kept);
}

const idsOf = (data: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(data).filter(([key, value]) => isTelling(key, value)));

/** Our ids are not longer. */
const RESOURCE_ID_CHARACTERS = 256;
const isTelling = (key: string, value: Json | undefined): value is string =>
  /^(?:id|status|.*_id)$/.test(key) && typeof value === "string" && value.length <= RESOURCE_ID_CHARACTERS;
