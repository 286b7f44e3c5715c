/** The kinds of actors of this service, assembled. The only file of `actors/` that knows them all. */
import { accountActor } from "./account/actor.ts";
import type { AccountProtocol } from "./account/protocol.ts";
import { chatActor } from "./chat/actor.ts";
import type { ChatProtocol } from "./chat/protocol.ts";
import { connectionActor } from "./connection/actor.ts";
import type { ConnectionProtocol } from "./connection/protocol.ts";
import { jobActor } from "./job/actor.ts";
import { DEFAULT_JOB_LIMITS, type JobLimits } from "./job/limits.ts";
import type { JobProtocol } from "./job/protocol.ts";
import { missionActor } from "./mission/actor.ts";
import type { Calendar } from "./mission/ports.ts";
import type { MissionProtocol } from "./mission/protocol.ts";
import { organizationActor } from "./organization/actor.ts";
import type { OrganizationProtocol } from "./organization/protocol.ts";
import { reachActor } from "./reach/actor.ts";
import type { ReachProtocol } from "./reach/protocol.ts";
import type { ActorRef, AnyDefinition, CommandOf, ReplyOf } from "./runtime/actor.ts";
import type { System } from "./runtime/system.ts";
import type { Ask } from "./runtime/turns/members.ts";
import { trafficActor } from "./traffic/actor.ts";
import type { TrafficProtocol } from "./traffic/protocol.ts";
import { uploadActor } from "./upload/actor.ts";
import type { UploadProtocol } from "./upload/protocol.ts";
import { usageActor } from "./usage/actor.ts";
import type { UsageProtocol } from "./usage/protocol.ts";
import { workspaceActor } from "./workspace/actor.ts";
import { DEFAULT_WORKSPACE_LIMITS, type WorkspaceLimits } from "./workspace/limits.ts";
import type { WorkspaceProtocol } from "./workspace/protocol.ts";
import { webhookActor } from "./webhook/actor.ts";
import type { WebhookProtocol } from "./webhook/protocol.ts";

/** Actor kinds by name, with the protocol of each. */
export type TroupeProtocols = {
  account: AccountProtocol;
  organization: OrganizationProtocol;
  chat: ChatProtocol;
  connection: ConnectionProtocol;
  job: JobProtocol;
  mission: MissionProtocol;
  reach: ReachProtocol;
  traffic: TrafficProtocol;
  upload: UploadProtocol;
  usage: UsageProtocol;
  webhook: WebhookProtocol;
  workspace: WorkspaceProtocol;
};

export type TroupeSystem = System<TroupeProtocols>;

/** The operator's settings of actors; the same on every replica. */
export interface ActorSettings {
  /** Default tokens of an organization in a month; null: unlimited. */
  readonly monthlyTokens: number | null;
  /** Default cost of an organization in a month, in the currency of the price table; null: unlimited. */
  readonly monthlyCost?: string | null;
  /** Default limits of one job, unless its budget overrides them. */
  readonly jobLimits: JobLimits;
  /** Whether there is a mail server for approvals; absent: none. */
  readonly hasMail?: boolean;
  /** Limits of one workspace; absent: the default. */
  readonly workspaceLimits?: WorkspaceLimits;
}

/** What the actors are created with; omitted settings have their defaults. */
export interface TroupeActorParts extends Partial<ActorSettings> {
  readonly calendar: Calendar;
}

/** A member of a turn group, with the type of its reply. */
export const ask = <K extends keyof TroupeProtocols, C extends CommandOf<TroupeProtocols[K]>>(
  ref: ActorRef<K>,
  command: C,
): Ask<ReplyOf<TroupeProtocols[K], C>> => ({ ref, command });

// A definition's handlers take their own commands; the system has erased the types by then.
export const troupeActors = ({
  calendar,
  monthlyTokens = null,
  monthlyCost = null,
  jobLimits = DEFAULT_JOB_LIMITS,
  workspaceLimits = DEFAULT_WORKSPACE_LIMITS,
  hasMail = false,
}: TroupeActorParts): readonly AnyDefinition[] =>
  [
    accountActor,
    organizationActor,
    chatActor,
    connectionActor,
    jobActor(jobLimits),
    missionActor(calendar),
    reachActor(hasMail),
    trafficActor,
    uploadActor,
    usageActor({ monthlyTokens, monthlyCost }),
    webhookActor,
    workspaceActor(workspaceLimits),
  ] as readonly AnyDefinition[];
