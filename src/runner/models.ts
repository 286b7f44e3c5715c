/**
 * The provider seam: every model call of the service goes through here (RUN-1). The configuration resolves the name.
 * Then the built-in demo answers, or one call is streamed: in a format that we implement ourselves (`wire/`), or by the
 * AI SDK if the operator has named a package of it.
 */
import { BoundedMap } from "../../actors/bounded-map.ts";
import { ok } from "../../actors/fault.ts";
import { type ModelCall, type ModelInfo, type ModelPort, ownKeyWords } from "../../actors/job/ports.ts";
import type { Thinking } from "../../actors/job/model-entry.ts";
import { isHiddenQuery, type ModelProvider, USUAL_PROVIDERS } from "../../actors/job/model-provider.ts";
import { CREDENTIAL_SCHEMES } from "../../actors/secret-shapes.ts";
import type { ModelInput } from "../../actors/upload/terms.ts";
import { unmadeCall } from "../../actors/job/run/call-failures.ts";
import { installedModel } from "./ai-sdk/installed.ts";
import { answerSourceOfSdk } from "./ai-sdk/source.ts";
import { callDemo } from "./demo.ts";
import { inputEstimate, withEstimate } from "./estimated-usage.ts";
import { STALLED_STREAM_MS } from "../../actors/job/limits.ts";
import type { RunnerLog } from "../log/port.ts";
import {
  allowedTarget,
  allowedTargets,
  modelProviders,
  type ModelSettings,
  type ModelTarget,
  type WireTarget,
} from "./model-name.ts";
import { inputOfTarget, NO_INPUT } from "./model-input.ts";
import { NO_WINDOW, windowOfTarget } from "./model-window.ts";
import { settingProblems, takenSettings } from "./setting-support.ts";
import { type AnswerSource, type CallObserver, type RunTime, streamCall } from "./stream-call.ts";
import { realTimers, type Timers } from "./watchdog.ts";
import { ModelMemory } from "./wire/concessions.ts";
import { type KnownModel, wireSource } from "./wire/source.ts";

/** Models and organizations whose keys are known to take no tools. */
const KNOWN_KEYS = 1_024;

interface ModelsOptions {
  /** For tests. */
  readonly timers?: Timers;
  /** Charges the work on requests and answers to their organizations (FAIR-1). */
  readonly time?: RunTime;
  readonly observer?: CallObserver;
}

