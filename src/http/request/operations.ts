/**
 * The operations of a surface, and the part of the pipeline that needs no HTTP:
 *
 *   permit (scope, owner) ▶ read (`input-reader.ts`) ▶ run: handler, and for a change its commit (`change-run.ts`)
 *
 * Checks have a fixed order: token, scope, the record of the path, input. Input is read before the record, because
 * that is cheap; but a refusal of the record takes precedence over one of the input (`path-record.ts`).
 *
 * A request is run by `Surface.serve`, and any other call by `invoke`.
 */
import { parseStored } from "../../../actors/exact-json.ts";
import { assert } from "../../../actors/assert.ts";
import { mapOutcome, type Outcome, refuse } from "../../../actors/fault.ts";
import { type MaybePromise, whenReady } from "../../../actors/maybe-promise.ts";
import type { OperationGroup } from "../contract/operation.ts";
import type { ChangeParts } from "../commit/commit.ts";
import { ChangeRun, type ChangeRunParts, CommitAnswer, type ReadRequest } from "../commit/change-run.ts";
import { BoundOperation } from "./bound-operation.ts";
import { type Caller, chargeTo, type Visitor } from "./caller.ts";
import { type LocalInput, localInput } from "../input/local-input.ts";
import { isAboutInput, PathRecords } from "./path-record.ts";

export interface OperationsParts extends ChangeRunParts {
  /** Whether unknown input is refused (GEN-7). */
  readonly isStrict: boolean;
}

/** The outcome of an operation: an object for the JSON body, its own response, or the answer of a commit. */
export type OperationOutcome = Outcome<object | Response | CommitAnswer>;

/** Runs an operation by its id (`Operations.invoke`). */
export type Invoke = Operations["invoke"];

export class Operations {
  private readonly parts: OperationsParts;
  private readonly bound = new Map<string, BoundOperation>();
  private readonly pathRecords = new PathRecords();

  constructor(parts: OperationsParts) {
    this.parts = parts;
  }

  /** Adds the operations of a group, and returns them. */
  add<S>({ operations }: OperationGroup<S>, services: S): readonly BoundOperation[] {
    return Object.entries(operations).map(([id, operation]) => {
      assert(!this.bound.has(id), `there is one operation ${id}`);
      const bound = new BoundOperation(id, operation, { services, isStrict: this.parts.isStrict });
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
    const reading = await chargeTo(caller, () => operation.readInput(raw, key !== null));
    const outcome = await chargeTo(caller, () => this.run(operation, caller, { raw, path, key, reading }));
    if (!outcome.ok || !(outcome.value instanceof CommitAnswer)) return outcome;
    return mapOutcome(outcome.value.outcome, (value) =>
      value instanceof Response ? value : (parseStored(value.body) as object),
    );
  }

  /** Runs an operation whose input has been read. */
  run(operation: BoundOperation, caller: Visitor, request: ReadRequest): MaybePromise<OperationOutcome> {
    return operation.isRead ? this.runRead(operation, caller, request) : this.runChange(operation, caller, request);
  }

  private runRead(operation: BoundOperation, caller: Visitor, request: ReadRequest): MaybePromise<OperationOutcome> {
    const { input } = request.reading;
    if (!input.ok) return this.afterRecord(operation, caller, request, input);
    return whenReady(operation.read(caller, input.value), (outcome) => {
      if (outcome.ok) return outcome;
      const fault = operation.named.located(outcome.fault, input.value);
      return isAboutInput(fault) ? this.afterRecord(operation, caller, request, refuse(fault)) : refuse(fault);
    });
  }

  private runChange(operation: BoundOperation, caller: Visitor, request: ReadRequest): Promise<OperationOutcome> {
    const afterRecord = (refused: Outcome<never>) => this.afterRecord(operation, caller, request, refused);
    const perform: ChangeParts["perform"] = (id, params, body) =>
      this.invoke(id, caller as Caller, { params, ...(body === undefined ? {} : { body }) });
    return new ChangeRun(this.parts, operation, caller as Caller, { ...request, afterRecord, perform }).run();
  }

  /** The refusal of the path's record, or else this one. */
  private async afterRecord(
    operation: BoundOperation,
    caller: Visitor,
    { raw }: ReadRequest,
    refused: Outcome<never>,
  ): Promise<Outcome<never>> {
    const fault = await this.pathRecords.refusalOf(operation, caller, raw);
    return fault === null ? refused : refuse(fault);
  }
}
