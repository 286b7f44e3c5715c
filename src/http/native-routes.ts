/**
 * The operations as Bun's own router calls them. Elysia has them all (it knows which paths there are, and
 * answers what no route takes), but what it makes of a request before a handler sees it, and the promise
 * around what it answers, cost a twelfth of a read. An operation asks for nothing of it: it reads its
 * body itself, and answers a `Response` whatever happens.
 */
import type { Server } from "bun";
import type { Asked } from "./surface.ts";

type Answered = Response | Promise<Response>;

/** What Elysia tells of a route. */
interface KnownRoute {
  readonly method: string;
  readonly path: string;
  readonly handler: unknown;
  readonly hooks: { readonly parse?: unknown };
}

interface NativeRequest extends Request {
  readonly params: Readonly<Record<string, string>>;
}
type NativeHandler = (request: NativeRequest, server: Server<unknown>) => Answered;
type OperationHandler = (context: Asked & Pick<NativeRequest, "params">) => Answered;

/** By path and method, as `Bun.serve` takes them. Operations are the routes for which Elysia parses nothing. */
export type NativeRoutes = Record<string, Record<string, NativeHandler>>;

export function addNativeRoutes(to: NativeRoutes, routes: readonly KnownRoute[]): void {
  for (const { method, path, handler, hooks } of routes) {
    if (hooks.parse === undefined) continue;
    // `operationRoutes` mounts nothing else without a parser.
    const answer = handler as OperationHandler;
    (to[path] ??= {})[method] = (request, server) => answer({ request, params: request.params, server });
  }
}
