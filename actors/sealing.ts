/**
 * Port: encryption, and keys derived from the service's key (RUN-5). All replicas of a database have the same key, so
 * each can open texts that another has sealed. Each purpose has keys of its own: a text sealed for one purpose opens
 * for no other, and an exposed key reveals nothing about the others.
 *
 * During a key rotation there are several keys: all open, and only the current one seals.
 */

export type SealingPurpose =
  /** The secrets of an organization. */
  | "secret"
  /** Bodies with a one-time secret, kept for a replay. */
  | "replay"
  /** Signing secrets of webhooks, and addresses of messengers. */
  | "webhook"
  /** Forms that a page has issued, to prove their origin. */
  | "form"
  /** The browser's state of a sign-in by the OpenID provider. */
  | "provider_session"
  /** Refresh tokens of OAuth. */
  | "refresh_token"
  /** The tokens of connections to tool servers, and the clients that they were issued to. */
  | "connection"
  /** The keys that sign who acts. */
  | "agent_identity"
  /** Signatures of the streams for embedded apps. */
  | "app_stream"
  /** Session ids of MCP. */
  | "mcp_session"
  /** Ids of events in streams of MCP. */
  | "mcp_event"
  /** The state of an MCP call that waits for its person's answer. */
  | "mcp_call"
  /** Calls of one replica to another. */
  | "peer"
  /** Detects at start that the key has changed. */
  | "key_check";

/** What the sealed text belongs to, such as an organization and a name: it opens only in this context. */
export type SealingContext = readonly string[];

export interface Sealing {
  /**
   * Encrypts and authenticates the text, with a different result each time: a third longer plus about 40 characters. If
   * `under` is given, it is part of the key: without it the result cannot be opened.
   */
  seal(purpose: SealingPurpose, plain: string, context: SealingContext, under?: string): string;
  /** The text; null if it was sealed under another key, purpose or context, or was changed. */
  open(purpose: SealingPurpose, sealed: string, context: SealingContext, under?: string): string | null;
  /** 32 bytes, always the same for one purpose and one key of the service; it differs from the key that seals. */
  key(purpose: SealingPurpose): Uint8Array;
  /** One for each key of the service, the current one first: signatures under any of them are valid. */
  keys(purpose: SealingPurpose): readonly [Uint8Array, ...Uint8Array[]];
  /** Whether the text opens under the current key. */
  isPresent(purpose: SealingPurpose, sealed: string, context: SealingContext): boolean;
}

/** A sealed text, and the same text sealed under another key. */
export interface Resealed {
  readonly former: string;
  readonly sealed: string;
}

/** The context of an organization's secret: it opens only under its own name. */
export const secretContext = (organizationId: string, name: string): SealingContext => [organizationId, name];

/** Compares hashes and signatures in a time that does not depend on where they differ (AUTH-1). */
export function isSameHash(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
