/**
 * Signing out at the provider too (AUTH-23). The session here ends first, whatever happens afterwards; then a page
 * offers to sign out at the provider too. It is a link, because browsers apply a page's policy to the redirects of its
 * forms.
 */
import { isOwnLink } from "../../http/admission/same-origin.ts";
import { beginFlow, deriveKey, flowKeyIn, noFlowCookie, takeFlow } from "../flow.ts";
import { html } from "../html.ts";
import { renderPage, redirectTo } from "../layout.ts";
import { ACCOUNT_PATH, faultPage, PROVIDER_PATH, SIGN_IN_PATH, signOut } from "../sign-in-page.ts";
import type { Visit } from "../visit.ts";
import type { ProviderPageParts } from "./pages.ts";
import { cookieAfterwards, noProviderCookie, providerSessionIn } from "./provider-cookie.ts";

/** The link to the provider. */
export const PROVIDER_SIGN_OUT_PATH = `${PROVIDER_PATH}/sign-out`;
/** The page after signing out here, to which the provider also redirects; the operator registers it there. */
export const SIGNED_OUT_PATH = `${PROVIDER_PATH}/signed-out`;

const stateOf = (key: string): string => deriveKey(key, "signed out");
const backAt = ({ appUrl }: ProviderPageParts): string => appUrl() + SIGNED_OUT_PATH;

/** Ends the session here. A person who signed in by the provider gets a link that ends the session there. */
export async function signOutOfBoth(parts: ProviderPageParts, visit: Visit): Promise<Response> {
  const { principal, request } = visit;
  const done = await signOut(parts, visit);
  const session = providerSessionIn(request, parts);
  if (session === null || done.status !== 303) return done;
  const isTheirs = principal?.userId === session.userId;
  const asked = { redirectUri: backAt(parts), idToken: "", state: "" };
  const isOffered = isTheirs && parts.provider !== null && (await parts.provider.signOut(asked)) !== null;
  if (isOffered) done.headers.set("location", SIGNED_OUT_PATH);
  done.headers.append("set-cookie", isOffered ? cookieAfterwards(parts, session) : noProviderCookie(parts));
  return done;
}

/** Sends the person to the provider, who signs them out there. */
export async function goSignOut(parts: ProviderPageParts, { request, principal }: Visit): Promise<Response> {
  const { provider } = parts;
  const session = providerSessionIn(request, parts);
  // Another site must not sign a person out, and a person must have signed out here first.
  if (provider === null || session === null || principal !== null || !isOwnLink(request))
    return redirectTo(principal === null ? SIGN_IN_PATH : ACCOUNT_PATH);
  const flow = await beginFlow(parts, null);
  if (!flow.ok) return faultPage(flow.fault);
  const { key, cookie } = flow.value;
  const { idToken } = session;
  const to = await provider.signOut({ redirectUri: backAt(parts), idToken, state: stateOf(key) });
  if (to === null) return redirectTo(SIGN_IN_PATH);
  const gone = redirectTo(to.href, { "set-cookie": cookie });
  gone.headers.append("set-cookie", noProviderCookie(parts));
  return gone;
}

/** After signing out: here alone, or at the provider as well. */
export async function showSignedOut(parts: ProviderPageParts, { request, query, principal }: Visit): Promise<Response> {
  const { provider, appUrl } = parts;
  if (principal !== null || provider === null) return redirectTo(principal === null ? SIGN_IN_PATH : ACCOUNT_PATH);
  const key = flowKeyIn(request, appUrl());
  const hasComeBack = key !== null && query.get("state") === stateOf(key) && (await takeFlow(parts, key)).ok;
  const isKnown = providerSessionIn(request, parts) !== null;
  const there = hasComeBack ? html`, and at ${provider.name}` : null;
  return renderPage({
    title: "You are signed out",
    headers: hasComeBack ? { "set-cookie": noFlowCookie(appUrl()) } : {},
    content: html`<section>
      <p>You are signed out here${there}.</p>
      ${
        isKnown && !hasComeBack
          ? html`<p>You are still signed in at ${provider.name}.</p>
              <p><a class="button" href="${PROVIDER_SIGN_OUT_PATH}">Sign out at ${provider.name} too</a></p>`
          : null
      }
      <p><a href="${SIGN_IN_PATH}">Sign in again</a></p>
    </section>`,
  });
}
