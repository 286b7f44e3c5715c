/**
 * The stages of one operation, as hooks of Elysia that never wait (`routes.ts`). A stage that must wait stores its
 * promise in the exchange, and later stages continue when it resolves. So a read from memory involves no promise,
 * and its answer leaves in the same turn of the loop.
 */
import { type MaybePromise, whenReady } from "../../../actors/maybe-promise.ts";
import { type Answer, isAnswer } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import type { RawInput } from "./input-reader.ts";
import type { BoundOperation, Result } from "./operations.ts";
import type { Surface } from "./surface.ts";

/** An answer, if a stage has made one: the rest is skipped. */
export type Reached = Answer | undefined;

export class Stages {
  private readonly surface: Surface;
  private readonly operation: BoundOperation;
  private readonly headers: Readonly<Record<string, string>> | null;

  /** `headers`: headers of every answer of the operation. */
  constructor(surface: Surface, operation: BoundOperation, headers: Readonly<Record<string, string>> | null) {
    this.surface = surface;
    this.operation = operation;
    this.headers = headers;
  }

  admit(exchange: Exchange): void {
    exchange.headers = this.headers;
    exchange.refusalPage = this.operation.contract.refusalPage ?? null;
    exchange.reached = this.surface.admit(exchange, this.operation);
  }

  /** No input is read before the caller is admitted. */
  read(exchange: Exchange, params: RawInput["params"]): void {
    exchange.reached = whenReady(exchange.reached, (early) => early ?? this.readAdmitted(exchange, params));
  }

  run(exchange: Exchange): void {
    exchange.result = whenReady<Reached, Answer | Result>(
      exchange.reached,
      (early) => early ?? this.surface.run(exchange, this.operation),
    );
  }

  private readAdmitted(exchange: Exchange, params: RawInput["params"]): MaybePromise<undefined> {
    const { surface, operation } = this;
    if (!operation.isRead || operation.reader.waits) return surface.read(exchange, operation, params);
    surface.readHead(exchange, operation, params);
    return undefined;
  }
}

/**
 * Makes the answer from what the stages have produced. Exceptions of promises end here, because no hook waits for
 * them.
 */
export function answerOf(surface: Surface, exchange: Exchange): MaybePromise<Answer> {
  const { result } = exchange;
  return result instanceof Promise
    ? result
        .then((value) => answered(surface, exchange, value))
        .catch((cause: unknown) => surface.failed(exchange, cause))
    : answered(surface, exchange, result);
}

const answered = (surface: Surface, exchange: Exchange, value: Answer | Result | null): Answer => {
  if (value === null) throw new Error("an operation runs before it is answered");
  return isAnswer(value) ? value : surface.answer(exchange, value);
};
