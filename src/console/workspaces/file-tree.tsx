/** Directories and files as a tree. What is in a directory is read when it is opened. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { WorkspaceFile } from "../../../sdk/typescript/troupe.ts";
import { Command } from "../pieces/curl.tsx";
import { ItemPages, usePaged } from "../pieces/paged.tsx";
import { SERVICE_ROOT, service } from "../service.ts";
import { isInDirectory, wordsOfBytes } from "./file-paths.ts";

const PAGE_FILES = 100;

interface FileTreeProps {
  readonly workspaceId: string;
  /** The directory; empty for the whole workspace. */
  readonly path: string;
  /** The path that is shown beside the tree; its directories are open. */
  readonly shown: string;
  readonly addressOf: (file: Pick<WorkspaceFile, "path" | "kind">) => string;
  /** Rises with each change of the files. */
  readonly round: number;
}

export function FileTree(props: FileTreeProps) {
  const { workspaceId, path, round } = props;
  const files = usePaged(
    (query, options) =>
      service.listFiles(workspaceId, { ...(path === "" ? {} : { path }), ...query, limit: PAGE_FILES }, options),
    (page) => page.files.map((file) => ({ ...file, id: file.path })),
    [workspaceId, path, round],
  );
  return (
    <ItemPages
      of={files}
      empty={path === "" ? <NoFiles workspaceId={workspaceId} /> : <p class="quiet">Nothing is in it.</p>}
    >
      {(shown) => (
        <ul class="tree" aria-label={path === "" ? "Files" : `Files in ${path}`}>
          {shown.map((file) => (
            <li key={file.path}>
              {file.kind === "directory" ? (
                <TreeDirectory {...props} file={file} />
              ) : (
                <FileLink {...props} file={file} />
              )}
            </li>
          ))}
        </ul>
      )}
    </ItemPages>
  );
}

const NoFiles = ({ workspaceId }: { readonly workspaceId: string }) => (
  <>
    <p>There is no file yet. Drop one here, let an agent write one, or use a shell:</p>
    <Command
      text={`curl -X PUT '${location.origin}${SERVICE_ROOT}/api/workspaces/${workspaceId}/files/content?path=notes.md' \\\n  -H "Authorization: Bearer $TROUPE_TOKEN" \\\n  --data-binary @notes.md`}
    />
  </>
);

interface EntryProps extends FileTreeProps {
  readonly file: WorkspaceFile;
}

function FileLink({ file, shown, addressOf }: EntryProps) {
  return (
    <>
      <Link href={addressOf(file)} aria-current={file.path === shown ? "page" : undefined}>
        {file.name}
      </Link>{" "}
      <span class="quiet">{wordsOfBytes(file.size)}</span>
    </>
  );
}

function TreeDirectory({ file, ...props }: EntryProps) {
  const { shown, addressOf } = props;
  const [isOpen, setOpen] = useState(() => file.path === shown || isInDirectory(shown, file.path));
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {file.name}{" "}
        <Link href={addressOf(file)} aria-label={`Show the directory ${file.name}`}>
          {file.path === shown ? "shown" : "show"}
        </Link>
      </summary>
      {isOpen ? <FileTree {...props} path={file.path} /> : null}
    </details>
  );
}
