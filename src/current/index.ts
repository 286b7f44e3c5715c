/** The current surface, mounted: each group of operations with its handlers. `dialect.ts` has its error messages. */
import { Elysia } from "elysia";
import { operationRoutes } from "../http/request/routes.ts";
import type { Surface } from "../http/request/surface.ts";
import type { Services } from "../operations/services.ts";
import { agentHandlers } from "./agents/handlers.ts";
import { agentOperations } from "./agents/operations.ts";
import { auditHandlers } from "./audit/handlers.ts";
import { auditOperations } from "./audit/operations.ts";
import { chatHandlers } from "./chats/handlers.ts";
import { chatOperations } from "./chats/operations.ts";
import { eventHandlers } from "./events/handlers.ts";
import { eventOperations } from "./events/operations.ts";
import { jobHandlers } from "./jobs/handlers.ts";
import { jobOperations } from "./jobs/operations.ts";
import { webhookHandlers } from "./messaging-integration/handlers.ts";
import { webhookOperations } from "./messaging-integration/operations.ts";
import { missionHandlers } from "./missions/handlers.ts";
import { missionOperations } from "./missions/operations.ts";
import { modelHandlers } from "./models/handlers.ts";
import { modelOperations } from "./models/operations.ts";
import { overviewHandlers } from "./overview/handlers.ts";
import { overviewOperations } from "./overview/operations.ts";
import { memberHandlers } from "./people/members.ts";
import { memberOperations, sessionOperations } from "./people/operations.ts";
import { sessionHandlers } from "./people/sessions.ts";
import { secretHandlers } from "./secrets/handlers.ts";
import { secretOperations } from "./secrets/operations.ts";
import { appStreamHandlers } from "./streams/app-stream.ts";
import { streamHandlers } from "./streams/handlers.ts";
import { appStreamOperations, streamOperations } from "./streams/operations.ts";
import { taskHandlers } from "./tasks/handlers.ts";
import { taskOperations } from "./tasks/operations.ts";
import { tokenHandlers } from "./tokens/handlers.ts";
import { tokenOperations } from "./tokens/operations.ts";
import { toolHandlers } from "./tools/handlers.ts";
import { toolOperations } from "./tools/operations.ts";
import { uploadHandlers } from "./uploads/handlers.ts";
import { uploadOperations } from "./uploads/operations.ts";
import { unfinishedHandlers } from "./uploads/unfinished-handlers.ts";
import { unfinishedOperations } from "./uploads/unfinished-operations.ts";
import { usageHandlers } from "./usage/handlers.ts";
import { usageOperations } from "./usage/operations.ts";
import { appHandlers } from "./workspaces/app-handlers.ts";
import { appOperations } from "./workspaces/app-operations.ts";
import { fileHandlers } from "./workspaces/file-handlers.ts";
import { fileOperations, shareOperations } from "./workspaces/file-operations.ts";
import { queryHandlers } from "./workspaces/query-handlers.ts";
import { queryOperations } from "./workspaces/query-operations.ts";
import { openShareHandlers } from "./workspaces/share-handlers.ts";
import { repositoryHandlers } from "./workspaces/repository-handlers.ts";
import { repositoryOperations } from "./workspaces/repository-operations.ts";
import { workspaceHandlers } from "./workspaces/handlers.ts";
import { workspaceOperations } from "./workspaces/operations.ts";

export function currentRoutes(current: Surface, services: Services) {
  return new Elysia({ name: "current" })
    .use(operationRoutes(current, agentOperations, agentHandlers, services))
    .use(operationRoutes(current, auditOperations, auditHandlers, services))
    .use(operationRoutes(current, chatOperations, chatHandlers, services))
    .use(operationRoutes(current, eventOperations, eventHandlers, services))
    .use(operationRoutes(current, jobOperations, jobHandlers, services))
    .use(operationRoutes(current, missionOperations, missionHandlers, services))
    .use(operationRoutes(current, modelOperations, modelHandlers, services))
    .use(operationRoutes(current, toolOperations, toolHandlers, services))
    .use(operationRoutes(current, streamOperations, streamHandlers, services))
    .use(operationRoutes(current, appStreamOperations, appStreamHandlers, services))
    .use(operationRoutes(current, overviewOperations, overviewHandlers, services))
    .use(operationRoutes(current, secretOperations, secretHandlers, services))
    .use(operationRoutes(current, taskOperations, taskHandlers, services))
    .use(operationRoutes(current, memberOperations, memberHandlers, services))
    .use(operationRoutes(current, sessionOperations, sessionHandlers, services))
    .use(operationRoutes(current, tokenOperations, tokenHandlers, services))
    .use(operationRoutes(current, uploadOperations, uploadHandlers, services))
    .use(operationRoutes(current, unfinishedOperations, unfinishedHandlers, services))
    .use(operationRoutes(current, usageOperations, usageHandlers, services))
    .use(operationRoutes(current, webhookOperations, webhookHandlers, services))
    .use(operationRoutes(current, workspaceOperations, workspaceHandlers, services))
    .use(operationRoutes(current, fileOperations, fileHandlers, services))
    .use(operationRoutes(current, shareOperations, openShareHandlers, services))
    .use(operationRoutes(current, appOperations, appHandlers, services))
    .use(operationRoutes(current, repositoryOperations, repositoryHandlers, services))
    .use(operationRoutes(current, queryOperations, queryHandlers, services));
}
