/** What a surface is made of. */
import type { Server } from "bun";
import type { Outcome } from "../../../actors/fault.ts";
import type { Bulk } from "../../../actors/runtime/bulk-work.ts";
import type { Clock } from "../../../actors/runtime/clock.ts";
import type { Tracing } from "../../../actors/runtime/tracing.ts";
import type { Sealing } from "../../../actors/sealing.ts";
import type { TroupeSystem } from "../../../actors/troupe.ts";
import type { HttpLog } from "../../log/port.ts";
import type { Admission } from "./admission.ts";
import type { Bodies } from "./bodies.ts";
import type { ClientAddresses } from "./client-address.ts";
import type { CrossOrigin } from "./cross-origin.ts";
import type { FairTurns } from "./fair-turns.ts";
import type { Forwarding } from "./forwarding.ts";
import type { LongBodies } from "./long-bodies.ts";
import type { RateHeaders } from "./rate-headers.ts";
import type { RequestMeter } from "./request-meter.ts";

/** Where a request has arrived; null outside of a server. */
type Peer = Server<unknown> | null;

export interface SurfaceParts {
  readonly system: TroupeSystem;
  readonly sealing: Sealing;
  readonly admission: Admission;
  readonly rateHeaders: RateHeaders;
  readonly addresses: ClientAddresses;
  /** Whose request is next, over all surfaces. */
  readonly turns: FairTurns;
  /** In whose slices long answers are rendered. */
  readonly bulk: Bulk;
  /** What bounds the bodies of all surfaces together. */
  readonly bodies: Bodies;
  readonly longBodies: LongBodies;
  readonly crossOrigin: CrossOrigin;
  readonly log: HttpLog;
  /** Counts requests; absent where nobody asks for the counts. */
  readonly meter?: RequestMeter | undefined;
  /** Where traces are told; absent where nothing is traced. */
  readonly tracing?: Tracing | undefined;
  readonly clock: Pick<Clock, "now">;
  /**
   * The server that requests come to; absent outside of one. Elysia has it too, but defines a property on the
   * context of each request for it.
   */
  readonly server?: () => Peer;
  /** The way to the owners of organizations; absent where one process serves. */
  readonly forwarding?: Forwarding | undefined;
  /** Whether input that an operation does not name is refused (GEN-7). */
  readonly isStrict: boolean;
  /** Refuses a request for a version of the contract that is not there; absent where the path is the version. */
  readonly version?: (request: Request) => Outcome<null>;
}
