/** The methods of each path, for answers to other methods and to OPTIONS. Used only if no route matched. */
import type { Audience } from "./cross-origin.ts";

/** The answer to `OPTIONS` for a path. */
export interface Offered {
  readonly allow: readonly string[];
  readonly audience: Audience;
}

export class KnownPaths {
  private readonly paths: readonly { readonly pattern: RegExp; readonly methods: readonly string[] }[];

  constructor(routes: readonly { readonly method: string; readonly path: string }[]) {
    const methods = new Map<string, string[]>();
    for (const { method, path } of routes) {
      // HEAD works wherever GET does: Bun serves it by the same route.
      methods.set(path, [...(methods.get(path) ?? []), ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
    }
    this.paths = [...methods].map(([path, list]) => ({ pattern: patternOf(path), methods: list }));
  }

  /** The methods of the path; empty if it is unknown. */
  methodsOf(path: string): readonly string[] {
    return this.paths.find(({ pattern }) => pattern.test(path))?.methods ?? [];
  }
}

/** `/agents/:id` and `/agents/{id}` match one segment for `:id`; `/apps/*` matches any rest. */
function patternOf(path: string): RegExp {
  const segments = path.split("/").map((s) => (s === "*" ? ".*" : /^(?::|\{)/.test(s) ? "[^/]+" : RegExp.escape(s)));
  return new RegExp(`^${segments.join("/")}$`);
}
