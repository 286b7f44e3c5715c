/**
 * Session ids of the older era. An id is what the client has said in `initialize`, sealed for its organization and
 * user: it opens for nobody else, holds over a restart and on every replica, and costs no memory, however many a
 * client opens and forgets. Until a client waits, subscribes or listens, that is all there is of its session.
 */
import type { Principal } from "../../actors/organization/principal.ts";
import type { Clock } from "../../actors/runtime/clock.ts";
import type { JsonObject } from "../../actors/schema.ts";
import type { Sealing } from "../../actors/sealing.ts";

/** An id opens for 30 days: longer than any client keeps one. */
const LIFE_MS = 30 * 24 * 60 * 60 * 1_000;
/** Characters of what the client has said of itself that an id carries; more is left out. */
const SAID_CHARACTERS = 2_048;

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

  /** The terms of this person's session; null for an id that is none, is somebody else's, or is too old. */
  open(by: Principal, id: string): SessionTerms | null {
    const text = this.sealing.open("mcp_session", id, contextOf(by));
    if (text === null) return null;
    const session = JSON.parse(text) as Sealed;
    return this.clock.now() - session.openedAt < LIFE_MS ? session : null;
  }
}

interface Sealed extends SessionTerms {
  /** Wall clock in ms. */
  readonly openedAt: number;
}

const UNNAMED = { name: "client", version: "0" };

/** A client's tokens change while its session goes on; its person does not. */
const contextOf = ({ organizationId, userId }: Principal): readonly string[] => [organizationId, userId];
