/**
 * The layout of the sign-in and account pages, and their protection (AUTH-15). They are plain HTML with an inline style
 * sheet: no script (except the one for passkeys), nothing from other sites, no framing. Forms go only to this service;
 * a page whose form redirects to another site (a consent) names that site, because browsers apply the policy to
 * redirects too.
 */
import { ICON_LINK } from "../http/document/page.ts";
import { Html, html } from "./html.ts";
import { PASSKEY_SCRIPT } from "./passkeys/script.ts";

const STYLE = `
:root{color-scheme:light dark;--line:light-dark(#767f8c,#8b95a3);--soft:light-dark(#d5dae1,#3a424d);--text:light-dark(#1b2430,#e8ebf0);--quiet:light-dark(#4d5866,#b3bcc8);--ground:light-dark(#f4f6f8,#14181d);--card:light-dark(#fff,#1d232a);--accent:light-dark(#1f4f8f,#8fbcff);--on-accent:light-dark(#fff,#0d1a2b);--bad:light-dark(#9b1c1c,#ffb0a8);--good:light-dark(#1d6133,#9fe0b2)}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
header,main,footer{max-width:44rem;margin:0 auto;padding:1rem}
header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between}
header strong{font-size:1.1rem}header nav{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center}
main.narrow{max-width:26rem}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0 1rem}h2{font-size:1.15rem;margin:0 0 .75rem}
section{background:var(--card);border:1px solid var(--soft);border-radius:.6rem;padding:1.1rem;margin:0 0 1rem}
a{color:var(--accent)}
label,legend{display:block;font-weight:600}fieldset{border:1px solid var(--soft);border-radius:.4rem;margin:0 0 1rem;padding:.5rem .9rem .8rem}
input:not([type=checkbox]):not([type=radio]),select{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--line);border-radius:.4rem;padding:.5rem .6rem;width:100%;margin:.2rem 0 .9rem;min-height:2.75rem}
.choices{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.1rem .8rem}
.choices label{font-weight:400;display:flex;gap:.5rem;align-items:center;min-height:2rem}
button{font:inherit;font-weight:600;border-radius:.4rem;border:1px solid var(--accent);background:var(--accent);color:var(--on-accent);padding:.5rem 1rem;min-height:2.75rem;cursor:pointer}
button.quiet{background:none;color:var(--accent)}
button.wide{width:100%}[role=alert]:empty{display:none}
a.button{display:block;text-align:center;font-weight:600;text-decoration:none;border:1px solid var(--accent);border-radius:.4rem;padding:.6rem 1rem;min-height:2.75rem}
a:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.note{color:var(--quiet);margin:.2rem 0 .9rem}.bad{color:var(--bad);font-weight:600}.good{color:var(--good);font-weight:600}
ul.rows{list-style:none;margin:0;padding:0}ul.rows>li{display:flex;flex-wrap:wrap;gap:.5rem 1rem;justify-content:space-between;align-items:center;padding:.7rem 0;border-top:1px solid var(--soft)}
ul.rows>li:first-child{border-top:0}ul.rows p{margin:0}ul.rows .about{flex:1 1 16rem}
code{font-size:.95em;background:var(--ground);border:1px solid var(--soft);border-radius:.3rem;padding:.1em .35em}
code.secret{display:block;padding:.7rem;user-select:all}
`;

const hashOf = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("base64");
const STYLE_HASH = hashOf(STYLE);
const SCRIPT_HASH = hashOf(PASSKEY_SCRIPT);

/** `formTargets`: other sites to which a form of this page may redirect. */
const policyFor = (formTargets: readonly string[], hasPasskeys: boolean): string =>
  [
    "default-src 'none'",
    ...(hasPasskeys ? [`script-src 'sha256-${SCRIPT_HASH}'`, "connect-src 'self'"] : []),
    `style-src 'sha256-${STYLE_HASH}'`,
    "img-src data:",
    "base-uri 'none'",
    `form-action 'self'${formTargets.map((target) => ` ${target}`).join("")}`,
    "frame-ancestors 'none'",
  ].join("; ");

/**
 * Headers of every answer of these pages. The referrer policy must not be `no-referrer`, because forms would then be
 * sent without an origin.
 */
const HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
};

export interface PageContent {
  readonly title: string;
  readonly content: Html;
  readonly status?: number;
  /** A card in the middle, or a page of sections. */
  readonly isNarrow?: boolean;
  /** For a signed-in person: shows links to the account and to sign out. */
  readonly isSignedIn?: boolean;
  readonly formTargets?: readonly string[];
  /** Whether the page has forms for the script of passkeys. */
  readonly hasPasskeys?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export function pageOf(page: PageContent): Response {
  const { title, content, status = 200, isNarrow = false, isSignedIn = false, formTargets = [] } = page;
  const hasPasskeys = page.hasPasskeys ?? false;
  const text = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title} · Troupe</title>${new Html(ICON_LINK)}<style>${new Html(STYLE)}</style></head>
<body>
<header><strong>Troupe</strong>${isSignedIn ? SIGNED_IN : null}</header>
<main${new Html(isNarrow ? ' class="narrow"' : "")}>
<h1>${title}</h1>
${content}
</main>${hasPasskeys ? SCRIPT : null}
</body>
</html>
`;
  return new Response(text.text, {
    status,
    headers: {
      ...HEADERS,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policyFor(formTargets, hasPasskeys),
      ...page.headers,
    },
  });
}

const SCRIPT = new Html(`<script>${PASSKEY_SCRIPT}</script>`);

/** The answer to our own script. */
export const jsonOf = (value: object, headers: Readonly<Record<string, string>>): Response =>
  Response.json(value, { headers: { ...HEADERS, ...headers } });

const SIGNED_IN = html`<nav aria-label="Account">
  <a href="/account">Account</a>
  <form method="post" action="/sign-out"><button class="quiet">Sign out</button></form>
</nav>`;

/** Redirects with a GET. */
export const redirectTo = (location: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { ...HEADERS, location, ...headers } });
