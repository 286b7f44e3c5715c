/**
 * The guarded client of a run whose tool server wants OAuth: a refused request gets a token by the flow, with a browser
 * that follows every redirect and consents to everything, and is sent again. For the conformance suite, whose servers
 * are at loopback addresses.
 */
import { challengeIn } from "../../src/connections/oauth/challenge.ts";
import { beginAuthorization, finishAuthorization } from "../../src/connections/oauth/client.ts";
import { type AuthorizationTarget, discover } from "../../src/connections/oauth/discovery.ts";
import { oauthReach, type OAuthReach } from "../../src/connections/oauth/reach.ts";
import { becomeClient, type RegisteredClient } from "../../src/connections/oauth/registration.ts";
import { joinedScopes, scopesOf } from "../../src/connections/oauth/scope.ts";
import type { Egress, EgressRequest, EgressStream } from "../../src/egress/egress.ts";
import { systemClock } from "../../src/wiring/clock.ts";

export const CALLBACK = "http://localhost:3999/callback";

export interface OAuthPerson {
  readonly clientMetadataUrl?: string;
  readonly known?: { readonly clientId: string; readonly clientSecret: string };
}

/** Requests for more scopes that one request may lead to. */
const MAX_STEPS = 3;

export class OAuthEgress implements Egress {
  readonly problems: unknown[] = [];
  private readonly egress: Egress;
  private readonly person: OAuthPerson;
  private readonly reach: OAuthReach;
  private token: string | null = null;
  private scopes: readonly string[] = [];
  private client: RegisteredClient | null = null;

  constructor(egress: Egress, person: OAuthPerson) {
    this.egress = egress;
    this.person = person;
    this.reach = oauthReach(egress, systemClock, "conformance");
  }

  async open(request: EgressRequest): Promise<EgressStream> {
    for (let step = 0; ; step++) {
      const answer = await this.egress.open(this.withToken(request));
      if (answer.kind === "failed") return answer;
      const challenge = await challengeIn(answer);
      if (challenge === null || step === MAX_STEPS) return answer;
      await answer.body.cancel();
      try {
        const target = await discover(this.reach, request.url, challenge);
        const isStepUp = challenge.kind === "insufficient_scope";
        this.scopes = isStepUp ? joinedScopes(this.scopes, scopesOf(challenge.scope ?? "")) : target.scopes;
        this.token = await this.grant(target);
      } catch (error) {
        this.problems.push(error);
        return { kind: "failed", error: "aborted" };
      }
    }
  }

  private async grant(target: AuthorizationTarget): Promise<string> {
    const { known, ...person } = this.person;
    const byHand = known === undefined ? {} : { known: { ...known, issuer: target.issuer } };
    const registration = { redirectUri: CALLBACK, clientName: "Troupe", ...person, ...byHand };
    if (this.client?.issuer !== target.issuer) this.client = await becomeClient(this.reach, target, registration);
    const asked = { redirectUri: CALLBACK, scopes: this.scopes, state: crypto.randomUUID() };
    const { url, pending } = await beginAuthorization(target, this.client, asked);
    const answer = new URL(await browse(url.href)).searchParams;
    return (await finishAuthorization(this.reach, target, this.client, { pending, answer })).accessToken;
  }

  private withToken(request: EgressRequest): EgressRequest {
    if (this.token === null) return request;
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${this.token}` } };
  }

  request(request: EgressRequest) {
    return this.egress.request(this.withToken(request));
  }
  resolve(...given: Parameters<Egress["resolve"]>) {
    return this.egress.resolve(...given);
  }
  close(): void {
    this.egress.close();
  }
}

/** Follows the redirects of a server until it sends the person back. */
async function browse(address: string): Promise<string> {
  let at = address;
  for (let hops = 0; hops < 10 && !at.startsWith(CALLBACK); hops++) {
    const answer = await fetch(at, { redirect: "manual" });
    at = new URL(answer.headers.get("location") ?? "about:blank", at).href;
  }
  return at;
}
