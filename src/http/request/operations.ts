/**
 * The operations of a surface, and the part of the pipeline that needs no HTTP:
 *
 *   permit (scope, owner) ▶ read (`input-reader.ts`) ▶ run: [idempotency key ▶] handler [▶ commit, event] ▶ answer
 *
 * Checks have a fixed order: token, scope, the record of the path, input. Input is read before the record, because
 * that is cheap; but a refusal of the record takes precedence over one of the input (`path-record.ts`).
 *
 * HTTP runs these stages as hooks of its router (`routes.ts`); `invoke` runs them for all other callers.
 */
import { parseStored } from "../../../actors/exact-json.ts";
import { assert } from "../../../actors/assert.ts";
import { type Fault, mapped, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { type MaybePromise, whenReady } from "../../../actors/maybe-promise.ts";
import { hasScope, type Principal, unlessOwner } from "../../../actors/organization/principal.ts";
import type { Clock } from "../../../actors/runtime/clock.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { Sealing } from "../../../actors/sealing.ts";
import type { TroupeSystem } from "../../../actors/troupe.ts";
import {
  type AnyInput,
  type Handlers,
  isRead,
  type OperationContract,
  type OperationGroup,
  isJsonBody,
} from "../contract/operation.ts";
import type { OperationTable, Read, Undertaking } from "../contract/operation.ts";
import type { Caller, Visitor } from "./caller.ts";
import { type Answered, answerEnding, Change, type Committed, type Joined, PlainDoor } from "./commit.ts";
import type { Refusal } from "./dialect.ts";
import { Emission } from "./emission.ts";
import { KeyedDoor, runOnce } from "./idempotency.ts";
import { parseIdempotencyKey } from "./idempotency-key.ts";
import { InputReader, type RawInput, type Reading, leaveStream, streamFault } from "./input-reader.ts";
import { type LocalInput, localInput } from "./local-input.ts";
import { NamedRecords } from "./named-records.ts";
import { isAboutInput, PathRecords } from "./path-record.ts";

export interface OperationsParts {
  readonly system: TroupeSystem;
  readonly sealing: Sealing;
  readonly clock: Pick<Clock, "now">;
  /** A refusal in the words of the surface. */
  readonly refusal: (fault: Fault, requestId: string) => Refusal;
  /** Whether unknown input is refused (GEN-7). */
  readonly isStrict: boolean;
}

/** The outcome of an operation with a commit. */
export class ChangeResult {
  readonly answer: Outcome<Answered | Response>;
  /** With an idempotency key: whether this request executed the operation. */
  readonly keyStatus: "created" | "replayed" | null;

  constructor(answer: Outcome<Answered | Response>, keyStatus: "created" | "replayed" | null) {
    this.answer = answer;
    this.keyStatus = keyStatus;
  }
}

/** The outcome of an operation: an object for the JSON body, its own response, or the outcome of a commit. */
export type Result = Outcome<object | Response | ChangeResult>;

/** A request on its way through the stages. */
export interface Running {
  readonly raw: RawInput;
  /** The path as it was sent; it is part of the scope of idempotency keys. */
  readonly path: string;
  readonly key: string | null;
  readonly reading: Reading;
}

type Refused = Outcome<never>;
type AnyRead = Read<OperationContract, unknown>;
type AnyWork = Undertaking<OperationContract, unknown>;

/** An operation with its handler, ready to run. */
export class BoundOperation {
  readonly id: string;
  readonly contract: OperationContract;
  readonly reader: InputReader;
  readonly isRead: boolean;
  /** Whether its body is handed on as it arrives. */
  readonly isStreamed: boolean;
  readonly named: NamedRecords;
  private readonly services: unknown;
  private readonly handle: AnyRead | AnyWork;

  constructor(
    id: string,
    contract: OperationContract,
    {
      handler,
      services,
      isStrict,
    }: { readonly handler: unknown; readonly services: unknown; readonly isStrict: boolean },
  ) {
    this.id = id;
    this.contract = contract;
    // Documents are public, and other sites add parameters to links to them.
    this.reader = new InputReader(contract, {
      isStrict: isStrict && (contract.scope !== null || contract.signed !== undefined),
    });
    this.isRead = isRead(contract);
    this.isStreamed = contract.body !== undefined && !isJsonBody(contract.body) && contract.body.kind === "stream";
    this.named = new NamedRecords(contract);
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

  read(visitor: Visitor, input: AnyInput): MaybePromise<Outcome<object | Response>> {
    // The table decides the kind of handler; an open one uses no principal.
    return (this.handle as AnyRead)(this.services, visitor as Caller, input);
  }

  admit(caller: Caller): Outcome<null> {
    const { handle } = this;
    return typeof handle === "function" || handle.admit === undefined ? ok(null) : handle.admit(this.services, caller);
  }

  change(change: Change, input: AnyInput): Promise<Outcome<Committed>> {
    const { handle } = this;
    const run = typeof handle === "function" ? (handle as unknown as AnyWork["run"]) : handle.run;
    return run(this.services, change, input);
  }

  join(caller: Caller, work: JsonObject): Promise<Outcome<Joined>> {
    const { handle } = this;
    assert(typeof handle !== "function", "work that goes on can be joined");
    return handle.join(this.services, caller, work);
  }
}

export class Operations {
  private readonly parts: OperationsParts;
  private readonly door: PlainDoor;
  private readonly bound = new Map<string, BoundOperation>();
  private readonly pathRecords = new PathRecords();

  constructor(parts: OperationsParts) {
    this.parts = parts;
    this.door = new PlainDoor(parts.system);
  }

  /** Adds the operations of a group, and returns them. */
  add<T extends OperationTable, S>(
    { operations }: OperationGroup<T>,
    handlers: Handlers<T, S>,
    services: S,
  ): readonly BoundOperation[] {
    return Object.entries(operations).map(([id, contract]) => {
      assert(!this.bound.has(id), `there is one operation ${id}`);
      const handler = handlers[id];
      const bound = new BoundOperation(id, contract, { handler, services, isStrict: this.parts.isStrict });
      this.bound.set(id, bound);
      this.pathRecords.add(bound);
      return bound;
    });
  }

  has(id: string): boolean {
    return this.bound.has(id);
  }

  /**
   * Runs an operation by id for a caller without HTTP: scope, validation, idempotency, handler, commit and webhook
   * event, as for a request. The caller's own entry point applies rate limits.
   */
  async invoke(id: string, caller: Caller, given: LocalInput = {}): Promise<Outcome<object | Response>> {
    const operation = this.bound.get(id);
    if (operation === undefined) return refuse({ kind: "not_found", noun: "route" });
    const refused = operation.refusalOf(caller.principal);
    if (refused !== null) return refuse(refused);
    const { raw, path, key } = localInput(operation.contract, given);
    const admitted = operation.admit(caller);
    if (!admitted.ok) return admitted;
    const reading = await operation.reader.read(raw, key !== null);
    const result = await this.run(operation, caller, { raw, path, key, reading });
    if (!result.ok || !(result.value instanceof ChangeResult)) return result;
    return mapped(result.value.answer, (value) =>
      value instanceof Response ? value : (parseStored(value.body) as object),
    );
  }

  /** Runs an operation whose input has been read. */
  run(operation: BoundOperation, caller: Visitor, running: Running): MaybePromise<Result> {
    if (!operation.isRead) return this.runChange(operation, caller as Caller, running);
    const { input } = running.reading;
    if (!input.ok) return this.yielding(operation, caller, running, input);
    return whenReady(operation.read(caller, input.value), (outcome) =>
      outcome.ok
        ? outcome
        : this.refused(operation, caller, running, operation.named.located(outcome.fault, input.value)),
    );
  }

  private async runChange(operation: BoundOperation, caller: Caller, running: Running): Promise<Result> {
    const { input } = running.reading;
    try {
      return await this.runChangeWithBody(operation, caller, running);
    } finally {
      if (input.ok) leaveStream((input.value as { readonly body?: unknown }).body);
    }
  }

  private async runChangeWithBody(operation: BoundOperation, caller: Caller, running: Running): Promise<Result> {
    const { reading } = running;
    const { hasOneTimeSecret = false, holdsKey = false } = operation.contract;
    const run = (door: PlainDoor | KeyedDoor) => this.changed(operation, caller, { ...running, door });
    if (running.key === null) {
      const committed = await run(this.door);
      return committed.ok ? this.ended(operation, caller, committed.value, null) : committed;
    }
    const key = parseIdempotencyKey(running.key);
    if (!key.ok) return key;
    const { input, digest } = reading;
    // An unread body has no fingerprint.
    if (!input.ok && digest() === null) return this.yielding(operation, caller, running, input);
    const { raw } = running;
    const { method, keyedHeaders = [] } = operation.contract;
    const door = new KeyedDoor({
      system: this.parts.system,
      sealing: this.parts.sealing,
      principal: caller.principal,
      input: {
        key: key.value,
        method,
        path: running.path,
        query: raw.search === "" ? "" : `?${raw.search}`,
        headers: keyedHeaders.map((name) => raw.header(name)).filter((value) => value !== null),
      },
      digest,
      hasOneTimeSecret,
    });
    const refusal = (fault: Fault): Refusal => this.parts.refusal(fault, caller.requestId);
    const committed = await runOnce(door, { holdsKey, refusal, run: () => run(door) });
    return committed.ok ? this.ended(operation, caller, committed.value, door) : committed;
  }

  private async changed(
    operation: BoundOperation,
    caller: Caller,
    running: Running & { readonly door: PlainDoor | KeyedDoor },
  ): Promise<Outcome<Committed>> {
    const { reading } = running;
    const { input, given } = reading;
    if (!input.ok) return this.yielding(operation, caller, running, input);
    const outcome = await this.handled(operation, caller, { given, input: input.value, door: running.door });
    if (outcome.ok) return outcome;
    return this.refused(operation, caller, running, operation.named.located(outcome.fault, input.value));
  }

  /** The refusal of a handler, which yields where it is about the input. */
  private refused(operation: BoundOperation, caller: Visitor, running: Running, fault: Fault): MaybePromise<Refused> {
    return isAboutInput(fault) ? this.yielding(operation, caller, running, refuse(fault)) : refuse(fault);
  }

  /** The refusal of the path's record, or else that of the input. */
  private async yielding(
    operation: BoundOperation,
    caller: Visitor,
    { raw }: Running,
    refusal: Refused,
  ): Promise<Refused> {
    const fault = await this.pathRecords.refusalOf(operation, caller, raw);
    return fault === null ? refusal : refuse(fault);
  }

  private async handled(
    operation: BoundOperation,
    caller: Caller,
    { input, given, door }: Pick<Reading, "given"> & { readonly input: AnyInput; readonly door: PlainDoor | KeyedDoor },
  ): Promise<Outcome<Committed>> {
    const { emits, path } = operation.contract;
    const { params } = input;
    const emission =
      emits === undefined || emits === null
        ? null
        : new Emission(emits, { caller, path, params, at: this.parts.clock.now() });
    try {
      return await operation.change(new Change(caller, { door, emission, subject: params, given }), input);
    } catch (cause) {
      const fault = streamFault(input);
      if (fault === null) throw cause;
      return refuse(fault);
    }
  }

  /** The answer from the outcome of a commit. */
  private async ended(
    operation: BoundOperation,
    caller: Caller,
    { ending, isReplay }: Committed,
    door: KeyedDoor | null,
  ): Promise<Result> {
    const status = door === null ? null : isReplay ? "replayed" : "created";
    if (ending.kind === "answer") return ok(new ChangeResult(ok(ending), status));
    const joined = await operation.join(caller, ending.work);
    if (!joined.ok) return ok(new ChangeResult(joined, status));
    if (joined.value instanceof Response) return ok(new ChangeResult(ok(joined.value), status));
    const { isFinal, ...answer } = joined.value;
    const answered = answerEnding(answer);
    return ok(new ChangeResult(isFinal && door !== null ? await door.settle(answered) : ok(answered), status));
  }
}
