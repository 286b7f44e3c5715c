/** The parts of a surface. */
import type { FaultKind, Outcome } from "../../../actors/fault.ts";
import type { Bulk } from "../../../actors/runtime/fairness/bulk-work.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";
import type { Tracing } from "../../../actors/runtime/tracing.ts";
import type { Sealing } from "../../../actors/sealing.ts";
import type { TroupeSystem } from "../../../actors/troupe.ts";
import type { HttpLog } from "../../log/port.ts";
import type { Admission, ReceivingServer } from "../admission/admission.ts";
import type { Bodies } from "../body/bodies.ts";
import type { ClientAddresses } from "../admission/client-address.ts";
import type { CrossOrigin } from "../answer/cross-origin.ts";
import type { FairTurns } from "../admission/fair-turns.ts";
import type { Forwarding } from "./forwarding.ts";
import type { LongBodies } from "../body/long-bodies.ts";
import type { RateHeaders } from "../answer/rate-headers.ts";

export interface SurfaceParts {
  readonly system: TroupeSystem;
  readonly sealing: Sealing;
  readonly admission: Admission;
  readonly rateHeaders: RateHeaders;
  readonly addresses: ClientAddresses;
  /** Orders requests fairly, over all surfaces. */
  readonly turns: FairTurns;
  /** Renders long answers in slices. */
  readonly bulk: Bulk;
  /** Bounds the bodies of all surfaces together. */
  readonly bodies: Bodies;
  readonly longBodies: LongBodies;
  readonly crossOrigin: CrossOrigin;
  readonly log: HttpLog;
  /** Counts requests; absent if nobody needs the counts. */
  readonly meter?: RequestMeter | undefined;
  /** Absent if tracing is off. */
  readonly tracing?: Tracing | undefined;
  readonly clock: Pick<Clock, "now">;
  /**
   * The server that requests come to; absent outside of a server. Elysia offers it too, but defines a property on
   * each request's context for that.
   */
  readonly server?: () => ReceivingServer;
  /** The way to the owners of organizations; absent with a single process. */
  readonly forwarding?: Forwarding | undefined;
  /** Whether unknown input is refused (GEN-7). */
  readonly isStrict: boolean;
  /** Refuses a request for an unknown version of the contract; absent if the path has the version. */
  readonly version?: (request: Request) => Outcome<null>;
}

/** Counts requests. Both functions are called for each one, so they must be cheap, and must not throw. */
export interface RequestMeter {
  /**
   * An answer was made. `operation` is null if no operation matched; `seconds` is the time from arrival to the
   * answer's head.
   */
  answered(operation: string | null, status: number, seconds: number): void;
  /** A request was refused, for this kind of reason. */
  refused(kind: FaultKind): void;
}
