/**
 * What the job actor needs from the outside to run a turn of an agent: a model and tools. Both are
 * implemented under `src/runner`. Calls are effects: they run after the commit that intends them,
 * never inside a turn, and what they find comes back as commands.
 */
import type { Outcome } from "../fault.ts";
import type { InputBlock, ModelInput } from "../upload/terms.ts";
import type { JsonObject } from "../schema.ts";
import type { MadeArtifact, OutputError, Progress } from "./terms.ts";
import type { AgentSnapshot, AnswerBlock, Block, RunError, ToolUseBlock, Usage } from "./schema.ts";

/** A part of what a user says. */
export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image" | "file";
      /** In lower case and without parameters, such as `image/png`. */
      readonly mediaType: string;
      readonly name?: string;
      /** Whether the answer is to cite it, where its provider can. */
      readonly citations?: true;
      /** Never changed: what is made of it for a provider is kept as long as this array is. */
      readonly data: Uint8Array;
    };

/** One entry of the conversation as the model sees it, oldest first. */
export type TranscriptEntry =
  /**
   * `blocks`: all that is said as it is stored, where it is more than text; `text` is then that of its text. The loop
   * knows only these; `parts`, with the bytes, is what they are made before a provider is asked.
   */
  | {
      readonly role: "user";
      readonly text: string;
      readonly blocks?: readonly InputBlock[] | undefined;
      readonly parts?: readonly ContentPart[];
    }
  | { readonly role: "assistant"; readonly blocks: readonly Block[] };

export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; always an object. */
  readonly inputSchema: JsonObject;
}

/** Whose work a model call is: for the log, never for the provider. */
export interface CallOrigin {
  readonly organizationId: string;
  readonly jobId: string;
  /** The HTTP request that began the job; null where none did. */
  readonly requestId: string | null;
}

/** Keys of organizations for providers of models (RUN-5). */
export interface ProviderKeys {
  /** The name of the secret with which this provider is called; null: with the operator's key. */
  secretFor(organizationId: string, provider: string): Promise<Outcome<string | null>>;
}

export interface ModelCall {
  readonly origin: CallOrigin;
  /** The organization's secret that is the key of the call; absent: the key is the operator's. */
  readonly keySecret?: string;
  /** Its value, between the parts of the runner alone: it is never stored, logged or shown. */
  readonly apiKey?: string;
  /** `provider:name`, or null for the service's own default. */
  readonly model: string | null;
  readonly system: string;
  readonly entries: readonly TranscriptEntry[];
  readonly tools: readonly ToolDescription[];
  /** JSON Schema of the final answer, for providers that keep to one; absent or null: text. */
  readonly outputSchema?: JsonObject | null;
  /**
   * The run's own part of the conversation without any cut, where a summary replaces the beginning of it. For the
   * demo, which reads no summary: nothing of it goes to a provider.
   */
  readonly uncut?: readonly TranscriptEntry[];
  /** What it is for; absent: a step of a run. The demo tells them apart. */
  readonly purpose?: "summary";
  /**
   * How the run waits for what the call needs before it is made: seen in its record, and without its job slot where it
   * takes long. Rejects where the job has moved on, and then `ModelPort.call` does so too.
   */
  readonly waits?: <T>(ready: Promise<T>) => Promise<T>;
  /** Called when the request is with the provider: nobody reads `entries` from then on. Calling it again does nothing. */
  readonly onSent?: () => void;
}

/** How much a model takes, in tokens. */
export interface ModelWindow {
  /** Of a call with its answer. */
  readonly contextTokens: number;
  /** Of that, what is left for the answer. */
  readonly answerTokens: number;
}

/** What a model is. `demo` marks the built-in provider that is no language model (RUN-1). */
export interface ModelInfo {
  readonly provider: string;
  readonly name: string;
  readonly demo: boolean;
  /** Calls of it are made with keys of organizations only: one that has none for its provider cannot use it. */
  readonly isOwnKeyOnly?: true;
}

/** Why an organization without a key cannot use this model, which is `provider:name`. */
export const ownKeyWords = (model: string): string =>
  `The model ${model} is for organizations with a key of their own: an owner sets one with PUT /api/provider-keys/${model.split(":", 1)[0]}`;

/** One of the models that the operator allows. */
export interface AllowedModel extends ModelInfo {
  readonly window: ModelWindow;
  readonly input: readonly ModelInput[];
  /** What answers where no model is named. */
  readonly isDefault: boolean;
}

export type ModelOutcome =
  | {
      readonly kind: "finished";
      /** Complete content in order; results are the loop's to add. */
      readonly blocks: readonly AnswerBlock[];
      readonly usage: Usage;
      readonly finishReason: "stop" | "tool_use" | "length" | "content_filter" | "other";
      /** The provider's rate headers leave no call for so long, in ms. */
      readonly pauseMs?: number;
    }
  /** `partialText` is what had been streamed before the fault. */
  | { readonly kind: "failed"; readonly error: RunError; readonly partialText: string; readonly usage: Usage }
  | { readonly kind: "aborted"; readonly partialText: string };

