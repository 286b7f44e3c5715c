/** Files of a workspace by their name or their content. */
import { Link } from "wouter-preact";
import type { WorkspaceFile } from "../../../sdk/typescript/troupe.ts";
import { WhenLoaded, useLoaded } from "../loading.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { service } from "../service.ts";
import { wordsOfBytes } from "./file-paths.ts";

interface FoundFileListProps {
  readonly workspaceId: string;
  readonly words: string;
  readonly addressOf: (file: Pick<WorkspaceFile, "path" | "kind">) => string;
}

const MOST_FOUND_FILES = 50;

export function FoundFileList({ workspaceId, words, addressOf }: FoundFileListProps) {
  const query = { q: words, limit: MOST_FOUND_FILES };
  const found = useLoaded((signal) => service.searchFiles(workspaceId, query, { signal }), [workspaceId, words]);
  const search = new URLSearchParams({ q: words }).toString();
  return (
    <>
      <WhenLoaded of={found}>
        {({ files }) => (
          <>
            <p role="status" class="quiet">
              {files.length === 0
                ? "No name has these words, and no text within its first 64 KiB."
                : files.length === MOST_FOUND_FILES
                  ? `The first ${MOST_FOUND_FILES} files`
                  : `${files.length} ${files.length === 1 ? "file" : "files"}`}
            </p>
            <ul class="rows" aria-label="Found files">
              {files.map((file) => (
                <li key={file.path}>
                  <Link href={addressOf(file)}>{file.path}</Link>{" "}
                  <span class="quiet">{file.kind === "file" ? wordsOfBytes(file.size) : "directory"}</span>
                  {file.excerpt === null ? null : <p class="quiet preview">{file.excerpt}</p>}
                </li>
              ))}
            </ul>
          </>
        )}
      </WhenLoaded>
      <CopyAsCurl path={`/api/workspaces/${workspaceId}/files/search?${search}`} />
    </>
  );
}
