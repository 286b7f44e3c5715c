/**
 * The external services of a run, and the intent of its effect. Every file of the loop imports this one; of them it
 * imports only the slots.
 */
import type { ChatProtocol } from "../../chat/protocol.ts";
import type { Chance, Clock } from "../../runtime/ports.ts";
import { asking, type DispatchGroup } from "../../runtime/turns/members.ts";
import type { Slices } from "../../runtime/fairness/slices.ts";
import type { TextWriter, WrittenText } from "../../runtime/streams/text-writer.ts";
import type { ModelPort, OutputPort, ProviderKeys, ToolPort } from "../ports.ts";
import type { UsageProtocol } from "../../usage/protocol.ts";
import type { JobProtocol, Transcripts } from "../protocol.ts";
import type { JobPriority } from "../terms.ts";
import type { RetrySettings } from "./retry-policy.ts";
import type { Slots } from "./slots.ts";
import type { Job } from "../schema.ts";
import type { RuleChecks } from "../rules/judging.ts";

export interface RunServices {
  readonly models: ModelPort;
  /** Absent: all calls use the operator's keys. */
  readonly providerKeys?: ProviderKeys;
  readonly tools: ToolPort;
  readonly outputs: OutputPort;
  /** Checks conditions of approval rules; absent: all of them are in doubt. */
  readonly ruleChecks?: RuleChecks;
  readonly transcripts: Transcripts;
  readonly slots: Slots;
  /** The slices in which all runs report and call tools (`RUN_SLICE`); absent: no slicing. */
  readonly runSlices?: Slices;
  /** Model calls of a job whose budget and agent set no number (RUN-3). */
  readonly steps: number;
  readonly retry: RetrySettings;
  readonly clock: Clock;
  /** For the jitter of pauses. */
  readonly chance: Pick<Chance, "fraction">;
  /** Late-bound, because the system is created with this handler. */
  readonly group: DispatchGroup;
  /** The system's `textWriter`; late-bound too. */
  readonly textWriter: (text: WrittenText) => Pick<TextWriter, "add">;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** Members of the groups of a run. */
export const askJob = asking<JobProtocol>();
export const askChat = asking<ChatProtocol>();
export const askUsage = asking<UsageProtocol>();

/** The intent of a `run`: the job's data that is needed before it has a slot. */
export interface JobRunIntent {
  readonly attempt: number;
  readonly priority: JobPriority;
  /** When the job was created, ISO 8601. */
  readonly since: string;
  /** If the run starts the job: the model that its agent names. */
  readonly begins?: string | null;
  /** If the job belongs to a trace: that trace, and the agent and chat of the run. */
  readonly begun?: { readonly trace: string; readonly agentId: string; readonly chatId: string };
}

/** The context in which a job's tools act. */
export const toolContextOf = ({ organizationId, createdBy: userId, agent, id: jobId, missionId }: Job) => ({
  organizationId,
  userId,
  agentId: agent.id,
  jobId,
  missionId,
});

/** The origin of its model calls, for the log. */
export const modelCallOrigin = ({ organizationId, id: jobId, requestId }: Job) => ({
  organizationId,
  jobId,
  requestId,
});
