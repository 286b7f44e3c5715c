/** A model call in one of the formats that we implement: one request, whose answer `body.ts` reads. */
import type { Thinking } from "../../../actors/job/model-entry.ts";
import { NO_SETTINGS } from "../../../actors/job/model-settings.ts";
import type { ModelFormat } from "../../../actors/job/model-provider.ts";
import type { ModelCall } from "../../../actors/job/ports.ts";
import { MAX_ERROR_BYTES } from "../answer-limits.ts";
import { conversation, type SpokenMessage } from "../conversation.ts";
import type { WireTarget } from "../model-name.ts";
import { askedCaching } from "../prompt-caching.ts";
import { providerHeaders, providerUrl } from "../provider-address.ts";
import { ProviderAnswer } from "../provider-faults.ts";
import { askProvider, firstBytes } from "../provider-fetch.ts";
import { buildRequestBody } from "../request-body.ts";
import type { AnswerSource, AnswerListener } from "../stream-call.ts";
import { chatCompletions } from "./chat-completions.ts";
import { readAnswer } from "./body.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";
import { applyConcessions, type ConcessionRule, ModelMemory, ruleFor, takesPrefill } from "./concessions.ts";
import { withProviderOptions } from "./setting-fields.ts";
import { droppedSettings } from "./setting-rules.ts";
import type { WireCall, WireFormat } from "./wire-format.ts";

const WIRE_FORMATS: Readonly<Record<ModelFormat, WireFormat>> = {
  messages,
  responses,
  "chat-completions": chatCompletions,
};

export interface KnownModel {
  /** What models are known to refuse. */
  readonly memory: ModelMemory;
  /** How the model's text holds its reasoning. */
  readonly thinking: Thinking;
}

/** The call at this target, in the target's format. */
export function wireSource(
  call: ModelCall,
  target: WireTarget,
  { memory, thinking }: KnownModel = { memory: new ModelMemory(), thinking: "tags" },
): AnswerSource {
  const format = WIRE_FORMATS[target.kind];
  return async (listener) => {
    const stream = await openedWithConcessions(call, { target, format, memory }, listener);
    if (stream !== null) await readAnswer(stream, format.reader(listener.sink, thinking), listener);
  };
}

interface WireWay extends Pick<KnownModel, "memory"> {
  readonly target: WireTarget;
  readonly format: WireFormat;
}

/** Repeats the request with the concession that the refusal names, as long as refusals name new ones. */
async function openedWithConcessions(call: ModelCall, way: WireWay, listener: AnswerListener) {
  const { target, memory, format } = way;
  const { system, tools, outputSchema = null, onSent } = call;
  const model = `${target.provider}:${target.name}`;
  // A key may belong to a project that takes less.
  const payer = call.apiKey === undefined ? "" : ` ${call.origin.organizationId}`;
  const key = `${target.baseUrl} ${model}${payer}`;
  const { resultFiles } = format;
  const messages = listener.charged(() =>
    conversation(call.entries, { model, hasTools: tools.length > 0, resultFiles }),
  );
  const { settings = NO_SETTINGS } = call;
  const isThinking = settings.thinking !== undefined && settings.thinking.type !== "disabled";
  // An answer of a model that thinks begins with its thoughts.
  const prefill = takesPrefill(target) && !isThinking ? (call.continues ?? "") : "";
  const instructions = system.trim() === "" ? "" : system;
  const asked = {
    model: target.name,
    system: instructions,
    messages,
    tools,
    outputSchema,
    prefill,
    settings,
    caching: askedCaching(call, target),
  };
  const ofSettings = `${call.origin.organizationId} ${key} ${JSON.stringify(settings)}`;
  const concessions = new Set([...memory.concessionsOf(key), ...memory.ofSettings(ofSettings)]);
  /** What the newest refusal has named. */
  let newest: ConcessionRule | null = null;
  // Images and files are dropped once they are sent, so their request is not made again, except without its schema or a
  // setting, or for caching until the model has taken it once.
  const isSettled = asked.caching === null || memory.cachesAt(key);
  const isFinal = outputSchema === null && settings === NO_SETTINGS && isSettled && hasData(messages);
  for (;;) {
    const wireCall = { ...asked, concessions, base64: noBase64 };
    try {
      const stream = await openWireStream(wireCall, way, isFinal ? onSent : undefined, listener);
      onSent?.();
      if (asked.caching !== null && !concessions.has("no_caching")) memory.rememberCaching(key);
      // Only the last concession is known to have helped; the next calls show whether an earlier one is needed too.
      if (newest?.isRemembered === "for these settings") memory.rememberSetting(ofSettings, newest.concession);
      // What a provider says of options that an author has chosen holds for that call only.
      else if (newest !== null && newest.isRemembered === undefined && settings.providerOptions === undefined)
        memory.remember(key, newest.concession);
      for (const setting of droppedSettings({ settings, concessions }))
        call.onLeftSetting?.({ setting, why: "the provider refused it" });
      if (prefill !== "" && !concessions.has("no_prefill")) listener.charged(() => listener.sink.text(prefill));
      return stream;
    } catch (error) {
      const rule = isFinal ? null : ruleFor(error, wireCall);
      if (rule === null) throw error;
      concessions.add(rule.concession);
      newest = rule;
    }
  }
}

const hasData = (messages: readonly SpokenMessage[]): boolean =>
  messages.some((message) =>
    message.role === "user"
      ? typeof message.content !== "string"
      : message.role === "tool" && message.results.some(({ files }) => files !== undefined),
  );
const noBase64 = (): string => "";

async function openWireStream(
  call: WireCall,
  { target, format }: WireWay,
  onSent: (() => void) | undefined,
  { signal, onHeaders, charged, touch }: AnswerListener,
) {
  const spoken = charged(() => applyConcessions(call));
  const asked = buildRequestBody(
    (base64) => withProviderOptions(format.body({ ...spoken, base64 }), spoken.settings.providerOptions),
    { charged, touch, onSent },
  );
  const answer = await askProvider(providerUrl(target.baseUrl, format.path), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      "accept-encoding": "identity",
      "user-agent": "troupe",
      ...providerHeaders(target.kind, target),
      ...asked.headers,
    },
    body: asked.body,
    signal,
  });
  touch();
  if (answer.ok) {
    onHeaders?.(Object.fromEntries(answer.headers));
    return answer.body;
  }
  const body = answer.body === null ? "" : Buffer.from(await firstBytes(answer.body, MAX_ERROR_BYTES)).toString();
  throw new ProviderAnswer(answer.status, Object.fromEntries(answer.headers), body);
}
