/**
 * The page that a browser gets at the URL of a share (WSP-2): the name of the file, a preview, and a download link.
 * Nothing of the file runs: the page has no script and may load nothing, text and tables are escaped, and HTML that the
 * sandbox has made from Markdown or code is also in a sandboxed frame.
 */
import { escapeHtml, page } from "../../http/document/page.ts";
import { PAGE_STYLE } from "../../http/document/page-style.ts";
import type { ShownPreview } from "./preview.ts";

interface SharedFile {
  readonly name: string;
  readonly size: number;
  readonly mime: string;
}

/** `preview`: null where looking would be as good as downloading and downloads are counted. */
export const sharedFilePage = (file: SharedFile, preview: ShownPreview | null): Response =>
  page(
    { title: file.name, root: null, width: "wide", content: content(file, preview) },
    { "cache-control": "private, no-cache", vary: "accept" },
  );

const content = (file: SharedFile, preview: ShownPreview | null): string =>
  `<h1>${escapeHtml(file.name)}</h1>
<p class="note">${escapeHtml(file.mime)}, ${sizeWords(file.size)}</p>
<p><a class="button" href="?download=1" download>Download</a></p>
${preview === null ? '<p class="note">The downloads of this file are counted, so it is not shown here.</p>' : lookAt(preview)}`;

function lookAt({ kind, image, pages, table, html, content: text, truncated }: ShownPreview): string {
  const notes = [
    ...(pages === undefined ? [] : [pages === 1 ? "1 page" : `the first of ${pages} pages`]),
    ...(table?.truncated === true ? ["the first rows"] : []),
    ...(truncated && table === undefined && image === undefined ? ["the beginning"] : []),
  ];
  const shown =
    image !== undefined
      ? `<p><img src="${escapeHtml(image.url)}" width="${image.width}" height="${image.height}" alt=""></p>`
      : table !== undefined
        ? tableHtml(table)
        : html !== undefined
          ? frameHtml(html)
          : text !== undefined
            ? `<pre>${escapeHtml(text)}</pre>`
            : "";
  if (shown === "")
    return `<p class="note">There is no preview of ${kind === "too_large" ? "so large a file" : "this kind of file"}.</p>`;
  return notes.length === 0 ? shown : `<p class="note">Shown: ${notes.join(", ")}.</p>\n${shown}`;
}

const FRAME_STYLE = `<style>${PAGE_STYLE}body{background:var(--card);padding:1rem}</style>`;

const frameHtml = (html: string): string =>
  `<iframe sandbox title="Preview" srcdoc="${escapeHtml(FRAME_STYLE + html)}"></iframe>`;

function tableHtml({ columns, rows }: NonNullable<ShownPreview["table"]>): string {
  const cells = (tag: "th" | "td", values: readonly unknown[]): string =>
    `<tr>${values.map((value) => `<${tag}>${escapeHtml(cellText(value))}</${tag}>`).join("")}</tr>`;
  const head = cells(
    "th",
    columns.map(({ name }) => name),
  );
  return `<div class="scrolls" tabindex="0"><table>${head}${rows.map((row) => cells("td", row)).join("")}</table></div>`;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function sizeWords(bytes: number): string {
  if (bytes < 1_024) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  const [unit, size] = bytes < 1_024 ** 2 ? ["KiB", bytes / 1_024] : ["MiB", bytes / 1_024 ** 2];
  return `${size.toFixed(1)} ${unit}`;
}
