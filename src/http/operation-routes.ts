/** Mounts a group of operations: the table says where each is and for whom, the handlers what they do. */
import { Elysia } from "elysia";
import type { Outcome } from "../../actors/fault.ts";
import { deprecationHeaders } from "./deprecation.ts";
import {
  type Change,
  type Handlers,
  isRead,
  type OpenRead,
  type OperationContract,
  type OperationGroup,
  type Operations,
  type Read,
  type Undertaking,
} from "./operation.ts";
import type { Surface, Visit } from "./surface.ts";

/** Answers a stream of its own. */
type Signed = (visit: Visit) => Promise<Outcome<Response>>;
type AnyHandler = Read<OperationContract> | OpenRead<OperationContract> | Change | Undertaking;

/** The routes of a group on its surface. Bodies are read by us, within our limits, so Elysia parses none. */
export function operationRoutes<T extends Operations>(
  surface: Surface,
  { tag, operations }: OperationGroup<T>,
  handlers: Handlers<T>,
) {
  const routes = new Elysia({ name: `operations of ${tag}` });
  for (const [id, operation] of Object.entries(operations)) {
    const handler = handlers[id] as AnyHandler;
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    routes.route(operation.method, path, routed(surface, operation, handler), { parse: "none" });
  }
  return routes;
}

/** The handler of the route, by what kind of operation it is. */
function routed(surface: Surface, operation: OperationContract, handler: AnyHandler) {
  const { scope, orScope, signed, emits = null, hasOneTimeSecret, holdsKey, deprecation } = operation;
  const headers = deprecation === undefined ? {} : { headers: deprecationHeaders(deprecation) };
  if (signed !== undefined) return surface.visitors(handler as Signed, signed.headers);
  if (scope === null) return surface.open({ ...headers, run: handler as OpenRead<OperationContract> });
  const needs = { scope, ...(orScope === undefined ? {} : { orScope }), ...headers };
  if (isRead(operation)) return surface.handler({ ...needs, run: handler as Read<OperationContract> });
  const marks = {
    ...(emits === null ? {} : { emits }),
    ...(hasOneTimeSecret === undefined ? {} : { hasOneTimeSecret }),
    ...(holdsKey === undefined ? {} : { holdsKey }),
  };
  const work = typeof handler === "function" ? { run: handler as Change } : handler;
  return surface.mutation({ ...needs, ...marks, ...work });
}
