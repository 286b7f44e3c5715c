/**
 * Delegation to another agent, over the actors (port: `src/runner/tools/delegate.ts`). The ids of the child's chat and
 * job derive from the key of the tool call, and one commit contains the parent's record of the child, the chat, its
 * message and the job. So a later attempt finds all of them or none.
 */
import { type Fault, ok, type Outcome, refuse } from "../../actors/fault.ts";
import { childTerms } from "../../actors/job/delegation.ts";
import { isSettled } from "../../actors/job/machine.ts";
import { type Job, jobRef } from "../../actors/job/schema.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { ActorRef } from "../../actors/runtime/actor.ts";
import { Backoff, type BackoffParts } from "../../actors/runtime/backoff.ts";
import { followedBy } from "../../actors/runtime/turns/members.ts";
import { ask, type TroupeSystem } from "../../actors/troupe.ts";
import { keyedId, prepareWork, type WorkServices } from "../work/prepared-work.ts";
import type { Delegation, DelegationService } from "../runner/tools/delegate.ts";
import { systemChance, systemClock } from "./clock.ts";
import { untilServiceDecides } from "../runner/tools/tool.ts";

const PAUSES: BackoffParts = { clock: systemClock, chance: systemChance };
/** The pause before the child is read again, if its events could not be read. */
const REREAD = { firstMs: 250, lastMs: 250 };

export function actorDelegation(parts: WorkServices): DelegationService {
  return {
    async delegate(delegation, signal) {
      const { context, key, host } = delegation;
      const child = jobRef(context.organizationId, delegatedId("job", key));
      const read = (): Promise<Outcome<Job>> => parts.system.dispatch(child, { kind: "read_job" });
      const known = await untilServiceDecides({ pauses: PAUSES, signal }, read);
      if (!known.ok) {
        if (known.fault.kind !== "not_found") return known;
        const begun = await beginChild(parts, delegation, signal);
        if (!begun.ok) return begun;
      }
      const job = known.ok ? known : await untilServiceDecides({ pauses: PAUSES, signal }, read);
      if (!job.ok) return job;
      host.log("info", `Waiting for ${job.value.agent.name}: ${child.id}`);
      host.waits();
      return settledChild(parts.system, child, signal);
    },
  };
}

/** The job goes on, but nothing new begins for a person who was removed (AUTH-19). */
const OF_NOBODY = {
  kind: "forbidden",
  message:
    "The person for whom this job works is no longer a member of the organization, so no new work begins for them",
} as const satisfies Fault;

/** Creates the child in one commit with its parent's record of it. Idempotent. */
async function beginChild(
  services: WorkServices,
  { context, agentId, message, key }: Delegation,
  signal: AbortSignal,
): Promise<Outcome<null>> {
  const { organizationId, userId, agentId: fromAgentId, jobId: parentId } = context;
  const member = await untilServiceDecides({ pauses: PAUSES, signal }, () =>
    services.system.dispatch(organizationRef(organizationId), { kind: "read_member", userId }),
  );
  if (!member.ok) return member.fault.kind === "not_found" ? refuse(OF_NOBODY) : member;
  const work = await untilServiceDecides({ pauses: PAUSES, signal }, () =>
    prepareWork(services, { by: { organizationId, userId }, agent: agentId }),
  );
  if (!work.ok) return work;
  const jobId = delegatedId("job", key);
  const made = await untilServiceDecides({ pauses: PAUSES, signal }, () =>
    services.system.dispatchGroup(
      followedBy(ask(jobRef(organizationId, parentId), { kind: "delegate", key, childJobId: jobId }), (parent) =>
        work.value.firstMessage({
          chatId: delegatedId("cht", key),
          jobId,
          opening: { workspaceId: parent.workspaceId ?? "", title: work.value.agent.name },
          content: message,
          sender: { type: "agent", id: fromAgentId },
          terms: childTerms(parent),
        }),
      ),
    ),
  );
  return made.ok ? ok(null) : made;
}

/** Waits until the child is settled, reading it again after each of its events. */
async function settledChild(system: TroupeSystem, child: ActorRef<"job">, signal: AbortSignal): Promise<Outcome<Job>> {
  for (;;) {
    const job = await untilServiceDecides({ pauses: PAUSES, signal }, () =>
      system.dispatch(child, { kind: "read_job" }),
    );
    if (!job.ok || isSettled(job.value.status) || signal.aborted) return job;
    await untilChanged(system, child, { after: job.value.lastSeq, signal });
  }
}

/** Resolves with the next event of the job, or when the signal aborts. */
async function untilChanged(
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
    // The database was unavailable: the next read of the job decides.
    await new Backoff(PAUSES, REREAD).pause(signal);
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
}

const delegatedId = (prefix: "job" | "cht", key: string): string => keyedId(prefix, { purpose: "delegation", key });
