/**
 * Session ids of the older era. An id is what the client has said in `initialize`, sealed for its organization and
 * user: it opens for nobody else, holds over a restart and on every replica, and costs no memory, however many a
 * client opens and forgets. Until a client waits, subscribes, listens or ends it, that is all there is of its session.
 */
import { CLIENT_SESSION_MS } from "../../actors/traffic/policy.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import type { Clock } from "../../actors/runtime/clock.ts";
import type { JsonObject } from "../../actors/schema.ts";
import type { SessionName } from "../../actors/traffic/protocol.ts";
import type { Sealing } from "../../actors/sealing.ts";

/** Characters of what the client has said of itself that an id carries; more is left out. */
const SAID_CHARACTERS = 2_048;
/** Characters of the hash of an id that tell sessions of one person apart. */
const KEY_CHARACTERS = 22;

/** What `initialize` has settled. */
export interface SessionTerms {
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly clientInfo: { readonly name: string; readonly version: string };
}

export class SessionIds {
  private readonly sealing: Sealing;
  private readonly clock: Pick<Clock, "now">;

  constructor({ sealing, clock }: { readonly sealing: Sealing; readonly clock: Pick<Clock, "now"> }) {
    this.sealing = sealing;
    this.clock = clock;
  }

  make(by: Principal, terms: SessionTerms): string {
    const isLong = JSON.stringify(terms).length > SAID_CHARACTERS;
    const kept = isLong ? { ...terms, capabilities: {}, clientInfo: UNNAMED } : terms;
    const session: Sealed = { ...kept, openedAt: this.clock.now() };
    return this.sealing.seal("mcp_session", JSON.stringify(session), contextOf(by));
  }

  /** This person's session; null for an id that is none, is somebody else's, or is too old. */
  open(by: Principal, id: string): OpenedSession | null {
    const text = this.sealing.open("mcp_session", id, contextOf(by));
    if (text === null) return null;
    const { openedAt, ...terms } = JSON.parse(text) as Sealed;
    if (this.clock.now() - openedAt >= CLIENT_SESSION_MS) return null;
    const key = new Bun.CryptoHasher("sha256").update(id).digest("base64url").slice(0, KEY_CHARACTERS);
    return { id, terms, name: { userId: by.userId, key, openedAt } };
  }
}

/** The session that an id encodes. */
export interface OpenedSession {
  readonly id: string;
  readonly terms: SessionTerms;
  /** What it is known by where something of it is kept. */
  readonly name: SessionName;
}

interface Sealed extends SessionTerms {
  /** Wall clock in ms. */
  readonly openedAt: number;
}

const UNNAMED = { name: "client", version: "0" };

/** A client's tokens change while its session goes on; its person does not. */
const contextOf = ({ organizationId, userId }: Principal): readonly string[] => [organizationId, userId];
