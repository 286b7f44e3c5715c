/** Makes a directory in the one that is shown. */
import { useState } from "preact/hooks";
import { ActionButton } from "../action-button.tsx";
import { TextField } from "../pieces/fields.tsx";
import { Form, useRefusals } from "../pieces/form.tsx";
import { service } from "../service.ts";
import { pathInDirectory } from "./file-paths.ts";

interface NewDirectoryProps {
  readonly workspaceId: string;
  readonly directory: string;
  readonly changed: () => void;
}

export function NewDirectory({ workspaceId, directory, changed }: NewDirectoryProps) {
  const [name, setName] = useState("");
  const refusals = useRefusals();
  const make = (): Promise<void> =>
    refusals.during(async () => {
      await service.createDirectory(workspaceId, { path: pathInDirectory(directory, name.trim()) });
      setName("");
      changed();
    });
  return (
    <details class="more">
      <summary>New directory</summary>
      <Form label="New directory" refusals={refusals}>
        {() => (
          <>
            <TextField
              label="Name"
              path="/path"
              hint={directory === "" ? "In the workspace" : `In ${directory}`}
              value={name}
              change={setName}
            />
            <ActionButton act={make} whyNot={name.trim() === "" ? "Give it a name first" : null}>
              Create the directory
            </ActionButton>
          </>
        )}
      </Form>
    </details>
  );
}
