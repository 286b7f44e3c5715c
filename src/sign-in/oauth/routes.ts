/** The authorization server, mounted (MCP-2): one page for people, and the endpoints of programs. */
import { Elysia } from "elysia";
import { hasScope, unlessOwner } from "../../../actors/organization/principal.ts";
import type { Egress } from "../../egress/egress.ts";
import { AUTHORIZE_PATH, INTROSPECT_PATH, REGISTER_PATH, REVOKE_PATH, TOKEN_PATH } from "../../http/contract/paths.ts";
import { hostFault } from "../../http/request/request-target.ts";
import { underPrefix } from "../../http/request/path-prefix.ts";
import { redirectToSignIn } from "../sign-in-page.ts";
import type { SignInParts } from "../routes.ts";
import { boundedText, FORM_TYPE, visitOf } from "../visit.ts";
import { oauthPreflight, oauthRefusal } from "./answer.ts";
import { Clients } from "./clients.ts";
import { type ConsentParts, decideConsent, showConsent } from "./consent-page.ts";
import { introspect, register, revoke, issueToken, type TokenParts } from "./token-endpoint.ts";

export type OAuthParts = SignInParts &
  Pick<TokenParts, "sealing" | "onRevoked"> & { readonly egress: Pick<Egress, "request"> };

type OAuthEndpoint = (parts: OAuthParts & TokenParts, request: Request) => Promise<Response>;

export function oauthRoutes(given: OAuthParts) {
  const parts = { ...given, clients: new Clients(given) };
  const routes = new Elysia({ name: "oauth" })
    .get(AUTHORIZE_PATH, async ({ request }) => personPage(parts, request), { parse: "none" })
    .post(AUTHORIZE_PATH, async ({ request }) => personPage(parts, request), { parse: "none" });
  for (const [path, endpoint] of ENDPOINTS) {
    routes.post(path, async ({ request }) => countedEndpoint(parts, request, endpoint), { parse: "none" });
    routes.options(path, async ({ request }) => countedEndpoint(parts, request, async () => oauthPreflight()), {
      parse: "none",
    });
  }
  return routes;
}

/** The person's page. */
async function personPage(parts: OAuthParts & ConsentParts, request: Request): Promise<Response> {
  return serveCounted(parts, request, async (asking) => {
    const visit = await visitOf(parts, asking);
    if (visit instanceof Response) return visit;
    const { principal } = visit;
    if (request.method === "GET") return showConsent(parts, visit);
    return principal === null ? redirectToSignIn(visit) : decideConsent(parts, { ...visit, principal });
  });
}

/** An endpoint for programs: each request counts against its client's address. */
const countedEndpoint = (
  parts: OAuthParts & TokenParts,
  request: Request,
  endpoint: OAuthEndpoint,
): Promise<Response> =>
  serveCounted(parts, request, async (asking) => {
    const rate = await parts.limits.ofStranger(asking, parts.server());
    const limited = parts.limits.refusalOf(rate);
    if (limited !== null)
      return oauthRefusal(
        "temporarily_unavailable",
        "Too many requests",
        limited.kind === "rate_limited" ? limited.retryAfterMs : 1_000,
      );
    return endpoint(parts, asking);
  });

async function serveCounted(
  parts: OAuthParts,
  request: Request,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  const fault = hostFault(request);
  if (fault !== null) return parts.surface.refuse(request, fault);
  const response = await parts.surface.by(async (asked) => underPrefix(await answer(asked), parts.appUrl()), request);
  return response ?? oauthRefusal("invalid_request", "There is nothing here");
}

const NO_FORM = (): Response => oauthRefusal("invalid_request", "The body must be a form");

const withForm =
  (
    endpoint: (
      parts: TokenParts,
      sent: { readonly form: URLSearchParams; readonly address: string; readonly request: Request },
    ) => Promise<Response>,
  ): OAuthEndpoint =>
  async (parts, request) => {
    const text = await boundedText(request, FORM_TYPE);
    if (text === null) return NO_FORM();
    const address = parts.limits.addressOf(request, parts.server());
    return endpoint(parts, { form: new URLSearchParams(text), address, request });
  };

const registerClient: OAuthEndpoint = async (parts, request) => {
  const body = await boundedText(request, "application/json");
  if (body === null) return oauthRefusal("invalid_client_metadata", "The body must be a JSON object");
  return register(parts, { body, address: parts.limits.addressOf(request, parts.server()) });
};

/** For owners only, with a token that may read tokens. */
const introspectToken: OAuthEndpoint = async (parts, request) => {
  const asking = { request, server: parts.server() };
  const verified = await parts.authentication.verify(asking, { isCounted: true, takesSessions: false, resource: "" });
  if (!verified.ok) return oauthRefusal("invalid_client", "A token of an owner with tokens:read is needed");
  const { principal } = verified.value;
  if (!hasScope(principal.scopes, "tokens:read") || unlessOwner(principal) !== null)
    return oauthRefusal("invalid_client", "A token of an owner with tokens:read is needed");
  const text = await boundedText(request, FORM_TYPE);
  return text === null
    ? NO_FORM()
    : introspect(parts, { form: new URLSearchParams(text), organizationId: principal.organizationId });
};

const ENDPOINTS: readonly (readonly [string, OAuthEndpoint])[] = [
  [TOKEN_PATH, withForm(issueToken)],
  [REVOKE_PATH, withForm(revoke)],
  [INTROSPECT_PATH, introspectToken],
  [REGISTER_PATH, registerClient],
];
