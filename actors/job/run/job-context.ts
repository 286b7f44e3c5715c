/** For whom the calls of a job are made: its tools, and its model. */
import type { Job } from "../schema.ts";

/** The context in which its tools act. */
export const contextOf = ({ organizationId, createdBy: userId, agent, id: jobId, missionId }: Job) => ({
  organizationId,
  userId,
  agentId: agent.id,
  jobId,
  missionId,
});

/** The origin of its model calls, for the log. */
export const originOf = ({ organizationId, id: jobId, requestId }: Job) => ({ organizationId, jobId, requestId });
