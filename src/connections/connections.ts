/**
 * Connections to tool servers: a person's consent (ACC-8), and trying what it gave. The state is with the connection's
 * actor; this is the I/O around it.
 *
 *   begin ─▶ the person's browser ─▶ finish
 *
 * Guarantees: a code is sent to its server at most once; what a person may read has no secret.
 */
import type {
  ConnectionDirectory,
  ConnectionOrigin,
  ConnectionUser,
  SealedTokens,
} from "../../actors/connection/protocol.ts";
import {
  type AuthClient,
  type Connection,
  connectionRef,
  MAX_CONNECTIONS,
  OF_ORGANIZATION,
} from "../../actors/connection/schema.ts";
import { notFound, ok, type Outcome, refuse } from "../../actors/fault.ts";
import { isIdOf } from "../../actors/ids.ts";
import { untilDecided } from "../../actors/runtime/backoff.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Egress } from "../egress/egress.ts";
import { AccessedRequests, type AccessParts, connectionIdOf } from "./accessed-requests.ts";
import {
  type SecretReader,
  isOwnersToMend,
  readClientSecret,
  withClientSecret,
  withoutClientSecret,
} from "./client-secret.ts";
import { askedChallenge } from "./oauth/challenge.ts";
import { beginAuthorization, finishAuthorization, type OAuthTokens } from "./oauth/client.ts";
import { discover } from "./oauth/discovery.ts";
import { AuthorizationFault } from "./oauth/fault.ts";
import { type OAuthReach, oauthReach } from "./oauth/reach.ts";
import { becomeClient } from "./oauth/registration.ts";
import { joinedScopes, scopesOf, withOfflineAccess } from "./oauth/scope.ts";
import { type KnownClient, SealedGrant } from "./sealed-grant.ts";

/** The name that authorization servers show to people. */
const CLIENT_NAME = "Troupe";

/** How long the tokens of a consent are offered to the actor while it cannot take them. */
const STORING = { firstMs: 100, lastMs: 2_000, limitMs: 60_000 };
const STATE_BYTES = 32;

export interface ConnectionsParts extends AccessParts {
  readonly egress: Pick<Egress, "open" | "request" | "resolve">;
  readonly clock: Pick<Clock, "now">;
  readonly secrets: SecretReader;
  readonly connections: Pick<ConnectionDirectory, "connectionsOf">;
  readonly addresses: ConnectionAddresses;
}

/** Addresses of the service, which are known once its port is open. */
export interface ConnectionAddresses {
  /** The page where a person gives the connection with this id. */
  page(id: string): string;
  /** Where people come back from an authorization server. */
  callback(): string;
  /** The document about the service as a client, whose address is its client id. */
  clientDocument(): string;
}

/** A person, and the organization that they act in. */
export interface ConnectionCaller extends ConnectionUser {
  readonly organizationId: string;
}

/** And where the request comes from, for the audit. */
export type ConsentingCaller = ConnectionCaller & { readonly origin: ConnectionOrigin };

/** What a consent page tells a person. */
export type ConsentStep<T> =
  | ({ readonly kind: "done" } & T)
  /** It did not work; the words are for the person. */
  | { readonly kind: "failed"; readonly message: string };

/** What a trial has shown. */
export type TrialResult = "accepted" | "refused" | "unreachable" | "not_connected";
/** A person waits for it. */
const TRIAL_LIMITS = { timeoutMs: 10_000, maxResponseBytes: 64 * 1_024 };

export class Connections {
  private readonly parts: ConnectionsParts;
  /** Consents whose code is being redeemed, by the state: a page that is loaded twice waits for the same answer. */
  private readonly finishing = new Map<string, Promise<ConsentStep<{ readonly connection: Connection }>>>();

  /** Requests with the access of connections. */
  readonly requests: AccessedRequests;

  constructor(parts: ConnectionsParts) {
    this.parts = parts;
    this.requests = new AccessedRequests(parts);
  }

  /** The connection of this owner to this address, whether or not it exists. */
  readonly idOf = connectionIdOf;

  linkOf(id: string): string {
    return this.parts.addresses.page(id);
  }

