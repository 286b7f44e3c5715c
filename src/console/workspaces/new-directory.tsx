/** Makes a directory in the one that is shown. */
import { useState } from "preact/hooks";
import { TextField } from "../pieces/fields.tsx";
import { SendForm } from "../pieces/send-form.tsx";
import { service } from "../service.ts";
import { pathInDirectory } from "./file-paths.ts";

interface NewDirectoryProps {
  readonly workspaceId: string;
  readonly directory: string;
  readonly changed: () => void;
}

export function NewDirectory({ workspaceId, directory, changed }: NewDirectoryProps) {
  const [name, setName] = useState("");
  const make = async (): Promise<void> => {
    await service.createDirectory(workspaceId, { path: pathInDirectory(directory, name.trim()) });
    setName("");
    changed();
  };
  return (
    <details class="more">
      <summary>New directory</summary>
      <SendForm
        label="New directory"
        send={make}
        whyNot={name.trim() === "" ? "Give it a name first" : null}
        action="Create the directory"
      >
        <TextField
          label="Name"
          path="/path"
          hint={directory === "" ? "In the workspace" : `In ${directory}`}
          value={name}
          change={setName}
        />
      </SendForm>
    </details>
  );
}
