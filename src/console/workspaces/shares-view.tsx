/** The files of a workspace that everyone with a link can download. */
import { ActionButton } from "../action-button.tsx";
import { KnownTime } from "../format/time.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { ItemRows, usePaged } from "../pieces/paged.tsx";
import { isolated, service } from "../service.ts";

const NoShares = ({ workspaceId }: { readonly workspaceId: string }) => (
  <NothingYet
    request={{
      method: "POST",
      path: `/api/workspaces/${workspaceId}/files/share`,
      body: { path: "notes.md", expires_in_seconds: 86_400 },
    }}
  >
    Nothing is shared. Choose a file and open “Share” below it, or use a shell:
  </NothingYet>
);

export function SharesView({ workspaceId }: { readonly workspaceId: string }) {
  const shares = usePaged(
    (query, options) => service.listShares(workspaceId, query, options),
    (page) => page.shares,
    [workspaceId],
  );
  return (
    <>
      <p class="actions">
        <CopyAsCurl path={`/api/workspaces/${workspaceId}/shares`} />
      </p>
      <ItemRows label="Shares" of={shares} empty={<NoShares workspaceId={workspaceId} />}>
        {({ id, path, expires_at, downloads, max_downloads, has_password, allowed_actions }) => (
          <li key={id}>
            <strong>{path}</strong>{" "}
            <span class="quiet">
              {downloads.toLocaleString()}
              {max_downloads === null ? "" : ` of ${max_downloads.toLocaleString()}`} downloads
              {has_password ? ", with a password" : ""}
              <KnownTime words=", expires" at={expires_at} />
            </span>
            <p class="actions">
              <ActionButton
                class="quiet"
                act={() => service.revokeShare(workspaceId, id)}
                after={shares.reload}
                question={`Revoke the link to ${isolated(path)}? It stops working at once.`}
                whyNot={allowed_actions.includes("revoke") ? null : "You may not revoke this share"}
              >
                Revoke
              </ActionButton>
            </p>
          </li>
        )}
      </ItemRows>
    </>
  );
}
