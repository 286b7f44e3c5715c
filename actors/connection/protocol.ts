/** The commands and replies of a connection's actor. Whatever is secret in them is sealed. */
import type { Connection, ConnectionEnd, AuthClient } from "./schema.ts";
import type { OrganizationCommand } from "../organization/protocol.ts";
import type { Page, PageRequest } from "../page.ts";
import type { Resealed } from "../sealing.ts";

/** Where a change comes from, for the audit. */
export type ConnectionOrigin = Extract<OrganizationCommand, { readonly kind: "note" }>["origin"];

/** Who asks, and whether they may act for the organization. */
export interface ConnectionUser {
  readonly userId: string;
  readonly isOwner: boolean;
}

/** The subject of a connection: with it, a connection that does not exist yet is created. */
export interface ConnectionSubject {
  readonly ownerId: string;
  readonly resource: string;
  /** Scopes that are needed. */
  readonly scopes: readonly string[];
  readonly resourceMetadata: string | null;
  /** The client that was registered by hand; null: the service registers itself. The connection's id depends on it. */
  readonly client: AuthClient | null;
}

/** New tokens, sealed. */
export interface SealedTokens {
  readonly sealed: string;
  /** ISO 8601; null: the server did not say. */
  readonly expiresAt: string | null;
  readonly isRefreshable: boolean;
  readonly scopes: readonly string[];
}

/** What is revoked at its server, sealed, and how often that was tried. */
export interface RevocationIntent {
  readonly sealed: string;
  readonly sealedClient: string;
  readonly attempt: number;
}

/** How a refresh went. */
export type RefreshOutcome =
  /** `sealedClient`: to whom they were issued, so that they can be revoked if nobody wants them any more. */
  | { readonly kind: "refreshed"; readonly tokens: SealedTokens; readonly sealedClient: string }
  | { readonly kind: "refused"; readonly message: string }
  /** Nothing usable was answered, perhaps after the server had replaced the refresh token. */
  | { readonly kind: "failed" };

export type ConnectionCommand =
  | { readonly kind: "read_connection"; readonly by: ConnectionUser }
  /** A person asks for the connection, before any job does. */
  | { readonly kind: "want_connection"; readonly by: ConnectionUser; readonly subject: ConnectionSubject }
  /** A message: the job waits for it. */
  | { readonly kind: "await_connection"; readonly jobId: string; readonly subject: ConnectionSubject }
  | {
      readonly kind: "begin_consent";
      readonly by: ConnectionUser;
      readonly stateHash: string;
      readonly sealed: string;
      readonly issuer: string;
    }
  /** The browser is back: the code may be sent to the server, once. */
  | { readonly kind: "take_consent"; readonly by: ConnectionUser; readonly stateHash: string }
  | {
      readonly kind: "finish_consent";
      readonly by: ConnectionUser;
      readonly stateHash: string;
      readonly issuer: string;
      readonly sealedClient: string;
      readonly tokens: SealedTokens;
      readonly origin: ConnectionOrigin;
    }
  /** The person does not want it, or the server did not grant it. Without a state, whichever consent is open. */
  | {
      readonly kind: "refuse_consent";
      readonly by: ConnectionUser;
      readonly stateHash: string | null;
      readonly message: string;
    }
  /**
   * The access token for a request. `spent`: the server did not accept the token of this generation, so it is renewed.
   */
  | { readonly kind: "use_connection"; readonly spent: number | null }
  /** The server did not accept a renewed token. */
  | { readonly kind: "reject_connection"; readonly generation: number }
  | {
      readonly kind: "end_refresh";
      readonly effectId: string;
      readonly generation: number;
      readonly outcome: RefreshOutcome;
    }
  /** The process or epoch of the refresh has ended. */
  | { readonly kind: "recover_refresh"; readonly effectId: string }
  | { readonly kind: "remove_connection"; readonly by: ConnectionUser; readonly origin: ConnectionOrigin }
  /**
   * Its person was removed from the organization (ACC-15) at this time. What was connected later is of a person who is
   * back, and stays.
   */
  | { readonly kind: "forsake_connection"; readonly removedAt: string; readonly origin: ConnectionOrigin }
  /** `again`: the process of the revocation has ended, so it is tried once more. */
  | { readonly kind: "end_revocation"; readonly effectId: string; readonly again: RevocationIntent | null }
  /** For the handlers of effects, and for reading the client that a consent reuses. */
  | { readonly kind: "read_sealed_connection" }
  | { readonly kind: "reseal_connection"; readonly resealed: readonly Resealed[] };

/** What a request can use. */
export type ConnectionUse =
  | { readonly kind: "ready"; readonly sealed: string; readonly generation: number; readonly scopes: readonly string[] }
  /** Ask again in a moment. */
  | { readonly kind: "refreshing" }
  /** The server cannot be reached: ask again after this time. */
  | { readonly kind: "unavailable"; readonly retryAt: string }
  /** A person must consent. */
  | { readonly kind: "lacking" };

/** Whether the code of a consent may be sent. */
export type TakenConsent =
  | { readonly kind: "redeem"; readonly sealed: string }
  /** It has given the tokens already. */
  | { readonly kind: "finished" }
  /** Its code was sent, and the answer is lost: sending it again would make the server revoke what it has issued. */
  | { readonly kind: "unknown" };

export interface ConnectionProtocol {
  readonly command: ConnectionCommand;
  readonly replies: {
    read_connection: Connection;
    want_connection: Connection;
    await_connection: null;
    begin_consent: Connection;
    take_consent: TakenConsent;
    finish_consent: Connection;
    refuse_consent: Connection;
    use_connection: ConnectionUse;
    reject_connection: null;
    end_refresh: { readonly ended: ConnectionEnd | null };
    recover_refresh: null;
    remove_connection: Connection;
    forsake_connection: null;
    end_revocation: null;
    read_sealed_connection: Connection | null;
    reseal_connection: number;
  };
}

/** Lists of connections. */
export interface ConnectionDirectory {
  /** Those of this person and of the organization, newest first. */
  pageConnections(
    of: { readonly organizationId: string; readonly userId: string },
    page: PageRequest,
  ): Promise<Page<Connection>>;
  /** Ids of those of a person, after this one, in order: at most `limit`. */
  connectionsOf(
    of: { readonly organizationId: string; readonly userId: string },
    after: string,
    limit: number,
  ): Promise<readonly string[]>;
}
