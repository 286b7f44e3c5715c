/**
 * What a page says, as text for a model: headings, lists, table cells and the targets of links stay
 * to be seen; scripts, styles and drawings go. Linear in the length of the page.
 */
import { htmlTokens } from "./html-tokens.ts";

export interface PageText {
  /** One line, or "". */
  readonly title: string;
  /** Lines without spaces at their ends, never two empty ones in a row. */
  readonly text: string;
}

/** Their content is not shown, or not to be read. */
const HIDDEN = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "math",
  "iframe",
  "object",
  "canvas",
  "noembed",
  "noframes",
  "textarea",
  "select",
]);
/** Begin and end a line. */
const BLOCKS = new Set(
  (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hgroup hr html legend li main menu nav ol option p pre search section summary table tbody tfoot thead tr ul xmp"
  ).split(" "),
);
/** Stand apart by an empty line. */
const APART = new Set("article blockquote dl figure h1 h2 h3 h4 h5 h6 ol p pre section table ul".split(" "));
const HREF = /(?:^|[\s"'/])href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;

/** `decode` turns entities into characters. `baseUrl` is where relative links start. */
export function htmlText(html: string, baseUrl: string, decode: (text: string) => string): PageText {
  const lines = new Lines();
  let title = "";
  let inTitle = false;
  let hidden: { readonly name: string; depth: number } | null = null;
  let link: string | null = null;
  for (const token of htmlTokens(html)) {
    if (hidden !== null) {
      // A page nests what it hides; only its own end tag shows again what follows.
      if (token.kind !== "text" && token.name === hidden.name) hidden.depth += token.kind === "open" ? 1 : -1;
      if (hidden.depth === 0) hidden = null;
    } else if (token.kind === "text") {
      if (inTitle) title ||= decode(token.text).replace(/\s+/g, " ").trim();
      else lines.add(decode(token.text));
    } else if (token.name === "title") inTitle = token.kind === "open";
    else if (token.kind === "open") {
      if (isEmptyDrawing(token)) continue;
      if (HIDDEN.has(token.name)) hidden = { name: token.name, depth: 1 };
      else if (token.name === "a") link = linkOf(token.attributes, baseUrl, decode);
      else lines.open(token.name);
    } else if (token.name === "a") {
      if (link !== null) lines.add(` (${link})`);
      link = null;
    } else lines.close(token.name);
  }
  return { title, text: lines.end() };
}

/** Only drawings and formulas can end within their own tag. */
const isEmptyDrawing = ({ name, attributes }: { readonly name: string; readonly attributes: string }): boolean =>
  (name === "svg" || name === "math") && attributes.endsWith("/");

/** The absolute target; null for places of the page itself and for what cannot be fetched. */
function linkOf(attributes: string, baseUrl: string, decode: (text: string) => string): string | null {
  const [, double, single, bare] = HREF.exec(attributes) ?? [];
  const href = decode((double ?? single ?? bare ?? "").trim());
  if (href === "" || href.startsWith("#")) return null;
  const url = URL.parse(href, baseUrl);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

/** Collects words into lines. Spaces count once, but for those of preformatted text. */
class Lines {
  readonly #lines: string[] = [];
  #words: string[] = [];
  #afterSpace = true;
  #preformatted = 0;

  add(text: string): void {
    if (this.#preformatted > 0) {
      const [first = "", ...rest] = text.split(/\r?\n/);
      this.#push(first);
      for (const line of rest) {
        this.#endLine();
        this.#push(line);
      }
      return;
    }
    const words = text.replace(/\s+/g, " ");
    this.#push(this.#afterSpace && words.startsWith(" ") ? words.slice(1) : words);
  }

  open(name: string): void {
    if (name === "br") this.#endLine();
    if ((name === "td" || name === "th") && this.#words.length > 0) this.#push(" | ");
    if (!BLOCKS.has(name)) return;
    this.#break(name);
    if (name === "pre") this.#preformatted++;
    if (name === "li") this.#push("- ");
    if (/^h[1-6]$/.test(name)) this.#push(`${"#".repeat(Number(name.charAt(1)))} `);
  }

  close(name: string): void {
    if (!BLOCKS.has(name)) return;
    this.#break(name);
    if (name === "pre") this.#preformatted = Math.max(0, this.#preformatted - 1);
  }

  end(): string {
    this.#endLine();
    return this.#lines.join("\n").trim();
  }

  #push(text: string): void {
    if (text === "") return;
    this.#words.push(text);
    this.#afterSpace = text.endsWith(" ");
  }

  #break(name: string): void {
    if (this.#words.length > 0) this.#endLine();
    if (APART.has(name)) this.#addLine("");
  }

  #endLine(): void {
    this.#addLine(this.#words.join("").trimEnd());
    this.#words = [];
    this.#afterSpace = true;
  }

  #addLine(line: string): void {
    if (line !== "" || this.#lines.at(-1) !== "") this.#lines.push(line);
  }
}
