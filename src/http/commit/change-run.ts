/**
 * One run of an operation that changes something.
 *
 *   [idempotency key ▶] handler ▶ commit, with its event ▶ its answer, or that of the work which it has begun
 */
import { type Fault, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";
import type { Sealing } from "../../../actors/sealing.ts";
import type { TroupeSystem } from "../../../actors/troupe.ts";
import type { AnyInput } from "../contract/operation.ts";
import type { BoundOperation } from "../request/bound-operation.ts";
import type { Caller } from "../request/caller.ts";
import { answerEnding, Change, type ChangeParts, type Commit, PlainDoor, type StoredAnswer } from "./commit.ts";
import type { Refusal } from "../answer/dialect.ts";
import { Emission } from "./emission.ts";
import { KeyedDoor, runOnce } from "./idempotency.ts";
import { parseIdempotencyKey } from "./idempotency-key.ts";
import { leaveStream, type RawInput, type ReadInput, streamFault } from "../input/input-reader.ts";
import { isAboutInput } from "../request/path-record.ts";

export interface ChangeRunParts {
  readonly system: TroupeSystem;
  readonly sealing: Sealing;
  readonly clock: Pick<Clock, "now">;
  /** A refusal in the words of the surface. */
  readonly refusal: (fault: Fault, requestId: string) => Refusal;
}

/** A request whose input has been read. */
export interface ReadRequest {
  readonly raw: RawInput;
  /** The path as it was sent; it is part of the scope of idempotency keys. */
  readonly path: string;
  readonly key: string | null;
  readonly reading: ReadInput;
}

interface ChangeRequest extends ReadRequest {
  /** Runs another operation for the same caller. */
  readonly perform: ChangeParts["perform"];
  /** The refusal of the path's record, or else this one. */
  readonly afterRecord: (refused: Outcome<never>) => Promise<Outcome<never>>;
}

/** The answer of a commit, or of the work that it has begun. */
export class CommitAnswer {
  readonly outcome: Outcome<StoredAnswer | Response>;
  /** With an idempotency key: whether this request executed the operation. */
  readonly keyStatus: "created" | "replayed" | null;

  constructor(outcome: Outcome<StoredAnswer | Response>, keyStatus: "created" | "replayed" | null) {
    this.outcome = outcome;
    this.keyStatus = keyStatus;
  }
}

export class ChangeRun {
  private readonly parts: ChangeRunParts;
  private readonly operation: BoundOperation;
  private readonly caller: Caller;
  private readonly request: ChangeRequest;

  constructor(parts: ChangeRunParts, operation: BoundOperation, caller: Caller, request: ChangeRequest) {
    this.parts = parts;
    this.operation = operation;
    this.caller = caller;
    this.request = request;
  }

  async run(): Promise<Outcome<CommitAnswer>> {
    const { key, reading } = this.request;
    try {
      return key === null ? await this.runThrough(new PlainDoor(this.parts.system)) : await this.runKeyed(key);
    } finally {
      if (reading.input.ok) leaveStream((reading.input.value as { readonly body?: unknown }).body);
    }
  }

  private async runThrough(door: PlainDoor): Promise<Outcome<CommitAnswer>> {
    const committed = await this.handle(door);
    return committed.ok ? this.answer(committed.value, null) : committed;
  }

  private async runKeyed(header: string): Promise<Outcome<CommitAnswer>> {
    const key = parseIdempotencyKey(header);
    if (!key.ok) return key;
    const { input, digest } = this.request.reading;
    // An unread body has no fingerprint.
    if (!input.ok && digest() === null) return this.request.afterRecord(input);
    const door = this.doorOf(key.value);
    const { holdsKey = false, forgetsRefusals = false } = this.operation.contract;
    const refusal = (fault: Fault): Refusal => this.parts.refusal(fault, this.caller.requestId);
    const committed = await runOnce(door, {
      holdsKey,
      keepsRefusals: !forgetsRefusals,
      refusal,
      run: () => this.handle(door),
    });
    return committed.ok ? this.answer(committed.value, door) : committed;
  }

  private doorOf(key: string): KeyedDoor {
    const { system, sealing } = this.parts;
    const { method, keyedHeaders = [], hasOneTimeSecret = false } = this.operation.contract;
    const { raw, path, reading } = this.request;
    const query = raw.search === "" ? "" : `?${raw.search}`;
    const headers = keyedHeaders.map((name) => raw.header(name)).filter((value) => value !== null);
    return new KeyedDoor({
      system,
      sealing,
      principal: this.caller.principal,
      input: { key, method, path, query, headers },
      digest: reading.digest,
      hasOneTimeSecret,
    });
  }

  /** What the handler commits through the door, or the refusal. */
  private async handle(door: PlainDoor | KeyedDoor): Promise<Outcome<Commit>> {
    const { input } = this.request.reading;
    if (!input.ok) return this.request.afterRecord(input);
    const outcome = await this.change(door, input.value);
    if (outcome.ok) return outcome;
    const fault = this.operation.named.located(outcome.fault, input.value);
    return isAboutInput(fault) ? this.request.afterRecord(refuse(fault)) : refuse(fault);
  }

  private async change(door: PlainDoor | KeyedDoor, input: AnyInput): Promise<Outcome<Commit>> {
    const { operation, caller } = this;
    const { emits, path } = operation.contract;
    const { params } = input;
    const emission =
      emits === undefined || emits === null
        ? null
        : new Emission(emits, { caller, path, params, at: this.parts.clock.now() });
    const { reading, perform } = this.request;
    try {
      return await operation.change(
        new Change(caller, { door, emission, subject: params, given: reading.given, perform }),
        input,
      );
    } catch (cause) {
      const fault = streamFault(input);
      if (fault === null) throw cause;
      return refuse(fault);
    }
  }

  /** The commit's answer; if it has begun work, that of the work. */
  private async answer({ ending, isReplay }: Commit, door: KeyedDoor | null): Promise<Outcome<CommitAnswer>> {
    const status = door === null ? null : isReplay ? "replayed" : "created";
    if (ending.kind === "answer") return ok(new CommitAnswer(ok(ending), status));
    const { input } = this.request.reading;
    if (!input.ok) return input;
    const joined = await this.operation.join(this.caller, ending.work, input.value);
    if (!joined.ok) return ok(new CommitAnswer(joined, status));
    if (joined.value instanceof Response) return ok(new CommitAnswer(ok(joined.value), status));
    const { isFinal, ...answer } = joined.value;
    const answered = answerEnding(answer);
    return ok(new CommitAnswer(isFinal && door !== null ? await door.settle(answered) : ok(answered), status));
  }
}
