/**
 * The public documents, mounted on the current surface: they count against rate limits and carry the version of the
 * contract, like everything there (RATE-2, VER-1).
 */
import { Elysia } from "elysia";
import { operationRoutes } from "../http/request/routes.ts";
import type { Surface } from "../http/request/surface.ts";
import type { Services } from "../operations/services.ts";
import { publicHandlers, scalarHandlers } from "./handlers.ts";
import { publicOperations } from "./operations.ts";
import { scalarOperations } from "./scalar.ts";

export function publicRoutes(current: Surface, services: Services) {
  return new Elysia({ name: "public" })
    .use(operationRoutes(current, publicOperations, publicHandlers, services))
    .use(operationRoutes(current, scalarOperations, scalarHandlers, services));
}
