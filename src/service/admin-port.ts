/**
 * The port of the administration: `/metrics`, and the probes. It has its own listener, so that only the operator's
 * tools can reach it. It stays open while the service serves and drains.
 */
import { listeningUrlOf } from "../settings/config.ts";

export interface AdminPortParts {
  readonly host: string;
  readonly port: number;
  /** The handlers by path; other paths are 404. */
  readonly routes: Readonly<Record<string, () => Promise<Response>>>;
}

export interface AdminPort {
  /** The address that it is bound to. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Opens the port. Throws if that fails. */
export function openAdminPort({ host, port, routes }: AdminPortParts): AdminPort {
  const server = Bun.serve({
    hostname: host,
    port,
    development: false,
    reusePort: false,
    async fetch(request) {
      const route = Object.hasOwn(routes, new URL(request.url).pathname)
        ? routes[new URL(request.url).pathname]
        : undefined;
      if (route === undefined) return new Response("Not found\n", { status: 404 });
      if (request.method !== "GET" && request.method !== "HEAD")
        return new Response("Method not allowed\n", { status: 405, headers: { allow: "GET, HEAD" } });
      return route();
    },
  });
  return { address: listeningUrlOf(host, server.port ?? port), stop: () => server.stop(true) };
}
