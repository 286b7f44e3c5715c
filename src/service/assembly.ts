/**
 * The service, put together: the only place, for `main.ts`, tests and benchmarks.
 *
 *   storage ─▶ actors ─▶ services (what operations work with) ─▶ handlers of effects ─▶ app
 *
 * Nothing here waits or reads a setting's source. What a caller replaces (a model, a clock, tools) it gives as a part
 * or as an override; everything else is what an operator gets.
 */
import type { ToolPort } from "../../actors/job/ports.ts";
import type { Bulk } from "../../actors/runtime/bulk-work.ts";
import type { Clock } from "../../actors/runtime/clock.ts";
import type { Forwarding } from "../http/request/forwarding.ts";
import { OpenStreams } from "../http/stream/open-streams.ts";
import type { Services } from "../operations/services.ts";
import type { CloneLimits } from "../repositories/clone.ts";
import { appUrlOf } from "../settings/config.ts";
import { type Actors, type ActorParts, createActors } from "./actors.ts";
import { type App, createApp } from "./app.ts";
import { createHandlers } from "./handlers.ts";
import { streamsLimit } from "./open-files.ts";
import type { Resources } from "./resources.ts";
import { createServices } from "./services.ts";

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

export interface Assembly {
  readonly actors: Actors;
  readonly services: Services;
  readonly app: App;
}

/** Opens and starts nothing: call `actors.system.start` to own shards, and `app.listen` to serve. */
export function assemble(parts: AssemblyParts): Assembly {
  const { config, storage, resources, clock, overrides = {} } = parts;
  const actors = createActors({ ...parts, ...resources });
  const made = createServices(actors, {
    config,
    resources,
    streams: new OpenStreams(clock, streamsLimit(config, parts.log), storage.loopTime),
    appUrl: () => appUrlOf(config, app.port),
    hasPath: (path) => app.hasPath(path),
  });
  const services: Services = { ...made, ...overrides.services?.(made) };
  actors.system.handle(createHandlers(actors, { ...parts, services: made, overrides }));
  const app: App = createApp(services, { ...parts, overrides });
  return { actors, services, app };
}
