/** Plain pages for people: text and links, no script, no external resources. */
import Negotiator from "negotiator";

const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** The colours of dark windows come from the browser: it knows its own for the ground, the text and links. */
const STYLE =
  ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;overflow-wrap:break-word}code,pre{background:#8882;border-radius:.3rem;padding:.1em .3em}pre{overflow-x:auto;padding:.8em}pre code{background:none;padding:0;overflow-wrap:normal}table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.4em .8em .4em 0;border-bottom:1px solid #8884}h1,h2,h3{line-height:1.25}";

/** The icon of every page, embedded, so that browsers do not request `/favicon.ico`. */
export const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#2b4c7e"/><path d="M3 4h10v2H9v7H7V6H3z" fill="#fff"/></svg>',
)}`;
export const ICON_LINK = `<link rel="icon" href="${ICON}">`;

export const PAGE_TYPE = "text/html; charset=utf-8";

/** The headers of every page, besides its type. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** A page; `content` is HTML whose variable parts were escaped with `escapeHtml`. */
export const page = (title: string, content: string, headers: Readonly<Record<string, string>>): Response =>
  new Response(pageText(title, content), { headers: { "content-type": PAGE_TYPE, ...PAGE_HEADERS, ...headers } });

/** The HTML of a page. */
export const pageText = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(title)}</title>${ICON_LINK}<style>${STYLE}</style></head>
<body>
${content}
</body>
</html>
`;

/** Whether the caller prefers a page to JSON, as browsers do; one that takes anything gets JSON. */
export const prefersPage = (accept: string | null): boolean =>
  accept !== null &&
  new Negotiator({ headers: { accept } }).mediaType(["application/json", "text/html"]) === "text/html";

export const escapeHtml = (text: string): string => Bun.escapeHTML(text);
