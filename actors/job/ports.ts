/**
 * The job actor's ports for running a turn of an agent: a model and tools. Both are implemented under `src/runner`.
 * Calls are effects: they run after the commit that intends them, never inside a turn, and their results come back as
 * commands.
 */
import type { Outcome } from "../fault.ts";
import { type AttachmentBlock, type InputBlock, isAttachment, type ModelInput } from "../upload/terms.ts";
import type { JsonObject } from "../schema.ts";
import type { CallSettingName, SetSettings } from "./model-settings.ts";
import type { ConnectionNeed, MadeArtifact, OutputError, JobProgress } from "./terms.ts";
import type { AgentSnapshot, AnswerBlock, Block, CallUsage, RunError, ToolUseBlock } from "./schema.ts";
import type { StopReason } from "./stop-reason.ts";

/** A part of a user's message. */
export type MessagePart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image" | "file";
      /** In lower case and without parameters, such as `image/png`. */
      readonly mediaType: string;
      readonly name?: string;
      /** Whether the answer should cite it, if its provider can. */
      readonly citations?: true;
      /** Never mutated: the provider's format of it is cached as long as this array lives. */
      readonly data: Uint8Array;
    };

/** One entry of the conversation as the model sees it, oldest first. */
export type TranscriptEntry =
  /**
   * `blocks`: the whole message as it is stored, if it is more than text; `text` is then the text among them. The loop
   * handles only these two. Before a call they become `parts`, which have the bytes.
   */
  | {
      readonly role: "user";
      readonly text: string;
      readonly blocks?: readonly InputBlock[] | undefined;
      readonly parts?: readonly MessagePart[];
    }
  /** `resultFiles`: the bytes of images and files of the results among the blocks, before a call. */
  | {
      readonly role: "assistant";
      readonly blocks: readonly Block[];
      readonly resultFiles?: ReadonlyMap<Block, readonly MessagePart[]>;
    };

export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; always an object. */
  readonly inputSchema: JsonObject;
}

/** For whom a model is called: for the log, never sent to the provider. */
export interface CallOrigin {
  readonly organizationId: string;
  readonly jobId: string;
  /** The HTTP request that began the job; null if none did. */
  readonly requestId: string | null;
}

/** The beginning of the call is worth caching, because the next calls repeat it (RUN-30). */
export interface CacheWish {
  /** The same for all calls that share their beginning. */
  readonly key: string;
  /** How long; null: as suits the call. */
  readonly lifetime: "5m" | "1h" | null;
  /** Whether a person may keep the next call waiting. */
  readonly pauses: boolean;
}

/** Keys of organizations for model providers (RUN-5). */
export interface ProviderKeys {
  /** The name of the secret with the key for this provider; null: the operator's key. */
  secretFor(organizationId: string, provider: string): Promise<Outcome<string | null>>;
}

export interface ModelCall {
  readonly origin: CallOrigin;
  /** The organization's secret that holds the key for the call; absent: the operator's key. */
  readonly keySecret?: string;
  /** The key's value. It stays inside the runner: never stored, logged or shown. */
  readonly apiKey?: string;
  /** `provider:name`, or null for the service's own default. */
  readonly model: string | null;
  readonly system: string;
  readonly entries: readonly TranscriptEntry[];
  readonly tools: readonly ToolDescription[];
  /** JSON Schema of the final answer, for providers that enforce one; absent or null: text. */
  readonly outputSchema?: JsonObject | null;
  /** Settings of the model; absent: its provider's defaults. */
  readonly settings?: SetSettings;
  /**
   * The run's own part of the conversation uncut, if a summary replaces its beginning. For the demo, which reads no
   * summary; providers never get it.
   */
  readonly uncut?: readonly TranscriptEntry[];
  /** Tokens of its beginning that the provider probably has in its cache, by its count of the run's last call. */
  readonly cachedTokens?: number;
  /** Absent: nothing is asked of the provider's cache. */
  readonly cache?: CacheWish;
  /** The purpose of the call, which the demo needs; absent: a step of a run. */
  readonly purpose?: "summary";
  /**
   * The text that an earlier, failed call has already shown. A model that can continues from it, and its answer begins
   * with it; others start over.
   */
  readonly continues?: string;
  /**
   * Waits for something that the call needs before it is sent. The wait is visible in the job's record, and a long one
   * releases the job slot. Rejects if the job has moved on, and ends what `ready` resolves to; `ModelPort.call` then
   * rejects too.
   */
  readonly waits?: <T extends Disposable | null>(ready: Promise<T>) => Promise<T>;
  /** The model has refused this call with tools: if it takes it without them, it has none. */
  readonly afterToolRefusal?: true;
  /** Called for each setting that the call is made without. */
  readonly onLeftSetting?: (problem: SettingProblem) => void;
  /** Called when the provider has the request: `entries` is not read any more. Idempotent. */
  readonly onSent?: () => void;
}

