/**
 * A model that does what its test says. Without a script it answers `echo: <last message>` in two
 * pieces. A step of a script may hold until the test lets it go on, so tests wait for conditions.
 */
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import type {
  AllowedModel,
  ModelCall,
  ModelInfo,
  ModelOutcome,
  ModelPort,
  ModelWindow,
} from "../../actors/job/ports.ts";
import { Pass } from "../../actors/fair-slots.ts";
import type { Citation } from "../../actors/job/citation.ts";
import { MODEL_INPUTS, type ModelInput } from "../../actors/upload/terms.ts";
import type { ReasoningBlock, RunError, ToolUseBlock, Usage } from "../../actors/job/schema.ts";
import type { StopReason } from "../../actors/job/stop-reason.ts";

export type ModelStep =
  | { readonly say: string }
  /** Waits; the text before it is out by then. */
  | { readonly hold: Promise<void> }
  /** Waits as a call does for which there is no room in memory yet. */
  | { readonly room: Promise<void> }
  | { readonly think: string }
  /** Of what it says in this call. */
  | { readonly cite: Citation }
  | { readonly use: ToolUseBlock }
  /** Why its answer ends. */
  | { readonly stop: StopReason }
  | { readonly fail: RunError };

/** What a call does, by what it was asked. */
export type ModelScript = (call: ModelCall) => readonly ModelStep[];

const lastText = (call: ModelCall): string => {
  const last = call.entries.at(-1);
  return last?.role === "user" ? last.text : "";
};
/** Says what it was told last, as it does without a script. */
export const echo: ModelScript = (call) => [{ say: "echo: " }, { say: lastText(call) }];

export class FakeModel implements ModelPort {
  /** Every call, oldest first. */
  readonly calls: ModelCall[] = [];
  script: ModelScript = echo;
  info: Outcome<ModelInfo> = ok({ provider: "fake", name: "fake", demo: false });
  /** Rooms in memory that its calls hold. */
  rooms = 0;
  private waiting: (() => void)[] = [];

  /** `describe` refuses from now on. */
  becomeUnusable(message: string): void {
    this.info = refuse({ kind: "provider_error", message });
  }

  /** Resolves when `count` calls have begun. */
  async called(count: number): Promise<void> {
    while (this.calls.length < count) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Names of models that may not be used any more. */
  readonly gone = new Set<string>();

  /** Whether `describe` takes `provider:name` at its word. */
  names = false;

  describe(model: string | null): Outcome<ModelInfo> {
    const [provider, name] = model?.split(":") ?? [];
    if (this.names && provider !== undefined && name !== undefined) return ok({ provider, name, demo: false });
    if (model === null || !this.gone.has(model)) return this.info;
    return refuse({ kind: "provider_error", message: `${model} is gone` });
  }

  /** Whether a name has a price; absent: none has. */
  hasPrice?: (model: string | null) => boolean;

  /** What it says that a call has cost. */
  usageOf: (call: ModelCall) => Usage = () => USAGE;
  /** How much it takes: more than any test says that is not about this. */
  window: ModelWindow = { contextTokens: 1_000_000_000, answerTokens: 16_000 };

  /** What it reads, of all names that are not in `blind`. */
  readonly blind = new Set<string | null>();

  inputOf(model: string | null = null): readonly ModelInput[] {
    return this.blind.has(model) ? ["text"] : MODEL_INPUTS;
  }

  windowOf(): ModelWindow {
    return this.window;
  }

  allowed(): readonly AllowedModel[] {
    return this.info.ok ? [{ ...this.info.value, isDefault: true, window: this.window, input: this.inputOf() }] : [];
  }

  async call(call: ModelCall, onText: (text: string) => void, signal: AbortSignal): Promise<ModelOutcome> {
    this.calls.push(call);
    for (const resolve of this.waiting.splice(0)) resolve();
    let text = "";
    const thoughts: ReasoningBlock[] = [];
    const uses: ToolUseBlock[] = [];
    const citations: Citation[] = [];
    const aborted = new Promise<"aborted">((resolve) =>
      signal.addEventListener("abort", () => resolve("aborted"), { once: true }),
    );
    let reason: StopReason | undefined;
    for (const step of this.script(call)) {
      if ("say" in step) {
        text += step.say;
        onText(step.say);
      } else if ("think" in step) thoughts.push({ type: "reasoning", text: step.think });
      else if ("cite" in step) citations.push(step.cite);
      else if ("use" in step) uses.push(step.use);
      else if ("stop" in step) reason = step.stop;
      else if ("fail" in step)
        return { kind: "failed", error: step.fail, partialText: text, usage: this.usageOf(call) };
      else if ("room" in step) await this.room(call, Promise.race([step.room, aborted]));
      else if ((await Promise.race([step.hold, aborted])) === "aborted") return { kind: "aborted", partialText: text };
    }
    const blocks = [
      ...thoughts,
      ...(text === "" ? [] : [{ type: "text" as const, text, ...(citations.length === 0 ? {} : { citations }) }]),
      ...uses,
    ];
    const finishReason = reason ?? (uses.length > 0 ? "tool_use" : "stop");
    return { kind: "finished", blocks, usage: this.usageOf(call), finishReason };
  }

  private async room({ waits }: ModelCall, free: Promise<unknown>): Promise<void> {
    const room = async (): Promise<Pass> => {
      await free;
      this.rooms++;
      return new Pass(() => void this.rooms--);
    };
    using _held = (await waits?.(room())) ?? null;
  }
}

/** What each call of the fake costs. */
export const USAGE = { inputTokens: 7, outputTokens: 3 };

/** A gate that a script holds at and a test opens. */
export function gate(): { readonly hold: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { hold: promise, open: resolve };
}
