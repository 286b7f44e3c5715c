/** Each protocol's frames, by its row in docs/protocols.md. */
import { CompletionFrames } from "../../src/dialects/openai/completion-frames.ts";
import { ResponseFrames } from "../../src/dialects/openai/response-frames.ts";
import { ResponseState } from "../../src/dialects/openai/response-state.ts";
import type { RunFrames } from "../../src/dialects/runs/followed-run.ts";

const jobId = "job_V1StGXR8_Z5jdHi6B-myT";

export const CARRIERS: Readonly<Record<string, () => RunFrames>> = {
  "OpenAI Chat Completions": () => new CompletionFrames({ jobId, model: "m", created: 0 }, { hasUsage: true }),
  "OpenAI Responses": () => new ResponseFrames(new ResponseState({ jobId, afterRounds: 0 }, {}), null),
};
