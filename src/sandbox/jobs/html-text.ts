/**
 * The text of a page, for a model: it keeps headings, lists, table cells and the targets of links, and drops scripts,
 * styles and drawings. htmlparser2 reads the page as a stream of tags and texts; no tree is built.
 */
import { Parser } from "htmlparser2";

export interface HtmlText {
  /** One line, or "". */
  readonly title: string;
  /** Lines without trailing spaces, and never two empty lines in a row. */
  readonly text: string;
}

/** Elements whose content is invisible or not text to read. */
const HIDDEN_ELEMENTS = new Set(
  "script style noscript template svg math iframe object canvas noembed noframes textarea select".split(" "),
);
/** Elements that begin and end a line. */
const BLOCKS = new Set(
  (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hgroup hr html legend li main menu nav ol option p pre search section summary table tbody tfoot thead tr ul xmp"
  ).split(" "),
);
/** Elements with an empty line before and after them. */
const APART = new Set("article blockquote dl figure h1 h2 h3 h4 h5 h6 ol p pre section table ul".split(" "));

/** The most open elements at a time. Each end tag is looked up among them, and browsers stop at 512. */
export const MAX_OPEN_ELEMENTS = 2_000;

/** Longer titles are cut. */
const MAX_HTML_TITLE = 1_000;

/** Stops the parser; the text up to there counts. */
class TooDeep extends Error {}

/** `baseUrl` is the base of relative links. A page that is nested too deep is cut there. */
export function htmlText(html: string, baseUrl: string): HtmlText {
  const page = new HtmlPage(baseUrl);
  let open = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (++open > MAX_OPEN_ELEMENTS) throw new TooDeep();
      page.open(name, attributes);
    },
    ontext: (text) => page.text(text),
    onclosetag(name) {
      open--;
      page.close(name);
    },
  });
  try {
    parser.end(html);
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
  }
  return { title: page.title.trimEnd(), text: page.end() };
}

class HtmlPage {
  title = "";
  private readonly lines = new CollectedLines();
  private readonly baseUrl: string;
  /** The number of open hidden elements. */
  private hidden = 0;
  private inTitle = false;
  private link: string | null = null;
  /** Text since the last tag. */
  private said = "";

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.hidden === 0) this.say();
    if (HIDDEN_ELEMENTS.has(name)) this.hidden++;
    if (this.hidden > 0) return;
    if (name === "title") this.inTitle = this.title === "";
    else if (name === "a") this.link = linkOf(attributes["href"] ?? "", this.baseUrl);
    else this.lines.open(name);
  }

  text(text: string): void {
    if (this.hidden > 0) return;
    if (this.inTitle)
      this.title = this.title.length < MAX_HTML_TITLE ? collapseSpaces(`${this.title}${text}`) : this.title;
    else this.said += text;
  }

  end(): string {
    this.say();
    return this.lines.end();
  }

  /** Ends a run of text: the parser splits text at each `<` and reference. */
  private say(): void {
    if (this.said !== "") this.lines.add(this.said);
    this.said = "";
  }

  close(name: string): void {
    if (this.hidden === 0) this.say();
    if (HIDDEN_ELEMENTS.has(name)) this.hidden = Math.max(0, this.hidden - 1);
    else if (this.hidden > 0) return;
    else if (name === "title") this.inTitle = false;
    else if (name === "a") {
      if (this.link !== null) this.lines.add(` (${this.link})`);
      this.link = null;
    } else this.lines.close(name);
  }
}

const collapseSpaces = (text: string): string => text.replace(/\s+/g, " ").trimStart();

/** The absolute target; null for anchors within the page and for targets that cannot be fetched. */
function linkOf(written: string, baseUrl: string): string | null {
  const href = written.trim();
  if (href === "" || href.startsWith("#")) return null;
  const url = URL.parse(href, baseUrl);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

/** Collects words into lines. Runs of spaces become one, except in preformatted text. */
class CollectedLines {
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
