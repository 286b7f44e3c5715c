/** The current workspace of each user (WSP-6). The workspaces are actors of their own. */
import { ok } from "../fault.ts";
import type { Handlers } from "../runtime/actor.ts";
import type { OrganizationProtocol } from "./protocol.ts";
import { organizationTable, selectionTable } from "./schema.ts";

export const workspaceHandlers: Pick<Handlers<OrganizationProtocol>, "select_workspace" | "read_selection"> = {
  select_workspace(tx, { userId, workspaceId }) {
    const former = tx.read(selectionTable, userId);
    if (former === null) tx.create(selectionTable, { id: userId, workspaceId });
    else if (former.workspaceId !== workspaceId) tx.update(selectionTable, { ...former, workspaceId });
    return ok({ isUnchanged: former?.workspaceId === workspaceId });
  },

  /** A user who has selected none works in the organization's first workspace. */
  read_selection(tx, { userId }) {
    const selection = tx.read(selectionTable, userId);
    const defaultId = tx.read(organizationTable, tx.self.id)?.defaultWorkspaceId ?? null;
    return ok({ selectedId: selection?.workspaceId ?? defaultId, defaultId });
  },
};
