/**
 * For whom an operation runs. An HTTP request is one such caller (`exchange.ts`); an MCP tool, a console or the
 * administration command are others (`localCaller`), so an operation never sees a `Request`.
 */
import { newId } from "../../../actors/ids.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Origin } from "../../../actors/organization/people-protocol.ts";

/** A connection whose answer may take its time. */
export type Connected = Pick<Visitor, "keepOpen">;

/** A caller who may be anybody. */
export interface Visitor {
  /** Names the request in its answer, in the log and in the records that it leaves. */
  readonly requestId: string;
  /** Aborted when the caller has gone and no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Where the request comes from, as the audit writes it down; null without one. */
  readonly address: string | null;
  /** Only the head of the answer is sent (HEAD). */
  readonly wantsHeadOnly?: boolean;
  /** The answer may take this many seconds without a byte; 0 for any time. */
  keepOpen(seconds: number): void;
  /** Their connection alone: what lives for as long as a stream keeps nothing else of the request. */
  readonly connection?: Connected;
  /**
   * The answer is the stream of a record. All answers of one name tell their readers the same behind the same cursor,
   * so that a replica which hands requests on asks for them once; null: this one is like no other.
   */
  nameStream?(name: string | null): void;
}

/** A caller who is authenticated. */
export interface Caller extends Visitor {
  readonly principal: Principal;
}

const NEVER = new AbortController().signal;

/** A caller without HTTP. */
export const localCaller = (
  principal: Principal,
  { requestId = newId("req"), signal = NEVER }: Partial<Pick<Visitor, "requestId" | "signal">> = {},
): Caller => ({ principal, requestId, signal, address: null, keepOpen() {} });

/** The caller without their connection: what they have begun goes on when it is lost. */
export const detached = (caller: Caller): Caller => ({
  principal: caller.principal,
  requestId: caller.requestId,
  signal: NEVER,
  address: caller.address,
  keepOpen: (seconds) => caller.keepOpen(seconds),
});

/** Who does something, for the audit (AUTH-17). */
export const originOf = ({ principal: { userId, tokenId }, address }: Caller): Origin => ({ userId, tokenId, address });
