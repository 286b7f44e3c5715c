/**
 * Wrappers of ports whose calls become spans. They are used only if tracing is on. Spans of models and tools follow
 * OpenTelemetry's conventions for generative AI, and contain none of the content.
 */
import { type ModelOutcome, type ModelPort, type Toolbox, type ToolPort, withCalls } from "../../actors/job/ports.ts";
import { jobExecution } from "../../actors/job/run/execution.ts";
import type { JobRunIntent, RunServices } from "../../actors/job/run/services.ts";
import type { EffectHandler } from "../../actors/runtime/outputs/effects.ts";
import type { EffectRow } from "../../actors/runtime/store.ts";
import { carrierOf, type Span, type SpanFacts, type Tracing } from "../../actors/runtime/tracing.ts";
import type { WebhookSender } from "../../actors/webhook/delivering.ts";

/** The models, each call a span. */
export function tracedModels(models: ModelPort, tracing: Tracing): ModelPort {
  return withCalls(models, (call, onText, signal) => {
    const described = models.describe(call.model);
    const { provider, name } = described.ok ? described.value : { provider: null, name: null };
    const from = tracing.now();
    const span = tracing.begin(name === null ? "chat" : `chat ${name}`, {
      kind: "client",
      facts: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": name,
        "gen_ai.request.stream": true,
        "troupe.organization.id": call.origin.organizationId,
        "troupe.job.id": call.origin.jobId,
        "troupe.model.purpose": call.purpose ?? "step",
      },
    });
    let firstMs: number | null = null;
    const onPiece = (text: string): void => {
      if (text !== "") firstMs ??= tracing.now() - from;
      onText(text);
    };
    return ending(span, async () => {
      const outcome = await models.call(call, onPiece, signal);
      span.tell(modelFacts(outcome, firstMs));
      if (outcome.kind === "failed") span.fail(outcome.error.code);
      return outcome;
    });
  });
}

const modelFacts = (outcome: ModelOutcome, firstMs: number | null): SpanFacts => ({
  "gen_ai.response.time_to_first_chunk": firstMs === null ? null : firstMs / 1_000,
  ...(outcome.kind === "aborted" ? { "troupe.aborted": true } : {}),
  ...(outcome.usage === undefined
    ? {}
    : {
        "gen_ai.usage.input_tokens": outcome.usage.inputTokens,
        "gen_ai.usage.output_tokens": outcome.usage.outputTokens,
        "gen_ai.usage.cache_read.input_tokens": outcome.usage.cachedInputTokens ?? null,
        "gen_ai.usage.cache_creation.input_tokens": outcome.usage.cacheWriteTokens ?? null,
      }),
  ...(outcome.kind === "finished" ? { "gen_ai.response.finish_reasons": [outcome.finishReason] } : {}),
});

/** Builds the handler of `run` effects, with spans for its tool calls and runs if tracing is on. */
export const tracedExecution =
  (tracing: Tracing | null) =>
  (services: RunServices): EffectHandler =>
    tracing === null
      ? jobExecution(services)
      : tracedRun(jobExecution({ ...services, tools: tracedTools(services.tools, tracing) }), tracing);

/** The tools of runs, each call a span. */
const tracedTools = (tools: ToolPort, tracing: Tracing): ToolPort => ({
  open: async (agent, context, signal) => tracedToolbox(await tools.open(agent, context, signal), tracing),
});

function tracedToolbox(toolbox: Toolbox, tracing: Tracing): Toolbox {
  return {
    ...toolbox,
    rulesOf: (name, input) => toolbox.rulesOf(name, input),
    misfits: (calls, context, signal) => toolbox.misfits(calls, context, signal),
    call(call, signal) {
      // Names that a model invents would make unbounded distinct span names.
      const name = toolbox.tools.some((tool) => tool.name === call.name) ? call.name : "unknown";
      const { organizationId, agentId, jobId } = call.context;
      const span = tracing.begin(`execute_tool ${name}`, {
        facts: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": name,
          "gen_ai.tool.type": "function",
          "gen_ai.tool.call.id": call.idempotencyKey.split(":").slice(2).join(":"),
          "gen_ai.agent.id": agentId,
          "troupe.organization.id": organizationId,
          "troupe.job.id": jobId,
        },
      });
      return ending(span, async () => {
        const result = await toolbox.call(call, signal);
        if (result.isError) span.fail("tool_error");
        return result;
      });
    },
  };
}

/**
 * The loop of a job, each run a span. All runs of a job belong to the trace of the request that began it, also after a
 * crash and in another process. Other causes of a run, such as an approval, are linked.
 */
const tracedRun = (handler: EffectHandler, tracing: Tracing): EffectHandler => ({
  intended: (effect, epoch) => handler.intended?.(effect, epoch),
  run(effect, context) {
    const { parent, links, facts } = runOf(effect);
    const span = tracing.begin("invoke_agent", { parent, links, facts });
    return ending(span, () => handler.run(effect, context));
  },
  recover: (effect, context) => tracing.within(runOf(effect).parent, () => handler.recover(effect, context)),
});

function runOf({ intent, actorId, organizationId }: EffectRow) {
  const { begun, attempt } = intent as Partial<JobRunIntent>;
  const cause = carrierOf(intent);
  const parent = begun?.trace ?? cause;
  const isSame = parent === null || cause === null || traceOf(parent) === traceOf(cause);
  return {
    parent,
    links: isSame ? [] : [cause],
    facts: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.id": begun?.agentId ?? null,
      "gen_ai.conversation.id": begun?.chatId ?? null,
      "troupe.organization.id": organizationId,
      "troupe.job.id": actorId,
      "troupe.job.attempt": attempt ?? null,
    },
  };
}

/** The id of the trace in a carrier. */
const traceOf = (carrier: string): string => carrier.split("-")[1] ?? "";

/** The sender of webhooks; each attempt is a span in the trace that caused its event. */
export const tracedSender = (sender: WebhookSender, tracing: Tracing): WebhookSender => ({
  send(prepared, signal) {
    const { attempt, event } = prepared;
    const parent = carrierOf(event);
    const span = tracing.begin(`webhook ${event.type}`, {
      kind: "client",
      ...(parent === null ? {} : { parent }),
      facts: {
        "http.request.method": "POST",
        "troupe.organization.id": event.organizationId,
        "troupe.event.id": event.id,
        "troupe.event.type": event.type,
        "troupe.webhook.attempt": attempt.attempt,
      },
    });
    return ending(span, async () => {
      const result = await sender.send(prepared, signal);
      const status = result !== null && "httpStatus" in result ? result.httpStatus : null;
      span.tell({ "http.response.status_code": status, "troupe.aborted": result === null ? true : null });
      if (result?.kind === "failed") span.fail(result.error);
      return result;
    });
  },
});

/** Runs the work in the span, and ends the span. */
async function ending<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await span.within(work);
  } finally {
    span.end();
  }
}
