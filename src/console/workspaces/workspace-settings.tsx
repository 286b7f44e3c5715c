/** Name and description of a workspace, and what agents are told in it. */
import type { UpdateWorkspaceRequest, Workspace } from "../../../sdk/typescript/troupe.ts";
import { SaveBar, useEditedRecord } from "../pieces/edited-record.tsx";
import { AreaField, TextField, textOr } from "../pieces/fields.tsx";
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
  const { field } = edited.draft;
  const whyNot = edited.record.allowed_actions.includes("update")
    ? null
    : "You may not change this workspace: only the person who made it and owners of the organization may";
  return (
    <Form label="Settings" isReadOnly={whyNot !== null} refusals={edited.refusals}>
      {() => (
        <>
          {whyNot === null ? null : <p>{whyNot}.</p>}
          <TextField label="Name" {...field("name")} />
          <TextField label="Description" {...textOr(null, field("description"))} />
          <AreaField
            label="Instructions"
            hint="Agents get them in this workspace"
            {...textOr(null, field("instructions"))}
          />
          <SaveBar edited={edited} whyNot={whyNot} />
        </>
      )}
    </Form>
  );
}
