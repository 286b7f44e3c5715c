/**
 * For whom an operation runs. An HTTP request is one kind of caller (`exchange.ts`); an MCP tool, a console or the
 * administration command are others (`localCaller`). So an operation never sees a `Request`.
 */
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Origin } from "../../../actors/organization/people-protocol.ts";
import { OPERATOR } from "../../../actors/organization/audit.ts";
import { newId } from "../../../actors/ids.ts";
import type { InnerReader } from "../stream/event-source.ts";
import type { JobOrigin } from "../../../actors/job/approval-rule.ts";

/** A connection whose answer may take long. */
export interface CallConnection extends Pick<Visitor, "keepOpen"> {
  /** Takes an event stream in place of the connection. */
  readonly reader?: InnerReader | null;
}

/** A caller without authentication. */
export interface Visitor {
  /** Identifies the request in its answer, in the log and in the records that it creates. */
  readonly requestId: string;
  /** Aborted when the caller is gone and no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** The remote address, for the audit; null if there is none. */
  readonly address: string | null;
  /** The surface that it came to, if that calls operations of another one; absent: the operation's own. */
  readonly origin?: JobOrigin;
  /** Only the head of the answer will be sent (HEAD). */
  readonly wantsHeadOnly?: boolean;
  /** The answer may take this many seconds without a byte; 0: unlimited. */
  keepOpen(seconds: number): void;
  /** The connection alone, so that a long stream does not retain the rest of the request. */
  readonly connection?: CallConnection;
  /**
   * The answer is the stream of a record. All answers with the same name give their readers the same events after
   * the same cursor, so a forwarding replica requests them only once; null: this answer is unlike any other.
   */
  nameStream?(name: string | null): void;
  /** Does a part of its work, and charges its organization (FAIR-1); absent: nobody is charged. The work must not wait. */
  timed?<T>(work: () => T): T;
}

/** Does a part of the caller's work, and charges the caller's organization for the event loop's time. */
export const chargeTo = <T>(caller: Visitor, work: () => T): T =>
  caller.timed === undefined ? work() : caller.timed(work);

/** An authenticated caller. */
export interface Caller extends Visitor {
  readonly principal: Principal;
}

const NEVER_ABORTED = new AbortController().signal;

/** A caller without HTTP. */
export const localCaller = (
  principal: Principal,
  { requestId = newId("req"), signal = NEVER_ABORTED }: Partial<Pick<Visitor, "requestId" | "signal">> = {},
): Caller => ({ principal, requestId, signal, address: null, keepOpen() {} });

/** The caller without the connection: work that they began survives its loss. */
export const detachCaller = (caller: Caller): Caller => ({
  principal: caller.principal,
  requestId: caller.requestId,
  signal: NEVER_ABORTED,
  address: caller.address,
  ...(caller.origin === undefined ? {} : { origin: caller.origin }),
  keepOpen: (seconds) => caller.keepOpen(seconds),
  timed: (work) => chargeTo(caller, work),
});

/** The caller of a surface that calls operations of another one: what they begin has the origin of that surface. */
export const callerFrom = (caller: Caller, origin: JobOrigin): Caller => ({
  ...timedBy(caller, (work) => chargeTo(caller, work)),
  origin,
});

/** The caller, whose work is charged by another function. */
export const timedBy = (caller: Caller, timed: NonNullable<Caller["timed"]>): Caller => ({
  principal: caller.principal,
  requestId: caller.requestId,
  signal: caller.signal,
  address: caller.address,
  keepOpen: (seconds) => caller.keepOpen(seconds),
  nameStream: (name) => caller.nameStream?.(name),
  timed,
  ...(caller.wantsHeadOnly === undefined ? {} : { wantsHeadOnly: caller.wantsHeadOnly }),
  ...(caller.connection === undefined ? {} : { connection: caller.connection }),
  ...(caller.origin === undefined ? {} : { origin: caller.origin }),
});

/** The acting user and token, for the audit (AUTH-17). */
export const originOf = ({ principal: { userId, tokenId, isOperator }, address }: Caller): Origin =>
  isOperator === true ? OPERATOR : { userId, tokenId, address };

/** What a request may name itself by, in its response and in its log line (ERR-1). */
const VALID = /^[A-Za-z0-9_-]{8,128}$/;

/** The caller's own id if it is valid, else a new one. */
export const requestIdOf = (request: Request): string => givenRequestId(request) ?? newId("req");

/** The caller's own id; null if it is absent or invalid. */
export function givenRequestId(request: Request): string | null {
  const given = request.headers.get("x-request-id");
  return given !== null && VALID.test(given) ? given : null;
}
