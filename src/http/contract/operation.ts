/**
 * Operations as data. Each folder of a surface says in its `operations.ts` what it offers: where, for
 * whom, what comes in, what goes out, what it can be refused for. The routes, the contract, the SDKs and
 * the tests all read the same tables; handlers are a type over a table, so that an operation without a
 * handler, or a handler that nothing describes, does not compile.
 *
 *   operations.ts ─┬─▶ the pipeline (`request/operations.ts`, `request/routes.ts`)
 *                  ├─▶ docs/openapi.json (`src/contract/`) ─▶ reference, SDKs
 *                  └─▶ tests: what is really answered fits what is said
 *
 * A handler is `(services, caller, input) → Outcome`. It gets its input parsed by the schemas here, needs no
 * `Request`, and runs for callers without HTTP as well (`Operations.invoke`).
 */
import type { FaultKind, Outcome } from "../../../actors/fault.ts";
import type { MaybePromise } from "../../../actors/maybe-promise.ts";
import type { JsonObject, Static, TSchema } from "../../../actors/schema.ts";
import type { EventType } from "../../../actors/webhook/events.ts";
import type { BodySchema, RawBodyContract } from "./body-schema.ts";
import type { Caller, Visitor } from "../request/caller.ts";
import type { Change, Committed, Joined } from "../request/commit.ts";
import type { BinaryBody, StreamedBody } from "../request/raw-body.ts";
import type { Deprecation } from "./deprecation.ts";
import type { Defaulted } from "./field.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type Fields = Readonly<Record<string, TSchema>>;

export interface OperationContract {
  readonly method: Method;
  /** In full, with `{name}` for what varies. */
  readonly path: `/${string}`;
  /** What the token must allow (AUTH-3, AUTH-7); null where anybody may ask. */
  readonly scope: string | null;
  /** What will do as well. */
  readonly orScope?: string;
  /** Only an owner of the organization may do it (AUTH-5). */
  readonly isForOwners?: true;
  /** A few words, without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** What varies in the path, by its name. */
  readonly params?: Fields;
  /** Optional, all of them. */
  readonly query?: Fields;
  /** Request headers that the handler reads, in lower case; optional, all of them. */
  readonly headers?: Fields;
  readonly body?: BodySchema | RawBodyContract;
  /** It can do without its body. */
  readonly isBodyOptional?: true;
  /** The body may also come as the only field of an object, under this name. */
  readonly bodyMayBeIn?: string;
  /** What is answered, by its status; null for no body. */
  readonly answers: Readonly<Partial<Record<200 | 201 | 202 | 204 | 206 | 304, TSchema | Media | null>>>;
  /** Headers of its own answers, by the names that the contract describes. */
  readonly answerHeaders?: readonly string[];
  /** What of its own it can be refused for; what every operation of its kind shares is not repeated. */
  readonly errors?: readonly FaultKind[];
  /** The one event that it emits when it succeeds (HOOK-4, HOOK-12); null for none. */
  readonly emits?: EventType | null;
  /** Opened by a signed address instead of a token, for whom it was given to; every answer says this besides. */
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

export type OperationTable = Readonly<Record<string, OperationContract>>;

/** The operations of one noun. Their names are the ids of the contract: each is there once over all surfaces. */
export interface OperationGroup<T extends OperationTable = OperationTable> {
  readonly tag: string;
  readonly description: string;
  readonly operations: T;
}

/** A group as it is written down; keeps the types of what it holds. */
export const operationGroup = <const T extends OperationTable>(
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

type Nothing = Readonly<Record<never, never>>;
type Required<F> = F extends Fields ? { readonly [K in keyof F]: Static<F[K]> } : Nothing;
/** A field with a default is always there. */
type Optional<F> = F extends Fields
  ? { readonly [K in keyof F]: F[K] extends Defaulted<TSchema> ? Static<F[K]> : Static<F[K]> | undefined }
  : Nothing;
type BodyInput<B> = B extends BodySchema
  ? Static<B>
  : B extends { readonly kind: "binary" }
    ? BinaryBody
    : B extends { readonly kind: "stream" }
      ? StreamedBody
      : undefined;

/** What the caller has given, parsed by the operation's schemas. */
export interface Input<O extends OperationContract> {
  readonly params: Required<O["params"]>;
  readonly query: Optional<O["query"]>;
  readonly headers: Optional<O["headers"]>;
  readonly body: BodyInput<O["body"]>;
}
export type AnyInput = Input<OperationContract>;

type AnswerBody<O extends OperationContract> = O["answers"] extends { readonly 200: infer A extends TSchema }
  ? Shown<A>
  : never;

/** Reads: answers what its 200 says, or a response of its own. */
export type Read<O extends OperationContract, S> = (
  services: S,
  caller: Caller,
  input: Input<O>,
) => MaybePromise<Outcome<AnswerBody<O> | Response>>;

/** The same for anybody. */
export type OpenRead<O extends OperationContract, S> = (
  services: S,
  visitor: Visitor,
  input: Input<O>,
) => MaybePromise<Outcome<AnswerBody<O> | Response>>;

/** Changes something, and commits it through its `change`. */
export type Changing<O extends OperationContract, S> = (
  services: S,
  change: Change,
  input: Input<O>,
) => Promise<Outcome<Committed>>;

/** Begins work that is not over with the commit; `join` waits for what becomes of it. */
export interface Undertaking<O extends OperationContract, S> {
  /** Whether there is room for its caller; asked before anything else, also of one who only joins. */
  readonly admit?: (services: S, caller: Caller) => Outcome<null>;
  readonly run: Changing<O, S>;
  readonly join: (services: S, caller: Caller, work: JsonObject) => Promise<Outcome<Joined>>;
}

type HandlerOf<O extends OperationContract, S> = O extends { readonly signed: object }
  ? Read<O, S>
  : O["scope"] extends null
    ? OpenRead<O, S>
    : O["method"] extends "GET"
      ? Read<O, S>
      : O extends { readonly isRead: true }
        ? Read<O, S>
        : Changing<O, S> | Undertaking<O, S>;

/** One handler for each operation of a table, and none besides. */
export type Handlers<T extends OperationTable, S> = { readonly [K in keyof T]: HandlerOf<T[K], S> };

/** Whether the operation changes nothing. */
export const isRead = ({ method, isRead: declared }: OperationContract): boolean =>
  method === "GET" || declared === true;

/** Whether the body is JSON, where there is one. */
export const isJsonBody = (body: OperationContract["body"]): body is BodySchema =>
  body !== undefined && "properties" in body;
