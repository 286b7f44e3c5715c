/** An operation with its handler and its reader: what a surface needs to admit a caller to it and to run it. */
import { assert } from "../../../actors/assert.ts";
import { type Fault, ok, type Outcome } from "../../../actors/fault.ts";
import type { MaybePromise } from "../../../actors/maybe-promise.ts";
import { hasScope, type Principal, unlessOwner } from "../../../actors/organization/principal.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { deprecationHeaders } from "../contract/deprecation.ts";
import {
  type AnyInput,
  isJsonBody,
  isRead,
  type Operation,
  type OperationContract,
  type ReadHandler,
  type Undertaking,
} from "../contract/operation.ts";
import type { Caller, Visitor } from "./caller.ts";
import type { Change, Commit, JoinedAnswer } from "../commit/commit.ts";
import { InputReader, type RawInput, type ReadInput } from "../input/input-reader.ts";
import { NamedRecords } from "../input/named-records.ts";

type AnyRead = ReadHandler<OperationContract, unknown>;
type AnyWork = Undertaking<OperationContract, unknown>;

export class BoundOperation {
  readonly id: string;
  readonly contract: OperationContract;
  readonly reader: InputReader;
  readonly isRead: boolean;
  /** Whether its body is handed on as it arrives. */
  readonly isStreamed: boolean;
  readonly named: NamedRecords;
  /** Headers of every answer to it. */
  readonly headers: Readonly<Record<string, string>> | null;
  private readonly services: unknown;
  private readonly handle: AnyRead | AnyWork;

  constructor(
    id: string,
    { contract, handler }: Operation,
    { services, isStrict }: { readonly services: unknown; readonly isStrict: boolean },
  ) {
    const { body, deprecation, scope, signed } = contract;
    this.id = id;
    this.contract = contract;
    // Documents are public, and other sites add parameters to links to them.
    this.reader = new InputReader(contract, { isStrict: isStrict && (scope !== null || signed !== undefined) });
    this.isRead = isRead(contract);
    this.isStreamed = body !== undefined && !isJsonBody(body) && body.kind === "stream";
    this.named = new NamedRecords(contract);
    this.headers = signed?.headers ?? (deprecation === undefined ? null : deprecationHeaders(deprecation));
    this.services = services;
    this.handle = handler as AnyRead | AnyWork;
  }

  /** Why this principal may not run it, or null. */
  refusalOf(principal: Principal): Fault | null {
    const { scope, orScope, isForOwners } = this.contract;
    const { scopes } = principal;
    const hasOne = scope === null || hasScope(scopes, scope) || (orScope !== undefined && hasScope(scopes, orScope));
    if (!hasOne) return { kind: "insufficient_scope", required: [scope] };
    const refused = isForOwners === true ? unlessOwner(principal) : null;
    return refused === null || refused.ok ? null : refused.fault;
  }

  /** The checks of its handler before the input is read. */
  admit(caller: Caller): Outcome<null> {
    const { handle } = this;
    return typeof handle === "function" || handle.admit === undefined ? ok(null) : handle.admit(this.services, caller);
  }

  /** The idempotency key of a request, as it was sent; null without one. */
  keyIn(raw: Pick<RawInput, "header">): string | null {
    return this.isRead ? null : raw.header("idempotency-key");
  }

  /** Reads the input; a refusal of it is part of the result, because that of the path's record comes first. */
  readInput(raw: RawInput, isKeyed: boolean): MaybePromise<ReadInput> {
    return this.isRead && !this.reader.waits ? this.reader.readHead(raw) : this.reader.read(raw, isKeyed);
  }

  read(visitor: Visitor, input: AnyInput): MaybePromise<Outcome<object | Response>> {
    // The table decides the kind of handler; an open one uses no principal.
    return (this.handle as AnyRead)(this.services, visitor as Caller, input);
  }

  change(change: Change, input: AnyInput): Promise<Outcome<Commit>> {
    const { handle } = this;
    const run = typeof handle === "function" ? (handle as unknown as AnyWork["run"]) : handle.run;
    return run(this.services, change, input);
  }

  join(caller: Caller, work: JsonObject, input: AnyInput): Promise<Outcome<JoinedAnswer>> {
    const { handle } = this;
    assert(typeof handle !== "function", "work that goes on can be joined");
    return handle.join(this.services, caller, work, input);
  }
}
