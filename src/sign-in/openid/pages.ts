/**
 * Signing in with the operator's OpenID provider (AUTH-21), in two requests: one sends the browser there, the other
 * handles its return. Every failure ends on the sign-in page, with a message for the person.
 */
import { accountRef } from "../../../actors/account/schema.ts";
import { isOwnLink } from "../../http/admission/same-origin.ts";
import { type AccountPageParts, accountComplaint, CONNECT, showAccount, toAccount } from "../account-page.ts";
import {
  beginFlow,
  deriveKey,
  FLOW_MINUTES,
  flowKeyIn,
  type FlowParts,
  nextPath,
  noFlowCookie,
  takeFlow,
} from "../flow.ts";
import type { InvitationPageParts } from "../invitation-page.ts";
import { redirectTo } from "../layout.ts";
import {
  ACCOUNT_PATH,
  enter,
  faultPage,
  type PageParts,
  PROVIDER_PATH,
  SIGN_IN_PATH,
  signInForm,
} from "../sign-in-page.ts";
import type { OwnVisit, Visit } from "../visit.ts";
import { connectIdentity, type PersonEntry, enterPerson, type PeopleParts } from "./people.ts";
import { providerCookie, type ProviderCookieParts } from "./provider-cookie.ts";
import type { FlowSecrets, OpenIdProvider, ProviderFailure } from "./provider.ts";

/** The path of the redirect URI, below the address of the service. */
export const PROVIDER_CALLBACK_PATH = `${PROVIDER_PATH}/callback`;

export type ProviderPageParts = FlowParts &
  PeopleParts &
  ProviderCookieParts &
  AccountPageParts &
  InvitationPageParts & { readonly provider: OpenIdProvider | null };

export async function goToProvider(parts: ProviderPageParts, visit: Visit): Promise<Response> {
  const { provider } = parts;
  const { request, query, principal } = visit;
  const next = nextPath(query.get("next"));
  const asked = next === null ? "" : `?next=${encodeURIComponent(next)}`;
  // Another site must not make a person sign in against their will.
  if (provider === null || !isOwnLink(request)) return redirectTo(SIGN_IN_PATH + asked);
  const isConnecting = query.has(CONNECT);
  if (isConnecting && principal === null) return redirectTo(SIGN_IN_PATH);
  const flow = await beginFlow(parts, next);
  if (!flow.ok) return faultPage(flow.fault);
  const { key, cookie } = flow.value;
  const to = await provider.begin(redirectUriOf(parts), secretsOf(key, isConnecting ? principal : null));
  if (!(to instanceof URL)) {
    const refusal = wordsOfFailure(to, provider.name);
    return isConnecting && principal !== null
      ? notConnected(parts, { ...visit, principal }, refusal)
      : refuseSignIn(parts, next, refusal);
  }
  return redirectTo(to.href, { "set-cookie": cookie });
}

export async function comeFromProvider(parts: ProviderPageParts, visit: Visit): Promise<Response> {
  const { provider } = parts;
  if (provider === null) return redirectTo(SIGN_IN_PATH);
  const key = flowKeyIn(visit.request, parts.appUrl());
  // A browser that has only the address did not begin this sign-in; the flow of the first browser continues.
  const { principal } = visit;
  const state = visit.query.get("state");
  if (key !== null && principal !== null && state === secretsOf(key, principal).state)
    return connectPerson(parts, { ...visit, principal }, key);
  if (key === null || state !== secretsOf(key).state) return refuseSignIn(parts, null, STALE_SIGN_IN);
  const flow = await takeFlow(parts, key);
  if (!flow.ok)
    return flow.fault.kind === "not_found" ? refuseSignIn(parts, null, STALE_SIGN_IN) : faultPage(flow.fault);
  const { next } = flow.value;
  const proven = await provider.finish(redirectUriOf(parts), visit.query, secretsOf(key));
  if ("kind" in proven) return refuseSignIn(parts, next, wordsOfFailure(proven, provider.name));
  const sender = { ...visit.sender, browser: `${visit.sender.browser}, by ${provider.name}` };
  const entry = await enterPerson(parts, { proven, sender, next });
  if (entry.kind === "failed") return faultPage(entry.fault);
  if (entry.kind !== "entered") return refuseSignIn(parts, next, wordsOfEntry(entry, provider.name));
  const entered = await enter(parts, visit, { started: entry.started, next: entry.hasJoined ? null : next });
  entered.headers.append("set-cookie", noFlowCookie(parts.appUrl()));
  entered.headers.append(
    "set-cookie",
    providerCookie(parts, { userId: entry.started.userId, idToken: proven.idToken }),
  );
  return entered;
}

