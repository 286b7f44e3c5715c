/**
 * Session ids of the older era. An id is what the client sent in `initialize`, sealed for its organization and user.
 * So nobody else can use it, it survives restarts, works on every replica, and takes no memory, however many a
 * client opens and abandons. Until a client waits, subscribes, listens or ends it, a session is nothing else.
 */
import { isInitializeRequest } from "@modelcontextprotocol/server";
import { CLIENT_SESSION_MS } from "../../actors/traffic/policy.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import { type Clock, CLOCK_SKEW_MS } from "../../actors/runtime/ports.ts";
import type { JsonObject } from "../../actors/schema.ts";
import type { SessionName } from "../../actors/traffic/protocol.ts";
import type { Sealing } from "../../actors/sealing.ts";

/** Characters of the client's self-description that an id carries; the rest is left out. */
const TERMS_CHARACTERS = 2_048;
/** Characters of the id's hash that distinguish sessions of one person. */
const KEY_CHARACTERS = 22;

/** The terms that `initialize` has settled. */
export interface SessionTerms {
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly clientInfo: { readonly name: string; readonly version: string };
}

/** The client's terms, if the message opens a session; else null. The SDK answers an error to invalid terms. */
export function termsIn(message: unknown): SessionTerms | null {
  if (!isInitializeRequest(message)) return null;
  const { protocolVersion, capabilities, clientInfo } = message.params;
  const { name, version } = clientInfo;
  return { protocolVersion, capabilities: capabilities as JsonObject, clientInfo: { name, version } };
}

export class SessionIds {
  private readonly sealing: Sealing;
  private readonly clock: Pick<Clock, "now">;

  constructor({ sealing, clock }: { readonly sealing: Sealing; readonly clock: Pick<Clock, "now"> }) {
    this.sealing = sealing;
    this.clock = clock;
  }

  make(by: Principal, terms: SessionTerms): string {
    const isLong = JSON.stringify(terms).length > TERMS_CHARACTERS;
    const kept = isLong ? { ...terms, capabilities: {}, clientInfo: UNNAMED } : terms;
    const session: Sealed = { ...kept, openedAt: this.clock.now() };
    return this.sealing.seal("mcp_session", JSON.stringify(session), sessionContext(by));
  }

  /** The person's session; null if the id is invalid, somebody else's, too old, or from the future. */
  open(by: Principal, id: string): OpenedSession | null {
    const text = this.sealing.open("mcp_session", id, sessionContext(by));
    if (text === null) return null;
    const { openedAt, ...terms } = JSON.parse(text) as Sealed;
    const ageMs = this.clock.now() - openedAt;
    // A session from the future was opened under a wrong clock: it would outlive its time by that much.
    if (ageMs >= CLIENT_SESSION_MS || ageMs < -CLOCK_SKEW_MS) return null;
    const key = new Bun.CryptoHasher("sha256").update(id).digest("base64url").slice(0, KEY_CHARACTERS);
    return { id, terms, name: { userId: by.userId, key, openedAt } };
  }
}

/** The session behind an id. */
export interface OpenedSession {
  readonly id: string;
  readonly terms: SessionTerms;
  /** Names the session wherever something of it is stored. */
  readonly name: SessionName;
}

interface Sealed extends SessionTerms {
  /** Wall clock in ms. */
  readonly openedAt: number;
}

const UNNAMED = { name: "client", version: "0" };

/** A client may change its token during a session, but not its person. */
const sessionContext = ({ organizationId, userId }: Principal): readonly string[] => [organizationId, userId];
