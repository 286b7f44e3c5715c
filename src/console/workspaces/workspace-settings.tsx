/** Name and description of a workspace, and what agents are told in it. */
import type { UpdateWorkspaceRequest, Workspace } from "../../../sdk/typescript/troupe.ts";
import { SaveBar, useEditedRecord } from "../pieces/edited-record.tsx";
import { AreaField, TextField } from "../pieces/fields.tsx";
import { Form } from "../pieces/form.tsx";
import { service } from "../service.ts";

type WorkspaceDraft = Required<UpdateWorkspaceRequest>;

const workspaceDraftOf = ({ name, description, instructions }: Workspace): WorkspaceDraft => ({
  name,
  description,
  instructions,
});

export function WorkspaceSettings({ now }: { readonly now: Workspace }) {
  const edited = useEditedRecord<Workspace, WorkspaceDraft>({
    now,
    draftOf: workspaceDraftOf,
    read: () => service.getWorkspace(now.id),
    write: (changes, version) => service.updateWorkspace(now.id, changes, { ifMatch: version }),
  });
  const { value, set } = edited.draft;
  const whyNot = edited.record.allowed_actions.includes("update")
    ? null
    : "You may not change this workspace: only who made it and owners of the organization may";
  return (
    <Form label="Settings" isReadOnly={whyNot !== null} refusals={edited.refusals}>
      {() => (
        <>
          {whyNot === null ? null : <p>{whyNot}.</p>}
          <TextField label="Name" path="/name" value={value.name} change={(name) => set("name", name)} />
          <TextField
            label="Description"
            path="/description"
            value={value.description ?? ""}
            change={(text) => set("description", text === "" ? null : text)}
          />
          <AreaField
            label="Instructions"
            path="/instructions"
            hint="Agents get them in this workspace"
            value={value.instructions ?? ""}
            change={(text) => set("instructions", text === "" ? null : text)}
          />
          <SaveBar edited={edited} whyNot={whyNot} />
        </>
      )}
    </Form>
  );
}
