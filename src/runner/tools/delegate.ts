/** `delegate`: gives a part of the work to another agent, waits for it to end, and returns its answer. */
import type { Outcome } from "../../../actors/fault.ts";
import type { ToolContext, ToolHost, ToolResult } from "../../../actors/job/ports.ts";
import type { Job } from "../../../actors/job/schema.ts";
import { Type } from "../../../actors/schema.ts";
import { faultWords } from "./fault-words.ts";
import { defineTool, failure, success, type Tool } from "./tool.ts";

/** Bytes of a message in UTF-8 are at most four times these characters, which is what a chat takes. */
const MAX_MESSAGE_CHARS = 65_536;

/** One delegation, in each of its attempts. */
export interface Delegation {
  readonly context: ToolContext;
  readonly agentId: string;
  readonly message: string;
  /** `<job>:<step>:<call>`: the same key names the same child (JOB-7). */
  readonly key: string;
  readonly host: ToolHost;
}

/** What `delegate` needs from the service; the composition root implements it over the actors. */
export interface DelegationService {
  /**
   * Starts the child job of this key, or joins an existing one, and resolves when it has ended or waits for a person.
   * An agent that this user may not execute is not found. After `signal` aborts, it resolves soon with the child's
   * present state.
   */
  delegate(delegation: Delegation, signal: AbortSignal): Promise<Outcome<Job>>;
}

export const delegateTool = (service: DelegationService): Tool =>
  defineTool({
    name: "delegate",
    description:
      "Gives a part of the work to another agent and answers with its result. The agent knows nothing of this conversation: say everything that it needs. list_agents lists the agents.",
    input: Type.Object({
      agent_id: Type.String({ minLength: 1, maxLength: 64, description: "The id of the agent" }),
      message: Type.String({ minLength: 1, maxLength: MAX_MESSAGE_CHARS, description: "The task for the agent" }),
    }),
    access: "granted",
    // Each attempt joins the child that the first one started.
    safeToRepeat: true,
    async run({ agent_id: agentId, message }, { context, idempotencyKey: key, host, signal }) {
      const outcome = await service.delegate({ context, agentId, message, key, host }, signal);
      if (!outcome.ok) return failure(faultWords(outcome.fault));
      return resultOfChild(outcome.value);
    },
  });

/** The child's result for the parent's model. */
function resultOfChild(job: Job): ToolResult {
  const { agent, status, result, blockedReason, error } = job;
  const answer = (result ?? "").trim();
  const partial = answer === "" ? "" : ` So far it said: ${answer}`;
  const where = `the job ${job.id} of ${agent.name}`;
  switch (status) {
    case "completed":
      return success(answer === "" ? "(The agent finished without a text.)" : answer);
    case "failed":
      return failure(`The work failed in ${where}: ${error?.message ?? "no reason is known"}.${partial}`);
    case "cancelled":
    case "cancelling":
      return failure(`The work was cancelled in ${where}.${partial}`);
    case "blocked":
    case "needs_review":
      return failure(
        `The work is not finished: ${where} waits for a person (${(blockedReason ?? "review").replaceAll("_", " ")}).${partial}`,
      );
    case "queued":
    case "running":
      return failure(`The call was stopped before ${where} had ended.`);
  }
}
