/**
 * HTML cut into texts and tags, in one pass and in linear time whatever the input is: pages come from
 * anybody, and the parsers that build a tree take minutes for a page that is made for it. Knows just
 * enough of the standard to see what a browser would show; a tag that does not end, ends the page.
 */

export type HtmlToken =
  /** As it stands, its entities not decoded. */
  | { readonly kind: "text"; readonly text: string }
  /** Names are in lower case; `attributes` is what stands between the name and `>`. */
  | { readonly kind: "open"; readonly name: string; readonly attributes: string }
  | { readonly kind: "close"; readonly name: string };

/** Elements whose content is text up to their own end tag, whatever it looks like. */
const RAW = new Map(
  ["script", "style", "title", "textarea", "iframe", "xmp", "noembed", "noframes"].map((name) => [
    name,
    new RegExp(`</${name}(?=[\\s/>])`, "gi"),
  ]),
);
const TAG = /<(\/?)([a-z][^\s/>]*)/iy;
const SPACE_OR_SLASH = /[\s/]/;

export function* htmlTokens(html: string): Generator<HtmlToken, void> {
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf("<", at);
    if (start !== at) yield { kind: "text", text: html.slice(at, start === -1 ? html.length : start) };
    if (start === -1) return;
    TAG.lastIndex = start;
    const [whole, slash, written = ""] = TAG.exec(html) ?? [];
    if (whole === undefined) {
      at = afterNoTag(html, start);
      if (at === start + 1) yield { kind: "text", text: "<" };
      continue;
    }
    const name = written.toLowerCase();
    const end = tagEnd(html, start + whole.length);
    at = end + 1;
    if (slash === "/") yield { kind: "close", name };
    else {
      yield { kind: "open", name, attributes: html.slice(start + whole.length, end) };
      const rawEnd = rawEndOf(name, html, at);
      if (rawEnd > at) yield { kind: "text", text: html.slice(at, rawEnd) };
      at = rawEnd;
    }
  }
}

/** Behind a comment, a doctype or an instruction; behind the `<` alone where it is none of them. */
function afterNoTag(html: string, start: number): number {
  if (html.startsWith("<!--", start)) return after(html, "-->", start + 2);
  return /[!?/]/.test(html.charAt(start + 1)) ? after(html, ">", start) : start + 1;
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}

/** Where the `>` of a tag is; one within a quoted value is none. */
function tagEnd(html: string, from: number): number {
  let isValue = false;
  for (let at = from; at < html.length; at++) {
    const sign = html.charAt(at);
    if (sign === ">") return at;
    if (isValue && (sign === '"' || sign === "'")) {
      at = html.indexOf(sign, at + 1);
      if (at === -1) return html.length;
      isValue = false;
    } else if (!SPACE_OR_SLASH.test(sign)) isValue = sign === "=";
  }
  return html.length;
}

function rawEndOf(name: string, html: string, from: number): number {
  const endTag = RAW.get(name);
  if (endTag === undefined) return from;
  endTag.lastIndex = from;
  return endTag.exec(html)?.index ?? html.length;
}
