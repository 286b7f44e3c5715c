/**
 * The job's actor: one execution of an agent's turn. It decides; the runner's loop (`execution.ts`)
 * does. Every report of the loop carries the attempt: one of an older attempt is refused, so a loop
 * that has outlived its job can do no harm.
 */
import type { ActorDefinition } from "../runtime/actor.ts";
import { controlHandlers } from "./control.ts";
import type { JobLimits } from "./limits.ts";
import type { JobProtocol } from "./protocol.ts";
import { reportHandlers } from "./reports.ts";
import { jobTable } from "./schema.ts";

/** `limits`: what a job may take unless its budget says otherwise. */
export const jobActor = (limits: JobLimits): ActorDefinition<JobProtocol> => ({
  kind: "job",
  stream: jobTable,
  needs: (ref) => [{ table: jobTable.name, id: ref.id }],
  handlers: { ...reportHandlers(limits), ...controlHandlers },
});
