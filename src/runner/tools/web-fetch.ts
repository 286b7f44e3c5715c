/**
 * `web_fetch`: what an address on the web says, as text. A GET through the guarded client and nothing
 * more (RUN-2, HOOK-11): up to five redirects, each hop checked anew; no script runs, no cookie is
 * kept. What went wrong is told in fixed words, so that a model cannot explore a network by them.
 */
import { Type } from "../../../actors/schema.ts";
import type { Egress, EgressResult } from "../../egress/egress.ts";
import type { EgressError } from "../../egress/failure.ts";
import { type PageText, htmlText } from "../html-text.ts";
import { defineTool, failure, type Tool } from "./tool.ts";

const DEFAULT_CHARS = 20_000;
/** Leaves room under the limit of a tool's result for the lines about the page (RUN-3). */
export const MAX_FETCHED_CHARS = 60_000;
/** Of the page as it comes; its text is a fraction of it. */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 30_000;
/** Of a title or a content type, which a server may make as long as it likes. */
const MAX_LINE_CHARS = 200;

const ACCEPT = "text/html, application/xhtml+xml, application/json, text/*;q=0.9, */*;q=0.5";

/** For a name that nobody knows too: a model is not to learn which names are known inside. */
const NOT_PUBLIC =
  "This host has no address on the public internet, or it redirects to one that has none. Check its name.";

const WORDS: Readonly<Record<EgressError, string>> = {
  invalid_url:
    "This is not a URL that can be fetched. Give a complete one, such as https://example.com/page, without a user name.",
  https_required: "Only https URLs can be fetched.",
  invalid_header: "The request could not be made.",
  blocked_address: NOT_PUBLIC,
  dns_error: NOT_PUBLIC,
  connection_refused: "The host does not accept connections.",
  connection_reset: "The host closed the connection before its answer was complete. Trying again may help.",
  tls_error: "The host has no valid certificate for its name, so it was not trusted.",
  invalid_response: "The host's answer is not valid HTTP.",
  too_large: "The head of the answer is too large.",
  too_many_redirects: `There are more than ${MAX_REDIRECTS} redirects.`,
  timeout: `There was no complete answer within ${TIMEOUT_MS / 1_000} seconds.`,
  aborted: "The call was stopped before it had a result.",
};

type Answer = Exclude<EgressResult, { readonly kind: "failed" }>;

export const webFetch = (egress: Egress): Tool =>
  defineTool({
    name: "web_fetch",
    description:
      "Fetches a URL on the public web with GET and returns its text. Pages are reduced to what they say. Scripts do not run.",
    input: Type.Object({
      url: Type.String({ minLength: 1, maxLength: 8_192, description: "Complete, with https://" }),
      max_chars: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_FETCHED_CHARS,
          description: `Of the text; ${DEFAULT_CHARS} by default`,
        }),
      ),
    }),
    access: "granted",
    safeToRepeat: true,
    async run({ url, max_chars }, { signal }) {
      const limits = { timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_PAGE_BYTES, maxRedirects: MAX_REDIRECTS };
      const answer = await egress.request({
        url: url.trim(),
        method: "GET",
        headers: { accept: ACCEPT },
        limits,
        signal,
      });
      if (answer.kind === "failed") return failure(WORDS[answer.error]);
      return { content: await describe(answer, max_chars ?? DEFAULT_CHARS), isError: answer.status >= 400 };
    },
  });

/** Lines about the answer, an empty line, its text. */
async function describe(answer: Answer, maxChars: number): Promise<string> {
  const { status, finalUrl, headers, body } = answer;
  const type = headers.get("content-type") ?? "";
  const about = [`status: ${status}`, `url: ${finalUrl}`, `content_type: ${oneLine(type) || "unknown"}`];
  const encoding = headers.get("content-encoding") ?? "identity";
  if (body.length === 0) return [...about, "note: there is no content"].join("\n");
  if (!/^\s*identity\s*$/i.test(encoding))
    return [...about, `note: the content is packed (${oneLine(encoding)}) and not shown`].join("\n");
  const page = await textOf(answer, type);
  if (page === null) return [...about, `note: the content is no text (${size(answer)}) and not shown`].join("\n");
  if (page.title !== "") about.push(`title: ${oneLine(page.title)}`);
  if (answer.truncated) about.push(`note: only the first ${MAX_PAGE_BYTES} bytes were read`);
  const shown = page.text.slice(0, maxChars);
  if (shown.length < page.text.length) about.push(`note: cut after ${maxChars} of ${page.text.length} characters`);
  return `${about.join("\n")}\n\n${shown}`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, MAX_LINE_CHARS);
const size = ({ body, truncated }: Answer): string => `${truncated ? "more than " : ""}${body.length} bytes`;

const HTML = /^(?:text\/html|application\/xhtml\+xml)$/;
const TEXT =
  /^(?:text\/.*|application\/(?:.*\+)?(?:json|xml|yaml)|application\/(?:javascript|ecmascript|x-ndjson|ndjson|jsonl|x-yaml|toml|graphql|sql|x-sh|x-www-form-urlencoded)|image\/svg\+xml)$/;

/** Null where the content is not meant to be read. */
async function textOf({ body, finalUrl }: Answer, contentType: string): Promise<PageText | null> {
  const type = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (type === "" ? body.includes(0) : !HTML.test(type) && !TEXT.test(type)) return null;
  const isHtml = HTML.test(type) || (type === "" && /^\s*<(?:!doctype html|html)\b/i.test(latin1Start(body)));
  const text = decoderFor(contentType, isHtml ? latin1Start(body) : "").decode(body);
  if (!isHtml) return { title: "", text };
  // Its tables of entities are loaded with the first page.
  const { decodeHTML } = await import("entities");
  return htmlText(text, finalUrl, decodeHTML);
}

const latin1Start = (body: Uint8Array): string => Buffer.from(body.subarray(0, 1_024)).toString("latin1");

/** By the header, else by what the page says of itself, else UTF-8; bytes that are wrong become U+FFFD. */
function decoderFor(contentType: string, pageStart: string): TextDecoder {
  const label = (
    /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType) ?? /<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i.exec(pageStart)
  )?.[1];
  try {
    return new TextDecoder((label ?? "utf-8") as Bun.Encoding);
  } catch {
    // The only way to ask whether an encoding is known.
    return new TextDecoder();
  }
}
