/** What a run of a job needs from outside, and what its effect says. Every file of the loop imports this one; it imports none of them but the slots. */
import type { ChatProtocol } from "../../chat/protocol.ts";
import type { Chance, Clock } from "../../runtime/clock.ts";
import { asking, type DispatchGroup } from "../../runtime/members.ts";
import type { Slices } from "../../runtime/slices.ts";
import type { TextWriter, WrittenText } from "../../runtime/text-writer.ts";
import type { ModelPort, OutputPort, ProviderKeys, ToolPort } from "../ports.ts";
import type { UsageProtocol } from "../../usage/protocol.ts";
import type { JobProtocol, Transcripts } from "../protocol.ts";
import type { JobPriority } from "../terms.ts";
import type { RetrySettings } from "./retry-policy.ts";
import type { Slots } from "./slots.ts";

export interface RunServices {
  readonly models: ModelPort;
  /** Absent: all calls are made with the operator's keys. */
  readonly providerKeys?: ProviderKeys;
  readonly tools: ToolPort;
  readonly outputs: OutputPort;
  readonly transcripts: Transcripts;
  readonly slots: Slots;
  /** In which all runs report and call tools (`RUN_SLICE`); absent: at once. */
  readonly runSlices?: Slices;
  /** Model calls of a job whose budget and agent name no number (RUN-3). */
  readonly steps: number;
  readonly retry: RetrySettings;
  readonly clock: Clock;
  /** For the jitter of pauses. */
  readonly chance: Pick<Chance, "fraction">;
  /** Late-bound, because the system is made with this handler. */
  readonly group: DispatchGroup;
  /** The system's `textWriter`; late-bound too. */
  readonly textWriter: (text: WrittenText) => Pick<TextWriter, "add">;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** Members of the groups of a run. */
export const askJob = asking<JobProtocol>();
export const askChat = asking<ChatProtocol>();
export const askUsage = asking<UsageProtocol>();

/** The intent of a `run`: what is known of the job before it has a slot. */
export interface RunIntent {
  readonly attempt: number;
  readonly priority: JobPriority;
  /** When the job was made, ISO 8601. */
  readonly since: string;
  /** Where the run begins the job: the model that its agent names. */
  readonly begins?: string | null;
  /** Where the job belongs to a trace: which one, and whose run it is. */
  readonly begun?: { readonly trace: string; readonly agentId: string; readonly chatId: string };
}
