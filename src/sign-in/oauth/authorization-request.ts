/**
 * A program's authorization request to a person (RFC 6749, 4.1.1; OAuth 2.1; RFC 8707). Until it is known that the
 * redirect address belongs to the program, nothing is sent there: earlier errors are only shown to the person, later
 * ones are for the program too.
 */
import { DEFAULT_SCOPES, GRANTABLE_SCOPES } from "../../../actors/organization/principal.ts";
import { MCP_SCOPES } from "../../http/contract/scopes.ts";
import { API_RESOURCE, MCP_RESOURCE } from "../../http/contract/paths.ts";
import type { Client, Clients } from "./clients.ts";
import { isRegistered } from "./redirect-uri.ts";

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const OAUTH_STATE_CHARACTERS = 2_000;

export interface AuthorizationRequest {
  readonly client: Client;
  readonly redirectUri: string;
  readonly state: string | null;
  readonly codeChallenge: string;
  readonly scopes: readonly string[];
  readonly resource: string;
}

export type AuthorizationReading =
  | { readonly kind: "good"; readonly request: AuthorizationRequest }
  /** An error for the person. */
  | { readonly kind: "untrusted"; readonly words: string }
  /** An error for the program. */
  | {
      readonly kind: "refused";
      readonly redirectUri: string;
      readonly error: string;
      readonly words: string;
      readonly state: string | null;
    };

/** Fields that the consent form carries along unchanged. */
export const CARRIED = [
  "response_type",
  "client_id",
  "redirect_uri",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method",
  "resource",
] as const;

export async function readAuthorization(
  given: URLSearchParams,
  { clients, appUrl }: { readonly clients: Clients; readonly appUrl: string },
): Promise<AuthorizationReading> {
  const repeated = CARRIED.find((name) => name !== "resource" && given.getAll(name).length > 1);
  if (repeated !== undefined) return untrustedReading(`The program has sent ${repeated} more than once.`);
  const client = await clients.find(given.get("client_id") ?? "");
  if (!client.ok) return untrustedReading("The program is not registered here, or its metadata cannot be read.");
  const redirectUri = given.get("redirect_uri") ?? "";
  if (!isRegistered(redirectUri, client.value.redirectUris))
    return untrustedReading("The program asks for the answer at an address that it has not registered.");
  const state = given.get("state");
  const refused = (error: string, words: string): AuthorizationReading => ({
    kind: "refused",
    redirectUri,
    error,
    words,
    state,
  });
  if (state !== null && state.length > OAUTH_STATE_CHARACTERS)
    return { kind: "refused", redirectUri, error: "invalid_request", words: "state is too long", state: null };
  if (given.get("response_type") !== "code") return refused("unsupported_response_type", "response_type must be code");
  const codeChallenge = given.get("code_challenge") ?? "";
  if (given.get("code_challenge_method") !== "S256" || !CHALLENGE.test(codeChallenge))
    return refused("invalid_request", "PKCE with S256 is required: code_challenge and code_challenge_method=S256");
  if (given.get("prompt") === "none") return refused("interaction_required", "a person must consent");
  const resource = tokenResource(given.getAll("resource"), appUrl);
  if (resource === null) return refused("invalid_target", "resource is not one of this service");
  const scopes = requestedScopes(given.get("scope"), resource === appUrl + MCP_RESOURCE ? MCP_SCOPES : DEFAULT_SCOPES);
  if (scopes.length === 0) return refused("invalid_scope", "scope has nothing that this service grants");
  return { kind: "good", request: { client: client.value, redirectUri, state, codeChallenge, scopes, resource } };
}

const untrustedReading = (words: string): AuthorizationReading => ({ kind: "untrusted", words });

/** The resource as its tokens store it; the current surface if none is named. */
export function tokenResource(given: readonly string[], appUrl: string): string | null {
  const [first = appUrl, ...more] = new Set(given.map((each) => each.replace(/\/$/, "")));
  if (more.length > 0) return null;
  return [API_RESOURCE, MCP_RESOURCE].map((path) => appUrl + path).find((each) => each === first) ?? null;
}

/**
 * The grantable scopes of the request, in the order of our scopes; `unasked` if it names none. Scopes of other
 * services, such as `openid`, are ignored.
 */
function requestedScopes(given: string | null, unasked: readonly string[]): readonly string[] {
  const asked = given === null || given.trim() === "" ? unasked : given.split(/\s+/);
  return GRANTABLE_SCOPES.filter((scope) => asked.includes(scope));
}

/** The redirect back to the program, with the issuer (RFC 9207). */
export function backTo(redirectUri: string, answer: Readonly<Record<string, string | null>>, issuer: string): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...answer, iss: issuer }))
    if (value !== null) url.searchParams.set(name, value);
  return url.href;
}
