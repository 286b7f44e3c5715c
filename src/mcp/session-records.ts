/** What outlives the process of a session, in the organization's actor (MCP-1, MCP-6). */
import type { Outcome } from "../../actors/fault.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import type { SessionName, TrafficReplies } from "../../actors/traffic/protocol.ts";
import { trafficRef } from "../../actors/traffic/schema.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";

export class SessionRecords {
  private readonly system: Pick<TroupeSystem, "dispatch">;

  constructor(system: Pick<TroupeSystem, "dispatch">) {
    this.system = system;
  }

  find({ organizationId }: Principal, session: SessionName): Promise<Outcome<TrafficReplies["find_session"]>> {
    return this.system.dispatch(trafficRef(organizationId), { kind: "find_session", session });
  }

  /** Ends the session: its id is invalid from then on, at every replica and after any restart. */
  end({ organizationId }: Principal, session: SessionName): Promise<Outcome<null>> {
    return this.system.dispatch(trafficRef(organizationId), { kind: "end_session", session });
  }

  subscribe({ organizationId }: Principal, session: SessionName, uri: string): Promise<Outcome<null>> {
    return this.system.dispatch(trafficRef(organizationId), { kind: "subscribe", session, uri });
  }

  unsubscribe({ organizationId }: Principal, session: SessionName, uri: string): Promise<Outcome<null>> {
    return this.system.dispatch(trafficRef(organizationId), { kind: "unsubscribe", session, uri });
  }
}
