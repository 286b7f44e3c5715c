/**
 * Previews of files (WSP-2). Text is sent unchanged, and the reader shows it as text. For formats that need a
 * parser, the sandbox makes the preview (`Previews`); if it cannot, the preview is left out.
 */
import { textOfBytes } from "../../../actors/clean-text.ts";
import { notFound, ok, type Outcome } from "../../../actors/fault.ts";
import type { ActorRef } from "../../../actors/runtime/actor.ts";
import type { PreviewedFile, PreviewPicture, PreviewTable, TableReader } from "../../../actors/workspace/previews.ts";
import type { Found } from "../../../actors/workspace/protocol.ts";
import type { FilePlace } from "../../../actors/workspace/schema.ts";
import type { Shown } from "../../http/contract/operation.ts";
import type { Services } from "../../operations/services.ts";
import { etagOf } from "./conditions.ts";
import type { PreviewView } from "./file-schema.ts";

/** Limit of a text preview. */
const SHOWN_BYTES = 64 * 1024;
/** Larger images and documents can only be downloaded. */
const VIEWED_BYTES = 32 * 1024 * 1024;

export type ShownPreview = Shown<typeof PreviewView>;

const TEXTS = /^(?:text\/|application\/(?:json|xml|yaml|toml|javascript|x-sh|sql)$|[^/]+\/[^/]+\+(?:json|xml)$)/;
const TABLES: Readonly<Record<string, TableReader>> = {
  "text/csv": "csv",
  "text/tab-separated-values": "csv",
  "application/x-ndjson": "ndjson",
  "application/jsonl": "ndjson",
  "application/vnd.apache.parquet": "parquet",
};
const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

function previewKind(mime: string, size: number): ShownPreview["kind"] {
  const isViewed = IMAGES.has(mime) || mime === "application/pdf";
  if (isViewed && size > VIEWED_BYTES) return "too_large";
  if (IMAGES.has(mime)) return "image";
  if (mime === "application/pdf") return "pdf";
  if (mime in TABLES) return "table";
  if (mime === "text/markdown") return "markdown";
  return TEXTS.test(mime) ? "text" : "binary";
}

type Parts = Pick<Services, "contents" | "previews">;

export async function previewOf(
  parts: Parts,
  { path, place, workspaceRef: { organizationId, id } }: Found<FilePlace> & { readonly workspaceRef: ActorRef },
): Promise<Outcome<ShownPreview>> {
  const { node, name } = place;
  const { mime, size, sha256 } = node;
  const kind = previewKind(mime, size);
  const about = { path, mime, size, etag: etagOf(node) };
  const file = { organizationId, sha256, size, name };
  const url = `/api/workspaces/${id}/files/content?path=${encodeURIComponent(path)}`;
  if (kind === "too_large") return ok({ ...about, kind, url, truncated: false });
  if (kind === "image")
    return ok({ ...about, kind, url, ...shownPicture(await parts.previews.picture(file)), truncated: false });
  if (kind === "pdf") return ok({ ...about, kind, url, ...(await pdfOf(parts, file)) });
  const most = Math.min(size, SHOWN_BYTES);
  const content = await parts.contents.read({ organizationId, sha256 }, { start: 0, end: most });
  if (content === null) return notFound("file");
  const bytes = new Uint8Array(await new Response(content).arrayBuffer());
  const text = textOfBytes(bytes, size > most);
  const reader =
    TABLES[mime] ?? (mime === "application/json" && /^\s*\[\s*\{/.test(text?.slice(0, 200) ?? "") ? "json" : null);
  const table = reader === null ? null : await parts.previews.table(file, reader);
  // A file that claims to be text but is not gets no text preview; a file of unknown type may turn out to be text.
  if (text === null)
    return table === null
      ? ok({ ...about, kind: "binary", url, truncated: false })
      : ok({ ...about, kind: "table", url, table: shownTable(table), truncated: table.truncated });
  const truncated = size > most;
  if (table !== null) return ok({ ...about, kind: "table", content: text, table: shownTable(table), truncated });
  const shownKind = kind === "binary" ? "text" : kind;
  const html = shownKind === "table" ? null : await parts.previews.html(file, bytes, shownKind === "markdown");
  return ok({ ...about, kind: shownKind, content: text, ...(html === null ? {} : { html }), truncated });
}

async function pdfOf(
  { previews }: Parts,
  file: PreviewedFile,
): Promise<Pick<ShownPreview, "content" | "image" | "pages" | "truncated">> {
  const made = await previews.document(file);
  if (made === null) return { truncated: false };
  const { text, pages, picture, truncated } = made;
  return { content: text, pages, ...shownPicture(picture), truncated };
}

/** A picture that a page can show without another request. */
const shownPicture = (picture: PreviewPicture | null): Pick<ShownPreview, "image"> =>
  picture === null
    ? {}
    : {
        image: {
          url: `data:${picture.mime};base64,${Buffer.from(picture.bytes).toString("base64")}`,
          width: picture.width,
          height: picture.height,
        },
      };

const shownTable = ({ columns, rows, truncated }: PreviewTable) => ({
  columns: columns.map((column) => ({ ...column })),
  rows: rows.map((row) => [...row]),
  truncated,
});
