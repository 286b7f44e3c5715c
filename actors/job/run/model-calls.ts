/**
 * The model calls of a run. A call that fails for a passing reason is tried again:
 *
 *   limiter ─▶ call ─▶ finished
 *                └─ failed ─┬─ final, or the deadline is nearer than the pause ──────────▶ failed
 *                           ├─ retries left, no text shown yet ──▶ wait ─────────────────▶ call again
 *                           ├─ text was shown, first time in this step ──▶ wait, restart ▶ call again
 *                           ├─ no retries left, a fallback is ──▶ the job names its model ▶ call again
 *                           └─ else ──────────────────────────────────────────────────────▶ failed
 *
 * The wait is in the record, so a restarted job waits only for the remaining time (`run-wait.ts`).
 */
import type { ChatCommand } from "../../chat/protocol.ts";
import { ok, type Outcome } from "../../fault.ts";
import { pauseMs } from "../../runtime/backoff.ts";
import { inputNeeded, isAttachment, type ModelInput } from "../../upload/terms.ts";
import { isCostKnown } from "../budget.ts";
import { CachedBeginning } from "./cached-beginning.ts";
import type { ModelCall, ModelInfo, ModelOutcome, SettingProblem } from "../ports.ts";
import { modelCallOrigin, type RunServices } from "./services.ts";
import { optionsModelOf, TEXT_SEPARATOR } from "../schema.ts";
import {
  type FailedCall,
  needsTools,
  pausedTooLong,
  UNREAD_KEY,
  withoutFallback,
  withoutKey,
  withoutTools,
} from "./call-failures.ts";
import type { CallEnd, CallPass, ProviderLimits } from "./provider-limits.ts";
import type { Reporter } from "./reporter.ts";
import { MODEL_PAUSES, waitReason } from "./retry-policy.ts";
import { settingsOfCall, settingWarning } from "./call-settings.ts";
import { costOfStep, runSlice } from "./run-slices.ts";
import type { RunWait } from "./run-wait.ts";

/** The content of a call; the job determines the model and the organization. */
export type ModelPrompt = Pick<
  ModelCall,
  "system" | "entries" | "tools" | "outputSchema" | "uncut" | "purpose" | "cache"
>;

interface ModelCallerParts {
  readonly reporter: Reporter;
  readonly wait: RunWait;
  readonly limits: ProviderLimits;
}

/** One step's call with its retries. */
interface StepState {
  retries: number;
  /** Whether the step has restarted once after its text was shown. */
  hasRestarted: boolean;
  /** Text that a failed call of the step has shown. */
  shown: string;
  timeToFirstTokenMs: number | null;
}

export class ModelCalls {
  private readonly services: RunServices;
  private readonly run: ModelCallerParts;
  /** The fallback model of this run; undefined: the agent's own model. */
  private fallback: string | undefined;
  /** Models that have refused tools in this run. */
  private readonly toolless = new Set<string | null>();
  private readonly cached: CachedBeginning;

  constructor(services: RunServices, run: ModelCallerParts) {
    this.services = services;
    this.run = run;
    this.cached = new CachedBeginning(services.clock);
  }

  /** The model that the next call names. */
  private get model(): string | null {
    return this.fallback ?? this.run.reporter.job.agent.model;
  }

  /** Whether the price of the next call is known. True for an unavailable model: the call fails for that reason. */
  get hasKnownCost(): boolean {
    const { models } = this.services;
    const described = models.describe(this.model);
    return !described.ok || isCostKnown(models, described.value);
  }

  /**
   * The outcome after all retries; `before` is the text of the run so far. Throws `RunOver` if the job has moved on.
   */
  async call(
    prompt: ModelPrompt,
    before: string,
    signal: AbortSignal,
  ): Promise<{ readonly outcome: ModelOutcome; readonly timeToFirstTokenMs: number | null }> {
    const { waiting = null } = this.run.reporter.job;
    const state: StepState = { retries: 0, hasRestarted: false, shown: "", timeToFirstTokenMs: null };
    if (waiting !== null && waiting.reason !== "tools_unavailable") {
      state.retries = waiting.retries;
      await this.run.wait.rest(waiting, signal);
    }
    for (;;) {
      const outcome = await this.once(prompt, before, state, signal);
      if (outcome.kind !== "failed") return { outcome, ...state };
      if (outcome.refusesTools === true) {
        // The next call is made without tools, if the agent does not need any.
        this.toolless.add(this.model);
        continue;
      }
      const shown = prompt.purpose === "summary" ? { ...outcome, partialText: "" } : outcome;
      const next = await this.afterFailure(shown, { prompt, before }, state, signal);
      if (next !== "again") return { outcome: next, ...state };
    }
  }