/** A setting that a model does not take. */
export interface SettingProblem {
  readonly setting: CallSettingName;
  /** A clause without a capital and a full stop. */
  readonly why: string;
  /** It is ignored and not refused when it is saved: the model is the demo. */
  readonly isHarmless?: true;
}

/** A model's context window, in tokens. */
export interface ModelWindow {
  /** For a call together with its answer. */
  readonly contextTokens: number;
  /** The part of it that is reserved for the answer. */
  readonly answerTokens: number;
}

/** A model's identity. `demo` marks the built-in provider, which is not a language model (RUN-1). */
export interface ModelInfo {
  readonly provider: string;
  readonly name: string;
  readonly demo: boolean;
  /** Only keys of organizations pay for its calls: an organization without one cannot use it. */
  readonly isOwnKeyOnly?: true;
}

/** Why an organization without a key of its own cannot use this model, named `provider:name`. */
export const ownKeyWords = (model: string): string =>
  `The model ${model} is for organizations with a key of their own: an owner sets one with PUT /api/provider-keys/${model.split(":", 1)[0]}`;

/** One of the models that the operator allows. */
export interface AllowedModel extends ModelInfo {
  readonly window: ModelWindow;
  readonly input: readonly ModelInput[];
  /** Whether it answers when a call names no model. */
  readonly isDefault: boolean;
}

export type ModelOutcome =
  | {
      readonly kind: "finished";
      /** Complete content in order; the loop adds the results. */
      readonly blocks: readonly AnswerBlock[];
      readonly usage: CallUsage;
      readonly finishReason: StopReason;
      /** The provider's rate headers allow no further call for this long, in ms. */
      readonly pauseMs?: number;
    }
  /** `partialText` is the text that was streamed before the fault. */
  | {
      readonly kind: "failed";
      readonly error: RunError;
      readonly partialText: string;
      readonly usage: CallUsage;
      /** The provider has refused the call because of its tools: the model supports none. */
      readonly refusesTools?: true;
      /** Characters of the answer that had arrived, with reasoning and calls. */
      readonly answeredChars?: number;
    }
  /** `usage`: absent if the provider was not asked. */
  | {
      readonly kind: "aborted";
      readonly partialText: string;
      readonly usage?: CallUsage;
      readonly answeredChars?: number;
    };

