/** The job `page`: a web server's answer, as text of a bounded length. */
import { cutText } from "../../../actors/cut-text.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { charsetIn, decoderOf } from "../charset.ts";
import { htmlText, type HtmlText } from "./html-text.ts";

export interface PageResult {
  /** Null if the content is not text. */
  readonly page: {
    /** One line, or "". */
    readonly title: string;
    /** The first characters of the text. */
    readonly text: string;
    /** Characters of the whole text. */
    readonly chars: number;
  } | null;
}

/** Characters of a title. */
const MAX_PAGE_TITLE = 200;
/** Bytes at the start of a page in which it may declare its encoding. */
const START_BYTES = 1_024;

const HTML_MEDIA_TYPE = /^(?:text\/html|application\/xhtml\+xml)$/;
const READABLE_MEDIA_TYPE =
  /^(?:text\/.*|application\/(?:.*\+)?(?:json|xml|yaml)|application\/(?:javascript|ecmascript|x-ndjson|ndjson|jsonl|x-yaml|toml|graphql|sql|x-sh|x-www-form-urlencoded)|image\/svg\+xml)$/;

/** Options: `contentType` from the server, `url` for relative links, `maxChars` of the text. */
export function extractPage({ contentType, url, maxChars }: JsonObject, content: Uint8Array): PageResult {
  const read = extractText(content, String(contentType), String(url));
  if (read === null) return { page: null };
  const title = cutText(read.title, MAX_PAGE_TITLE);
  const text = cutText(read.text, Number(maxChars));
  return { page: { title, text, chars: read.text.length } };
}

function extractText(content: Uint8Array, contentType: string, url: string): HtmlText | null {
  const type = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (type === "" ? content.includes(0) : !HTML_MEDIA_TYPE.test(type) && !READABLE_MEDIA_TYPE.test(type)) return null;
  const isHtml =
    HTML_MEDIA_TYPE.test(type) || (type === "" && /^\s*<(?:!doctype html|html)\b/i.test(latin1Start(content)));
  const text = decoderOf(charsetIn(contentType) ?? (isHtml ? declaredIn(latin1Start(content)) : undefined)).decode(
    content,
  );
  return isHtml ? htmlText(text, url) : { title: "", text };
}

/** The charset that the page itself declares. */
const declaredIn = (pageStart: string): string | undefined =>
  charsetIn(/<meta[^>]+charset\s*=[^>]*/i.exec(pageStart)?.[0] ?? "");

const latin1Start = (content: Uint8Array): string => Buffer.from(content.subarray(0, START_BYTES)).toString("latin1");