  private async once(
    prompt: ModelPrompt,
    before: string,
    state: StepState,
    signal: AbortSignal,
  ): Promise<ModelOutcome> {
    const { services, run } = this;
    const { job } = run.reporter;
    const turn = runSlice(services, job.organizationId, costOfStep(prompt.entries));
    if (turn !== null) await turn;
    const { model } = this;
    const described = services.models.describe(model);
    const provider = described.ok ? described.value.provider : "";
    const key = await this.keyFor(provider);
    if (!key.ok) return UNREAD_KEY;
    const keySecret = key.value;
    if (keySecret === null && described.ok && described.value.isOwnKeyOnly === true)
      return withoutKey(modelCallName(described.value));
    const isToolless = prompt.tools.length > 0 && !this.takesTools;
    const named = described.ok ? modelCallName(described.value) : "The model";
    if (isToolless && needsTools(job)) return withoutTools(named);
    if (isToolless) await this.warnOfTools(named);
    // A provider's limits for one key do not concern the other keys.
    const limiter = run.limits.of(
      keySecret === null ? provider : `${provider} ${job.organizationId}`,
      services.models.callsAtOnce?.(model) ?? Infinity,
    );
    // A pause past the deadline would be in vain, so the call fails at once.
    const left = Date.parse(job.deadlineAt ?? "") - services.clock.now();
    if (limiter.pauseMs >= left) return pausedTooLong(limiter.pauseMs);
    const limited = { reason: "provider_rate_limited", knownMs: limiter.pauseMs } as const;
    const enter = (): Promise<CallPass | null> => limiter.enter(signal, job.organizationId);
    using pass = await run.wait.until(enter(), { ...limited, again: enter }, signal);
    await run.reporter.entitled(signal);
    const from = services.clock.monotonic();
    let separator = before === "" ? "" : TEXT_SEPARATOR;
    const caller = `${model ?? ""} ${keySecret ?? ""}`;
    const dropped: SettingProblem[] = [];
    const outcome = await services.models.call(
      {
        origin: modelCallOrigin(job),
        model,
        waits: (ready) => run.wait.until(ready, { reason: "memory_limit" }, signal),
        ...(keySecret === null ? {} : { keySecret }),
        ...prompt,
        ...settingsOfCall(job, prompt, {
          isElsewhere: this.isElsewhere(provider),
          onLeftSetting: (problem) => void dropped.push(problem),
        }),
        ...(isToolless ? { tools: [] } : {}),
        ...(isToolless && this.toolless.has(model) ? { afterToolRefusal: true as const } : {}),
        ...(state.shown === "" ? {} : { continues: state.shown }),
        ...this.cached.of(caller, prompt.purpose),
      },
      (text) => {
        if (text === "") return;
        // A summary is not part of the message.
        if (prompt.purpose === "summary") return;
        state.timeToFirstTokenMs ??= Math.round(services.clock.monotonic() - from);
        run.reporter.showText(run.reporter.attempt, separator + text);
        separator = "";
      },
      signal,
    );
    pass?.end(endOf(outcome));
    if (outcome.kind === "finished") this.cached.note(caller, prompt.purpose, outcome.usage);
    await this.warnOfSettings(named, dropped);
    return outcome;
  }

  private get takesTools(): boolean {
    if (this.toolless.has(this.model)) return false;
    return this.services.models.takesTools?.(this.model, this.run.reporter.job.organizationId) ?? true;
  }

  /** Once in a job: its record says that the model was called without tools. */
  private async warnOfTools(model: string): Promise<void> {
    const { reporter } = this.run;
    if ((reporter.job.warnings ?? []).some(({ code }) => code === "model_without_tools")) return;
    const message = `${model} does not support tools: the agent continues without them.`;
    const warnings = [{ code: "model_without_tools", message }] as const;
    await reporter.report({ kind: "run_warned", attempt: reporter.attempt, warnings, runner: null }, () => []);
  }

  /** Whether the provider options of the job are for another provider than this one. */
  private isElsewhere(provider: string): boolean {
    const model = optionsModelOf(this.run.reporter.job);
    const chosen = this.services.models.describe(model);
    // A model that may not be used any more still names its provider.
    return (chosen.ok ? chosen.value.provider : model?.split(":", 1)[0]) !== provider;
  }

  /** Once for each setting and model: the job's record says which settings its calls were made without. */
  private async warnOfSettings(model: string, left: readonly SettingProblem[]): Promise<void> {
    const { reporter } = this.run;
    const told = new Set((reporter.job.warnings ?? []).map(({ message }) => message));
    const warnings = left.map((problem) => settingWarning(model, problem)).filter(({ message }) => !told.has(message));
    if (warnings.length === 0) return;
    await reporter.report({ kind: "run_warned", attempt: reporter.attempt, warnings, runner: null }, () => []);
  }

