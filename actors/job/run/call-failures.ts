/** Failures of model calls that are not made. */
import { type ModelOutcome, ownKeyWords } from "../ports.ts";
import type { Job } from "../schema.ts";

export type FailedCall = Extract<ModelOutcome, { readonly kind: "failed" }>;

/** The failure of a call that no model was asked for. */
export const unmadeCall = (error: FailedCall["error"]): FailedCall => ({
  kind: "failed",
  error,
  partialText: "",
  usage: { inputTokens: 0, outputTokens: 0 },
});

/** The key has been removed since the work began. */
export const withoutKey = (model: string): FailedCall =>
  unmadeCall({ code: "provider_key_rejected", message: ownKeyWords(model) });

/** Whether the agent names tools, or has its own: without them it would do something else. */
export const needsTools = ({ agent, missionId }: Job): boolean =>
  missionId !== null ||
  agent.allowedTools.length + agent.mcpServers.length + (agent.tools ?? []).length + (agent.lentTools ?? []).length > 0;

export const withoutTools = (model: string): FailedCall =>
  unmadeCall({ code: "provider_rejected", message: `${model} does not support tools, and the agent needs its own.` });

/** The operator's key is not used instead. */
export const UNREAD_KEY: FailedCall = unmadeCall({
  code: "provider_error",
  message: "The organization's key for its model provider could not be read.",
});

/** The failure of a model, with the fallbacks that were skipped because they have no price. */
export const withoutFallback = (failure: FailedCall, unpriced: readonly string[]): FailedCall => ({
  ...failure,
  error: {
    ...failure.error,
    message: `${failure.error.message} There is no fallback: the cost is limited, and ${unpriced.join(", ")} has no price.`,
  },
});

export const pausedTooLong = (retryAfterMs: number): FailedCall =>
  unmadeCall({ code: "provider_rate_limited", message: "The model provider's rate limit is reached.", retryAfterMs });
