/**
 * Finds an agent for its reader (V1-1, V1-5): first in the reader's own organization, without a look-up; otherwise in
 * the organization that owns it, whose actor decides whether this reader may see it.
 */
import { notFound, ok, type Outcome } from "../../actors/fault.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import { type Agent, organizationRef } from "../../actors/organization/schema.ts";
import { ask, type TroupeSystem } from "../../actors/troupe.ts";
import { type KeptAsk, keptAsk } from "../../actors/runtime/turns/kept-reply.ts";
import { BoundedMap } from "../../actors/bounded-map.ts";
import type { HttpLog } from "../log/port.ts";
import { lookUp } from "../log/look-up.ts";
import { type MaybePromise, whenReady } from "../../actors/maybe-promise.ts";

/** Foreign agents whose organization is cached; the owner of an id never changes. */
export const REMEMBERED_AGENTS = 10_000;
/** Cached questions for agents: about 5 MiB when full. */
const REMEMBERED_QUESTIONS = 10_000;
/** Text that cannot be an id is not looked up. */
const AGENT_ID_SHAPE = /^[A-Za-z0-9_-]{1,64}$/;
export const isAgentId = (text: string): boolean => AGENT_ID_SHAPE.test(text);

type AgentReader = Pick<Principal, "organizationId" | "userId">;

export interface AgentFinderParts {
  readonly system: TroupeSystem;
  readonly directory: Pick<Directory, "findAgent">;
  readonly log: HttpLog;
}

export class AgentFinder {
  private readonly parts: AgentFinderParts;
  private readonly owners = new BoundedMap<string>(REMEMBERED_AGENTS);
  private readonly questions = new BoundedMap<KeptAsk<Agent>>(REMEMBERED_QUESTIONS);

  constructor(parts: AgentFinderParts) {
    this.parts = parts;
  }

  /** The agent, if this reader may read and execute it. */
  find(by: AgentReader, agentId: string): MaybePromise<Outcome<Agent>> {
    if (!isAgentId(agentId)) return notFound("agent");
    return whenReady(this.read(by.organizationId, by, agentId), (own) =>
      own.ok || own.fault.kind !== "not_found" ? own : this.elsewhere(by, agentId),
    );
  }

  /** An agent that the reader's organization does not have. */
  private async elsewhere(by: AgentReader, agentId: string): Promise<Outcome<Agent>> {
    const owner = await this.ownerOf(agentId);
    if (!owner.ok) return owner;
    const isNowhere = owner.value === null || owner.value === by.organizationId;
    return isNowhere ? notFound("agent") : this.read(owner.value, by, agentId);
  }

  private read(organizationId: string, by: AgentReader, agentId: string): MaybePromise<Outcome<Agent>> {
    return this.parts.system.dispatchKept(this.questionOf(organizationId, by, agentId));
  }

  /** The question of this reader for the agent, cached so that its reply can be kept. */
  private questionOf(organizationId: string, by: AgentReader, agentId: string): KeptAsk<Agent> {
    const name = `read_agent ${organizationId} ${by.organizationId} ${by.userId} ${agentId}`;
    const known = this.questions.get(name);
    if (known !== undefined) return known;
    // Only the fields that the actor needs, because a command's size is counted each time.
    const who = { organizationId: by.organizationId, userId: by.userId };
    const question = keptAsk(ask(organizationRef(organizationId), { kind: "read_agent", by: who, agentId }), name);
    this.questions.set(name, question);
    return question;
  }

  private async ownerOf(agentId: string): Promise<Outcome<string | null>> {
    const known = this.owners.get(agentId);
    if (known !== undefined) return ok(known);
    const found = await lookUp(this.parts.log, this.parts.directory.findAgent(agentId));
    if (!found.ok || found.value === null) return found.ok ? ok(null) : found;
    this.owners.set(agentId, found.value.organizationId);
    return ok(found.value.organizationId);
  }
}