/** A signed-in person comes back with an identity of the provider, which is connected with them from now on. */
async function connectPerson(parts: ProviderPageParts, visit: OwnVisit, key: string): Promise<Response> {
  const { provider } = parts;
  const { principal, sender } = visit;
  if (provider === null) return redirectTo(ACCOUNT_PATH);
  const flow = await takeFlow(parts, key);
  if (!flow.ok)
    return flow.fault.kind === "not_found" ? notConnected(parts, visit, STALE_SIGN_IN) : faultPage(flow.fault);
  const proven = await provider.finish(redirectUriOf(parts), visit.query, secretsOf(key, principal));
  if ("kind" in proven) return notConnected(parts, visit, wordsOfFailure(proven, provider.name));
  const connected = await connectIdentity(parts, principal, { proven, sender });
  if (!connected.ok) return faultPage(connected.fault);
  if (connected.value !== "connected")
    return notConnected(parts, visit, {
      status: 409,
      wrong:
        connected.value === "taken"
          ? `That account of ${provider.name} belongs to somebody else here.`
          : `You are connected with another account of ${provider.name}. Disconnect it first.`,
    });
  const done = toAccount("connected");
  done.headers.append("set-cookie", noFlowCookie(parts.appUrl()));
  return done;
}

async function notConnected(
  parts: ProviderPageParts,
  visit: OwnVisit,
  { status, wrong }: SignInRefusal,
): Promise<Response> {
  const page = await showAccount(parts, visit, { ...accountComplaint(wrong), status });
  page.headers.append("set-cookie", noFlowCookie(parts.appUrl()));
  return page;
}

/** Disconnects the person from the provider: the next sign-in uses the e-mail address again. */
export async function disconnect(parts: ProviderPageParts, { principal, sender }: OwnVisit): Promise<Response> {
  const { system, accounts, provider } = parts;
  const { userId, tokenId } = principal;
  if (provider === null) return toAccount("disconnected");
  const { issuer } = provider;
  const unlinked = await system.dispatch(accountRef(userId), { kind: "unlink_identity", issuer });
  if (!unlinked.ok) return faultPage(unlinked.fault);
  if (!unlinked.value) return toAccount("disconnected");
  const entry = { action: "identity.unlinked", subjectId: userId, detail: issuer } as const;
  const noted = await accounts.noteEverywhere(entry, { userId, tokenId, address: sender.address }, userId);
  return noted.ok ? toAccount("disconnected") : faultPage(noted.fault);
}

const redirectUriOf = ({ appUrl }: PageParts): string => appUrl() + PROVIDER_CALLBACK_PATH;

/** `connecting`: the person who asked to be connected; the state is valid only for them. */
const secretsOf = (key: string, connecting: Pick<OwnVisit["principal"], "userId"> | null = null): FlowSecrets => ({
  state: deriveKey(key, connecting === null ? "state" : `state for ${connecting.userId}`),
  nonce: deriveKey(key, "nonce"),
  verifier: deriveKey(key, "verifier"),
});

interface SignInRefusal {
  readonly status: number;
  readonly wrong: string;
}

const refuseSignIn = (parts: PageParts, next: string | null, { status, wrong }: SignInRefusal): Response =>
  signInForm(parts, { next, wrong, status, headers: { "set-cookie": noFlowCookie(parts.appUrl()) } });

const STALE_SIGN_IN: SignInRefusal = {
  status: 400,
  wrong: `This sign-in was begun in another browser, has ended already, or took longer than ${FLOW_MINUTES} minutes. Try again.`,
};

function wordsOfFailure({ kind }: ProviderFailure, name: string): SignInRefusal {
  switch (kind) {
    case "away":
      return { status: 503, wrong: `${name} cannot be reached now. Try again in a moment.` };
    case "refused":
      return { status: 403, wrong: `${name} did not let you in.` };
    case "misconfigured":
      return {
        status: 503,
        wrong: `${name} and this service are not set up for each other. The person who runs this service finds the reason in its log.`,
      };
    case "unproven":
      return {
        status: 400,
        wrong: `The answer of ${name} could not be verified, so you are not signed in. Try again.`,
      };
  }
}

function wordsOfEntry({ kind, email }: Extract<PersonEntry, { email: unknown }>, name: string): SignInRefusal {
  switch (kind) {
    case "unverified":
      return {
        status: 403,
        wrong:
          email === null
            ? `${name} did not send your e-mail address.`
            : `${name} has not verified that ${email} is your e-mail address.`,
      };
    case "unknown":
      return {
        status: 403,
        wrong: `Nobody here has the e-mail address ${email ?? ""}. Ask an owner of your organization for an invitation, and open its link.`,
      };
    case "other":
      return {
        status: 403,
        wrong: `The account of ${email ?? ""} belongs to somebody else at ${name}. Ask the person who runs this service for a link.`,
      };
  }
}
