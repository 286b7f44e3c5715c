/** The v1 surface, mounted: agents, tasks, execution. `dialect.ts` has its errors. */
import { Elysia } from "elysia";
import { operationRoutes } from "../http/request/routes.ts";
import type { Surface } from "../http/request/surface.ts";
import type { Services } from "../operations/services.ts";
import { agentHandlers } from "./agents/handlers.ts";
import { agentOperations } from "./agents/operations.ts";
import { executeHandlers } from "./execute/handlers.ts";
import { executeOperations } from "./execute/operations.ts";
import { taskHandlers } from "./tasks/handlers.ts";
import { taskOperations } from "./tasks/operations.ts";

export function v1Routes(v1: Surface, services: Services) {
  return new Elysia({ name: "v1" })
    .use(operationRoutes(v1, agentOperations, agentHandlers, services))
    .use(operationRoutes(v1, executeOperations, executeHandlers, services))
    .use(operationRoutes(v1, taskOperations, taskHandlers, services));
}
