/** The nouns that an organization's traffic actor owns: the rate windows of its identities. */
import { type ActorRef, table } from "../runtime/actor.ts";
import { RecordBase, type Static, Type } from "../schema.ts";

/** What is reserved of an identity's budget; how much of that is spent is only in mind. Its id is the identity's: a token's, for example. */
export const RateWindow = Type.Object({
  ...RecordBase,
  /** Windows since the epoch. */
  window: Type.Integer({ minimum: 0 }),
  /** Requests of this window that may have been admitted. */
  reserved: Type.Integer({ minimum: 0 }),
});
export type RateWindow = Static<typeof RateWindow>;

export const rateWindowTable = table<RateWindow>("rate_window");

/** An organization has one; its id differs from the organization's, whose actor has that one. */
export const trafficRef = (organizationId: string): ActorRef<"traffic"> => ({
  kind: "traffic",
  organizationId,
  id: "traffic",
});
