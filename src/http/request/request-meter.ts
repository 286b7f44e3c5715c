/**
 * Port for counting requests. Both functions are called for each request, so they must be cheap, and must not throw.
 */
import type { FaultKind } from "../../../actors/fault.ts";

export interface RequestMeter {
  /**
   * An answer was made. `operation` is null if no operation matched; `seconds` is the time from arrival to the
   * answer's head.
   */
  answered(operation: string | null, status: number, seconds: number): void;
  /** A request was refused, for this kind of reason. */
  refused(kind: FaultKind): void;
}
