/** The current surface, mounted. Its words are `dialect.ts`. */
import { Elysia } from "elysia";
import type { Surface } from "../http/surface.ts";
import { agentRoutes } from "./agents/routes.ts";
import { chatRoutes } from "./chats/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { jobRoutes } from "./jobs/routes.ts";
import { webhookRoutes } from "./messaging-integration/routes.ts";
import { overviewRoutes } from "./overview/routes.ts";
import { modelRoutes } from "./models/routes.ts";
import type { CurrentParts } from "./parts.ts";
import { secretRoutes } from "./secrets/routes.ts";
import { appStreamRoutes } from "./streams/app-stream.ts";
import { streamRoutes } from "./streams/routes.ts";
import { taskRoutes } from "./tasks/routes.ts";
import { tokenRoutes } from "./tokens/routes.ts";
import { usageRoutes } from "./usage/routes.ts";
import { workspaceRoutes } from "./workspaces/routes.ts";

export function currentRoutes(current: Surface, parts: CurrentParts) {
  return new Elysia({ name: "current" })
    .use(agentRoutes(current, parts))
    .use(chatRoutes(current, parts))
    .use(eventRoutes(current, parts))
    .use(jobRoutes(current, parts))
    .use(modelRoutes(current, parts))
    .use(streamRoutes(current, parts))
    .use(appStreamRoutes(current, parts))
    .use(overviewRoutes(current, parts))
    .use(secretRoutes(current, parts))
    .use(taskRoutes(current, parts))
    .use(tokenRoutes(current, parts))
    .use(usageRoutes(current, parts))
    .use(webhookRoutes(current, parts))
    .use(workspaceRoutes(current, parts));
}
