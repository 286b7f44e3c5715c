/**
 * The service, put together: the only place, for `main.ts`, tests and benchmarks.
 *
 *   storage ─▶ actors ─▶ services (what operations work with) ─▶ handlers of effects ─▶ app
 *
 * Nothing here waits or reads a setting's source. What a caller replaces (a model, a clock, tools) it gives as a part
 * or as an override; everything else is what an operator gets.
 */
import { OpenStreams } from "../http/stream/open-streams.ts";
import type { Services } from "../operations/services.ts";
import { appUrlOf } from "../settings/config.ts";
import { type Actors, createActors } from "./actors.ts";
import { type ServiceApp, createApp } from "./app.ts";
import { createHandlers } from "./handlers.ts";
import { streamsLimit } from "./open-files.ts";
import { createServices } from "./services.ts";
import type { AssemblyParts, OverActors } from "./assembly-parts.ts";

export interface Assembly {
  readonly actors: Actors;
  readonly services: Services;
  readonly app: ServiceApp;
}

/** Opens and starts nothing: call `actors.system.start` to own shards, and `app.listen` to serve. */
export function assemble(parts: AssemblyParts): Assembly {
  const actors = createActors({ ...parts, ...parts.resources });
  const { services, app } = assembleApp(actors, parts);
  actors.system.handle(createHandlers(actors, { ...parts, services, overrides: parts.overrides ?? {} }));
  return { actors, services, app };
}

/** Everything but the handlers: without them, effects stay rows for a later start. */
export function assembleApp(actors: Actors, parts: OverActors): Omit<Assembly, "actors"> {
  const { config, storage, resources, overrides = {} } = parts;
  const made = createServices(actors, {
    config,
    resources,
    streams: new OpenStreams(actors.clock, streamsLimit(config, actors.log), storage.loopTime),
    appUrl: () => appUrlOf(config, app.port),
    hasPath: (path) => app.hasPath(path),
  });
  const services: Services = { ...made, ...overrides.services?.(made) };
  const app: ServiceApp = createApp(services, { ...parts, overrides });
  return { services, app };
}
