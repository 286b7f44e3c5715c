/** The workspaces of the organization, and the beginning of a new one. */
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { ActionButton } from "../action-button.tsx";
import { Time } from "../format/time.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { TextField } from "../pieces/fields.tsx";
import { Form, useRefusals } from "../pieces/form.tsx";
import { ItemRows, usePaged } from "../pieces/paged.tsx";
import { ListAndOne } from "../routes.tsx";
import { service } from "../service.ts";
import { useTitle } from "../title.ts";
import { WorkspacePage } from "./workspace-page.tsx";

export const WorkspacePages = () => <ListAndOne path="/workspaces" list={WorkspacesPage} one={WorkspacePage} />;

function WorkspacesPage() {
  useTitle("Workspaces");
  const workspaces = usePaged(
    (query, options) => service.listWorkspaces(query, options),
    (page) => page.workspaces,
  );
  return (
    <>
      <h1>Workspaces</h1>
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
    </>
  );
}

function NewWorkspace() {
  const [, navigate] = useLocation();
  const [name, setName] = useState("");
  const refusals = useRefusals();
  const create = (): Promise<void> =>
    refusals.during(async () => navigate(`/workspaces/${(await service.createWorkspace({ name })).id}`));
  return (
    <Form label="New workspace" refusals={refusals}>
      {() => (
        <section class="card">
          <TextField label="New workspace" path="/name" value={name} change={setName} />
          <ActionButton act={create} whyNot={name.trim() === "" ? "Give it a name first" : null}>
            Create
          </ActionButton>
        </section>
      )}
    </Form>
  );
}

const NoWorkspaces = () => (
  <NothingYet request={{ method: "POST", path: "/api/workspaces", body: { name: "Reports" } }}>
    There is no workspace yet. A workspace holds files for people and agents. Make one above, or use a shell:
  </NothingYet>
);
