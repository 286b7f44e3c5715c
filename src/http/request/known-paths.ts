/** Which methods a path has, for those that it does not have (405, OPTIONS). Asked only when no route took a request. */
import type { Audience } from "./cross-origin.ts";

/** What `OPTIONS` answers for a path. */
export interface Offered {
  readonly allow: readonly string[];
  readonly audience: Audience;
}

export class KnownPaths {
  private readonly paths: readonly { readonly pattern: RegExp; readonly methods: readonly string[] }[];

  constructor(routes: readonly { readonly method: string; readonly path: string }[]) {
    const methods = new Map<string, string[]>();
    for (const { method, path } of routes) {
      // HEAD works where GET does: Bun answers it by the same route.
      methods.set(path, [...(methods.get(path) ?? []), ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
    }
    this.paths = [...methods].map(([path, list]) => ({ pattern: patternOf(path), methods: list }));
  }

  /** The methods of the path, empty where it is unknown. */
  methodsOf(path: string): readonly string[] {
    return this.paths.find(({ pattern }) => pattern.test(path))?.methods ?? [];
  }
}

/** `/agents/:id` and `/agents/{id}` take one segment for `:id`, and `/apps/*` takes whatever comes. */
function patternOf(path: string): RegExp {
  const segments = path.split("/").map((s) => (s === "*" ? ".*" : /^(?::|\{)/.test(s) ? "[^/]+" : RegExp.escape(s)));
  return new RegExp(`^${segments.join("/")}$`);
}
