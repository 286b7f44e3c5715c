/** The versions of a file: who has written each, its content, and a way back to it. */
import { Link } from "wouter-preact";
import { useState } from "preact/hooks";
import type { FileAuthor, FileVersion } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { KnownTime, Time } from "../format/time.tsx";
import { WhenLoaded, useLoaded } from "../loading.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { SERVICE_ROOT, isolated, service } from "../service.ts";
import { memberName } from "../session.ts";
import { wordsOfBytes } from "./file-paths.ts";

interface FileVersionsProps {
  readonly workspaceId: string;
  readonly path: string;
  /** Rises with each change of the files. */
  readonly round: number;
  /** Called after a version was restored. */
  readonly restored: () => void;
}

/** A version passes through the memory of the page. */
const MOST_RESTORED_BYTES = 50_000_000;

export function FileVersions(props: FileVersionsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="more" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Versions</summary>
      {isOpen ? <OpenVersions {...props} /> : null}
    </details>
  );
}

function OpenVersions({ workspaceId, path, round, restored }: FileVersionsProps) {
  const found = useLoaded(
    (signal) => service.listFileVersions(workspaceId, { path }, { signal }),
    [workspaceId, path, round],
  );
  const at = (number: number): string =>
    `/api/workspaces/${workspaceId}/files/content?${new URLSearchParams({ path, number: String(number) }).toString()}`;
  const restore = async ({ number, mime }: FileVersion): Promise<void> => {
    const content = await service.readFile(workspaceId, { path, number });
    await service.writeFile(workspaceId, new Blob([content as Uint8Array<ArrayBuffer>], { type: mime }), { path });
    restored();
  };
  return (
    <>
      <WhenLoaded of={found}>
        {({ versions }) => {
          const newest = Math.max(...versions.map(({ number }) => number));
          return (
            <ol class="rows" aria-label={`Versions of ${path}`} reversed>
              {versions.map((version) => {
                const { number, size, modified_at, modified_by, kept_until } = version;
                const isCurrent = number === newest && kept_until === null;
                return (
                  <li key={number}>
                    <strong>Version {number}</strong>
                    {isCurrent ? <span class="badge">current</span> : null}
                    <span class="quiet">
                      {" "}
                      {wordsOfBytes(size)}, <Time at={modified_at} /> by <VersionAuthor author={modified_by} />
                      <KnownTime words=", kept until" at={kept_until} />
                    </span>
                    <p class="actions">
                      <a href={SERVICE_ROOT + at(number)} download>
                        Download version {number}
                      </a>
                      <ActionButton
                        class="quiet"
                        act={() => restore(version)}
                        question={`Make version ${number} of ${isolated(path)} the current one? It becomes a new version; all others stay.`}
                        whyNot={
                          isCurrent
                            ? "It is the current one"
                            : size > MOST_RESTORED_BYTES
                              ? "It is too large for this page: download it, and upload it again"
                              : null
                        }
                      >
                        Restore version {number}
                      </ActionButton>
                    </p>
                  </li>
                );
              })}
            </ol>
          );
        }}
      </WhenLoaded>
      <CopyAsCurl path={`/api/workspaces/${workspaceId}/files/versions`} query={{ path }} />
    </>
  );
}

function VersionAuthor({ author: { type, id } }: { readonly author: FileAuthor }) {
  if (type === "user") return <bdi>{memberName(id) ?? "a person"}</bdi>;
  return type === "agent" ? <Link href={`/agents/${id}`}>an agent</Link> : <>a repository</>;
}
