/** Metrics for the operator: counters, gauges, and the port that serves both. */
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { Database } from "../../db/client.ts";
import { countUnfinishedJobs } from "../../db/stores/job-counts.ts";
import type { Logger } from "../log/log.ts";
import { exposition, type Readings } from "../metrics/exposition.ts";
import type { Meters } from "../metrics/meters.ts";
import { SERVICE_VERSION } from "../settings/build.ts";
import { type AdminPort, openAdminPort } from "./admin-port.ts";
import type { ServiceApp } from "./app.ts";
import { freeBytesOf } from "./disk-watch.ts";

/** Between two measurements of the event loop's delay: often enough to catch a long block, at no measurable cost. */
const LOOP_LOOK_MS = 100;

export interface MetricsParts {
  readonly meters: Meters;
  readonly system: TroupeSystem;
  readonly database: Database;
  readonly app: Pick<ServiceApp, "streams" | "bodies" | "turns">;
  /** A folder of the file system where the data is. */
  readonly dataDir: string;
  readonly log: Pick<Logger, "warn" | "info">;
  readonly host: string;
  readonly port: number;
}

/** Opens the administration port. Throws if that fails. */
export function serveMetrics(parts: MetricsParts): AdminPort {
  const { meters, log, host, port } = parts;
  const rendered = exposition(meters, readingsOf(parts), (err, metric) =>
    log.warn({ err, metric }, "a metric could not be read"),
  );
  const metrics = async (): Promise<Response> =>
    new Response(await rendered.text(), {
      headers: { "content-type": rendered.contentType, "cache-control": "no-store" },
    });
  const admin = openAdminPort({ host, port, routes: { "/metrics": metrics } });
  const endLooks = watchDelay(meters);
  log.info({ metrics: `${admin.address}/metrics` }, "metrics are served on the administration port");
  return {
    address: admin.address,
    stop: () => {
      endLooks();
      return admin.stop();
    },
  };
}

const readingsOf = ({ system, database, app, dataDir }: MetricsParts): Readings => ({
  version: SERVICE_VERSION,
  isReady: () => system.isReady,
  actors: () => system.actors.census(),
  parkedMessages: () => system.parkedMessages(null),
  loopWorkMs: () => system.loopTime.reading(0).total.totalMs,
  streams: () => ({ open: app.streams.count, ...app.streams.lag() }),
  bodies: () => app.bodies.usage,
  waitingRequests: () => app.turns.waiting,
  jobs: () => countUnfinishedJobs(database),
  freeDiskBytes: () => freeBytesOf(dataDir),
  monotonic: () => performance.now(),
});

/** Measures how late a timer fires; answers a function that stops it. */
function watchDelay({ loopSeconds }: Meters): () => void {
  let due = performance.now() + LOOP_LOOK_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    loopSeconds.observe(Math.max(0, now - due) / 1_000);
    due = now + LOOP_LOOK_MS;
  }, LOOP_LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
