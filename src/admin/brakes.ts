/**
 * The operator's brakes: suspend an organization, cancel its jobs, disable an agent. They are in force when the
 * command answers: the organization's actor refuses every request, open streams end, and each unfinished job
 * has been asked to stop.
 */
import { jobRef } from "../../actors/job/schema.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { AdminArguments, AdminParts } from "../service/admin-door.ts";
import { cancellingSteps } from "../work/sending.ts";
import { requiredOption } from "./arguments.ts";
import { doneCommand } from "./command-answer.ts";
import { type AdminCommand, organizationOf, valueOrRefuse } from "./subjects.ts";

/** Jobs per query. */
const BRAKED_JOBS_PAGE = 500;
/** Jobs cancelled at once: enough to share a commit, not enough to flood the actors. */
const CANCELLED_AT_ONCE = 50;

export const BRAKES: Readonly<Record<string, AdminCommand>> = {
  async "org suspend"(parts, given) {
    const { id, name } = await setSuspended(parts, given, true);
    const count = await cancelJobs(parts, id, null);
    return doneCommand(
      `${name} is suspended: its tokens are refused, its streams have ended, ${cancelledJobs(count)}.\nNext: bun run admin org resume --org ${id}`,
      { id, name, state: "suspended", cancelled_jobs: count },
    );
  },

  async "org resume"(parts, given) {
    const { id, name } = await setSuspended(parts, given, false);
    return doneCommand(`${name} is active. Cancelled jobs stay cancelled.`, { id, name, state: "active" });
  },

  async "jobs cancel"(parts, given) {
    const organization = await organizationOf(parts.directory, given);
    const agentId = given.options["agent"] ?? null;
    const count = await cancelJobs(parts, organization.id, agentId);
    // The name is shown, so that a mistyped id is noticed: an agent of another organization has jobs here too, so no id
    // is unknown.
    const ofAgent = agentId === null ? "" : `, agent ${agentId}`;
    return doneCommand(`${organization.name}${ofAgent}: ${cancelledJobs(count)}.`, {
      organization_id: organization.id,
      agent_id: agentId,
      cancelled_jobs: count,
    });
  },

  async "agent disable"(parts, given) {
    const { organizationId, id, name } = await setDisabled(parts, given, true);
    const count = await cancelJobs(parts, organizationId, id);
    return doneCommand(
      `Agent ${id} (${name}) is disabled: it begins no work, ${cancelledJobs(count)}.\nNext: bun run admin agent enable --org ${organizationId} --id ${id}`,
      { id, name, state: "disabled", cancelled_jobs: count },
    );
  },

  async "agent enable"(parts, given) {
    const { id, name } = await setDisabled(parts, given, false);
    return doneCommand(`Agent ${id} (${name}) is enabled.`, { id, name, state: "enabled" });
  },
};

export async function setSuspended(parts: AdminParts, given: AdminArguments, isSuspended: boolean) {
  const { id } = await organizationOf(parts.directory, given);
  const organization = valueOrRefuse(
    await parts.system.dispatch(organizationRef(id), { kind: "set_suspended", isSuspended }),
  );
  parts.onSuspended(id, isSuspended);
  return organization;
}

async function setDisabled(parts: AdminParts, given: AdminArguments, isDisabled: boolean) {
  const { id } = await organizationOf(parts.directory, given);
  const agentId = requiredOption(given, "id");
  return valueOrRefuse(await parts.system.dispatch(organizationRef(id), { kind: "set_disabled", agentId, isDisabled }));
}

/** Cancels queued, running and blocked jobs until none is left; returns how many it cancelled. */
export async function cancelJobs(parts: AdminParts, organizationId: string, agentId: string | null): Promise<number> {
  let count = 0;
  for (;;) {
    // The list comes from the tables, so commits in flight must finish first.
    valueOrRefuse(await parts.system.settled(organizationId));
    const jobs = await parts.jobs.unfinished(organizationId, { agentId }, BRAKED_JOBS_PAGE);
    if (jobs.length === 0) return count;
    for (let at = 0; at < jobs.length; at += CANCELLED_AT_ONCE) {
      await Promise.all(
        jobs.slice(at, at + CANCELLED_AT_ONCE).map((jobId) => cancelRunningJob(parts, organizationId, jobId)),
      );
    }
    count += jobs.length;
  }
}

/**
 * Cancels job and chat in one commit if this process owns the organization. Otherwise it asks the job alone,
 * which informs its chat: a group that depends on a reply cannot be sent to another replica. A job that has
 * ended meanwhile is no error.
 */
async function cancelRunningJob({ system }: AdminParts, organizationId: string, jobId: string): Promise<void> {
  if (!system.serves(organizationId)) {
    valueOrRefuse(await system.dispatch(jobRef(organizationId, jobId), { kind: "cancel", unlessOver: true }));
    return;
  }
  valueOrRefuse(await system.dispatchGroup(cancellingSteps({ organizationId, id: jobId })));
}

const cancelledJobs = (count: number): string =>
  count === 0 ? "no job was queued, running or blocked" : `${count} ${count === 1 ? "job was" : "jobs were"} cancelled`;
