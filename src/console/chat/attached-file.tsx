/** A file of a message: it is opened where it is, and an image is shown on demand. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Attachment } from "../../../sdk/typescript/troupe.ts";
import { SAFE_LINK } from "../format/markdown.tsx";
import { SERVICE_ROOT } from "../service.ts";

export function AttachedFile({ file }: { readonly file: Attachment }) {
  const { name, media_type: type, source } = file;
  const [isShown, setShown] = useState(false);
  const words = name ?? "Attachment";
  const content = contentAddress(source);
  return (
    <p class="attachment">
      {fileLink(source, words, content)} <span class="quiet">{type}</span>{" "}
      {content === null || file.type !== "image" ? null : (
        <button class="quiet" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? "Hide" : "Show"} <bdi>{words}</bdi>
        </button>
      )}
      {isShown && content !== null ? <img class="picture" src={content} alt={words} /> : null}
    </p>
  );
}

/** Where the service has the content; null if it is only elsewhere. */
function contentAddress(source: Attachment["source"]): string | null {
  if (source.kind === "upload") return `${SERVICE_ROOT}/api/files/${source.file_id}/content`;
  if (source.kind !== "workspace") return null;
  const query = new URLSearchParams({ path: source.path, number: String(source.version) }).toString();
  return `${SERVICE_ROOT}/api/workspaces/${source.workspace_id}/files/content?${query}`;
}

function fileLink(source: Attachment["source"], words: string, content: string | null): ComponentChildren {
  if (source.kind === "workspace") {
    const query = new URLSearchParams({ path: source.path }).toString();
    return <Link href={`/workspaces/${source.workspace_id}?${query}`}>{words}</Link>;
  }
  if (content !== null)
    return (
      <a href={content} download={words}>
        {words}
      </a>
    );
  return source.kind === "url" && SAFE_LINK.test(source.url) ? (
    <a href={source.url} rel="noopener noreferrer nofollow" target="_blank" title={source.url}>
      {words}
    </a>
  ) : (
    <bdi>{words}</bdi>
  );
}
