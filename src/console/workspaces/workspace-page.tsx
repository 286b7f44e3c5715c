/** One workspace: its files, what is shared of them, its repositories, queries over it, and its settings. */
import { useLocation, useSearchParams } from "wouter-preact";
import type { Workspace } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { WhenLoaded, useLoaded } from "../loading.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { ViewChoice } from "../pieces/view-choice.tsx";
import { isolated, service } from "../service.ts";
import { useTitle } from "../title.tsx";
import { FilesView } from "./files-view.tsx";
import { QuerySheet } from "./query-sheet.tsx";
import { RepositoriesView } from "./repositories-view.tsx";
import { SharesView } from "./shares-view.tsx";
import { WorkspaceSettings } from "./workspace-settings.tsx";

const WORKSPACE_VIEWS = [
  ["files", "Files"],
  ["shares", "Shares"],
  ["repositories", "Repositories"],
  ["query", "Query"],
  ["settings", "Settings"],
] as const;

export function WorkspacePage({ id }: { readonly id: string }) {
  const found = useLoaded((signal) => service.getWorkspace(id, { signal }), [id]);
  return (
    <WhenLoaded of={found}>{(workspace) => <OpenWorkspace workspace={workspace} changed={found.reload} />}</WhenLoaded>
  );
}

interface OpenWorkspaceProps {
  readonly workspace: Workspace;
  readonly changed: () => void;
}

function OpenWorkspace({ workspace, changed }: OpenWorkspaceProps) {
  useTitle(workspace.name);
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const { id, name, selected, allowed_actions } = workspace;
  const view = search.get("view") ?? "files";
  return (
    <>
      <h1>{name}</h1>
      <p class="actions">
        {selected ? (
          <span class="badge">yours now</span>
        ) : (
          <ActionButton
            class="quiet"
            act={() => service.selectWorkspace(id)}
            after={changed}
            whyNot={allowed_actions.includes("select") ? null : "You may not select this workspace"}
          >
            Work in it
          </ActionButton>
        )}
        <ActionButton
          class="quiet"
          act={() => service.deleteWorkspace(id)}
          after={() => navigate("/workspaces")}
          whyNot={
            allowed_actions.includes("delete")
              ? null
              : "You may not delete this workspace: it is the default workspace, or somebody else made it"
          }
          question={`Delete the workspace ${isolated(name)} with all its files? This cannot be undone.`}
        >
          Delete
        </ActionButton>
        <CopyAsCurl path={`/api/workspaces/${id}`} />
      </p>
      <ViewChoice label="Parts of the workspace" parameter="view" views={WORKSPACE_VIEWS} />
      {view === "files" ? <FilesView workspaceId={id} /> : null}
      {view === "shares" ? <SharesView workspaceId={id} /> : null}
      {view === "repositories" ? <RepositoriesView workspaceId={id} /> : null}
      {view === "query" ? <QuerySheet workspaceId={id} /> : null}
      {view === "settings" ? <WorkspaceSettings now={workspace} /> : null}
    </>
  );
}
