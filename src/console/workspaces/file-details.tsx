/** A file or a directory beside the tree: its preview, and what may be done with it. */
import { useState } from "preact/hooks";
import type { WorkspaceFile } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { TextField } from "../pieces/fields.tsx";
import { SendForm } from "../pieces/send-form.tsx";
import { SERVICE_ROOT, isolated, service } from "../service.ts";
import { directoryOf } from "./file-paths.ts";
import { FilePreviewView } from "./file-preview.tsx";
import { FileVersions } from "./file-versions.tsx";
import { ShareForm } from "./share-form.tsx";

type DetailedFile = Pick<WorkspaceFile, "path" | "kind">;

interface FileDetailsProps {
  readonly workspaceId: string;
  readonly file: DetailedFile;
  /** Rises with each change of the files. */
  readonly round: number;
  /** Called with what is shown after the file has moved or was deleted. */
  readonly moved: (to: DetailedFile) => void;
}

export function FileDetails({ workspaceId, file: { path, kind }, round, moved }: FileDetailsProps) {
  const isFile = kind === "file";
  const content = `/api/workspaces/${workspaceId}/files/content?${new URLSearchParams({ path }).toString()}`;
  const remove = async (): Promise<void> => {
    await service.deleteFile(workspaceId, { path, ...(isFile ? {} : { recursive: "true" }) });
    moved({ path: directoryOf(path), kind: "directory" });
  };
  return (
    <section aria-label={path} class="card">
      <h2>{path}</h2>
      <p class="actions">
        {isFile ? (
          <a href={SERVICE_ROOT + content} download>
            Download
          </a>
        ) : null}
        <ActionButton
          class="quiet"
          act={remove}
          question={
            isFile
              ? `Delete ${isolated(path)}? Its versions can be read for 30 days.`
              : `Delete the directory ${isolated(path)} and everything in it?`
          }
        >
          Delete
        </ActionButton>
        {isFile ? <CopyAsCurl path={content} /> : null}
      </p>
      {isFile ? <FilePreviewView workspaceId={workspaceId} path={path} round={round} /> : null}
      <MoveForm workspaceId={workspaceId} file={{ path, kind }} moved={moved} />
      {isFile ? (
        <FileVersions workspaceId={workspaceId} path={path} round={round} restored={() => moved({ path, kind })} />
      ) : null}
      {isFile ? <ShareForm workspaceId={workspaceId} path={path} /> : null}
    </section>
  );
}

function MoveForm({ workspaceId, file: { path, kind }, moved }: Omit<FileDetailsProps, "round">) {
  const [to, setTo] = useState(path);
  const move = async (): Promise<void> => {
    const { path: now } = await service.moveFile(workspaceId, { from: path, to });
    moved({ path: now, kind });
  };
  const whyNot = to.trim() === "" || to === path ? "Enter a different path first" : null;
  return (
    <details class="more">
      <summary>Move or rename</summary>
      <SendForm label="Move or rename" send={move} whyNot={whyNot} action="Move">
        <TextField label="New path" path="/to" value={to} change={setTo} />
      </SendForm>
    </details>
  );
}
