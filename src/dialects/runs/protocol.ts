/**
 * What a foreign protocol is to the service (docs/decisions/0056): operations below a path of its own, and its words for
 * refusals. `protocols.ts` lists them.
 */
import type { Fault } from "../../../actors/fault.ts";
import type { Job } from "../../../actors/job/schema.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { Dialect, Refusal } from "../../http/answer/dialect.ts";
import type { Invoke } from "../../http/request/operations.ts";
import { type OperationGroup, operationsOver } from "../../http/contract/operation.ts";
import type { Services } from "../../operations/services.ts";
import type { RunReaders } from "./followed-run.ts";
import type { RecentRequests } from "./recent-requests.ts";

/** What the operations of protocols work with. */
export interface ProtocolServices extends Services {
  readonly readers: RunReaders;
  readonly recent: RecentRequests;
  /** Runs an operation of any surface by its id. */
  readonly invoke: Invoke;
  /** A job that is at hand, as the current surface shows it, without links and what its reader may do. */
  readonly shownJob: (job: Job) => JsonObject;
  /** A fault in the words of the protocol. */
  readonly refusal: (fault: Fault, requestId: string) => Refusal;
}

export const protocolOperation = operationsOver<ProtocolServices>();

export interface ForeignProtocol {
  /** Every path of it begins with this one. */
  readonly root: `/${string}`;
  readonly groups: readonly OperationGroup<ProtocolServices>[];
  /** Operations without a route, for `invoke`. */
  readonly inner?: readonly OperationGroup<ProtocolServices>[];
  /** Its refusals, from those of the current surface. */
  readonly dialect: (words: Dialect) => Dialect;
}

/** A refusal in the words of the current surface. */
export interface WordedRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Places of errors in the input, as JSON pointers. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  readonly requestId: string;
  /** Null for a bug. */
  readonly fault: Fault | null;
}

/** The answer of a protocol to a refusal. */
export interface ShapedRefusal {
  readonly status?: number;
  /** An object is sent as JSON, a string as text. */
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A dialect with the statuses, codes and headers of the current surface, and bodies of its own. */
export function rewordedDialect(words: Dialect, shape: (refusal: WordedRefusal) => ShapedRefusal): Dialect {
  const reworded = (given: ReturnType<Dialect["bug"]>, requestId: string, fault: Fault | null) => {
    const { code, message, details = {} } = given.body as { code: string; message: string; details?: JsonObject };
    const errors = (details["errors"] ?? []) as WordedRefusal["errors"];
    const {
      status = given.status,
      body,
      headers,
    } = shape({ status: given.status, code, message, errors, requestId, fault });
    return { status, body, headers: { ...given.headers, ...headers } };
  };
  return {
    refusal: (fault, requestId) => reworded(words.refusal(fault, requestId), requestId, fault),
    bug: (requestId) => reworded(words.bug(requestId), requestId, null),
  };
}
