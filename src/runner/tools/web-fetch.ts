/**
 * `web_fetch`: the content of a web address, as text. A GET through the guarded client and nothing more (RUN-2,
 * HOOK-11): up to five redirects, each hop checked anew; no script runs, no cookie is kept. The sandbox parses the
 * answer (GUARD-1). Errors have fixed words, so that a model cannot explore a network with them.
 */
import { cutText } from "../../../actors/cut-text.ts";
import type { ToolResult } from "../../../actors/job/ports.ts";
import { Type } from "../../../actors/schema.ts";
import type { Egress } from "../../egress/egress.ts";
import type { EgressError } from "../../egress/failure.ts";
import type { PageResult } from "../../sandbox/jobs/page.ts";
import { contentBytes } from "../../sandbox/protocol.ts";
import { Lanes } from "../../sandbox/lanes.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { defineTool, failure, type Tool, type RunningTool } from "./tool.ts";
import type { SandboxRefusal } from "../mcp/failure.ts";
import type { HttpAnswer } from "./http-answer.ts";

const DEFAULT_CHARS = 20_000;
/** Leaves room in a tool's result for the lines about the page (RUN-3). */
export const MAX_FETCHED_CHARS = 60_000;
/** Bytes of the raw page; its text is a fraction of it. */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024;
const FETCH_REDIRECTS = 5;
const FETCH_TIMEOUT_MS = 30_000;
/** Limit of a title or a content type, whose length the server chooses. */
const MAX_LINE_CHARS = 200;

/** Characters of a header that are read. */
const MAX_HEADER_CHARS = 1_000;
/** Fetches in flight, of one organization and in all: each page may be whole in memory. */
const FETCHES_OF_ORGANIZATION = 16;
const FETCHES = 128;

const FETCH_ACCEPT = "text/html, application/xhtml+xml, application/json, text/*;q=0.9, */*;q=0.5";

/** Also for unknown names: a model must not learn which names resolve on the internal network. */
const HOST_NOT_PUBLIC =
  "This host has no address on the public internet, or it redirects to one that has none. Check its name.";

const FETCH_ERROR_WORDS: Readonly<Record<EgressError, string>> = {
  invalid_url:
    "This is not a URL that can be fetched. Give a complete one, such as https://example.com/page, without a user name.",
  https_required: "Only https URLs can be fetched.",
  invalid_header: "The request could not be made.",
  blocked_address: HOST_NOT_PUBLIC,
  dns_error: HOST_NOT_PUBLIC,
  connection_refused: "The host does not accept connections.",
  connection_reset: "The host closed the connection before its answer was complete. Trying again may help.",
  tls_error: "The host has no valid certificate for its name, so it was not trusted.",
  invalid_response: "The host's answer is not valid HTTP.",
  too_large: "The head of the answer is too large.",
  too_many_redirects: `There are more than ${FETCH_REDIRECTS} redirects.`,
  timeout: `There was no complete answer within ${FETCH_TIMEOUT_MS / 1_000} seconds.`,
  aborted: "The call was stopped before it had a result.",
};

/** Why a page that has arrived is not shown. */
const UNREAD_PAGE_WORDS: Readonly<Record<SandboxRefusal, string>> = {
  failed: "The page cannot be read.",
  invalid: "The page cannot be read.",
  too_large: "The page is too large to be read.",
  deadline: "The page takes too long to be read.",
  crashed: "The page takes too much memory to be read.",
  over_budget: "The calls of this step have used up their computing time. Fetch fewer pages at a time.",
  busy: "Too many pages wait to be read. Fetch fewer at a time.",
  unavailable: "The page could not be read now. Try again.",
  aborted: "The call was stopped before it had a result.",
};

