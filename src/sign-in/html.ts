/** HTML as values: interpolated text is escaped, unless it is already HTML. */
import { escapeHtml } from "../http/document/page.ts";

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | readonly Part[];

/** `` html`<p>${text}</p>` ``; null renders nothing. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((text, at) => text + (at < parts.length ? textOf(parts[at] ?? null) : "")).join(""));

function textOf(part: Part): string {
  if (part === null) return "";
  if (part instanceof Html) return part.text;
  return typeof part === "string" || typeof part === "number" ? escapeHtml(String(part)) : part.map(textOf).join("");
}
