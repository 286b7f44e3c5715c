/**
 * Port: encryption and keys under the key of the service (RUN-5). Every replica of a database has the
 * same key, so what one has sealed each can open. Each purpose has keys of its own: what is sealed
 * for one is opened for no other, and a key that is handed out tells nothing of the others.
 *
 * While the key is changed there are several: all open, and the present one alone seals.
 */

export type SealingPurpose =
  /** The secrets of an organization. */
  | "secret"
  /** Bodies with a secret that is shown once, kept for a replay. */
  | "replay"
  /** Signing secrets of webhooks. */
  | "webhook"
  /** Forms that a page has given out: nobody else has made them. */
  | "form"
  /** What a browser keeps of a sign-in by the OpenID provider. */
  | "provider_session"
  /** Refresh tokens of OAuth. */
  | "refresh_token"
  /** Signatures of the streams for embedded apps. */
  | "app_stream"
  /** Session ids of MCP. */
  | "mcp_session"
  /** Ids of events in streams of MCP. */
  | "mcp_event"
  /** What a call of MCP that asks its person goes on from. */
  | "mcp_call"
  /** Calls of one replica to another. */
  | "peer"
  /** By which a start notices that it has another key. */
  | "key_check";

/** What the sealed text belongs to, such as the organization and a name: it opens there and nowhere else. */
export type SealingContext = readonly string[];

export interface Sealing {
  /**
   * The text, encrypted and authenticated; another one each time. Some 40 characters and a third longer.
   * Where `under` is given it is part of the key: without it, what was sealed cannot be opened.
   */
  seal(purpose: SealingPurpose, plain: string, context: SealingContext, under?: string): string;
  /** The text, or null where it was sealed under another key, for another purpose or context, or was changed. */
  open(purpose: SealingPurpose, sealed: string, context: SealingContext, under?: string): string | null;
  /** 32 bytes, always the same for one purpose and one key of the service; none that seals. */
  key(purpose: SealingPurpose): Uint8Array;
  /** The same of each key of the service, the present one first: what was signed under any of them counts. */
  keys(purpose: SealingPurpose): readonly [Uint8Array, ...Uint8Array[]];
  /** Whether the text opens under the present key. */
  isPresent(purpose: SealingPurpose, sealed: string, context: SealingContext): boolean;
}

/** A sealed text, and one that says the same under another key. */
export interface Resealed {
  readonly former: string;
  readonly sealed: string;
}

/** Where a secret of an organization is sealed: it opens under its own name only. */
export const secretContext = (organizationId: string, name: string): SealingContext => [organizationId, name];
