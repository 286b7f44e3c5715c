/** Plain pages for people: text and links, no script, no external resources. */

const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}code,pre{background:#8882;padding:.1em .3em}pre{overflow-x:auto;padding:.8em}";

/** The icon of every page, embedded, so that browsers do not request `/favicon.ico`. */
export const ICON_LINK = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#2b4c7e"/><path d="M3 4h10v2H9v7H7V6H3z" fill="#fff"/></svg>',
)}">`;

/** A page; `content` is HTML whose variable parts were escaped with `escapeHtml`. */
export function page(title: string, content: string, headers: Readonly<Record<string, string>>): Response {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>${ICON_LINK}<style>${STYLE}</style></head>
<body>
${content}
</body>
</html>
`;
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      ...headers,
    },
  });
}

export const escapeHtml = (text: string): string => Bun.escapeHTML(text);
