/** The files of a workspace: the tree, what is shown beside it, and what is being sent. The address has the shown path. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { WorkspaceFile } from "../../../sdk/typescript/troupe.ts";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { FilterText } from "../pieces/filter.tsx";
import { wordsOfError } from "../service.ts";
import { FileDetails } from "./file-details.tsx";
import { directoryOf, pathInDirectory } from "./file-paths.ts";
import { FileTree } from "./file-tree.tsx";
import { FoundFileList } from "./found-files.tsx";
import { NewDirectory } from "./new-directory.tsx";
import { sendFile } from "./uploads.ts";
import { useSearchState } from "../pieces/search-state.ts";

/** A file that is being sent, or could not be. */
interface SentUpload {
  readonly path: string;
  readonly share: number;
  readonly error: string | null;
}

export function FilesView({ workspaceId }: { readonly workspaceId: string }) {
  const [at, navigate] = useLocation();
  const [{ find: words, path: file, directory: chosen }, change] = useSearchState({
    find: "",
    path: "",
    directory: "",
  });
  /** Where new files go. */
  const directory = chosen || directoryOf(file);
  const shown = file || directory;
  const [round, setRound] = useState(0);
  const [sendings, setSendings] = useState<readonly SentUpload[]>([]);
  const changed = (): void => setRound((last) => last + 1);
  const addressOf = ({ path, kind }: Pick<WorkspaceFile, "path" | "kind">): string => {
    const place = path === "" ? {} : kind === "file" ? { path } : { directory: path };
    const query = new URLSearchParams({ ...place, ...(words === "" ? {} : { find: words }) });
    return query.size === 0 ? at : `${at}?${query.toString()}`;
  };
  const note = (path: string, now: Partial<SentUpload>): void =>
    setSendings((last) => last.map((one) => (one.path === path ? { ...one, ...now } : one)));
  const send = async (files: FileList | null | undefined): Promise<void> => {
    // The list of a field is emptied with the field.
    const given = [...(files ?? [])].map((content) => ({ content, path: pathInDirectory(directory, content.name) }));
    const begun = given.map(({ path }) => ({ path, share: 0, error: null }));
    setSendings((last) => [...last.filter(({ path }) => !begun.some((one) => one.path === path)), ...begun]);
    for (const { content, path } of given) {
      try {
        await sendFile({ workspaceId, path, content }, (share) => note(path, { share }));
        note(path, { share: 1 });
        changed();
      } catch (error) {
        note(path, { error: wordsOfError(error) });
      }
    }
  };
  return (
    <div class="beside">
      <section
        aria-label="Files"
        class="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void send(event.dataTransfer?.files);
        }}
      >
        <p class="actions">
          <label class="attach">
            Upload files
            <input
              type="file"
              multiple
              onChange={({ currentTarget }) => {
                void send(currentTarget.files);
                currentTarget.value = "";
              }}
            />
          </label>
          <span class="quiet">
            or drop them here: they go to {directory === "" ? "the workspace" : directory}. A file that exists gets a
            new version.
          </span>
        </p>
        <Sendings sendings={sendings} />
        <NewDirectory workspaceId={workspaceId} directory={directory} changed={changed} />
        <FilterText label="Find files by name or content" value={words} change={(find) => change({ find })} />
        {words === "" ? (
          <>
            <FileTree workspaceId={workspaceId} path="" shown={shown} addressOf={addressOf} round={round} />
            <CopyAsCurl path={`/api/workspaces/${workspaceId}/files`} />
          </>
        ) : (
          <FoundFileList workspaceId={workspaceId} words={words} addressOf={addressOf} />
        )}
      </section>
      {shown === "" ? null : (
        <FileDetails
          key={shown}
          round={round}
          workspaceId={workspaceId}
          file={{ path: shown, kind: file === "" ? "directory" : "file" }}
          moved={(to) => {
            changed();
            navigate(addressOf(to), { replace: true });
          }}
        />
      )}
    </div>
  );
}

function Sendings({ sendings }: { readonly sendings: readonly SentUpload[] }) {
  if (sendings.length === 0) return null;
  return (
    <ul class="rows" aria-label="Uploads">
      {sendings.map(({ path, share, error }) => (
        <li key={path}>
          {path}{" "}
          {error === null ? (
            <>
              <progress value={share} aria-label={`Upload of ${path}`} />{" "}
              <span role="status">{share === 1 ? "uploaded" : ""}</span>
            </>
          ) : (
            <span class="bad" role="alert">
              {error}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
