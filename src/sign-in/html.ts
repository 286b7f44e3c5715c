/** HTML as values: interpolated text is escaped, unless it is already HTML. */
import { escapeHtml } from "../http/document/page.ts";

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type HtmlPart = Html | string | number | null | readonly HtmlPart[];

/** `` html`<p>${text}</p>` ``; null renders nothing. */
export const html = (strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html =>
  new Html(strings.map((text, at) => text + (at < parts.length ? partText(parts[at] ?? null) : "")).join(""));

function partText(part: HtmlPart): string {
  if (part === null) return "";
  if (part instanceof Html) return part.text;
  return typeof part === "string" || typeof part === "number" ? escapeHtml(String(part)) : part.map(partText).join("");
}
