/** The parts that the service is assembled from (`assembly.ts`). */
import type { Server } from "bun";
import type { Bodies } from "../http/body/bodies.ts";
import type { FairTurns } from "../http/admission/fair-turns.ts";
import type { ToolPort } from "../../actors/job/ports.ts";
import type { Bulk } from "../../actors/runtime/fairness/bulk-work.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Forwarding } from "../http/request/forwarding.ts";
import type { Services } from "../operations/services.ts";
import type { CloneLimits } from "../repositories/clone.ts";
import type { ActorParts } from "./actors.ts";
import type { Resources } from "./resources.ts";

/** What tests and benchmarks replace. */
export interface Overrides {
  /** The tools that jobs call. */
  readonly tools?: ToolPort;
  /** The clock of the loop of jobs. */
  readonly jobClock?: Clock;
  /** How large a clone may be, and how long it may take. */
  readonly cloneLimits?: CloneLimits;
  /** Renders long answers in slices, and reads long bodies. */
  readonly bulk?: Bulk;
  /** Requests in a window, by organization; `*` is any other. */
  readonly budgets?: ReadonlyMap<string, number>;
  /** Rejects if the database does not answer. */
  readonly pingDatabase?: () => Promise<void>;
  /** Some of the services that operations work with. */
  readonly services?: (made: Services) => Partial<Services>;
}

export interface AssemblyParts extends Omit<ActorParts, "meters" | "tracing"> {
  readonly resources: Resources;
  /** Forwards requests to the owners of organizations; null if only one process serves. */
  readonly forwarding: Forwarding | null;
  /** A non-API handler for requests without a route; answers null for requests that are not for it. */
  readonly internal?: (request: Request) => Promise<Response | null>;
  readonly overrides?: Overrides;
}

/** What is made over actors. */
export type OverActors = Pick<
  AssemblyParts,
  "config" | "storage" | "resources" | "forwarding" | "internal" | "overrides"
>;

/** The app's needs besides the services of its operations. */
export type AppParts = Omit<OverActors, "overrides"> & {
  readonly overrides: Pick<Overrides, "bulk" | "budgets" | "pingDatabase">;
};

/** What all surfaces share. */
export interface SharedBySurfaces {
  readonly bodies: Bodies;
  readonly turns: FairTurns;
  /** Null before the port is open. */
  readonly server: () => Server<unknown> | null;
}
