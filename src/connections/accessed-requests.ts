/**
 * Requests to tool servers with the access of a connection (ACC-10). A token that has nearly expired is renewed before
 * the request. A token that the server refuses is renewed once. After that, a person must give the access again.
 *
 *   withAccess ─▶ token ─▶ request ─ refused ─▶ renewed once ─▶ request ─ refused ─▶ lacking
 *
 * The token is sent only by the caller's `send`, which knows the address that it is for.
 */
import { type AuthClient, type ConnectionOwner, connectionRef, ownerIdOf } from "../../actors/connection/schema.ts";
import { isPassing } from "../../actors/fault.ts";
import { ID_LENGTH } from "../../actors/ids.ts";
import type { ConnectionNeed } from "../../actors/job/terms.ts";
import { Backoff, type BackoffParts } from "../../actors/runtime/backoff.ts";
import type { Sealing } from "../../actors/sealing.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { challengeIn } from "./oauth/challenge.ts";
import { joinedScopes, scopesOf } from "./oauth/scope.ts";
import { SealedGrant } from "./sealed-grant.ts";

/** Between two questions whether a refresh is over. */
const REFRESH_LOOKS = { firstMs: 20, lastMs: 250 };
/** How long a request waits for its token. */
const TOKEN_WAIT_MS = 60_000;

export interface AccessParts {
  readonly system: Pick<TroupeSystem, "dispatch">;
  readonly sealing: Sealing;
  /** The pauses of waits, in real time. */
  readonly pauses: BackoffParts;
  readonly addresses: {
    /** The page where a person gives the connection with this id. */
    page(id: string): string;
  };
}

/** A server or tool of an agent that needs access. */
export interface AccessSubject {
  readonly name: string;
  readonly resource: string;
  readonly owner: ConnectionOwner;
  readonly scopes: readonly string[];
  readonly client: AuthClient | null;
}

type TokenAnswer =
  | { readonly kind: "ready"; readonly token: string; readonly generation: number; readonly scopes: readonly string[] }
  | { readonly kind: "lacking" }
  | { readonly kind: "unavailable" };

/** An answer of the egress, as far as access depends on it. */
interface ServerHead {
  readonly kind: "response";
  readonly status: number;
  readonly headers: Headers;
  readonly body?: unknown;
}

export type Accessed<A> =
  | { readonly kind: "answered"; readonly answer: A }
  | { readonly kind: "lacking"; readonly need: ConnectionNeed }
  /** The authorization server cannot be reached, and the token has expired. */
  | { readonly kind: "unavailable" };

export class AccessedRequests {
  private readonly parts: AccessParts;

  constructor(parts: AccessParts) {
    this.parts = parts;
  }

  /** What a job of this user lacks if it has no access to the subject. */
  needOf(
    { name, resource, owner, scopes, client }: AccessSubject,
    { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
  ): ConnectionNeed {
    const ownerId = ownerIdOf(owner, userId);
    const connectionId = connectionIdOf(organizationId, ownerId, resource, client);
    return {
      connectionId,
      name,
      resource,
      owner,
      ownerId,
      scopes: [...scopes],
      resourceMetadata: null,
      ...(client === null ? {} : { client }),
      link: this.parts.addresses.page(connectionId),
    };
  }

  /**
   * Sends a request with the access token. A token that the server does not accept is renewed once; if it is refused
   * then too, or more scopes are needed, the connection is lacking. `send` does not reject.
   */
  async withAccess<A extends ServerHead | { readonly kind: "failed" }>(
    { organizationId, need }: { readonly organizationId: string; readonly need: ConnectionNeed },
    send: (token: string) => Promise<A>,
    signal?: AbortSignal,
  ): Promise<Accessed<A>> {
    const ref = connectionRef(organizationId, need.connectionId);
    for (let spent: number | null = null; ;) {
      const token = await this.token(organizationId, need.connectionId, { spent, signal });
      if (token.kind === "lacking") return { kind: "lacking", need };
      if (token.kind === "unavailable") return { kind: "unavailable" };
      const answer = await send(token.token);
      const challenge = answer.kind === "failed" ? null : await challengeIn(answer);
      if (challenge === null) return { kind: "answered", answer };
      if ("body" in answer && answer.body instanceof ReadableStream) await answer.body.cancel().catch(() => {});
      // What it asks for is stored and shown: an echo of the token must not be.
      const { resourceMetadata = null } = challenge;
      const asked = scopesOf(challenge.scope ?? "").filter((scope) => !scope.includes(token.token));
      const hasAll = asked.every((scope) => token.scopes.includes(scope));
      const more = {
        ...need,
        scopes: joinedScopes(need.scopes, asked),
        resourceMetadata: resourceMetadata?.includes(token.token) === true ? null : resourceMetadata,
      };
      if (challenge.kind === "insufficient_scope" && (!hasAll || spent !== null))
        return { kind: "lacking", need: more };
      if (spent !== null) {
        await this.parts.system.dispatch(ref, { kind: "reject_connection", generation: token.generation });
        return { kind: "lacking", need: more };
      }
      spent = token.generation;
    }
  }

  /** The token, renewed if it has nearly expired or if its generation is `spent`. */
  private async token(
    organizationId: string,
    id: string,
    { spent, signal }: { readonly spent: number | null; readonly signal: AbortSignal | undefined },
  ): Promise<TokenAnswer> {
    const { system, pauses } = this.parts;
    const backoff = new Backoff(pauses, REFRESH_LOOKS);
    const until = pauses.clock.monotonic() + TOKEN_WAIT_MS;
    for (;;) {
      const use = await system.dispatch(connectionRef(organizationId, id), { kind: "use_connection", spent });
      if (!use.ok && !isPassing(use.fault)) return { kind: "unavailable" };
      if (use.ok && use.value.kind === "ready") {
        const { sealed, generation, scopes } = use.value;
        const kept = new SealedGrant(this.parts.sealing, organizationId, id).open("tokens", sealed);
        return kept === null ? { kind: "unavailable" } : { kind: "ready", token: kept.accessToken, generation, scopes };
      }
      if (use.ok && use.value.kind === "lacking") return { kind: "lacking" };
      if (use.ok && use.value.kind === "unavailable") return { kind: "unavailable" };
      if (pauses.clock.monotonic() > until || signal?.aborted === true) return { kind: "unavailable" };
      await backoff.pause(signal);
    }
  }
}

/**
 * The id of a connection, which follows from its owner, the address of its server and a client that was registered by
 * hand: nobody has to look it up, and another client never gets the tokens of the former one. `ownerId`: a user's id, or
 * `organization`. 126 bits of a hash, so two servers never share an id.
 */
export function connectionIdOf(
  organizationId: string,
  ownerId: string,
  resource: string,
  client: AuthClient | null = null,
): string {
  const ofClient = client === null ? [] : [client.issuer, client.id, client.secret ?? null];
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify([organizationId, ownerId, resource, ...ofClient]));
  return `con_${hash.digest("base64url").slice(0, ID_LENGTH)}`;
}
