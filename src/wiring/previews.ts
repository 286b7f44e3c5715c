/**
 * Previews of files (port: `actors/workspace/previews.ts`), rendered in the children of the sandbox. A broken, hostile
 * or too large file has no preview, which affects only its viewer.
 */
import { parseWithin } from "../../actors/json-shape.ts";
import type { FileContents } from "../../actors/workspace/ports.ts";
import type {
  PreviewedFile,
  PreviewPicture,
  Previews,
  PreviewTable,
  TableReader,
} from "../../actors/workspace/previews.ts";
import { PREVIEWED_NAME } from "../sandbox/protocol.ts";
import type { PreviewImage } from "../sandbox/jobs/preview-image.ts";
import type { PreviewPdf } from "../sandbox/jobs/preview-pdf.ts";
import type { QueryDone, QueryRefusal } from "../sandbox/jobs/query-answer.ts";
import type { Sandbox, SandboxJob } from "../sandbox/sandbox.ts";
import { isSuspect } from "./data-queries.ts";

/** A person waits for a preview; if it takes longer, they download the file instead. */
const PREVIEW_LIMITS = { cpuMs: 4_000, wallMs: 25_000 };
/** Limits of an image preview: pixels of its longer side, and bytes. */
const PICTURE = { side: 1_024, maxBytes: 400_000 };
const TEXT_CHARACTERS = 64 * 1024;
const ROWS = 100;
const ROWS_BYTES = 64 * 1024;
const ROWS_SHAPE = { depth: 64, values: 65_536 };

const PREVIEW_QUERIES: Readonly<Record<TableReader, string>> = {
  csv: `FROM read_csv('${PREVIEWED_NAME}', sample_size = 2048)`,
  json: `FROM read_json('${PREVIEWED_NAME}', format = 'array', sample_size = 2048)`,
  ndjson: `FROM read_json('${PREVIEWED_NAME}', format = 'newline_delimited', sample_size = 2048)`,
  parquet: `FROM read_parquet('${PREVIEWED_NAME}')`,
};

interface PreviewParts {
  readonly sandbox: Sandbox;
  readonly contents: FileContents;
}

export function sandboxPreviews({ sandbox, contents }: PreviewParts): Previews {
  const run = async (
    { organizationId }: PreviewedFile,
    job: Pick<SandboxJob, "job" | "options" | "files" | "content" | "isSuspect">,
  ): Promise<{ readonly value: unknown; readonly bytes: Uint8Array } | null> => {
    const answer = await sandbox.run({ ...job, lane: organizationId, limits: PREVIEW_LIMITS });
    return answer.ok ? { value: answer.value, bytes: answer.bytes ?? new Uint8Array() } : null;
  };
  const placed = ({ organizationId, sha256 }: PreviewedFile): SandboxJob["files"] => [
    { name: PREVIEWED_NAME, place: (path) => contents.place({ organizationId, sha256 }, path) },
  ];
  const nothing = new Uint8Array();
  return {
    async html(file, text, isMarkdown) {
      const options = { name: file.name, isMarkdown };
      const made = await run(file, { job: "preview-text", options, content: text });
      return made === null || made.bytes.length === 0 ? null : decodedText(made.bytes);
    },

    async picture(file) {
      const job = { job: "preview-image", options: PICTURE, content: nothing, files: placed(file) ?? [] };
      const made = await run(file, job);
      return made === null ? null : pictureOf(made.value as PreviewImage, made.bytes);
    },

    async document(file) {
      const options = { ...PICTURE, maxChars: TEXT_CHARACTERS };
      const made = await run(file, { job: "preview-pdf", options, content: nothing, files: placed(file) ?? [] });
      if (made === null) return null;
      const { pages, text, truncated, image } = made.value as PreviewPdf;
      return { pages, text, truncated, picture: image === null ? null : pictureOf(image, made.bytes) };
    },

    async table(file, reader) {
      const options = { lane: file.organizationId, format: "json", limit: ROWS, maxBytes: ROWS_BYTES };
      const content = Buffer.from(JSON.stringify({ query: PREVIEW_QUERIES[reader], params: [] }));
      const made = await run(file, { job: "query", options, content, files: placed(file) ?? [], isSuspect });
      if (made === null) return null;
      const done = made.value as QueryDone | QueryRefusal;
      const rows = done.kind === "done" ? parseWithin(decodedText(made.bytes), ROWS_SHAPE) : undefined;
      if (done.kind === "refused" || !Array.isArray(rows)) return null;
      return { columns: done.columns, rows: rows as PreviewTable["rows"], truncated: done.truncated };
    },
  };
}

const pictureOf = ({ width, height }: PreviewImage, bytes: Uint8Array): PreviewPicture => ({
  mime: "image/webp",
  width,
  height,
  bytes,
});

const decodedText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
