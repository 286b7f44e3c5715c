/** The kinds of actors of this service, assembled. The only file of `actors/` that knows them all. */
import { chatActor } from "./chat/actor.ts";
import type { ChatProtocol } from "./chat/protocol.ts";
import { jobActor } from "./job/actor.ts";
import { type JobLimits, USUAL_JOB_LIMITS } from "./job/limits.ts";
import type { JobProtocol } from "./job/protocol.ts";
import { organizationActor } from "./organization/actor.ts";
import type { OrganizationProtocol } from "./organization/protocol.ts";
import type { ActorRef, AnyDefinition, CommandOf, ReplyOf } from "./runtime/actor.ts";
import type { System } from "./runtime/system.ts";
import type { Member } from "./runtime/turns.ts";
import { trafficActor } from "./traffic/actor.ts";
import type { TrafficProtocol } from "./traffic/protocol.ts";
import { usageActor } from "./usage/actor.ts";
import type { UsageProtocol } from "./usage/protocol.ts";
import { webhookActor } from "./webhook/actor.ts";
import type { WebhookProtocol } from "./webhook/protocol.ts";

/** Actor kinds by name, with what each can be asked. */
export type TroupeProtocols = {
  organization: OrganizationProtocol;
  chat: ChatProtocol;
  job: JobProtocol;
  traffic: TrafficProtocol;
  usage: UsageProtocol;
  webhook: WebhookProtocol;
};

export type TroupeSystem = System<TroupeProtocols>;

/** What the operator says to the actors; the same on every replica. */
export interface ActorSettings {
  /** Tokens that an organization without a limit of its own may use in a month; null: any number. */
  readonly monthlyTokens: number | null;
  /** What one job may take unless its budget says otherwise. */
  readonly jobLimits: JobLimits;
}
const USUAL_SETTINGS: ActorSettings = { monthlyTokens: null, jobLimits: USUAL_JOB_LIMITS };

/** A member of a turn group that knows what it will be answered. */
export interface Ask<R> extends Member {
  /** Never there: it only carries the type. */
  readonly reply?: R;
}
export const ask = <K extends keyof TroupeProtocols, C extends CommandOf<TroupeProtocols[K]>>(
  ref: ActorRef<K>,
  command: C,
): Ask<ReplyOf<TroupeProtocols[K], C>> => ({ ref, command });

// A definition's handlers take their own commands; the system has erased the types by then.
export const troupeActors = ({ monthlyTokens, jobLimits }: ActorSettings = USUAL_SETTINGS): readonly AnyDefinition[] =>
  [
    organizationActor,
    chatActor,
    jobActor(jobLimits),
    trafficActor,
    usageActor(monthlyTokens),
    webhookActor,
  ] as readonly AnyDefinition[];