  /** The organization's secret for this provider; null: the operator's key. */
  private async keyFor(provider: string): Promise<Outcome<string | null>> {
    const { providerKeys } = this.services;
    if (providerKeys === undefined) return ok(null);
    const { reporter } = this.run;
    return reporter.answerTo(() => providerKeys.secretFor(reporter.job.organizationId, provider));
  }

  /** Waits, restarts or falls back, and returns `again`; otherwise returns the final outcome. */
  private async afterFailure(
    failure: FailedCall,
    { prompt, before }: { readonly prompt: ModelPrompt; readonly before: string },
    state: StepState,
    signal: AbortSignal,
  ): Promise<"again" | ModelOutcome> {
    const reason = waitReason(failure.error.code);
    if (reason === null || signal.aborted) return failure;
    const wasShown = failure.partialText !== "";
    if (wasShown && state.hasRestarted) return failure;
    const { clock, chance } = this.services;
    const ms = pauseMs(MODEL_PAUSES, state.retries, chance, failure.error.retryAfterMs);
    const isTooLate = clock.now() + ms >= Date.parse(this.run.reporter.job.deadlineAt ?? "");
    if (isTooLate || state.retries >= this.services.retry.retries) {
      const final = await this.fallBack(failure, prompt);
      if (final !== null) return final;
      state.retries = 0;
    } else {
      state.retries++;
      const why = { reason, retries: state.retries, error: failure.error.message, usage: failure.usage };
      if (!(await this.run.wait.pause(ms, why, signal))) return { kind: "aborted", partialText: failure.partialText };
    }
    if (wasShown) await this.restart(before);
    state.hasRestarted ||= wasShown;
    if (wasShown) state.shown = failure.partialText.trimEnd();
    return "again";
  }

  /** Retracts the text that was shown: readers continue from the committed text. */
  private async restart(text: string): Promise<void> {
    const { reporter } = this.run;
    await reporter.report({ kind: "step_restarted", attempt: reporter.attempt, text }, (job) => {
      const { id: jobId, outputMessageId: messageId, attempt } = job;
      const commands: ChatCommand[] = [
        { kind: "turn_restarted", jobId, messageId, attempt },
        { kind: "turn_resumed", jobId, messageId, attempt, text },
      ];
      return commands;
    });
  }

  /** Switches to the next available fallback and returns null; returns the final failure if none is left. */
  private async fallBack(failure: FailedCall, { entries }: ModelPrompt): Promise<FailedCall | null> {
    const { error } = failure;
    const { models, retry } = this.services;
    const { reporter } = this.run;
    const from = this.fallback === undefined ? 0 : retry.fallbacks.indexOf(this.fallback) + 1;
    const needed = inputsNeeded(entries);
    const unpriced: string[] = [];
    for (const name of retry.fallbacks.slice(from)) {
      const read = models.inputOf(name);
      // A model that cannot read the conversation's attachments would answer something else.
      if (!needed.every((input) => read.includes(input))) continue;
      const runner = models.describe(name);
      const current = reporter.job.runner;
      if (!runner.ok || (current !== null && modelCallName(runner.value) === modelCallName(current))) continue;
      if (runner.value.isOwnKeyOnly === true) {
        const key = await this.keyFor(runner.value.provider);
        if (!key.ok || key.value === null) continue;
      }
      // A cost limit cannot be kept if the price of a call is unknown.
      if (!isCostKnown(models, runner.value) && (await reporter.limitsCost())) {
        unpriced.push(name);
        continue;
      }
      this.fallback = name;
      const message = `${current === null ? "The model" : modelCallName(current)} is unavailable (${error.message}) Continuing with ${modelCallName(runner.value)}.`;
      const warnings = [{ code: "model_fallback", message }] as const;
      await reporter.report(
        { kind: "run_warned", attempt: reporter.attempt, warnings, runner: runner.value },
        () => [],
      );
      return null;
    }
    return unpriced.length === 0 ? failure : withoutFallback(failure, unpriced);
  }
}

const modelCallName = ({ provider, name }: Pick<ModelInfo, "provider" | "name">): string => `${provider}:${name}`;

function endOf(outcome: ModelOutcome): CallEnd {
  if (outcome.kind === "finished") return { kind: "answered", pauseMs: outcome.pauseMs ?? null };
  if (outcome.kind === "aborted" || outcome.error.code !== "provider_rate_limited") return { kind: "other" };
  return { kind: "limited", pauseMs: outcome.error.retryAfterMs ?? null };
}

/** The kinds of input that a model must read to get all entries. */
const inputsNeeded = (entries: ModelPrompt["entries"]): readonly ModelInput[] => [
  ...new Set(
    entries.flatMap((entry) =>
      entry.role === "user" ? (entry.blocks ?? []).filter(isAttachment).map(inputNeeded) : [],
    ),
  ),
];
