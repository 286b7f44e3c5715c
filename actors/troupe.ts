/** The kinds of actors of this service, assembled. The only file of `actors/` that knows them all. */
import { chatActor } from "./chat/actor.ts";
import type { ChatProtocol } from "./chat/protocol.ts";
import { jobActor } from "./job/actor.ts";
import type { JobProtocol } from "./job/protocol.ts";
import { organizationActor } from "./organization/actor.ts";
import type { OrganizationProtocol } from "./organization/protocol.ts";
import type { AnyDefinition } from "./runtime/actor.ts";
import type { System } from "./runtime/system.ts";
import { trafficActor } from "./traffic/actor.ts";
import type { TrafficProtocol } from "./traffic/protocol.ts";

/** Actor kinds by name, with what each can be asked. */
export type TroupeProtocols = {
  organization: OrganizationProtocol;
  chat: ChatProtocol;
  job: JobProtocol;
  traffic: TrafficProtocol;
};

export type TroupeSystem = System<TroupeProtocols>;

// A definition's handlers take their own commands; the system has erased the types by then.
export const troupeActors: readonly AnyDefinition[] = [
  organizationActor,
  chatActor,
  jobActor,
  trafficActor,
] as readonly AnyDefinition[];