export interface ModelPort {
  /** The model that a call with this name reaches; `provider_error` if it is not allowed or unavailable. */
  describe(model: string | null): Outcome<ModelInfo>;
  /** The context window of the model with this name; an unavailable one has the window of an unknown model. */
  windowOf(model: string | null): ModelWindow;
  /** The input that the model with this name reads; text, if it is unavailable. */
  inputOf(model: string | null): readonly ModelInput[];
  /**
   * Whether the model with this name takes tools, as far as the operator has set it, or a refusal has shown, also of a
   * call with the organization's own key; absent: all do.
   */
  takesTools?(model: string | null, organizationId?: string): boolean;
  /** Which of the settings the model with this name does not take, as far as it is known; absent: it takes all. */
  settingProblems?(model: string | null, settings: SetSettings): readonly SettingProblem[];
  /** Every model that `describe` accepts, the default first. */
  allowed(): readonly AllowedModel[];
  /** The providers for which organizations can have keys of their own; absent: the usual ones. */
  keyedProviders?(): readonly string[];
  /** Calls that the provider of the model with this name takes at once with one key; absent or null: unlimited. */
  callsAtOnce?(model: string | null): number | null;
  /** The currency of costs in usages; absent if no model has a price. */
  readonly currency?: string;
  /** Whether the current price of a call with this name is known; absent if no model has a price. */
  hasPrice?(model: string | null): boolean;
  /**
   * Streams one model call. `onText` gets each piece of text as it arrives, before the promise resolves; the pieces
   * joined equal `contentText` of the blocks of the outcome. Every fault of a provider is an outcome; the promise
   * rejects only when `waits` does. After `signal` aborts, the upstream request is closed and the outcome is `aborted`.
   * Streamed text contains no NUL and no lone surrogate.
   */
  call(call: ModelCall, onText: (text: string) => void, signal: AbortSignal): Promise<ModelOutcome>;
}

/** Whether an answer is a value that fits its schema (JOB-16). */
export type CheckedOutput =
  | { readonly kind: "valid"; readonly value: JsonObject }
  | { readonly kind: "invalid"; readonly errors: readonly OutputError[] };

export interface OutputPort {
  /** Checks the text of an answer. Never rejects; null if `signal` aborts first. */
  check(
    answer: { readonly organizationId: string; readonly schema: JsonObject; readonly text: string },
    signal: AbortSignal,
  ): Promise<CheckedOutput | null>;
}

/** For whom a tool works: it acts with the permissions of this user (AUTH-7). */
export interface ToolContext {
  readonly organizationId: string;
  readonly userId: string;
  readonly agentId: string;
  readonly jobId: string;
  /** The mission of the job. */
  readonly missionId: string | null;
}

/** Who acts. Without a job, a person looks at the tools of an agent. */
export interface ActingAgent extends Pick<ToolContext, "organizationId" | "userId"> {
  readonly agentId?: string | undefined;
  readonly jobId?: string;
}

/** Port: a short signed token that says which agent acts for whom (ACC-12), for tool servers that ask for it. */
export interface AgentIdentities {
  /** A token for this audience, with most of its life before it. */
  tokenFor(audience: string, by: ActingAgent): string;
}

/** What a tool can report while it works. Bounded: reports past the limits are dropped. */
export interface ToolHost {
  /** Reports the job's progress. */
  progress(progress: JobProgress): void;
  /** Adds a line to the job's log. */
  log(level: "info" | "warn", message: string): void;
  /** From now on the call only waits for other jobs, which may use the job slot meanwhile (JOB-10). */
  waits(): void;
  /** Counts one more file of a result, with so many bytes; false if the run may keep no more of them. */
  admitFile(bytes: number): boolean;
}

export interface RunToolCall {
  readonly name: string;
  readonly input: JsonObject;
  /** `<job>:<step>:<call>`: the same for each attempt of the same call (JOB-7). */
  readonly idempotencyKey: string;
  /** When the model requested it, ISO 8601: as stable as the key. */
  readonly openedAt: string;
  readonly context: ToolContext;
  readonly host: ToolHost;
}

export interface ToolResult {
  readonly content: string;
  readonly isError: boolean;
  /** Files that the call has written. */
  readonly artifacts?: readonly MadeArtifact[];
  /** Images and files beside the text, whose content is stored. */
  readonly attachments?: readonly AttachmentBlock[];
  /** The call had no effect, because it lacks this connection: it is made again once there is one. */
  readonly lacks?: ConnectionNeed;
}

