/** A run as one chat completion, for a request that is not streamed. */
import { ok, type Outcome } from "../../../actors/fault.ts";
import { type JobTokens, TEXT_SEPARATOR } from "../../../actors/job/schema.ts";
import type { Caller } from "../../http/request/caller.ts";
import { awaitRun } from "../runs/awaited-run.ts";
import type { ProtocolServices } from "../runs/protocol.ts";
import type { RunClientCall, RunItem } from "../runs/run-item.ts";
import type { RunPart } from "../runs/run-translation.ts";
import {
  type CompletionFacts,
  completionId,
  completionUsage,
  type FinishReason,
  completionReason,
  toolCallView,
} from "./completion-frames.ts";
import type { OpenAiError } from "./refusals.ts";
import { blockedError, endError, LATE, runErrorResponse } from "./run-errors.ts";

/** The completion, or the error as a response of its own. */
export async function completedChat(
  services: ProtocolServices,
  caller: Caller,
  part: RunPart,
  facts: Omit<CompletionFacts, "jobId">,
): Promise<Outcome<object | Response>> {
  const answer = new WholeCompletion();
  const over = await awaitRun(services, caller, part, (item) => answer.take(item));
  if (!over.ok) return over;
  const error = over.value ? answer.error : LATE;
  return ok(error === null ? answer.view({ ...facts, jobId: part.jobId }) : runErrorResponse(error));
}

/** What the items of a part come to. */
class WholeCompletion {
  error: OpenAiError | null = null;
  /** Text by block. */
  private readonly texts = new Map<number, string>();
  private reasoning = "";
  private calls: readonly RunClientCall[] = [];
  private reason: FinishReason = "stop";
  private usage: JobTokens = { inputTokens: 0, outputTokens: 0 };

  take(item: RunItem): void {
    switch (item.kind) {
      case "text":
        this.texts.set(item.block, (this.texts.get(item.block) ?? "") + item.text);
        return;
      case "restarted":
        this.texts.set(item.block, item.kept);
        return;
      case "reasoning":
        this.reasoning += this.reasoning === "" ? item.text : `\n\n${item.text}`;
        return;
      case "client_calls":
        this.calls = item.calls;
        this.reason = "tool_calls";
        this.usage = item.usage;
        return;
      case "blocked":
        if (item.reason !== "approval_required") this.error = blockedError(item);
        return;
      case "end":
        this.usage = item.usage;
        if (item.status === "completed") this.reason = completionReason(item.stopReason);
        else this.error = endError(item.error);
        return;
      default:
        return;
    }
  }

  view({ jobId, model, created }: CompletionFacts): object {
    const { reasoning, calls } = this;
    const text = [...this.texts.values()].filter((one) => one !== "").join(TEXT_SEPARATOR);
    const message = {
      role: "assistant",
      content: text === "" && calls.length > 0 ? null : text,
      refusal: null,
      ...(reasoning === "" ? {} : { reasoning_content: reasoning, reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => toolCallView(jobId, call)) }),
    };
    return {
      id: completionId(jobId),
      object: "chat.completion",
      created,
      model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: this.reason }],
      usage: completionUsage(this.usage),
    };
  }
}
