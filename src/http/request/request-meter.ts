/** The port by which requests are counted. Both are called for each request, so they must be cheap, and must not throw. */
import type { FaultKind } from "../../../actors/fault.ts";

export interface RequestMeter {
  /** An answer is made. `operation` is null where no operation took the request; `seconds` is from its arrival to the answer's head. */
  answered(operation: string | null, status: number, seconds: number): void;
  /** A request was refused, for this kind of reason. */
  refused(kind: FaultKind): void;
}
