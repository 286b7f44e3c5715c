/**
 * The job's actor: one execution of an agent's turn. The actor decides; the runner's loop (`execution.ts`) acts. Every
 * report of the loop carries the attempt, and a report of an older attempt is refused, so a loop that outlives its job
 * does no harm.
 */
import type { ActorDefinition } from "../runtime/actor.ts";
import { jobControlHandlers } from "./control.ts";
import type { JobLimits } from "./limits.ts";
import type { JobProtocol } from "./protocol.ts";
import { reportHandlers } from "./reports.ts";
import { jobTable } from "./schema.ts";

/** `limits`: the limits of a job whose budget does not override them. */
export const jobActor = (limits: JobLimits): ActorDefinition<JobProtocol> => ({
  kind: "job",
  stream: jobTable,
  needs: (ref) => [{ table: jobTable.name, id: ref.id }],
  handlers: { ...reportHandlers(limits), ...jobControlHandlers },
});
