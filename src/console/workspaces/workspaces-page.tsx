/** The workspaces of the organization, and the beginning of a new one. */
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { Time } from "../format/time.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { TextField } from "../pieces/fields.tsx";
import { ItemRows, usePaged } from "../pieces/paged.tsx";
import { SendForm } from "../pieces/send-form.tsx";
import { ListAndOne } from "../routes.tsx";
import { service } from "../service.ts";
import { TitledPage } from "../title.tsx";
import { WorkspacePage } from "./workspace-page.tsx";

export const WorkspacePages = () => <ListAndOne path="/workspaces" list={WorkspacesPage} one={WorkspacePage} />;

function WorkspacesPage() {
  const workspaces = usePaged(
    (query, options) => service.listWorkspaces(query, options),
    (page) => page.workspaces,
  );
  return (
    <TitledPage title="Workspaces">
      <NewWorkspace />
      <p class="actions">
        <CopyAsCurl path="/api/workspaces" />
      </p>
      <ItemRows label="Workspaces" of={workspaces} empty={<NoWorkspaces />}>
        {({ id, name, description, selected, updated_at }) => (
          <li key={id}>
            <Link href={`/workspaces/${id}`}>{name}</Link>
            {selected ? <span class="badge">yours now</span> : null}
            <span class="quiet">
              <Time at={updated_at} />
            </span>
            {description === null ? null : <p class="quiet preview">{description}</p>}
          </li>
        )}
      </ItemRows>
    </TitledPage>
  );
}

function NewWorkspace() {
  const [, navigate] = useLocation();
  const [name, setName] = useState("");
  const create = async (): Promise<void> => navigate(`/workspaces/${(await service.createWorkspace({ name })).id}`);
  const whyNot = name.trim() === "" ? "Give it a name first" : null;
  return (
    <section class="card">
      <SendForm label="New workspace" send={create} whyNot={whyNot} action="Create">
        <TextField label="New workspace" path="/name" value={name} change={setName} />
      </SendForm>
    </section>
  );
}

const NoWorkspaces = () => (
  <NothingYet request={{ method: "POST", path: "/api/workspaces", body: { name: "Reports" } }}>
    There is no workspace yet. A workspace holds files for people and agents. Make one above, or use a shell:
  </NothingYet>
);
