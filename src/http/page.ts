/** Plain pages for people: text and links, no script, nothing from elsewhere. */

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const STYLE = "body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}code,pre{background:#8882;padding:.1em .3em}pre{overflow-x:auto;padding:.8em}";

/** A page; `content` is HTML whose variable parts went through `escapeHtml`. */
export function page(title: string, content: string, headers: Readonly<Record<string, string>>): Response {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
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
