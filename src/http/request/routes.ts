/**
 * The operations of a surface as routes of Elysia: each is served by `Surface.serve`.
 *
 * Elysia reads the source text of a handler for three things: whether it waits (then so does its route), which parts
 * of the context it uses (query, cookies, headers and body are then parsed), and whether it answers at all. Our
 * handlers are bound functions, which have no text: so a read from memory is answered without a promise, and we read
 * queries and bodies ourselves, after the token and within our limits (docs/decisions/0050).
 */
import { Elysia } from "elysia";
import type { MaybePromise } from "../../../actors/maybe-promise.ts";
import type { OperationGroup } from "../contract/operation.ts";
import type { BoundOperation } from "./bound-operation.ts";
import type { RawInput } from "../input/input-reader.ts";
import type { Surface } from "./surface.ts";

/** The part of Elysia's context that a route uses. */
interface RouteContext {
  readonly request: Request;
  /** Absent if the path has none. */
  readonly params?: RawInput["params"];
}

const NO_PATH_PARAMS: RawInput["params"] = {};

export function operationRoutes<S>(surface: Surface, groups: readonly OperationGroup<S>[], services: S) {
  const routes = new Elysia();
  for (const operation of groups.flatMap((group) => surface.operations.add(group, services))) {
    const { method, path } = operation.contract;
    routes.route(method, path.replaceAll(/\{(\w+)\}/g, ":$1"), serveRoute.bind(null, surface, operation));
  }
  return routes;
}

function serveRoute(
  surface: Surface,
  operation: BoundOperation,
  { request, params = NO_PATH_PARAMS }: RouteContext,
): MaybePromise<Response> {
  return surface.serve(operation, request, params);
}
