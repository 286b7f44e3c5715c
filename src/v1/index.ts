/** The v1 surface, mounted: agents, tasks, execution. Its words are `dialect.ts`. */
import { Elysia } from "elysia";
import type { Surface } from "../http/surface.ts";
import { agentRoutes } from "./agents/routes.ts";
import { executeRoutes } from "./execute/routes.ts";
import type { V1Parts } from "./parts.ts";
import { taskRoutes } from "./tasks/routes.ts";

export function v1Routes(v1: Surface, parts: V1Parts) {
  return new Elysia({ name: "v1" })
    .use(agentRoutes(v1, parts))
    .use(executeRoutes(v1, parts))
    .use(taskRoutes(v1, parts));
}
