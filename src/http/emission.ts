/**
 * The event of a mutating request (HOOK-12): a message to the organization's webhook actor in the
 * request's own commit. So there is one exactly where the request has changed something: none of a
 * refused one, none of a replayed one.
 *
 * Its data is what the request was answered, without what is for its caller only: links, permitted
 * verbs, secrets.
 */
import type { Principal } from "../../actors/organization/principal.ts";
import type { Member } from "../../actors/runtime/turns.ts";
import { isoTime, type Json, type JsonObject } from "../../actors/schema.ts";
import {
  type EventActor,
  type EventResource,
  type EventType,
  type NewsEvent,
  takeEvent,
  webhookRef,
} from "../../actors/webhook/events.ts";
import { pathOf } from "./exchange.ts";
import type { Call } from "./surface.ts";

/** Longer data is cut to ids and status (HOOK-2). */
export const DATA_BYTES = 20 * 1024;

export interface EmissionParts {
  readonly type: EventType;
  /** Wall clock in ms. */
  readonly now: () => number;
}

export class Emission {
  private readonly type: EventType;
  private readonly now: () => number;
  private readonly call: Call;

  constructor({ type, now }: EmissionParts, call: Call) {
    this.type = type;
    this.now = now;
    this.call = call;
  }

  /** The member of the request's group that leaves the event. `given` are the fields of the request's body. */
  message(answer: { readonly body: object; readonly emits?: EventType }, given: readonly string[]): Member {
    const { principal } = this.call;
    const command = takeEvent(this.event(answer.body as JsonObject, given, answer.emits));
    return { ref: webhookRef(principal.organizationId), command, isMessage: true };
  }

  /** The event itself, for an operation that numbers it in a turn of its own. */
  event(answer: JsonObject, given: readonly string[], type = this.type): NewsEvent {
    const { principal, requestId } = this.call;
    const whole = shown(answer);
    const isTruncated = Buffer.byteLength(JSON.stringify(whole)) > DATA_BYTES;
    return {
      type,
      source: "api_mutation",
      at: isoTime(this.now()),
      actor: actorOf(principal),
      requestId,
      resource: resourceOf(this.call, answer),
      data: isTruncated ? cut(whole) : whole,
      isTruncated,
      changes: CHANGING.test(type) ? given.filter((field) => Object.hasOwn(whole, field)) : [],
    };
  }
}

/** Types of events that say which fields have been set. */
const CHANGING = /\.(?:updated|configured|install_state_changed)$/;

const actorOf = ({ tokenKind, tokenId, userId }: Principal): EventActor =>
  tokenKind === "service" ? { type: "service_token", id: tokenId } : { type: "user", id: userId };

/** Collections whose records cannot be read one by one. */
const WITHOUT_PATH: ReadonlySet<string> = new Set(["service-tokens", "personal-access-tokens", "secrets"]);

/** What the request was about, by its path: `/api/<collection>/<id>/…`. */
function resourceOf({ request, params }: Call, answer: JsonObject): EventResource {
  const [collection = "", second] = pathOf(request.url).split("/").slice(2);
  const type = collection.replace(/s$/, "").replaceAll("-", "_");
  const given = Object.values(params)[0];
  const made = typeof answer["id"] === "string" ? answer["id"] : null;
  const id = second === undefined ? made : given !== undefined && decodeURIComponent(second) === given ? given : null;
  const path = WITHOUT_PATH.has(collection) ? null : `/api/${collection}${id === null ? "" : `/${id}`}`;
  return { type, id, path, version: versionOf(answer) ?? versionOf(answer[type]) };
}

function versionOf(value: Json | undefined): number | null {
  const version = typeof value === "object" && value !== null && "version" in value ? value.version : null;
  return typeof version === "number" ? version : null;
}

/** For the caller of the request only; whether it is a secret or not. */
const CALLERS_OWN: ReadonlySet<string> = new Set(["links", "allowed_actions", "token", "secret"]);

const shown = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (CALLERS_OWN.has(key) ? [] : [[key, shownValue(item)]])),
  );

/** Records stand in the answer itself or one level below; what is deeper is somebody's own. */
function shownValue(value: Json | undefined): Json | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !CALLERS_OWN.has(key)));
}

/** Of the data what says which records it is about, and how they stand. */
function cut(data: JsonObject): JsonObject {
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

/** A longer text is none of ours. */
const ID_CHARACTERS = 256;
const isTelling = (key: string, value: Json | undefined): value is string =>
  /^(?:id|status|.*_id)$/.test(key) && typeof value === "string" && value.length <= ID_CHARACTERS;
