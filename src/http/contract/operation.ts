/**
 * An operation is one declaration: its contract (path, scope, input, answers, refusals of its own), and right below it
 * the handler, whose types follow from the contract. The pipeline, the contract, the SDKs and the tests all read the
 * same declarations.
 *
 *   operation(contract, handler) ─┬─▶ the pipeline (`request/operations.ts`, `request/routes.ts`)
 *                                 ├─▶ docs/openapi.json (`src/contract/`) ─▶ reference, SDKs
 *                                 └─▶ tests: real answers fit the contract
 *
 * A handler is `(services, caller, input) → Outcome`. Its input is already parsed by the schemas of the contract. It
 * needs no `Request`, and also runs for callers without HTTP (`Operations.invoke`). It gets the services as an
 * argument, so a declaration is read without a service.
 */
import { assert } from "../../../actors/assert.ts";
import type { Fault, FaultKind, Outcome } from "../../../actors/fault.ts";
import type { MaybePromise } from "../../../actors/maybe-promise.ts";
import type { JsonObject, Static, TSchema } from "../../../actors/schema.ts";
import type { EventType } from "../../../actors/webhook/events.ts";
import type { BodySchema, RawBodyContract } from "./body-schema.ts";
import type { Caller, Visitor } from "../request/caller.ts";
import type { Change, Commit, JoinedAnswer } from "../commit/commit.ts";
import type { BinaryBody, StreamedBody } from "../body/raw-body.ts";
import type { Deprecation } from "./deprecation.ts";
import type { Defaulted } from "./field.ts";

export type OperationMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type FieldSchemas = Readonly<Record<string, TSchema>>;

export interface OperationContract {
  readonly method: OperationMethod;
  /** The full path, with `{name}` for each parameter. */
  readonly path: `/${string}`;
  /** The scope that the token needs (AUTH-3, AUTH-7); null: no token is needed. */
  readonly scope: string | null;
  /** A scope that is sufficient too. */
  readonly orScope?: string;
  /** Reserved for owners of the organization (AUTH-5). */
  readonly isForOwners?: true;
  /** A few words, without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** Path parameters by name. */
  readonly params?: FieldSchemas;
  /** All are optional. */
  readonly query?: FieldSchemas;
  /** Request headers that the handler reads, in lower case; all are optional. */
  readonly headers?: FieldSchemas;
  /** Those of its headers that say what the body is for: they are in the fingerprint of an idempotency key (IDEM-1). */
  readonly keyedHeaders?: readonly string[];
  readonly body?: BodySchema | RawBodyContract;
  /** Longest JSON body, in bytes; absent: that of every operation (ERR-5). */
  readonly bodyBytes?: number;
  /** The body may be absent. */
  readonly isBodyOptional?: true;
  /** The body may also come as the only field of an object, under this name. */
  readonly bodyMayBeIn?: string;
  /** Answers by status; null: no body. */
  readonly answers: Readonly<Partial<Record<200 | 201 | 202 | 204 | 206 | 304, TSchema | Media | null>>>;
  /** Headers of the operation's own answers, by their names in the contract. */
  readonly answerHeaders?: readonly string[];
  /** The operation's own refusals; those that all operations of its kind share are left out. */
  readonly errors?: readonly FaultKind[];
  /** The one event that it emits on success (HOOK-4, HOOK-12); null: none. */
  readonly emits?: EventType | null;
  /** A signed address replaces the token, for the subject it was given to; every answer gets these headers too. */
  readonly signed?: { readonly headers: Readonly<Record<string, string>> };
  /** People open it in a browser: the HTML of a refusal there. Status and headers stay those of the refusal. */
  readonly refusalPage?: (fault: Fault) => string;
  /** Changes nothing, even if its method suggests a change. */
  readonly isRead?: true;
  /** Its answer contains a secret that is never shown again (IDEM-4). */
  readonly hasOneTimeSecret?: true;
  /** It commits more than once, or does something outside first: so its idempotency key is held from the start. */
  readonly holdsKey?: true;
  /** Its refusals are not kept under an idempotency key: the same request may be taken later. */
  readonly forgetsRefusals?: true;
  /** Set once it is deprecated: what its answers say of that (VER-3). */
  readonly deprecation?: Deprecation;
}

/** An answer that is not JSON, or that is JSON only if the caller asks for it. */
export interface Media {
  readonly kind: "media";
  /** By content type: the schema of the whole body; for an event stream, that of one event. */
  readonly types: Readonly<Record<string, TSchema>>;
}
export const media = <const T extends Readonly<Record<string, TSchema>>>(types: T) =>
  ({ kind: "media", types }) as const;

