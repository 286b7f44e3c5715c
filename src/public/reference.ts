/**
 * The reference (DOC-2): the contract as a page that tries calls, and the error codes, each under the
 * anchor that the errors' `type` points at (ERR-1). A link to such an anchor shows the codes
 * instead of the operations; the stylesheet does that, so it also works without scripts.
 */
import { pathPrefixOf } from "../http/request/path-prefix.ts";
import { escapeHtml, ICON_LINK } from "../http/document/page.ts";
import type { Services } from "../operations/services.ts";
import { type ExplainedError, explainedErrors } from "./explained-errors.ts";
import { SCALAR_CONFIGURATION, SCALAR_PATH } from "./scalar.ts";

/**
 * The page can load from and send to this service only. Styles must be allowed inline, because Scalar's script inserts
 * them.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const REFERENCE_FORM = {
  contentType: "text/html; charset=utf-8",
  cacheControl: "no-cache",
  headers: {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  },
};

const STYLE = `
:root{color-scheme:light dark}
body{margin:0;font:16px/1.5 system-ui,sans-serif;background:var(--scalar-background-1,Canvas);color:var(--scalar-color-1,CanvasText)}
body>nav{position:sticky;top:0;z-index:100;height:48px;box-sizing:border-box;display:flex;gap:1.5rem;align-items:center;padding:0 1.25rem;font-size:14px;background:var(--scalar-background-1,Canvas);border-bottom:1px solid var(--scalar-border-color,#8884)}
@media(max-width:600px){body>nav{gap:.75rem;padding:0 .75rem;font-size:12px}}
body>nav a{color:inherit;text-decoration:none}body>nav a:hover{text-decoration:underline}
#errors{display:none;max-width:48rem;margin:2rem auto;padding:0 1.25rem}
#errors article{border-top:1px solid var(--scalar-border-color,#8884);padding:.5rem 0;scroll-margin-top:64px}
#errors h2{font-size:1rem;margin:.5rem 0}#errors p{margin:.35rem 0}
#errors :target{outline:2px solid var(--scalar-color-accent,Highlight);outline-offset:.5rem}
#errors code{font-size:.9em;background:#8882;padding:.1em .3em}
body:has(#errors:target,#errors :target)>:not(nav){display:none}
body>#errors:is(:target,:has(:target)){display:block!important}
`;

export function referencePage(services: Services): string {
  const prefix = pathPrefixOf(services.appUrl());
  const configuration = { ...SCALAR_CONFIGURATION, url: prefix + SCALAR_CONFIGURATION.url };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Troupe · API reference</title>
${ICON_LINK}
<style>${STYLE}</style>
</head>
<body>
<nav><strong>Troupe</strong> <a href="#">Operations</a> <a href="#errors">Errors</a> <a href="${configuration.url}">OpenAPI</a> <a href="${prefix}/llms.txt">llms.txt</a></nav>
<noscript><p>The operations are shown by a script. The contract itself is <a href="${configuration.url}">an OpenAPI document</a>.</p></noscript>
<section id="errors">
<h1>Error codes</h1>
<p>Every error of the current surface has one of these codes, under <code>code</code> and <code>error</code>.
Its <code>type</code> is the address of the explanation here.</p>
${explainedErrors(services).map(article).join("\n")}
</section>
<script id="api-reference" type="application/json" data-configuration="${escapeHtml(JSON.stringify(configuration))}"></script>
<script src="${prefix}${SCALAR_PATH}"></script>
</body>
</html>
`;
}

const article = ({ code, status, meaning, remedy }: ExplainedError): string =>
  `<article id="error-${code}"><h2><a href="#error-${code}"><code>${code}</code></a> ${status}</h2><p>${prose(meaning)}</p><p>${prose(remedy)}</p></article>`;

/** Plain text with `code` in it, as HTML. */
const prose = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
