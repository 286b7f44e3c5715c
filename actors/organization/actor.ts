/**
 * The organization's actor: everything that an organization owns and that is no chat, no job and no workspace. It
 * may own a million tasks, so it holds a working set of records and not all of them; lists are read
 * from the tables.
 */
import type { ActorDefinition, Handlers, RecordKey } from "../runtime/actor.ts";
import { BURST_BOUNDS } from "../runtime/turns/mailbox.ts";
import { agentCommandHandlers } from "./agents.ts";
import { auditCommandHandlers } from "./audit.ts";
import { grantHandlers } from "./grants.ts";
import { groupCommandHandlers } from "./groups.ts";
import { invitationHandlers } from "./invitations.ts";
import { memberCommandHandlers } from "./members.ts";
import type { OrganizationCommand, OrganizationProtocol } from "./protocol.ts";
import {
  agentTable,
  grantTable,
  invitationTable,
  memberTable,
  organizationTable,
  secretTable,
  selectionTable,
  taskTable,
  tokenTable,
} from "./schema.ts";
import { providerKeyHandlers } from "./provider-keys.ts";
import { secretCommandHandlers } from "./secrets.ts";
import { taskCommandHandlers } from "./tasks.ts";
import { tokenCommandHandlers } from "./tokens.ts";
import { ok } from "../fault.ts";

/** The current workspace of each user (WSP-6). The workspaces are actors of their own. */
const selectionHandlers = {
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
} satisfies Partial<Handlers<OrganizationProtocol>>;

export const organizationActor: ActorDefinition<OrganizationProtocol> = {
  kind: "organization",
  mailbox: BURST_BOUNDS,
  isUnordered: true,
  needs: (ref, command) => organizationNeeds(ref.id, command),
  handlers: {
    ...agentCommandHandlers,
    ...auditCommandHandlers,
    ...grantHandlers,
    ...groupCommandHandlers,
    ...invitationHandlers,
    ...memberCommandHandlers,
    ...secretCommandHandlers,
    ...providerKeyHandlers,
    ...taskCommandHandlers,
    ...tokenCommandHandlers,
    ...selectionHandlers,
  },
};

const memberKey = (id: string): RecordKey => ({ table: memberTable.name, id });
const invitationKey = (id: string): RecordKey => ({ table: invitationTable.name, id });

function organizationNeeds(id: string, command: OrganizationCommand): readonly RecordKey[] {
  const organization = { table: organizationTable.name, id };
  switch (command.kind) {
    case "found_organization":
    case "read_organization":
    case "list_groups":
    case "read_group":
    case "delete_group":
    case "set_suspended":
    case "set_quota":
    case "create_agent":
      return [organization];
    case "select_workspace":
      return [{ table: selectionTable.name, id: command.userId }];
    case "read_selection":
      return [organization, { table: selectionTable.name, id: command.userId }];
    case "authenticate":
    case "confirm_token":
    case "touch_token":
    case "grant_of_token":
    case "revoke_token":
      return [{ table: tokenTable.name, id: command.tokenId }];
    case "create_token":
      return [memberKey(command.token.userId)];
    case "add_member":
      return [organization, memberKey(command.userId)];
    case "remove_member":
      return [organization, memberKey(command.userId), ...(command.invitationIds ?? []).map(invitationKey)];
    case "read_deciders":
      return [organization, ...command.userIds.map(memberKey)];
    case "put_group":
      return [organization, ...command.memberIds.map(memberKey)];
    case "change_role":
    case "set_approval_mails":
    case "read_member":
    case "check_owner":
      return [memberKey(command.userId)];
    case "read_agent":
    case "hides_work":
    case "read_library_agent":
    case "update_agent":
    case "archive_agent":
    case "set_disabled":
    case "set_install_state":
      return [{ table: agentTable.name, id: command.agentId }];
    case "read_task":
    case "update_task":
    case "delete_task":
      return [{ table: taskTable.name, id: command.taskId }];
    case "put_secret":
    case "delete_secret":
    case "read_secret":
    case "read_sealed_secrets":
    case "reseal_secrets":
    case "list_secrets":
    case "put_provider_key":
    case "delete_provider_key":
    case "list_provider_keys":
    case "read_provider_key":
      return [{ table: secretTable.name, id }];
    case "missions_told":
    case "connections_forsaken":
    case "note":
    case "workspace_deleted":
    case "offer_grant":
      return [];
    case "create_invitation":
      return [organization, ...command.replacedIds.map(invitationKey)];
    case "check_invitation":
    case "accept_invitation":
    case "revoke_invitation":
      return [invitationKey(command.invitationId)];
    case "redeem_code":
    case "refresh_grant":
    case "end_grant":
      return [{ table: grantTable.name, id: command.grantId }];
    case "create_task":
      return command.taskId === undefined ? [] : [{ table: taskTable.name, id: command.taskId }];
  }
}