export interface ModelPort {
  /** The model that a call with this name would reach; `provider_error` where it is not allowed or cannot be used. */
  describe(model: string | null): Outcome<ModelInfo>;
  /** How much the model of this name takes; of one that cannot be used, that of an unknown one. */
  windowOf(model: string | null): ModelWindow;
  /** What the model of this name reads; of one that cannot be used, text. */
  inputOf(model: string | null): readonly ModelInput[];
  /** All that `describe` takes, the default first. */
  allowed(): readonly AllowedModel[];
  /** Of the costs in usages; absent where no model has a price. */
  readonly currency?: string;
  /** Whether it is known what a call with this name costs today; absent where no model has a price. */
  hasPrice?(model: string | null): boolean;
  /**
   * Streams one model call. `onText` gets each piece of text as it arrives, before the promise
   * resolves; the pieces joined equal `textOf` the blocks of the outcome. Never rejects: every
   * fault of a provider is an outcome. After `signal` aborts, the upstream request is closed and
   * the outcome is `aborted`. Text that it hands over contains no NUL and no lone surrogate.
   */
  call(call: ModelCall, onText: (text: string) => void, signal: AbortSignal): Promise<ModelOutcome>;
}

/** Whether an answer is a value that fits its schema (JOB-16). */
export type CheckedOutput =
  | { readonly kind: "valid"; readonly value: JsonObject }
  | { readonly kind: "invalid"; readonly errors: readonly OutputError[] };

export interface OutputPort {
  /** Checks the text of an answer. Never rejects; null where `signal` aborts first. */
  check(
    answer: { readonly organizationId: string; readonly schema: JsonObject; readonly text: string },
    signal: AbortSignal,
  ): Promise<CheckedOutput | null>;
}

/** Whose work a tool does: it acts with the permissions of this user (AUTH-7). */
export interface ToolContext {
  readonly organizationId: string;
  readonly userId: string;
  readonly agentId: string;
  readonly jobId: string;
  /** The mission that the job works for. */
  readonly missionId: string | null;
}

/** What a tool can report while it works. Bounded: reports past the limits are dropped. */
export interface ToolHost {
  /** How far the job is. */
  progress(progress: Progress): void;
  /** A line in the job's log. */
  log(level: "info" | "warn", message: string): void;
  /** From here on the call only waits for other jobs, which may use the job slot meanwhile (JOB-10). */
  waits(): void;
}

export interface ToolCall {
  readonly name: string;
  readonly input: JsonObject;
  /** `<job>:<step>:<call>`: the same for each attempt of the same call (JOB-7). */
  readonly idempotencyKey: string;
  /** When the model had asked for it, ISO 8601: as fixed as the key. */
  readonly openedAt: string;
  readonly context: ToolContext;
  readonly host: ToolHost;
}

export interface ToolResult {
  readonly content: string;
  readonly isError: boolean;
  /** Files that the call has written. */
  readonly artifacts?: readonly MadeArtifact[];
}

export interface ToolRules {
  /** Whether a call whose result was lost in a crash may simply be made again. */
  readonly safe: boolean;
  /** Whether it waits for a person: the agent's `approvalTools` name it. */
  readonly needsApproval: boolean;
  /** JSON Schema of its arguments, where the call waits for a person, who may change them. */
  readonly inputSchema?: JsonObject;
  /** The client runs it: the call is no call of the toolbox (JOB-17). */
  readonly isClient?: true;
}

/** The tools of one run. */
export interface Toolbox {
  /** What the agent may call: safe reads, what its `allowedTools` name (RUN-2), of its MCP servers too. */
  readonly tools: readonly ToolDescription[];
  /** Servers whose tools the agent names and that cannot be used now, in words for people; optional ones apart. */
  readonly missing: { readonly required: readonly string[]; readonly optional: readonly string[] };
  /** Notes for the model, such as that a server cannot be reached. */
  readonly notes: readonly string[];
  /** The rules of a call with this input. */
  rulesOf(name: string, input?: JsonObject): ToolRules;
  /** The ids of those calls of client tools whose arguments do not fit: `call` answers them with what is wrong. Never rejects. */
  misfits(calls: readonly ToolUseBlock[], context: ToolContext, signal: AbortSignal): Promise<ReadonlySet<string>>;
  /**
   * Runs the tool. Never rejects: a failure is a result with `isError`, in words for the model. After
   * `signal` aborts nobody waits for it longer than `TOOL_GRACE_MS`, and its result is dropped.
   */
  call(call: ToolCall, signal: AbortSignal): Promise<ToolResult>;
}

export interface ToolPort {
  /**
   * The tools of a run by this agent. Connections to its MCP servers are made here, and closed when
   * `signal` aborts, which it does at the end of the run. Never rejects: a server that does not
   * answer offers nothing, and a note says so.
   */
  open(agent: AgentSnapshot, context: ToolContext, signal: AbortSignal): Promise<Toolbox>;
}

/** What a run has until its tools are open. */
export const NO_TOOLS: Toolbox = {
  tools: [],
  missing: { required: [], optional: [] },
  notes: [],
  rulesOf: () => ({ safe: false, needsApproval: false }),
  misfits: () => Promise.resolve(new Set()),
  call: () => Promise.resolve({ content: "There are no tools yet.", isError: true }),
};
