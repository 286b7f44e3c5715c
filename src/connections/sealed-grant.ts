/** What is sealed for a connection: its tokens, the client that they were issued to, and a consent that is under way. */
import { connectionContext } from "../../actors/connection/schema.ts";
import type { Sealing } from "../../actors/sealing.ts";
import type { OAuthTokens, PendingAuthorization } from "./oauth/client.ts";
import type { AuthorizationTarget } from "./oauth/discovery.ts";
import type { RegisteredClient } from "./oauth/registration.ts";

/** An authorization server, and the service as its client. */
export interface KnownClient {
  readonly target: AuthorizationTarget;
  readonly client: RegisteredClient;
  /** The address to which people come back, with which the client was registered. */
  readonly redirectUri: string;
  /** The name of the secret of a client that was registered by hand; `client` then has no secret while it is kept. */
  readonly secretName?: string;
}

export interface BegunConsent extends KnownClient {
  readonly pending: PendingAuthorization;
}

export type KeptTokens = Pick<OAuthTokens, "accessToken" | "refreshToken">;

interface SealedKinds {
  readonly client: KnownClient;
  readonly consent: BegunConsent;
  readonly tokens: KeptTokens;
}

/** Seals and opens the texts of one connection. */
export class SealedGrant {
  private readonly sealing: Sealing;
  private readonly context: readonly string[];

  constructor(sealing: Sealing, organizationId: string, id: string) {
    this.sealing = sealing;
    this.context = connectionContext(organizationId, id);
  }

  /** Each kind has a name inside, so that a text of one kind is not taken for another. */
  seal<K extends keyof SealedKinds>(kind: K, value: SealedKinds[K]): string {
    return this.sealing.seal("connection", JSON.stringify({ kind, value }), this.context);
  }

  /** Null if it cannot be opened, or is another kind of text. */
  open<K extends keyof SealedKinds>(kind: K, sealed: string): SealedKinds[K] | null {
    const text = this.sealing.open("connection", sealed, this.context);
    if (text === null) return null;
    const opened = JSON.parse(text) as { readonly kind: string; readonly value: SealedKinds[K] };
    return opened.kind === kind ? opened.value : null;
  }
}