  /** Finds the server, and makes the address to which the person goes. */
  async begin(
    by: ConnectionCaller,
    id: string,
  ): Promise<Outcome<ConsentStep<{ readonly url: string; readonly issuer: string; readonly connection: Connection }>>> {
    const ref = connectionRef(by.organizationId, id);
    const found = await this.parts.system.dispatch(ref, { kind: "read_connection", by: connectionUserOf(by) });
    if (!found.ok) return found;
    const connection = found.value;
    if (connection.tokens === null && (await this.isOneTooMany(connection)))
      return ok({ kind: "failed", message: TOO_MANY_CONNECTIONS });
    const grant = this.grantOf(connection);
    try {
      const reach = this.reachOf(by.organizationId);
      const { resourceMetadata, askedScopes, scopes: granted } = connection;
      const challenge =
        resourceMetadata === null ? await askedChallenge(reach, connection.resource) : { resourceMetadata };
      const target = await discover(reach, connection.resource, challenge);
      const asked = joinedScopes(granted, askedScopes.length === 0 ? target.scopes : askedScopes);
      const known = await this.clientFor(reach, { ...target }, connection);
      const state = `${id}.${Buffer.from(crypto.getRandomValues(new Uint8Array(STATE_BYTES))).toString("base64url")}`;
      const { url, pending } = await beginAuthorization(target, known.client, {
        redirectUri: known.redirectUri,
        scopes: withOfflineAccess(asked, target.server.scopes_supported),
        state,
      });
      const begun = await this.parts.system.dispatch(ref, {
        kind: "begin_consent",
        by: connectionUserOf(by),
        stateHash: stateHashOf(state),
        sealed: grant.seal("consent", { ...withoutClientSecret(known), pending }),
        issuer: target.issuer,
      });
      return begun.ok ? ok({ kind: "done", url: url.href, issuer: target.issuer, connection: begun.value }) : begun;
    } catch (error) {
      if (error instanceof AuthorizationFault) return ok({ kind: "failed", message: error.message });
      throw error;
    }
  }

  /** The browser is back from the authorization server, with these parameters. */
  async finish(
    by: ConsentingCaller,
    answer: URLSearchParams,
  ): Promise<Outcome<ConsentStep<{ readonly connection: Connection }>>> {
    const state = answer.get("state") ?? "";
    const id = state.split(".", 1)[0] ?? "";
    if (!isIdOf("con", id)) return notFound("connection");
    const ref = connectionRef(by.organizationId, id);
    const stateHash = stateHashOf(state);
    const taken = await this.parts.system.dispatch(ref, { kind: "take_consent", by: connectionUserOf(by), stateHash });
    if (!taken.ok) return taken;
    if (taken.value.kind === "redeem") {
      const redeeming = this.redeem(by, { id, stateHash, sealed: taken.value.sealed, answer }).finally(() =>
        this.finishing.delete(stateHash),
      );
      this.finishing.set(stateHash, redeeming);
      return ok(await redeeming);
    }
    if (taken.value.kind === "unknown") return ok((await this.finishing.get(stateHash)) ?? LOST_ANSWER);
    const connection = await this.parts.system.dispatch(ref, { kind: "read_connection", by: connectionUserOf(by) });
    return connection.ok ? ok({ kind: "done", connection: connection.value }) : connection;
  }

  /** Sends one request with the access. */
  async tryOut(
    by: ConnectionCaller,
    id: string,
  ): Promise<
    Outcome<{ readonly result: TrialResult; readonly status: number | null; readonly connection: Connection }>
  > {
    const ref = connectionRef(by.organizationId, id);
    const read = () => this.parts.system.dispatch(ref, { kind: "read_connection", by: connectionUserOf(by) });
    const found = await read();
    if (!found.ok) return found;
    const { ownerId, resource, resourceMetadata, client = null } = found.value;
    if (ownerId === OF_ORGANIZATION && !by.isOwner) return refuse({ kind: "owner_required" });
    const owner = ownerId === OF_ORGANIZATION ? "organization" : "person";
    const subject = { name: new URL(resource).host, resource, owner, scopes: [], client } as const;
    const need = { ...this.requests.needOf(subject, by), resourceMetadata };
    const sent = await this.requests.withAccess({ organizationId: by.organizationId, need }, (token) =>
      this.parts.egress.open({
        url: resource,
        method: "GET",
        headers: { accept: "application/json, text/event-stream", authorization: `Bearer ${token}` },
        limits: TRIAL_LIMITS,
        lane: by.organizationId,
      }),
    );
    if (sent.kind === "answered" && sent.answer.kind === "response") await sent.answer.body.cancel();
    const after = await read();
    if (!after.ok) return after;
    const connection = after.value;
    if (sent.kind !== "answered") {
      const hadAccess = found.value.status === "connected";
      const result = sent.kind === "unavailable" ? "unreachable" : hadAccess ? "refused" : "not_connected";
      return ok({ result, status: null, connection });
    }
    const { answer } = sent;
    return answer.kind === "failed"
      ? ok({ result: "unreachable", status: null, connection })
      : ok({ result: "accepted", status: answer.status, connection });
  }

  /** The person does not want the connection: the jobs that wait go on without it. */
  deny(by: ConnectionCaller, id: string): Promise<Outcome<Connection>> {
    return this.parts.system.dispatch(connectionRef(by.organizationId, id), {
      kind: "refuse_consent",
      by: connectionUserOf(by),
      stateHash: null,
      message: "The connection was denied",
    });
  }

