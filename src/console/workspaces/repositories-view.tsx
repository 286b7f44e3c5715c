/** The git repositories whose files are in the workspace. A clone is a job. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Repository } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { KnownTime } from "../format/time.tsx";
import { useLoaded, useRepeat } from "../loading.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { formFields, TextField } from "../pieces/fields.tsx";
import { SendForm } from "../pieces/send-form.tsx";
import { isolated, service } from "../service.ts";
import { ItemRows } from "../pieces/paged.tsx";

const REFRESH_SECONDS_OF_REPOSITORIES = 3;

interface RepositoriesViewProps {
  readonly workspaceId: string;
}

export function RepositoriesView({ workspaceId }: RepositoriesViewProps) {
  const found = useLoaded(
    async (signal) => (await service.listRepositories(workspaceId, { signal })).repos,
    [workspaceId],
  );
  useRepeat(found.reload, REFRESH_SECONDS_OF_REPOSITORIES);
  const example = { url: "https://github.com/octocat/Hello-World", path: "hello" };
  return (
    <>
      <CloneForm workspaceId={workspaceId} changed={found.reload} />
      <ItemRows
        label="Repositories"
        of={found}
        empty={
          <NothingYet request={{ method: "POST", path: `/api/workspaces/${workspaceId}/repos/clone`, body: example }}>
            No repository is cloned. Clone one above, or use a shell:
          </NothingYet>
        }
      >
        {(repository) => (
          <RepositoryRow key={repository.id} workspaceId={workspaceId} repository={repository} changed={found.reload} />
        )}
      </ItemRows>
      <CopyAsCurl path={`/api/workspaces/${workspaceId}/repos`} />
    </>
  );
}

interface RepositoryRowProps extends RepositoriesViewProps {
  readonly repository: Repository;
  readonly changed: () => void;
}

function RepositoryRow({ workspaceId, repository, changed }: RepositoryRowProps) {
  const { id, url, branch, path, mode, status, commit, error, job_id, synced_at } = repository;
  const isCloning = status === "cloning";
  return (
    <li>
      <strong>{url}</strong>
      <span class={`badge ${status === "error" ? "failed" : status}`}>{status}</span>
      <p class="quiet">
        {branch ?? "default branch"} in <code>{path}</code>, {mode === "read" ? "read only" : "may be changed"}
        {commit === null ? "" : `, commit ${commit.slice(0, 12)}`}
        <KnownTime words=", updated" at={synced_at} />
      </p>
      {error === null ? null : <p class="bad">{error}</p>}
      <p class="actions">
        <ActionButton
          class="quiet"
          act={() =>
            status === "pending"
              ? service.cloneRepository(workspaceId, { repo_id: id })
              : service.syncRepository(workspaceId, id)
          }
          after={changed}
          whyNot={isCloning ? "It is being cloned" : null}
        >
          {status === "pending" ? "Clone" : "Update"}
        </ActionButton>
        <ActionButton
          class="quiet"
          act={() => service.removeRepository(workspaceId, id)}
          after={changed}
          question={`Remove the repository ${isolated(url)}? Its files stay in the workspace as ordinary files.`}
        >
          Remove
        </ActionButton>
        {job_id === null ? null : <Link href={`/jobs/${job_id}`}>Job</Link>}
      </p>
    </li>
  );
}

function CloneForm({ workspaceId, changed }: RepositoriesViewProps & { readonly changed: () => void }) {
  const [given, setGiven] = useState({ url: "", branch: "", path: "" });
  const field = formFields("", given, (changes) => setGiven({ ...given, ...changes }));
  const clone = async (): Promise<void> => {
    const { url, branch, path } = given;
    await service.cloneRepository(workspaceId, {
      url: url.trim(),
      ...(branch.trim() === "" ? {} : { branch: branch.trim() }),
      ...(path.trim() === "" ? {} : { path: path.trim() }),
    });
    setGiven({ url: "", branch: "", path: "" });
    changed();
  };
  return (
    <section class="card">
      <SendForm
        label="Clone a repository"
        send={clone}
        whyNot={given.url.trim() === "" ? "Give its address first" : null}
        action="Clone"
      >
        <div class="columns">
          <TextField label="Address of the repository" hint="It begins with https://" {...field("url")} />
          <TextField label="Branch" hint="Empty: its default branch" {...field("branch")} />
          <TextField label="Directory" hint="Empty: the name of the repository" {...field("path")} />
        </div>
      </SendForm>
    </section>
  );
}