export interface ToolRules {
  /** Whether a call whose result was lost in a crash may be repeated. */
  readonly safe: boolean;
  /** Whether it waits for a person: the agent's `approvalTools` name it. */
  readonly needsApproval: boolean;
  /** JSON Schema of its arguments, if the call waits for a person, who may change them. */
  readonly inputSchema?: JsonObject;
  /** The client runs it, so the toolbox does not (JOB-17). */
  readonly isClient?: true;
}

/** The tools of one run. */
export interface Toolbox {
  /**
   * The tools that the agent may call: safe reads and those that its `allowedTools` name (RUN-2), including tools of
   * its MCP servers.
   */
  readonly tools: readonly ToolDescription[];
  /** Servers that the agent needs and that are unavailable now, in words for people; optional ones are separate. */
  readonly missing: { readonly required: readonly string[]; readonly optional: readonly string[] };
  /** Connections without which the agent cannot work; absent: none is lacking. */
  readonly lacking?: readonly ConnectionNeed[];
  /** Notes for the model, such as that a server cannot be reached. */
  readonly notes: readonly string[];
  /** The rules of a call with this input. */
  rulesOf(name: string, input?: JsonObject): ToolRules;
  /** The calls whose arguments do not fit the schema of their tool, by id, with the errors for the model. Never rejects. */
  misfits(
    calls: readonly ToolUseBlock[],
    context: ToolContext,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>>;
  /**
   * Runs the tool. Never rejects: a failure is a result with `isError` and a message for the model. After `signal`
   * aborts, the run waits at most `TOOL_GRACE_MS` for it, then drops its result.
   */
  call(call: RunToolCall, signal: AbortSignal): Promise<ToolResult>;
}

export interface ToolPort {
  /**
   * Opens the tools for a run of this agent. Connections to its MCP servers are opened here, and closed when `signal`
   * aborts, which happens at the end of the run at the latest. Never rejects: a server that does not answer offers no
   * tools, and a note says so.
   */
  open(agent: AgentSnapshot, context: ToolContext, signal: AbortSignal): Promise<Toolbox>;
}

/** The tools of a run until its own are open. */
export const NO_TOOLBOX: Toolbox = {
  tools: [],
  missing: { required: [], optional: [] },
  notes: [],
  rulesOf: () => ({ safe: false, needsApproval: false }),
  misfits: () => Promise.resolve(new Map()),
  call: () => Promise.resolve({ content: "There are no tools yet.", isError: true }),
};

/** The images and files of an entry of a conversation, oldest first. */
export const attachmentsIn = (entry: TranscriptEntry): readonly AttachmentBlock[] =>
  entry.role === "user"
    ? (entry.blocks ?? []).filter(isAttachment)
    : entry.blocks.flatMap((block) => (block.type === "tool_result" ? (block.attachments ?? []) : []));

/**
 * The models with other calls, to count, price or trace them. All other members pass through here, so that no wrapper
 * can forget one.
 */
export const withCalls = (models: ModelPort, call: ModelPort["call"]): ModelPort => ({
  describe: (model) => models.describe(model),
  windowOf: (model) => models.windowOf(model),
  inputOf: (model) => models.inputOf(model),
  allowed: () => models.allowed(),
  ...(models.currency === undefined ? {} : { currency: models.currency }),
  ...(models.hasPrice === undefined ? {} : { hasPrice: (model) => models.hasPrice?.(model) === true }),
  ...(models.settingProblems === undefined
    ? {}
    : { settingProblems: (model, settings) => models.settingProblems?.(model, settings) ?? [] }),
  ...(models.takesTools === undefined ? {} : { takesTools: (...asked) => models.takesTools?.(...asked) !== false }),
  ...(models.keyedProviders === undefined ? {} : { keyedProviders: () => models.keyedProviders?.() ?? [] }),
  ...(models.callsAtOnce === undefined ? {} : { callsAtOnce: (model) => models.callsAtOnce?.(model) ?? null }),
  call,
});
