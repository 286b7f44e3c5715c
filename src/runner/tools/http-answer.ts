/**
 * What a model gets from the answer to an HTTP tool (RUN-13), and whether a retry makes sense. Answers are not parsed
 * here: JSON goes to the model as it is, and a page goes through the sandbox.
 */
import { cutText } from "../../../actors/cut-text.ts";
import type { EgressResult } from "../../egress/egress.ts";
import type { EgressError } from "../../egress/failure.ts";
import { retryAfterOf } from "../../egress/webhook-sender.ts";
import { charsetIn, decoderOf } from "../../sandbox/charset.ts";

export type HttpAnswer = Exclude<EgressResult, { readonly kind: "failed" }>;

/** Bytes of an answer: the model sees less (RUN-3). */
export const MAX_TOOL_ANSWER_BYTES = 256 * 1024;
/** Characters of a header that are read. */
const MAX_ANSWER_HEADER = 1_000;

/** Errors before there was an answer. The words are fixed, so that a model cannot explore a network with them. */
export const EGRESS_WORDS: Readonly<Record<EgressError, string>> = {
  invalid_url: "The arguments do not make an address that can be requested.",
  https_required:
    "The address of this tool is not an https address, and the operator has not allowed its origin (EGRESS_ALLOW).",
  invalid_header: "The request could not be made: one of its headers cannot be sent.",
  blocked_address: "The host of this tool has no address on the public internet.",
  dns_error: "The host of this tool has no address on the public internet.",
  connection_refused: "The host of this tool does not accept connections.",
  connection_reset: "The host closed the connection before its answer was complete.",
  tls_error: "The host of this tool has no valid certificate for its name, so it was not trusted.",
  invalid_response: "The answer of the host is not valid HTTP.",
  too_large: "The head of the answer is too large.",
  too_many_redirects: "The host redirects too often.",
  timeout: "There was no complete answer in time.",
  aborted: "The call was stopped before it had a result.",
};

/** Nothing was sent, so nothing has happened. */
const NOT_SENT: ReadonlySet<EgressError> = new Set(["connection_refused", "dns_error"]);
/** The request may or may not have been carried out. */
const UNKNOWN_OUTCOME: ReadonlySet<EgressError> = new Set(["timeout", "connection_reset", "invalid_response"]);
/** The host says that it did nothing. */
const NOT_DONE: ReadonlySet<number> = new Set([425, 429]);
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 500, 502, 503, 504]);

/** Whether the request may be made again: always if it did nothing, else only if repeating it is harmless. */
export function mayRepeat(result: EgressResult, repeatable: boolean): boolean {
  if (result.kind === "failed") return NOT_SENT.has(result.error) || (repeatable && UNKNOWN_OUTCOME.has(result.error));
  return NOT_DONE.has(result.status) || (repeatable && PASSING_STATUSES.has(result.status));
}

/** How long the host asks to wait, in ms; 0 if it does not say. */
export function hostWaitMs(result: EgressResult, now: number): number {
  const header = result.kind === "failed" ? null : result.headers.get("retry-after");
  return header === null || header.length > MAX_ANSWER_HEADER ? 0 : (retryAfterOf(header, now) ?? 0);
}

/** Bytes in which an XML document declares its encoding. */
const DECLARATION_BYTES = 256;
/** Text that a model can read as it is. */
const READABLE_TEXT =
  /^(?:text\/|application\/(?:[a-z0-9.+-]*[+.-])?(?:json|xml|yaml|ndjson|javascript|x-www-form-urlencoded)\b)/i;
const HTML_ANSWER = /^(?:text\/html|application\/xhtml\+xml)\b/i;

export type AnswerText =
  | { readonly kind: "text"; readonly text: string }
  /** A page, whose text the sandbox extracts. */
  | { readonly kind: "page"; readonly contentType: string }
  /** It is not shown, for this reason. */
  | { readonly kind: "none"; readonly why: string };

/** The text of an answer. */
export function textOfAnswer({ headers, body }: HttpAnswer): AnswerText {
  const encoding = (headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (body.length === 0) return { kind: "none", why: "without any content" };
  if (encoding !== "identity") return { kind: "none", why: "but its content is compressed and is not shown" };
  const contentType = cutText(headers.get("content-type") ?? "", MAX_ANSWER_HEADER).trim();
  if (HTML_ANSWER.test(contentType)) return { kind: "page", contentType };
  if (contentType !== "" && !READABLE_TEXT.test(contentType))
    return { kind: "none", why: `but its content is not text (${body.length} bytes) and is not shown` };
  // An XML document may say it itself. Cut bytes may end within a character.
  const start = Buffer.from(body.subarray(0, DECLARATION_BYTES)).toString("latin1");
  const declared = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)/i.exec(start)?.[1];
  return { kind: "text", text: decoderOf(charsetIn(contentType) ?? declared).decode(body) };
}
