/** Workspaces on the current surface: list and read (GEN-8). */
import { mapped, notFound } from "../../../actors/fault.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { queryOf } from "../../http/exchange.ts";
import { lookUp } from "../../http/look-up.ts";
import type { Handlers } from "../../http/operation.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Surface } from "../../http/surface.ts";
import { pageRequest, pageView } from "../paging.ts";
import type { CurrentParts } from "../parts.ts";
import { workspaceOperations } from "./operations.ts";
import { workspaceView } from "./schema.ts";

/** What cannot be a workspace's id is none. */
const WORKSPACE_ID = /^[A-Za-z0-9_-]{1,64}$/;

export const workspaceRoutes = (current: Surface, parts: CurrentParts) =>
  operationRoutes(current, workspaceOperations, handlers(parts));

const handlers = ({ system, directory, log }: CurrentParts): Handlers<typeof workspaceOperations.operations> => ({
  async listWorkspaces({ request, principal: { organizationId } }) {
    const page = pageRequest(queryOf(request.url), "workspaces");
    if (!page.ok) return page;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const workspaces = await lookUp(log, directory.pageWorkspaces(organizationId, page.value));
    return mapped(workspaces, (list) => pageView("workspaces", list, workspaceView));
  },

  async getWorkspace({ params, principal: { organizationId } }) {
    const workspaceId = params["id"] ?? "";
    if (!WORKSPACE_ID.test(workspaceId)) return notFound("workspace");
    const workspace = await system.dispatch(organizationRef(organizationId), { kind: "read_workspace", workspaceId });
    return mapped(workspace, workspaceView);
  },
});
