/**
 * Delegation to another agent (port: `src/runner/tools/delegate.ts`), over the actors. The child's chat
 * and job have ids that come from the key of the tool call; the parent's note of the child, the chat,
 * its message and the job are one commit. So whenever a process dies, a later attempt finds all or none.
 */
import { ok, type Outcome } from "../actors/fault.ts";
import { childTerms } from "../actors/job/delegation.ts";
import { isTerminal } from "../actors/job/machine.ts";
import type { ModelPort } from "../actors/job/ports.ts";
import { type AgentSnapshot, type Job, jobRef } from "../actors/job/schema.ts";
import { chatRef } from "../actors/chat/schema.ts";
import type { ActorRef } from "../actors/runtime/actor.ts";
import { ask, type TroupeSystem } from "../actors/troupe.ts";
import type { AgentFinder } from "./http/agent-finder.ts";
import { snapshotOf } from "./http/agent-snapshot.ts";
import { withinBudget } from "./http/budget.ts";
import type { Delegation, DelegationService } from "./runner/tools/delegate.ts";
import { patiently } from "./runner/tools/patience.ts";

/** Characters of the random part of an id. */
const ID_CHARACTERS = 21;

/** Before the child is asked again where its events could not be read. */
const REREAD_MS = 250;

interface DelegationParts {
  /** Late-bound: the runner is made before the system that runs it. */
  readonly system: () => TroupeSystem;
  readonly agents: () => Pick<AgentFinder, "find">;
  readonly models: Pick<ModelPort, "describe">;
}

export function actorDelegation(parts: DelegationParts): DelegationService {
  return {
    async delegate(delegation, signal) {
      const { context, key, host } = delegation;
      const child = jobRef(context.organizationId, idOf("job", key));
      const read = (): Promise<Outcome<Job>> => parts.system().dispatch(child, { kind: "read_job" });
      const known = await patiently(signal, read);
      if (!known.ok) {
        if (known.fault.kind !== "not_found") return known;
        const begun = await begin(parts, delegation, signal);
        if (!begun.ok) return begun;
      }
      const job = known.ok ? known : await patiently(signal, read);
      if (!job.ok) return job;
      host.log("info", `Waiting for ${job.value.agent.name}: ${child.id}`);
      host.waits();
      return standing(parts.system(), child, signal);
    },
  };
}

/** Makes the child in one commit with its parent's note of it; once, whoever does it again. */
async function begin(
  { system, agents, models }: DelegationParts,
  { context, agentId, message, key }: Delegation,
  signal: AbortSignal,
): Promise<Outcome<null>> {
  const { organizationId, userId, agentId: fromAgentId, jobId: parentId } = context;
  const agent = await patiently(signal, () => executable({ agents, models }, { organizationId, userId }, agentId));
  if (!agent.ok) return agent;
  const allowed = await patiently(signal, () => withinBudget(system(), organizationId));
  if (!allowed.ok) return allowed;
  const jobId = idOf("job", key);
  const made = await patiently(signal, () =>
    system().dispatchGroup([
      ask(jobRef(organizationId, parentId), { kind: "delegate", key, childJobId: jobId }),
      ([reply]) => {
        const parent = reply as Job;
        return ask(chatRef(organizationId, idOf("cht", key)), {
          kind: "send_once",
          open: { workspaceId: parent.workspaceId ?? "", title: agent.value.name },
          agent: agent.value,
          content: message,
          userId,
          fromAgentId,
          jobId,
          terms: childTerms(parent),
        });
      },
    ]),
  );
  return made.ok ? ok(null) : made;
}

/** The agent as the child keeps it, when this user may execute it and its model can be reached. */
async function executable(
  { agents, models }: Pick<DelegationParts, "agents" | "models">,
  by: { readonly organizationId: string; readonly userId: string },
  agentId: string,
): Promise<Outcome<AgentSnapshot>> {
  const agent = await agents().find(by, agentId);
  if (!agent.ok) return agent;
  const model = models.describe(agent.value.model);
  return model.ok ? ok(snapshotOf(agent.value, by.organizationId)) : model;
}

const isStanding = ({ status }: Job): boolean =>
  isTerminal(status) || status === "blocked" || status === "needs_review";

/** The child once it has come to a stand. Reads it again with each of its events, and not in between. */
async function standing(system: TroupeSystem, child: ActorRef<"job">, signal: AbortSignal): Promise<Outcome<Job>> {
  for (;;) {
    const job = await patiently(signal, () => system.dispatch(child, { kind: "read_job" }));
    if (!job.ok || isStanding(job.value) || signal.aborted) return job;
    await changed(system, child, { after: job.value.lastSeq, signal });
  }
}

/** Resolves with the next event of the job, or when the signal aborts. */
async function changed(
  system: TroupeSystem,
  child: ActorRef<"job">,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal },
): Promise<void> {
  const events = system.subscribe(child, after);
  const close = (): void => events.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    for (;;) {
      const items = await events.next();
      if (items.length === 0 || items.some((item) => item.kind === "event")) return;
    }
  } catch {
    // The database was away: the job itself is asked again, and says what there is to say.
    await new Promise<void>((resolve) => setTimeout(resolve, REREAD_MS));
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
}

const idOf = (prefix: "job" | "cht", key: string): string =>
  `${prefix}_${new Bun.CryptoHasher("sha256").update(`delegation\n${prefix}\n${key}`).digest("base64url").slice(0, ID_CHARACTERS)}`;