/** The models of this configuration. Reads no environment and opens nothing: the first call to a provider loads it. */
export function createModels(
  settings: ModelSettings,
  log?: RunnerLog,
  { timers = realTimers, time, observer }: ModelsOptions = {},
): ModelPort {
  const stalledStreamMs = settings.stalledStreamMs ?? STALLED_STREAM_MS;
  const providers = modelProviders(settings);
  const secrets = [...providers.values()].flatMap(hiddenParts);
  const allowed = allowedTargets(settings);
  const windows = settings.windows ?? new Map<string, number>();
  const inputs = settings.inputs ?? new Map<string, readonly ModelInput[]>();
  const memory = new ModelMemory();
  const thinking = settings.thinking ?? new Map<string, Thinking>();
  /** By the operator's settings, and by refusals of calls that were accepted without tools. */
  const withoutTools = new Set(settings.withoutTools);
  /** By refusals of calls with keys of organizations, which may take less. */
  const withoutToolsOfKey = new BoundedMap<true>(KNOWN_KEYS);
  return {
    describe(model) {
      const target = allowedTarget(model, allowed);
      return target.ok ? ok(modelInfoOf(target.value)) : target;
    },

    windowOf(model) {
      const target = allowedTarget(model, allowed);
      return target.ok ? windowOfTarget(target.value, windows) : NO_WINDOW;
    },

    inputOf(model) {
      const target = allowedTarget(model, allowed);
      return target.ok ? inputOfTarget(target.value, inputs) : NO_INPUT;
    },

    takesTools(model, organizationId = "") {
      const target = allowedTarget(model, allowed);
      if (!target.ok) return true;
      const name = targetName(target.value);
      return !withoutTools.has(name) && withoutToolsOfKey.get(`${name} ${organizationId}`) === undefined;
    },

    settingProblems(model, settings) {
      const target = allowedTarget(model, allowed);
      return target.ok ? settingProblems(target.value, settings) : [];
    },

    allowed() {
      const { fallback, byName } = allowed;
      const isDefault = ({ provider, name }: ModelTarget): boolean =>
        fallback.ok && provider === fallback.value.provider && name === fallback.value.name;
      return [...byName.values()].map((target) => ({
        ...modelInfoOf(target),
        isDefault: isDefault(target),
        window: windowOfTarget(target, windows),
        input: inputOfTarget(target, inputs),
      }));
    },

    keyedProviders: () => [...new Set([...USUAL_PROVIDERS, ...providers.keys()])],

    callsAtOnce(model) {
      const target = allowedTarget(model, allowed);
      return target.ok && "baseUrl" in target.value ? (target.value.concurrency ?? null) : null;
    },

    async call(asked, onText, signal) {
      const target = allowedTarget(asked.model, allowed);
      if (!target.ok)
        return unmadeCall({
          code: "model_unavailable",
          message: target.fault.kind === "provider_error" ? target.fault.message : "No model can be used.",
        });
      const call = withTakenSettings(asked, target.value);
      if (target.value.kind === "demo") {
        return await callDemo(call, { onText, signal, stalledStreamMs, timers }).catch((err: unknown) => {
          log?.error({ err, ...call.origin }, "The demo model failed");
          return unmadeCall({
            code: "internal_error",
            message: "The service failed while it received the model's answer.",
          });
        });
      }
      if (isOwnKeyOnly(target.value) && call.apiKey === undefined)
        return unmadeCall({
          code: "provider_key_rejected",
          message: ownKeyWords(`${target.value.provider}:${target.value.name}`),
        });
      const model = targetName(target.value);
      const known = { memory, thinking: thinking.get(model) ?? ("tags" as const) };
      const source = answerSourceOf(call, target.value, known);
      const hidden = call.apiKey === undefined ? secrets : [...secrets, call.apiKey];
      // What a provider says of options that an author has chosen holds for that call only.
      const mayRefuseTools = call.tools.length > 0 && call.settings?.providerOptions === undefined;
      const { stalledStreamMs: own = stalledStreamMs } = target.value as Partial<WireTarget>;
      const silence = { stalledStreamMs: own, timers };
      const context = { origin: call.origin, model, mayRefuseTools, onText, signal, ...silence, time, log, observer };
      const input = inputEstimate(call);
      const outcome = await streamCall({ ...context, source, secrets: hidden });
      if (outcome.kind === "finished" && call.afterToolRefusal === true) {
        if (call.apiKey === undefined) withoutTools.add(model);
        else withoutToolsOfKey.set(`${model} ${call.origin.organizationId}`, true);
      }
      return withEstimate(outcome, input, call.cachedTokens);
    },
  };
}

/** The call without the settings that its model does not take. */
function withTakenSettings(call: ModelCall, target: ModelTarget): ModelCall {
  const { settings } = call;
  if (settings === undefined) return call;
  const problems = settingProblems(target, settings);
  problems.forEach((problem) => call.onLeftSetting?.(problem));
  return { ...call, settings: takenSettings(settings, problems) };
}

function answerSourceOf(
  call: ModelCall,
  target: Exclude<ModelTarget, { kind: "demo" }>,
  known: KnownModel,
): AnswerSource {
  if (target.kind !== "ai-sdk")
    return wireSource(call, call.apiKey === undefined ? target : { ...target, apiKey: call.apiKey }, known);
  return answerSourceOfSdk(call, targetName(target), () => installedModel(target.package, target.model));
}

const modelInfoOf = (target: ModelTarget): ModelInfo => {
  const { provider, name, kind } = target;
  return { provider, name, demo: kind === "demo", ...(isOwnKeyOnly(target) ? { isOwnKeyOnly: true as const } : {}) };
};
const targetName = ({ provider, name }: ModelTarget): string => `${provider}:${name}`;
const isOwnKeyOnly = (target: ModelTarget): boolean => "isOwnKeyOnly" in target && target.isOwnKeyOnly;

/** Strings that no message may contain: keys, values of headers and of the address's query, and hosts. */
function hiddenParts({ apiKey, headers = {}, baseUrl }: ModelProvider): readonly string[] {
  const url = URL.parse(baseUrl);
  const query = [...(url?.searchParams ?? [])].flatMap(([name, value]) => (isHiddenQuery(name) ? [value] : []));
  // Of a scheme and a key, a provider may repeat the key alone.
  const values = Object.values(headers).flatMap((value) => [value, value.replace(SCHEME, "")]);
  return [
    ...[apiKey ?? "", url?.password ?? ""].filter((key) => key !== ""),
    ...[...values, ...query].filter(({ length }) => length >= LEAST_HIDDEN),
    url?.hostname ?? baseUrl,
  ];
}
const SCHEME = new RegExp(`^${CREDENTIAL_SCHEMES}\\s+`, "i");
/** Shorter values are words of ordinary text. */
const LEAST_HIDDEN = 8;
