/**
 * The job `preview-text`: a text as HTML that can be shown as it is. Code is highlighted if its name shows the
 * language. Markdown is rendered, and its HTML is reduced to elements that show text.
 */
import { createRequire } from "node:module";
import { Marked } from "marked";
import sanitize from "sanitize-html";
import type { JsonObject } from "../../../actors/schema.ts";
import { JobOutput } from "../protocol.ts";

interface Highlighter {
  getLanguage(name: string): object | undefined;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { readonly value: string };
}
/** Not imported, because its types would add browser types to the whole repository. */
const require = createRequire(import.meta.url);
const hljs = require("highlight.js/lib/common") as Highlighter;

/** File names that imply a language without an extension. */
const LANGUAGE_BY_NAME: Readonly<Record<string, string>> = {
  dockerfile: "bash",
  makefile: "makefile",
  gemfile: "ruby",
};

/** Names of plain text, which has nothing to highlight. */
const PLAIN_TEXT_NAMES = new Set(["txt", "text", "plaintext"]);

const SPANS = /^hljs(?:-[\w-]+)?$/;
/** No images: loading one would tell another server who reads. No identifiers, styles, forms or frames. */
const ALLOWED: sanitize.IOptions = {
  allowedTags: [
    ..."h1 h2 h3 h4 h5 h6 p br hr ul ol li blockquote pre code span em strong del sub sup a".split(" "),
    ..."table thead tbody tr th td dl dt dd kbd abbr input".split(" "),
  ],
  allowedAttributes: {
    a: ["href", "rel"],
    ol: ["start"],
    th: ["align"],
    td: ["align"],
    input: ["type", "checked", "disabled"],
  },
  allowedClasses: { code: [/^language-[\w-]+$/, SPANS], span: [SPANS] },
  allowedSchemes: ["http", "https", "mailto"],
  allowProtocolRelative: false,
  disallowedTagsMode: "discard",
  nestingLimit: 100,
  // Checkboxes of task lists are the only fields.
  exclusiveFilter: ({ tag, attribs }) => tag === "input" && attribs["type"] !== "checkbox",
  transformTags: {
    a: (tagName, attribs) => ({ tagName, attribs: { ...attribs, rel: "nofollow noopener noreferrer" } }),
    input: (tagName, attribs) => ({ tagName, attribs: { ...attribs, disabled: "" } }),
  },
};

const markdown = new Marked({
  gfm: true,
  renderer: {
    code({ text, lang }) {
      const language = (lang ?? "").split(/\s/, 1)[0] ?? "";
      const html = highlightText(text, language);
      return html === null ? false : `<pre><code class="language-${language.toLowerCase()}">${html}</code></pre>\n`;
    },
  },
});

/** Options: `name` of the file, `isMarkdown`. The HTML is in the answer's bytes; without a language there are none. */
export function previewText({ name, isMarkdown }: JsonObject, content: Uint8Array): JobOutput {
  const text = new TextDecoder().decode(content);
  const html =
    isMarkdown === true ? sanitize(markdown.parse(text, { async: false }), ALLOWED) : highlightCode(text, String(name));
  return new JobOutput({ kind: "text" }, Buffer.from(html ?? ""));
}

function highlightCode(text: string, name: string): string | null {
  const lower = name.toLowerCase();
  const html = highlightText(text, LANGUAGE_BY_NAME[lower] ?? lower.split(".").at(-1) ?? "");
  return html === null ? null : `<pre><code class="hljs">${html}</code></pre>`;
}

function highlightText(text: string, language: string): string | null {
  if (PLAIN_TEXT_NAMES.has(language) || hljs.getLanguage(language) === undefined) return null;
  return hljs.highlight(text, { language, ignoreIllegals: true }).value;
}
