/** The pages of signing in and out (AUTH-13). */
import type { Fault } from "../../actors/fault.ts";
import { noSessionCookie, sessionCookie } from "../http/admission/session-cookie.ts";
import { CONSOLE_PATH } from "../http/contract/paths.ts";
import { wordsOfFault } from "../http/document/refusal-page.ts";
import { type Accounts, SESSION_MS, type StartedSession } from "./accounts.ts";
import { type Html, html } from "./html.ts";
import { renderPage, redirectTo } from "./layout.ts";
import { nextPath } from "./flow.ts";
import type { OpenIdProvider } from "./openid/provider.ts";
import { passkeySignIn } from "./passkeys/forms.ts";
import { partyAt } from "./passkeys/passkeys.ts";
import { type Visit, waitPage } from "./visit.ts";

export const SIGN_IN_PATH = "/sign-in";
export const ACCOUNT_PATH = "/account";
/** The way to the operator's OpenID provider, and back. */
export const PROVIDER_PATH = `${SIGN_IN_PATH}/provider`;

export interface PageParts {
  readonly accounts: Accounts;
  readonly appUrl: () => string;
  /** The operator's OpenID provider, if there is one. */
  readonly provider: Pick<OpenIdProvider, "name" | "issuer"> | null;
}

/** Redirects to the sign-in page, which leads back here. */
export const redirectToSignIn = ({ request }: Pick<Visit, "request">): Response => {
  const { pathname, search } = new URL(request.url);
  const next = request.method === "GET" ? `?next=${encodeURIComponent(pathname + search)}` : "";
  return redirectTo(SIGN_IN_PATH + next);
};

export function showSignIn(parts: PageParts, { query, principal }: Visit): Response {
  const next = nextPath(query.get("next"));
  return principal === null ? signInForm(parts, { next }) : redirectTo(next ?? CONSOLE_PATH);
}

export async function signIn(parts: PageParts, visit: Visit): Promise<Response> {
  const { form, sender } = visit;
  const email = form.get("email") ?? "";
  const next = nextPath(form.get("next"));
  const started = await parts.accounts.signIn(email, form.get("password") ?? "", sender);
  if (started.ok) return enter(parts, visit, { started: started.value, next });
  if (started.fault.kind === "unauthenticated") {
    const wrong = "The e-mail address and the password do not match.";
    return signInForm(parts, { next, email, wrong, status: 403 });
  }
  return faultPage(started.fault);
}

/**
 * Begins the session in the browser. Its secret is new, so a planted cookie is worthless; the browser's previous
 * session ends.
 */
export async function enter(
  parts: PageParts,
  { principal, sender }: Visit,
  { started, next }: { readonly started: StartedSession; readonly next: string | null },
): Promise<Response> {
  if (principal !== null) await parts.accounts.end(principal, principal.tokenId, sender);
  return redirectTo(next ?? CONSOLE_PATH, {
    "set-cookie": sessionCookie(started.secret, parts.appUrl(), SESSION_MS / 1_000),
  });
}

export async function signOut({ accounts, appUrl }: PageParts, { principal, sender }: Visit): Promise<Response> {
  if (principal !== null) {
    const ended = await accounts.end(principal, principal.tokenId, sender);
    // Keep the cookie if the session has not ended, so that the person does not believe it has.
    if (!ended.ok) return faultPage(ended.fault);
  }
  return redirectTo(SIGN_IN_PATH, { "set-cookie": noSessionCookie(appUrl()) });
}

interface SignInForm {
  readonly next: string | null;
  readonly email?: string;
  readonly wrong?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export const signInForm = (
  { provider, appUrl }: Pick<PageParts, "provider" | "appUrl">,
  { next, email = "", wrong, status = 200, headers = {} }: SignInForm,
): Response =>
  renderPage({
    title: "Sign in",
    status,
    hasPasskeys: partyAt(appUrl()) !== null,
    headers,
    content: html`<section>
        ${wrong === undefined ? null : html`<p class="bad" role="alert">${wrong}</p>`}
        <form method="post" action="${SIGN_IN_PATH}">
          <label for="email">E-mail address</label>
          <input id="email" name="email" type="email" autocomplete="username" required value="${email}" />
          <label for="password">Password</label>
          <input id="password" name="password" type="password" autocomplete="current-password" required />
          ${next === null ? null : html`<input type="hidden" name="next" value="${next}" />`}
          <button>Sign in</button>
        </form>
        ${providerLink(provider, next)} ${partyAt(appUrl()) === null ? null : passkeySignIn(next)}
      </section>
      <p class="note">No password yet, or forgotten? Ask the person who runs this service for a link.</p>`,
  });

/**
 * The link to the provider. It is not a form, because browsers apply a page's policy to the redirects of its forms, and
 * the provider may use several addresses.
 */
export const providerLink = (provider: PageParts["provider"], next: string | null): Html | null =>
  provider === null
    ? null
    : html`<p>
        <a class="button" href="${PROVIDER_PATH}${next === null ? "" : `?next=${encodeURIComponent(next)}`}"
          >Continue with ${provider.name}</a
        >
      </p>`;

/** An error page for people. */
export function faultPage(fault: Fault): Response {
  if (fault.kind === "rate_limited") return waitPage(fault.retryAfterMs);
  const { title, text } = wordsOfFault(fault);
  return renderPage({
    title,
    status: STATUSES[fault.kind] ?? 503,
    content: html`<section>
      <p>${text}</p>
      <p><a href="${ACCOUNT_PATH}">Back to your account</a></p>
    </section>`,
  });
}

const STATUSES: Partial<Readonly<Record<Fault["kind"], number>>> = {
  organization_suspended: 403,
  not_found: 404,
  invalid_state: 409,
  invalid_request: 400,
  forbidden: 403,
  owner_required: 403,
};
