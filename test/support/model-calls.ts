/** Short ways to make a model call in a test and to look at what it gave. */
import type { ModelCall, ModelOutcome, ModelPort, ToolDescription, TranscriptEntry } from "../../actors/job/ports.ts";
import type { ModelSettings } from "../../src/runner/model-name.ts";

export const NO_MODELS: ModelSettings = {
  model: null,
  anthropicApiKey: null,
  openaiApiKey: null,
  openaiBaseUrl: null,
  localModels: [],
  production: false,
  allowDemoModel: false,
};

export const WEATHER: ToolDescription = {
  name: "weather",
  description: "The weather of a town",
  inputSchema: { type: "object", properties: { town: { type: "string" } }, required: ["town"] },
};

export const ORIGIN = { organizationId: "org_a", jobId: "job_a", requestId: "req_a" };

/** A call with one message of the user, or with these entries. */
export function modelCall(message: string | readonly TranscriptEntry[], more: Partial<ModelCall> = {}): ModelCall {
  const entries = typeof message === "string" ? [{ role: "user" as const, text: message }] : message;
  return { origin: ORIGIN, model: null, system: "", entries, tools: [], ...more };
}

export interface Streamed {
  readonly outcome: ModelOutcome;
  /** Each piece as it was handed over. */
  readonly pieces: readonly string[];
}

/** Runs a call to its end. */
export async function run(
  models: Pick<ModelPort, "call">,
  call: ModelCall,
  signal = new AbortController().signal,
): Promise<Streamed> {
  const pieces: string[] = [];
  const outcome = await models.call(call, (text) => pieces.push(text), signal);
  return { outcome, pieces };
}

/** The outcome without what its provider wants back. */
export function withoutState(outcome: ModelOutcome): ModelOutcome {
  if (outcome.kind !== "finished") return outcome;
  const blocks = outcome.blocks.map((block) => {
    if (block.type === "reasoning") return block;
    const { provider_state: _state, ...read } = block;
    return read;
  });
  return { ...outcome, blocks };
}

/** The text blocks of a finished outcome, joined. */
export function textOf(outcome: ModelOutcome): string {
  if (outcome.kind !== "finished") throw new Error(`The call is ${outcome.kind}`);
  return outcome.blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
}
