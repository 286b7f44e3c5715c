/** The fields of a response that its run does not change, and the terms that a job keeps for them. */
import type { Job } from "../../../actors/job/schema.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { clientNames } from "../runs/client-tools.ts";
import type { RunPart } from "../runs/run-translation.ts";
import { type ResponsePart, responseId } from "./response-id.ts";
import { TOOL_SERVER } from "./parameters.ts";

/** The field of a job's metadata with what its responses repeat of their request. */
export const RESPONSE_FIELD = "openai_response";

export interface KeptRequest {
  readonly model: string;
  readonly previous: string | null;
  readonly conversation: string | null;
  readonly isBackground: boolean;
  /** Whether the client decides approvals of the agent's tools, in the words of Responses. */
  readonly decidesApprovals: boolean;
}

/** What the job keeps of the request. */
export const keptRequest = ({
  model,
  previous,
  conversation,
  isBackground,
  decidesApprovals,
}: KeptRequest): JsonObject => ({
  model,
  previous,
  conversation,
  background: isBackground,
  ...(decidesApprovals ? { approvals: true } : {}),
});

/** The part of the run that a response is: it ends where approvals are asked for, if its client decides them. */
export const followedPart = (job: Pick<Job, "metadata" | "agent">, part: ResponsePart): RunPart => ({
  ...part,
  endsAtApprovals: requestOf(job).decidesApprovals,
});

function requestOf({ metadata, agent }: Pick<Job, "metadata" | "agent">): KeptRequest {
  const kept = (metadata[RESPONSE_FIELD] ?? {}) as JsonObject;
  const text = (name: string): string | null => (typeof kept[name] === "string" ? kept[name] : null);
  return {
    model: text("model") ?? agent.name,
    previous: text("previous"),
    conversation: text("conversation"),
    isBackground: kept["background"] === true,
    decidesApprovals: kept["approvals"] === true,
  };
}

/** Metadata that the client has set. */
const clientMetadata = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => !name.startsWith("openai_")));

export function responseFacts(job: Job, part: ResponsePart): JsonObject {
  const { model, previous, conversation, isBackground, decidesApprovals } = requestOf(job);
  const settings = job.modelSettings ?? {};
  const before = part.afterRounds === 0 ? previous : responseId({ ...part, afterRounds: part.afterRounds - 1 });
  return {
    created_at: Math.floor(Date.parse(job.createdAt) / 1_000),
    background: isBackground,
    instructions: null,
    max_output_tokens: settings.maxOutputTokens ?? null,
    max_tool_calls: null,
    model,
    parallel_tool_calls: true,
    previous_response_id: before,
    conversation: conversation === null ? null : { id: conversation },
    prompt_cache_key: null,
    safety_identifier: null,
    reasoning: { effort: settings.effort ?? null, summary: null },
    service_tier: "default",
    store: true,
    temperature: settings.temperature ?? 1,
    text: { format: answerFormatOf(job) },
    tool_choice: "auto",
    tools: [...functionsOf(job), ...(decidesApprovals ? [OWN_SERVER] : [])],
    top_p: settings.topP ?? 1,
    top_logprobs: 0,
    frequency_penalty: 0,
    presence_penalty: 0,
    truncation: "disabled",
    user: null,
    metadata: clientMetadata(job.metadata),
    completed_at: null,
  };
}

/** The agent's own tools, as clients name them that decide their approvals. */
const OWN_SERVER: JsonObject = { type: "mcp", server_label: TOOL_SERVER, require_approval: "always" };

const answerFormatOf = ({ outputSchema }: Pick<Job, "outputSchema">): JsonObject =>
  outputSchema === undefined || outputSchema === null
    ? { type: "text" }
    : { type: "json_schema", name: "answer", schema: outputSchema, strict: true };

function functionsOf({ agent }: Pick<Job, "agent">): JsonObject[] {
  const names = clientNames(agent);
  return (agent.tools ?? []).flatMap(({ name, description, inputSchema: parameters }) => {
    const shown = names.get(name);
    return shown === undefined ? [] : [{ type: "function", name: shown, description, parameters, strict: false }];
  });
}

/** The input of the part as items: the message, or nothing where results of tools began it. */
export function inputItems(job: Job, { afterRounds }: ResponsePart): JsonObject[] {
  if (afterRounds > 0) return [];
  const blocks = job.inputBlocks ?? [{ type: "text" as const, text: job.input }];
  const content = blocks.map((block) => {
    if (block.type === "text") return { type: "input_text", text: block.text };
    const { kind } = block.source;
    const name = block.name ?? null;
    return block.type === "image"
      ? { type: "input_image", image_url: kind === "url" ? block.source.url : null, detail: "auto" }
      : { type: "input_file", filename: name, file_url: kind === "url" ? block.source.url : null };
  });
  return [{ id: job.inputMessageId, type: "message", role: "user", status: "completed", content }];
}
