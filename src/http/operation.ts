/**
 * Operations as data. Each folder of a surface says in its `operations.ts` what it offers: where, for
 * whom, what comes in, what goes out, what it can be refused for. The routes, the contract, the SDKs and
 * the tests all read the same tables; handlers are a type over a table, so that an operation without a
 * handler, or a handler that nothing describes, does not compile.
 *
 *   operations.ts ─┬─▶ routes (`operation-routes.ts`)
 *                  ├─▶ docs/openapi.json (`src/contract/`) ─▶ reference, SDKs
 *                  └─▶ tests: what is really answered fits what is said
 */
import type { FaultKind, Outcome } from "../../actors/fault.ts";
import type { JsonObject, Static, TSchema } from "../../actors/schema.ts";
import type { EventType } from "../../actors/webhook/events.ts";
import type { Committed, Joined, MutatingCall } from "./commit.ts";
import type { Deprecation } from "./deprecation.ts";
import type { Soon } from "./soon.ts";
import type { Call, Visit } from "./surface.ts";
import type { BodySchema } from "./validation.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface OperationContract {
  readonly method: Method;
  /** In full, with `{name}` for what varies. */
  readonly path: `/${string}`;
  /** What the token must allow (AUTH-3, AUTH-7); null where anybody may ask. */
  readonly scope: string | null;
  /** What will do as well. */
  readonly orScope?: string;
  /** A few words, without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** What varies in the path, by its name. */
  readonly params?: Readonly<Record<string, TSchema>>;
  readonly query?: Readonly<Record<string, TSchema>>;
  /** Takes `If-Match` with the version of the record. */
  readonly isVersioned?: true;
  readonly body?: BodySchema;
  /** It can do without its body. */
  readonly isBodyOptional?: true;
  /** What is answered, by its status; null for no body. */
  readonly answers: Readonly<Partial<Record<200 | 201 | 202 | 304, TSchema | Media | null>>>;
  /** What of its own it can be refused for; what every operation of its kind shares is not repeated. */
  readonly errors?: readonly FaultKind[];
  /** The one event that it emits when it succeeds (HOOK-4, HOOK-12); null for none. */
  readonly emits?: EventType | null;
  /** Opened by a signed address instead of a token; every answer says this besides. */
  readonly signed?: { readonly headers: Readonly<Record<string, string>> };
  /** Changes nothing, whatever its method. */
  readonly isRead?: true;
  /** Its answer has a secret that is never shown again (IDEM-4). */
  readonly hasOneTimeSecret?: true;
  /** It commits more than once, or does something outside first: its key is held from its start. */
  readonly holdsKey?: true;
  /** Since it is to go: what it says of that (VER-3). */
  readonly deprecation?: Deprecation;
}

/** An answer that is no JSON, or that is JSON or something else as the caller asked. */
export interface Media {
  readonly kind: "media";
  /** By content type: the schema of the whole, or of one event where it is an event stream. */
  readonly types: Readonly<Record<string, TSchema>>;
}
export const media = <const T extends Readonly<Record<string, TSchema>>>(types: T) =>
  ({ kind: "media", types }) as const;

export type Operations = Readonly<Record<string, OperationContract>>;

/** The operations of one noun. Their names are the ids of the contract: each is there once over all surfaces. */
export interface OperationGroup<T extends Operations = Operations> {
  readonly tag: string;
  readonly description: string;
  readonly operations: T;
}

/** A group as it is written down; keeps the types of what it holds. */
export const operationGroup = <const T extends Operations>(
  tag: string,
  description: string,
  operations: T,
): OperationGroup<T> => ({ tag, description, operations });

/** A value that a schema describes, as it is shown: nobody changes it any more. */
export type Shown<S extends TSchema> = DeepReadonly<Static<S>>;
type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

type BodyOf<O extends OperationContract> = O["answers"] extends { readonly 200: infer A extends TSchema }
  ? Shown<A>
  : never;

/** Reads: answers what its 200 says, or a response of its own. */
export type Read<O extends OperationContract> = (call: Call) => Soon<Outcome<BodyOf<O> | Response>>;
/** The same for anybody. */
export type OpenRead<O extends OperationContract> = (visit: Visit) => Promise<Outcome<BodyOf<O> | Response>>;
/** Changes something, through the door of its call. */
export type Change = (call: MutatingCall) => Promise<Outcome<Committed>>;
/** Begins work that is not over with the commit; `join` waits for what becomes of it. */
export interface Undertaking {
  readonly run: Change;
  readonly admit?: (call: Call) => Outcome<null>;
  readonly join: (call: Call, work: JsonObject) => Promise<Outcome<Joined>>;
}

type HandlerOf<O extends OperationContract> = O["scope"] extends null
  ? OpenRead<O>
  : O["method"] extends "GET"
    ? Read<O>
    : O extends { readonly isRead: true }
      ? Read<O>
      : Change | Undertaking;

/** One handler for each operation of a table, and none besides. */
export type Handlers<T extends Operations> = { readonly [K in keyof T]: HandlerOf<T[K]> };

/** Whether the operation changes nothing. */
export const isRead = ({ method, isRead: declared }: OperationContract): boolean =>
  method === "GET" || declared === true;
