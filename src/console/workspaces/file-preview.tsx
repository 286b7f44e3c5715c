/** What is in a file, as far as it can be shown. Its content is never HTML of the page. */
import type { FilePreview } from "../../../sdk/typescript/troupe.ts";
import { Markdown } from "../format/markdown.tsx";
import { WhenLoaded, useLoaded } from "../loading.tsx";
import { service } from "../service.ts";
import { DataTable } from "./data-table.tsx";
import { wordsOfBytes } from "./file-paths.ts";

interface FilePreviewViewProps {
  readonly workspaceId: string;
  readonly path: string;
  /** Rises with each change of the files. */
  readonly round: number;
}

export function FilePreviewView({ workspaceId, path, round }: FilePreviewViewProps) {
  const found = useLoaded(
    (signal) => service.previewFile(workspaceId, { path }, { signal }),
    [workspaceId, path, round],
  );
  return (
    <WhenLoaded of={found}>
      {(preview) => (
        <>
          <p class="quiet">
            {preview.mime}, {wordsOfBytes(preview.size)}
            {preview.pages === undefined ? "" : `, ${preview.pages} pages`}
          </p>
          <PreviewedContent preview={preview} />
          {preview.truncated ? <p class="quiet">This is only the beginning: download it to see all.</p> : null}
        </>
      )}
    </WhenLoaded>
  );
}

function PreviewedContent({ preview: { kind, path, content, image, table } }: { readonly preview: FilePreview }) {
  if (table !== undefined) return <DataTable label={`Content of ${path}`} {...table} />;
  if (content === undefined && image === undefined)
    return (
      <p class="quiet">
        {kind === "too_large" ? "It is too large to be shown." : "It cannot be shown here."} Download it instead.
      </p>
    );
  return (
    <>
      {image === undefined ? null : (
        <img class="picture" src={image.url} width={image.width} height={image.height} alt={`Picture of ${path}`} />
      )}
      {content === undefined ? null : kind === "markdown" ? (
        <Markdown text={content} />
      ) : (
        <pre tabIndex={0} aria-label={`Content of ${path}`}>
          {content}
        </pre>
      )}
    </>
  );
}
