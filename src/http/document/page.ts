/** Pages for people, in one look (`page-style.ts`): a header, and text and links. Nothing comes from other sites. */
import Negotiator from "negotiator";
import { PAGE_STYLE } from "./page-style.ts";

const PAGE_POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The icon of every page, embedded, so that browsers do not request `/favicon.ico`. */
export const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#2b4c7e"/><path d="M3 4h10v2H9v7H7V6H3z" fill="#fff"/></svg>',
)}`;
export const ICON_LINK = `<link rel="icon" href="${ICON}">`;

export const PAGE_TYPE = "text/html; charset=utf-8";

/** The headers of every page, besides its type. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": PAGE_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** HTML whose variable parts were escaped with `escapeHtml`. */
export interface PageText {
  /** In the title bar of the window. */
  readonly title: string;
  readonly content: string;
  /** The way to `/`, for links in the header; null for strangers, whom the service's other pages do not concern. */
  readonly root?: string | null;
  /** The header's last links. Omitted: to the account. */
  readonly navigation?: string;
  readonly width?: "narrow" | "wide";
  /** Scripts at the end, as their text. */
  readonly scripts?: readonly string[];
}

/** So that a keyboard scrolls it. */
const SCROLLED = '<pre tabindex="0">';

/** The HTML of a page. */
export function pageText({ title, content, root = "/", navigation, width, scripts = [] }: PageText): string {
  const name = root === null ? "Troupe" : `<a href="${root}">Troupe</a>`;
  const links =
    root === null
      ? ""
      : `<nav aria-label="Pages"><a href="${root}guides/README.md">Guides</a> <a href="${root}api/reference">Reference</a> ${navigation ?? `<a href="${root}account">Account</a>`}</nav>`;
  const isTitled = title === "Troupe";
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(isTitled ? title : `${title} · Troupe`)}</title>${ICON_LINK}<style>${PAGE_STYLE}</style></head>
<body>
<header><strong>${name}</strong>${links}</header>
<main${width === undefined ? "" : ` class="${width}"`}>
${content.replaceAll("<pre>", SCROLLED)}
</main>${scripts.map((script) => `<script>${script}</script>`).join("")}
</body>
</html>
`;
}

export const page = (text: PageText, headers: Readonly<Record<string, string>>, status = 200): Response =>
  new Response(pageText(text), { status, headers: { "content-type": PAGE_TYPE, ...PAGE_HEADERS, ...headers } });

/** Whether the caller prefers a page to JSON, as browsers do; one that takes anything gets JSON. */
export const prefersPage = (accept: string | null): boolean =>
  accept !== null &&
  new Negotiator({ headers: { accept } }).mediaType(["application/json", "text/html"]) === "text/html";

export const escapeHtml = (text: string): string => Bun.escapeHTML(text);