/** A value in the form of a schema, for an answer: it is immutable. */
export type Shown<S extends TSchema> = DeepReadonly<Static<S>>;
type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

type Nothing = Readonly<Record<never, never>>;
type Required<F> = F extends FieldSchemas ? { readonly [K in keyof F]: Static<F[K]> } : Nothing;
/** A field with a default is always present. */
type Optional<F> = F extends FieldSchemas
  ? { readonly [K in keyof F]: F[K] extends Defaulted<TSchema> ? Static<F[K]> : Static<F[K]> | undefined }
  : Nothing;
type BodyInput<B> = B extends BodySchema
  ? Static<B>
  : B extends { readonly kind: "binary" }
    ? BinaryBody
    : B extends { readonly kind: "stream" }
      ? StreamedBody
      : undefined;

/** The caller's input, parsed by the operation's schemas. */
export interface Input<O extends Pick<OperationContract, "params" | "query" | "headers" | "body">> {
  readonly params: Required<O["params"]>;
  readonly query: Optional<O["query"]>;
  readonly headers: Optional<O["headers"]>;
  readonly body: BodyInput<O["body"]>;
}
export type AnyInput = Input<OperationContract>;

type AnswerBody<O extends OperationContract> = O["answers"] extends { readonly 200: infer A extends TSchema }
  ? Shown<A>
  : never;

/** A read: answers the body of its 200, or its own response. */
export type ReadHandler<O extends OperationContract, S> = (
  services: S,
  caller: Caller,
  input: Input<O>,
) => MaybePromise<Outcome<AnswerBody<O> | Response>>;

/** The same without authentication. */
export type OpenRead<O extends OperationContract, S> = (
  services: S,
  visitor: Visitor,
  input: Input<O>,
) => MaybePromise<Outcome<AnswerBody<O> | Response>>;

/** A change: commits through its `change`. */
export type Changing<O extends OperationContract, S> = (
  services: S,
  change: Change,
  input: Input<O>,
) => Promise<Outcome<Commit>>;

/** Begins work that continues after the commit; `join` waits for its outcome. */
export interface Undertaking<O extends OperationContract, S> {
  /** Whether there is room for the caller; checked before anything else, even if the caller only joins. */
  readonly admit?: (services: S, caller: Caller) => Outcome<null>;
  readonly run: Changing<O, S>;
  /** `input`: the input of this request, which is the same as that of the request that began the work. */
  readonly join: (services: S, caller: Caller, work: JsonObject, input: Input<O>) => Promise<Outcome<JoinedAnswer>>;
}

type HandlerOf<O extends OperationContract, S> = O extends { readonly signed: object }
  ? ReadHandler<O, S>
  : O["scope"] extends null
    ? OpenRead<O, S>
    : O["method"] extends "GET"
      ? ReadHandler<O, S>
      : O extends { readonly isRead: true }
        ? ReadHandler<O, S>
        : Changing<O, S> | Undertaking<O, S>;

/** The handler of any operation. */
export type AnyHandler<S> = ReadHandler<OperationContract, S> | Undertaking<OperationContract, S>;

export interface Operation<S = never> {
  readonly contract: OperationContract;
  readonly handler: AnyHandler<S>;
}

/** Makes `operation(contract, handler)` for handlers that work with `S`. */
export const operationsOver =
  <S>() =>
  <const C extends OperationContract>(contract: C, handler: NoInfer<HandlerOf<C, S>>): Operation<S> => ({
    contract,
    handler: handler as unknown as AnyHandler<S>,
  });

/** Operations by their ids in the contract, which are unique over all surfaces. */
export type OperationTable<S = never> = Readonly<Record<string, Operation<S>>>;

/** The operations of one noun. */
export interface OperationGroup<S = never> {
  readonly tag: string;
  readonly description: string;
  readonly operations: OperationTable<S>;
}

export function operationGroup<S>(
  tag: string,
  description: string,
  ...tables: readonly OperationTable<S>[]
): OperationGroup<S> {
  const entries = tables.flatMap((table) => Object.entries(table));
  const operations = Object.fromEntries(entries);
  assert(Object.keys(operations).length === entries.length, `the group ${tag} has each operation once`);
  return { tag, description, operations };
}

/** Whether the operation changes nothing. */
export const isRead = ({ method, isRead: declared }: OperationContract): boolean =>
  method === "GET" || declared === true;

/** Whether the body, if there is one, is JSON. */
export const isJsonBody = (body: OperationContract["body"]): body is BodySchema =>
  body !== undefined && "properties" in body;
