/** Workspaces: where an organization's work happens. */
import { notFound, ok } from "../fault.ts";
import type { Handlers } from "../runtime/actor.ts";
import type { OrganizationProtocol } from "./protocol.ts";
import { workspaceTable } from "./schema.ts";

export const workspaceHandlers: Pick<Handlers<OrganizationProtocol>, "read_workspace"> = {
  read_workspace(tx, { workspaceId }) {
    const workspace = tx.read(workspaceTable, workspaceId);
    return workspace === null ? notFound("workspace") : ok(workspace);
  },
};