  private async redeem(
    by: ConsentingCaller,
    consent: {
      readonly id: string;
      readonly stateHash: string;
      readonly sealed: string;
      readonly answer: URLSearchParams;
    },
  ): Promise<ConsentStep<{ readonly connection: Connection }>> {
    const { id, stateHash, sealed, answer } = consent;
    const { system, pauses } = this.parts;
    const ref = connectionRef(by.organizationId, id);
    const grant = this.grantOf({ organizationId: by.organizationId, id });
    const begun = grant.open("consent", sealed);
    if (begun === null) return LOST_ANSWER;
    const { pending, ...known } = begun;
    try {
      const { target, client } = await withClientSecret(this.parts.secrets, by.organizationId, known);
      const tokens = await finishAuthorization(this.reachOf(by.organizationId), target, client, { pending, answer });
      const command = {
        kind: "finish_consent",
        by: connectionUserOf(by),
        stateHash,
        issuer: target.issuer,
        sealedClient: grant.seal("client", known),
        tokens: sealTokens(grant, tokens, pending.scopes),
        origin: by.origin,
      } as const;
      // The server has issued the tokens and will not do so again: they are offered until the actor decides. It takes
      // them once, so an offer whose outcome is unknown is repeated too. Nothing is ever revoked here.
      const stored = await untilDecided(pauses, STORING, new AbortController().signal, () =>
        system.dispatch(ref, command),
      );
      return stored.ok ? { kind: "done", connection: stored.value } : LOST_ANSWER;
    } catch (error) {
      if (!(error instanceof AuthorizationFault)) throw error;
      if (error.kind === "refused" && !isOwnersToMend(known, error))
        await system.dispatch(ref, {
          kind: "refuse_consent",
          by: connectionUserOf(by),
          stateHash,
          message: error.message.replace(/\.$/, ""),
        });
      return { kind: "failed", message: error.message };
    }
  }

  /** The service as a client of this server: as before, if the server is the same; else newly registered. */
  private async clientFor(
    reach: OAuthReach,
    target: KnownClient["target"],
    connection: Connection,
  ): Promise<KnownClient> {
    const { addresses, clock } = this.parts;
    const redirectUri = addresses.callback();
    const { sealedClient, client: byHand } = connection;
    if (byHand !== undefined)
      return this.clientByHand(reach, { target, redirectUri }, connection.organizationId, byHand);
    const known = sealedClient === null ? null : this.grantOf(connection).open("client", sealedClient);
    const isSame = known?.client.issuer === target.issuer && known.redirectUri === redirectUri;
    const isValid = Date.parse(known?.client.secretExpiresAt ?? "9999-12-31") > clock.now();
    if (known !== null && isSame && isValid) return { target, client: known.client, redirectUri };
    const clientMetadataUrl = addresses.clientDocument();
    const client = await becomeClient(reach, target, { redirectUri, clientName: CLIENT_NAME, clientMetadataUrl });
    return { target, client, redirectUri };
  }

  /** The client that an owner has registered, with the present value of its secret. */
  private async clientByHand(
    reach: OAuthReach,
    { target, redirectUri }: Pick<KnownClient, "target" | "redirectUri">,
    organizationId: string,
    { issuer, id: clientId, secret: secretName }: AuthClient,
  ): Promise<KnownClient> {
    const clientSecret =
      secretName === undefined ? undefined : await readClientSecret(this.parts.secrets, organizationId, secretName);
    const known = { issuer, clientId, ...(clientSecret === undefined ? {} : { clientSecret }) };
    const client = await becomeClient(reach, target, { redirectUri, clientName: CLIENT_NAME, known });
    return { target, client, redirectUri, ...(secretName === undefined ? {} : { secretName }) };
  }

  /** Jobs may ask for more than an owner can have; those cannot be connected. */
  private async isOneTooMany({ organizationId, ownerId }: Connection): Promise<boolean> {
    const of = { organizationId, userId: ownerId };
    return (await this.parts.connections.connectionsOf(of, "", MAX_CONNECTIONS + 1)).length > MAX_CONNECTIONS;
  }

  private grantOf({ organizationId, id }: { readonly organizationId: string; readonly id: string }): SealedGrant {
    return new SealedGrant(this.parts.sealing, organizationId, id);
  }

  private reachOf(organizationId: string): OAuthReach {
    return oauthReach(this.parts.egress, this.parts.clock, organizationId);
  }
}

/** The tokens of an answer; a server that does not name the scopes has granted what was asked for. */
export const sealTokens = (
  grant: SealedGrant,
  { accessToken, refreshToken, expiresAt, scope }: OAuthTokens,
  asked: readonly string[],
): SealedTokens => ({
  sealed: grant.seal("tokens", { accessToken, ...(refreshToken === undefined ? {} : { refreshToken }) }),
  expiresAt: expiresAt ?? null,
  isRefreshable: refreshToken !== undefined,
  scopes: scope === undefined ? [...asked] : scopesOf(scope),
});

const TOO_MANY_CONNECTIONS = `There are ${MAX_CONNECTIONS} connections already. Delete some that are not needed, and connect again.`;

const LOST_ANSWER = {
  kind: "failed",
  message: "The answer of the authorization server was lost. Connect again: nothing is wrong with your account.",
} as const;

const connectionUserOf = ({ userId, isOwner }: ConnectionCaller): ConnectionUser => ({ userId, isOwner });
const stateHashOf = (state: string): string => new Bun.CryptoHasher("sha256").update(state).digest("hex");
