/**
 * A person authorizes a program, or refuses (MCP-2). The page names the program, where the browser will go, and what
 * the program may do; the person can deselect each permission. The form carries the request with a signature over it
 * and the session, so that it can be neither forged nor changed after it was shown.
 */
import { isSameHash, type Sealing } from "../../../actors/sealing.ts";
import { type Organization, organizationRef } from "../../../actors/organization/schema.ts";
import type { TroupeSystem } from "../../../actors/troupe.ts";
import { keyHash, newKey } from "../../http/admission/token.ts";
import { AUTHORIZE_PATH, MCP_RESOURCE } from "../../http/contract/paths.ts";
import type { OwnVisit, Visit } from "../visit.ts";
import { html } from "../html.ts";
import { renderPage, redirectTo } from "../layout.ts";
import { consentWords } from "../scope-words.ts";
import { faultPage, redirectToSignIn } from "../sign-in-page.ts";
import {
  type AuthorizationReading,
  type AuthorizationRequest,
  backTo,
  CARRIED,
  readAuthorization,
} from "./authorization-request.ts";
import type { Clients } from "./clients.ts";
import { policySourceOf } from "./redirect-uri.ts";
import { codeOf } from "./grant-secrets.ts";

export interface ConsentParts {
  readonly system: TroupeSystem;
  readonly sealing: Sealing;
  readonly clients: Clients;
  readonly appUrl: () => string;
}

export async function showConsent(parts: ConsentParts, visit: Visit): Promise<Response> {
  const reading = await readAuthorization(visit.query, { clients: parts.clients, appUrl: parts.appUrl() });
  if (reading.kind === "untrusted") return untrustedPage(reading.words, 400);
  if (reading.kind === "refused") return refusedPage(reading, parts.appUrl(), visit.principal !== null);
  const { principal } = visit;
  // The program is valid by now: only then is the person asked to sign in for it.
  if (principal === null) return redirectToSignIn(visit);
  const { organizationId } = principal;
  const organization = await parts.system.dispatch(organizationRef(organizationId), { kind: "read_organization" });
  if (!organization.ok) return faultPage(organization.fault);
  return consentForm(parts, { ...visit, principal }, { request: reading.request, organization: organization.value });
}

export async function decideConsent(parts: ConsentParts, visit: OwnVisit): Promise<Response> {
  const { form, principal, sender } = visit;
  const appUrl = parts.appUrl();
  const given = form.get("signature") ?? "";
  if (!parts.sealing.keys("form").some((key) => isSameHash(consentSignature(key, principal.tokenId, form), given)))
    return untrustedPage("This form belongs to another session. Open the page again.", 403);
  const reading = await readAuthorization(form, { clients: parts.clients, appUrl });
  if (reading.kind === "untrusted") return untrustedPage(reading.words, 400);
  if (reading.kind === "refused") return redirectTo(refusalAddress(reading, appUrl));
  const { client, redirectUri, state, codeChallenge, resource, scopes: asked } = reading.request;
  const scopes = asked.filter((scope) => form.getAll("grant").includes(scope));
  if (form.get("decision") !== "allow" || scopes.length === 0)
    return redirectTo(backTo(redirectUri, { error: "access_denied", state }, appUrl));
  const secret = newKey();
  const { organizationId, userId, tokenId } = principal;
  const offered = await parts.system.dispatch(organizationRef(organizationId), {
    kind: "offer_grant",
    grant: {
      clientId: client.id,
      clientName: client.name,
      userId,
      scopes,
      resource,
      redirectUri,
      codeHash: keyHash(secret),
      codeChallenge,
    },
    origin: { userId, tokenId, address: sender.address },
  });
  if (!offered.ok) return faultPage(offered.fault);
  const kept = await parts.clients.keep(client);
  if (!kept.ok) return faultPage(kept.fault);
  const code = codeOf({ organizationId, grantId: offered.value.id }, secret);
  return redirectTo(backTo(redirectUri, { code, state }, appUrl));
}

type RefusedAuthorization = Extract<AuthorizationReading, { readonly kind: "refused" }>;

const refusalAddress = ({ redirectUri, error, words, state }: RefusedAuthorization, appUrl: string): string =>
  backTo(redirectUri, { error, error_description: words, state }, appUrl);

/**
 * An error for the program. Anybody can register a program with any address, so a browser is not sent there before a
 * person who is signed in has clicked (RFC 9700, 4.11.2).
 */
function refusedPage(refused: RefusedAuthorization, appUrl: string, isSignedIn: boolean): Response {
  const { protocol, host } = new URL(refused.redirectUri);
  return renderPage({
    title: "Invalid authorization request",
    status: 400,
    content: html`<section>
      <p>The program has asked for something that this service does not do: ${refused.words}.</p>
      <p>Nothing was granted. Go back to the program and begin again.</p>
      ${isSignedIn ? html`<p><a href="${refusalAddress(refused, appUrl)}">Tell the program at ${host === "" ? protocol.slice(0, -1) : host}</a></p>` : null}
    </section>`,
  });
}

const untrustedPage = (words: string, status: number): Response =>
  renderPage({
    title: "Invalid authorization request",
    status,
    content: html`<section>
      <p>${words}</p>
      <p>Nothing was granted. Go back to the program and begin again.</p>
    </section>`,
  });

/** Signs the fields of the request, in a fixed order, and the session that it was shown to. */
function consentSignature(key: Uint8Array, sessionId: string, given: URLSearchParams): string {
  const text = JSON.stringify([sessionId, ...CARRIED.map((name) => given.getAll(name))]);
  return new Bun.CryptoHasher("sha256", key).update(text).digest("hex");
}

interface AskedConsent {
  readonly request: AuthorizationRequest;
  readonly organization: Organization;
}

function consentForm(
  parts: ConsentParts,
  { query, principal }: OwnVisit,
  { request, organization }: AskedConsent,
): Response {
  const { client, redirectUri, scopes, resource } = request;
  const carried = CARRIED.flatMap((name) =>
    query.getAll(name).map((value) => html`<input type="hidden" name="${name}" value="${value}" />`),
  );
  const { protocol, host } = new URL(redirectUri);
  const isMcp = resource === parts.appUrl() + MCP_RESOURCE;
  return renderPage({
    title: `Let “${client.name}” in?`,
    isSignedIn: true,
    // Browsers apply the policy to the redirect after the form too.
    formTargets: [policySourceOf(redirectUri)],
    content: html`<section>
      <p>
        The program <strong>${client.name}</strong> asks to act as you in <strong>${organization.name}</strong>,
        ${isMcp ? "over MCP" : "over the API"}.
      </p>
      <p class="note">
        ${client.host === null ? "It has named itself; nobody has checked that name." : html`Its name comes from <strong>${client.host}</strong>.`}
        Your browser will return to <strong>${host === "" ? protocol.slice(0, -1) : host}</strong>. Continue only if you
        have just started this from the program.
      </p>
      <form method="post" action="${AUTHORIZE_PATH}">
        ${carried}<input
          type="hidden"
          name="signature"
          value="${consentSignature(parts.sealing.key("form"), principal.tokenId, query)}"
        />
        <fieldset>
          <legend>It may</legend>
          <div class="choices">
            ${scopes.map(
              (scope) =>
                html`<label
                  ><input type="checkbox" name="grant" value="${scope}" checked />${consentWords(scope)}</label
                >`,
            )}
          </div>
        </fieldset>
        <p class="note">It can never do more than you may. You can end its access on your account page at any time.</p>
        <button name="decision" value="allow">Let it in</button>
        <button class="quiet" name="decision" value="deny">Refuse</button>
      </form>
    </section>`,
  });
}
