/** Counts invariant violations, for one organization or, for an operator, for all (JOB-4). */
import type { JobDirectory } from "../../actors/job/directory.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";

export interface InvariantCheck {
  readonly name: string;
  readonly count: number;
}

/** Throws if the database cannot be reached. `organizationId` null: all organizations. */
export async function countViolations(
  { system, jobs }: { readonly system: TroupeSystem; readonly jobs: JobDirectory },
  organizationId: string | null,
): Promise<readonly InvariantCheck[]> {
  const { runningWithoutEffect, effectsWithoutJob, endedWithEffect } = await jobs.countBroken(organizationId);
  return [
    { name: "running_jobs_without_owner", count: runningWithoutEffect },
    { name: "work_without_job", count: effectsWithoutJob },
    { name: "ended_jobs_with_work", count: endedWithEffect },
    { name: "parked_messages", count: system.parkedMessages(organizationId) },
  ];
}
