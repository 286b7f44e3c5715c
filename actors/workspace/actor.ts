/**
 * The workspace's actor: the places by path, and access by shares. It has only the metadata; content is stored before
 * its turn and read after it (`ports.ts`). Places are loaded as a path is resolved.
 */
import { hasAll } from "../changes.ts";
import { invalid, notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { ActorDefinition, Handlers, RecordKey, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { appCommandHandlers } from "./apps.ts";
import { fileCommandHandlers } from "./files.ts";
import type { WorkspaceLimits } from "./limits.ts";
import { moveHandlers } from "./moving.ts";
import type { WorkspaceCommand, WorkspaceProtocol } from "./protocol.ts";
import {
  deletedDirectoryTable,
  newWorkspace,
  placeTable,
  shareTable,
  type Workspace,
  workspaceTable,
} from "./schema.ts";
import { repositoryCommandHandlers } from "./repositories.ts";
import { shareCommandHandlers } from "./shares.ts";

const ownHandlers = {
  create_workspace(tx, { name, description, instructions, createdBy }) {
    if (tx.read(workspaceTable, tx.self.id) !== null) return invalid("/id", "This workspace exists already");
    return ok(tx.create(workspaceTable, newWorkspace({ id: tx.self.id, name, description, instructions, createdBy })));
  },

  read_workspace: (tx) => presentWorkspace(tx),

  update_workspace(tx, { changes, version }) {
    const workspace = presentWorkspace(tx);
    if (!workspace.ok) return workspace;
    if (version !== null && version !== workspace.value.version)
      return refuse({ kind: "version_conflict", version: workspace.value.version });
    // A change of nothing leaves no trace: no version and no time.
    if (hasAll(workspace.value, changes)) return workspace;
    return ok(tx.update(workspaceTable, { ...workspace.value, ...changes }));
  },

  delete_workspace(tx) {
    const workspace = presentWorkspace(tx);
    if (!workspace.ok) return workspace;
    const deletedAt = isoTime(tx.now);
    // Its root is cleaned up like any deleted directory.
    tx.create(deletedDirectoryTable, { id: tx.self.id, workspaceId: tx.self.id, deletedAt });
    return ok(tx.update(workspaceTable, { ...workspace.value, deletedAt }));
  },
} satisfies Partial<Handlers<WorkspaceProtocol>>;

/** The workspace, unless it is deleted. */
function presentWorkspace(tx: Tx): Outcome<Workspace> {
  const workspace = tx.read(workspaceTable, tx.self.id);
  return workspace === null || workspace.deletedAt !== null ? notFound("workspace") : ok(workspace);
}

/** Guards handlers: nothing is done in a workspace that is deleted or was never created. */
function inPresent<H extends Partial<Handlers<WorkspaceProtocol>>>(handlers: H): H {
  const guarded = Object.entries(handlers).map(([kind, handler]) => [
    kind,
    (tx: Tx, command: never): Outcome<unknown> => {
      const workspace = presentWorkspace(tx);
      return workspace.ok ? (handler as (tx: Tx, command: never) => Outcome<unknown>)(tx, command) : workspace;
    },
  ]);
  return Object.fromEntries(guarded) as H;
}

export const workspaceActor = (limits: WorkspaceLimits): ActorDefinition<WorkspaceProtocol> => ({
  kind: "workspace",
  needs: (ref, command) => workspaceNeeds(ref.id, command),
  handlers: {
    ...ownHandlers,
    ...inPresent({
      ...fileCommandHandlers(limits),
      ...moveHandlers(limits),
      ...repositoryCommandHandlers,
      ...appCommandHandlers,
      ...shareCommandHandlers,
    }),
  },
});

function workspaceNeeds(id: string, command: WorkspaceCommand): readonly RecordKey[] {
  const workspace = { table: workspaceTable.name, id };
  const root = { table: placeTable.name, id };
  switch (command.kind) {
    case "create_workspace":
    case "read_workspace":
    case "update_workspace":
    case "delete_workspace":
      return [workspace];
    case "revoke_share":
    case "read_share":
    case "try_password":
      return [workspace, { table: shareTable.name, id: command.shareId }];
    case "open_share":
      return [workspace, root, { table: shareTable.name, id: command.shareId }];
    default:
      return [workspace, root];
  }
}
