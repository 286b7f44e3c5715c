/**
 * The sign-in and account pages, and their protection (AUTH-15). They are plain HTML with an inline style sheet and
 * nothing from other sites, and cannot be framed. The only scripts are those for passkeys and for copying, and every
 * page works without them. Forms go only to this service; a page whose form redirects to another site (a consent) names
 * that site, because browsers apply the policy to redirects too.
 */
import { PAGE_TYPE, pageText } from "../http/document/page.ts";
import { PAGE_STYLE } from "../http/document/page-style.ts";
import { COPY_SCRIPT } from "./copy.ts";
import { CONSOLE_PATH } from "../http/contract/paths.ts";
import { type Html, html } from "./html.ts";
import { PASSKEY_SCRIPT } from "./passkeys/script.ts";

const policyHash = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("base64");
const STYLE_HASH = policyHash(PAGE_STYLE);

/** `formTargets`: other sites to which a form of this page may redirect. */
const policyFor = (formTargets: readonly string[], scripts: readonly string[]): string =>
  [
    "default-src 'none'",
    ...(scripts.length === 0 ? [] : [`script-src ${scripts.map((one) => `'sha256-${policyHash(one)}'`).join(" ")}`]),
    ...(scripts.includes(PASSKEY_SCRIPT) ? ["connect-src 'self'"] : []),
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
const PEOPLE_PAGE_HEADERS = {
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
  /** A page of sections, instead of a card in the middle. */
  readonly isWide?: boolean;
  /** For a signed-in person: shows links to the account and to sign out. */
  readonly isSignedIn?: boolean;
  readonly formTargets?: readonly string[];
  /** Whether the page has forms for the script of passkeys. */
  readonly hasPasskeys?: boolean;
  /** Whether the page shows something to copy. */
  readonly hasCopies?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export function renderPage(page: PageContent): Response {
  const { title, content, status = 200, isWide = false, isSignedIn = false, formTargets = [] } = page;
  const scripts = [
    ...(page.hasPasskeys === true ? [PASSKEY_SCRIPT] : []),
    ...(page.hasCopies === true ? [COPY_SCRIPT] : []),
  ];
  const text = pageText({
    title,
    content: html`<h1>${title}</h1>
      ${content}`.text,
    navigation: isSignedIn ? SIGNED_IN : "",
    scripts,
    ...(isWide ? {} : { width: "narrow" }),
  });
  return new Response(text, {
    status,
    headers: {
      ...PEOPLE_PAGE_HEADERS,
      "content-type": PAGE_TYPE,
      "content-security-policy": policyFor(formTargets, scripts),
      ...page.headers,
    },
  });
}

/** The answer to our own script. */
export const jsonOf = (value: object, headers: Readonly<Record<string, string>>): Response =>
  Response.json(value, { headers: { ...PEOPLE_PAGE_HEADERS, ...headers } });

const SIGNED_IN = `<a href="${CONSOLE_PATH}">Console</a> <a href="/account">Account</a>
  <form method="post" action="/sign-out"><button class="quiet">Sign out</button></form>`;

/** Redirects with a GET. */
export const redirectTo = (location: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { ...PEOPLE_PAGE_HEADERS, location, ...headers } });