/** Pages are fetched by `egress` and parsed in `sandbox`; an organization's fetches beyond its limit wait. */
export function webFetch(egress: Egress, sandbox: Sandbox): Tool {
  const gate = new Lanes(FETCHES, FETCHES_OF_ORGANIZATION);
  return defineTool({
    name: "web_fetch",
    description:
      "Fetches a URL on the public web with GET and returns its text. Pages are reduced to what they say. Scripts do not run.",
    input: Type.Object({
      url: Type.String({ minLength: 1, maxLength: 8_192, description: "Complete, with https://" }),
      max_chars: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_FETCHED_CHARS,
          description: `Limit for the text; ${DEFAULT_CHARS} by default`,
        }),
      ),
    }),
    access: "granted",
    safeToRepeat: true,
    readOnly: true,
    async run({ url, max_chars }, run) {
      const { signal, context } = run;
      const place = await gate.enter(context.organizationId, 0, signal);
      if (typeof place === "string") return failure(UNREAD_PAGE_WORDS[place]);
      using _held = place;
      if (run.budget.isSpent) return failure(UNREAD_PAGE_WORDS.over_budget);
      const limits = { timeoutMs: FETCH_TIMEOUT_MS, maxResponseBytes: MAX_PAGE_BYTES, maxRedirects: FETCH_REDIRECTS };
      const answer = await egress.request({
        url: url.trim(),
        method: "GET",
        headers: { accept: FETCH_ACCEPT },
        limits,
        signal,
        lane: context.organizationId,
      });
      if (answer.kind === "failed") return failure(FETCH_ERROR_WORDS[answer.error]);
      return await describeAnswer(answer, max_chars ?? DEFAULT_CHARS, { sandbox, run });
    },
  });
}

interface PageReading {
  readonly sandbox: Sandbox;
  readonly run: RunningTool;
}

/** Lines about the answer, an empty line, and its text. */
async function describeAnswer(answer: HttpAnswer, maxChars: number, reading: PageReading): Promise<ToolResult> {
  const { status, finalUrl, headers, pieces } = answer;
  const contentType = cutText(headers.get("content-type") ?? "", MAX_HEADER_CHARS);
  const about = [`status: ${status}`, `url: ${finalUrl}`, `content_type: ${headerLine(contentType) || "unknown"}`];
  const isError = status >= 400;
  const noted = (note: string): ToolResult => ({ content: [...about, `note: ${note}`].join("\n"), isError });
  const encoding = headerLine(headers.get("content-encoding") ?? "identity");
  if (contentBytes(pieces) === 0) return noted("there is no content");
  if (encoding.toLowerCase() !== "identity") return noted(`the content is compressed (${encoding}) and is not shown`);
  const read = await readPage({ contentType, url: finalUrl, maxChars }, pieces, reading);
  if (!read.ok) return failure(UNREAD_PAGE_WORDS[read.error]);
  const { page } = read;
  if (page === null) return noted(`the content is not text (${size(answer)}) and is not shown`);
  if (page.title !== "") about.push(`title: ${headerLine(page.title)}`);
  if (answer.truncated) about.push(`note: only the first ${MAX_PAGE_BYTES} bytes were read`);
  if (page.text.length < page.chars) about.push(`note: cut after ${maxChars} of ${page.chars} characters`);
  return { content: `${about.join("\n")}\n\n${page.text}`, isError };
}

type ReadPage =
  | { readonly ok: true; readonly page: PageResult["page"] }
  | { readonly ok: false; readonly error: SandboxRefusal };

/** The text of a page, from the sandbox. */
export async function readPage(
  options: { readonly contentType: string; readonly url: string; readonly maxChars: number },
  content: readonly Uint8Array[],
  { sandbox, run }: PageReading,
): Promise<ReadPage> {
  const { context, budget, signal } = run;
  const result = await sandbox.run({ job: "page", lane: context.organizationId, options, content, budget, signal });
  if (!result.ok) return result;
  const { page } = (result.value ?? {}) as Partial<PageResult>;
  if (page === null) return { ok: true, page };
  // A compromised child may answer anything.
  const isPage = typeof page?.title === "string" && typeof page.text === "string" && typeof page.chars === "number";
  return isPage ? { ok: true, page } : { ok: false, error: "invalid" };
}

const headerLine = (text: string): string =>
  cutText(cutText(text, MAX_HEADER_CHARS).replace(/\s+/g, " ").trim(), MAX_LINE_CHARS);
const size = ({ pieces, truncated }: HttpAnswer): string =>
  `${truncated ? "more than " : ""}${contentBytes(pieces)} bytes`;
