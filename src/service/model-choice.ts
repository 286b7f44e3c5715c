/**
 * Which models this start uses. Everything that depends on the settings alone is checked with the other settings
 * (`modelErrors`). Choices that need an answer of a server are made before the database starts (`chooseModels`):
 *
 *   MODEL=provider:name          that one
 *   MODEL_PROVIDERS, no MODEL    the first model of that file
 *   MODEL=auto                   the first server found on this machine, else the demo model
 *   OPENAI_BASE_URL, no MODEL    the only model of that server
 *   neither                      the default of the provider that has a key, else the demo model
 */
import type { ModelPort } from "../../actors/job/ports.ts";
import type { ProvidedModel } from "../../actors/job/model-provider.ts";
import type { Logger } from "../log/log.ts";
import { findLocalModels, LOCAL_SERVERS, type LocalModel } from "../runner/local-models.ts";
import { listModels } from "../runner/model-list.ts";
import { type ModelSettings, resolveModel } from "../runner/model-name.ts";
import { providerHeaders } from "../runner/provider-address.ts";
import { createModels } from "../runner/models.ts";
import type { RunTime } from "../runner/stream-call.ts";
import type { Config, ConfigError, SettingsCheck } from "../settings/settings.ts";
import { pricesOf } from "../settings/prices.ts";
import { systemClock } from "../wiring/clock.ts";
import { pricedModels } from "../wiring/priced.ts";
import { inputEntry, thinkingEntry, windowEntry } from "../../actors/job/model-entry.ts";

/** No server with a model answers now; a later start may find one. */
export class ModelUnavailable extends Error {
  override readonly name = "ModelUnavailable";
}

/** MODEL must be set, because the server of OPENAI_BASE_URL has several models, or none. */
export class ModelMissing extends Error {
  override readonly name = "ModelMissing";
}

export interface ChosenModels {
  readonly models: ModelPort;
  /** The servers on this machine, to suggest them. */
  readonly local: Promise<readonly LocalModel[]>;
}

/** The most names in a message. */
const NAMES_SHOWN = 10;

/** MODEL, MODELS, OWN_KEY_MODELS and MODEL_FALLBACKS against the keys and addresses that are set. */
export const modelErrors: SettingsCheck = {
  reads: [
    "MODEL",
    "MODELS",
    "OWN_KEY_MODELS",
    "MODEL_FALLBACKS",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "ALLOW_DEMO_MODEL",
    "MODEL_PROVIDERS",
  ],
  errors(config) {
    const settings = modelSettings(config, []);
    const named = (variable: string, name: string): ConfigError[] => {
      const why = whyUnusable(name, settings);
      return why === null ? [] : [{ variable, message: `has ${JSON.stringify(name)}, which cannot be used: ${why}` }];
    };
    const model = config.model === undefined || config.model === "auto" ? [] : named("MODEL", config.model);
    const { models = [], ownKeyModels = [], modelFallbacks = [] } = config;
    const all = { MODELS: models, OWN_KEY_MODELS: ownKeyModels, MODEL_FALLBACKS: modelFallbacks };
    return [...model, ...Object.entries(all).flatMap(([name, list]) => list.flatMap((one) => named(name, one)))];
  },
};

/** Chooses the models, and asks servers if necessary. Throws `ModelUnavailable` or `ModelMissing`. */
export async function chooseModels(config: Config, log: Logger, time?: RunTime): Promise<ChosenModels> {
  const chosen = await choose(config, log, time);
  const prices = pricesOf(config);
  return prices === null ? chosen : { ...chosen, models: pricedModels(chosen.models, prices, systemClock) };
}

async function choose(config: Config, log: Logger, time?: RunTime): Promise<ChosenModels> {
  const { settings, local, why } = await chosenSettings(config);
  const models = createModels(settings, log, time === undefined ? {} : { time });
  if (why !== null) log[why.level](why.fields, why.message);
  if (!models.describe(null).ok)
    log.warn({ why: whyUnusable(null, settings) }, "no model can be used: executions are refused");
  return { models, local };
}

/** The settings about models with the choices that need an answer of a server. Throws as `chooseModels` does. */
export const settledModels = async (config: Config): Promise<ModelSettings> => (await chosenSettings(config)).settings;

interface ChosenSettings {
  readonly settings: ModelSettings;
  readonly local: Promise<readonly LocalModel[]>;
  /** What a server's answer has decided, for the log. */
  readonly why: { readonly level: "info" | "warn"; readonly fields: object; readonly message: string } | null;
}

async function chosenSettings(config: Config): Promise<ChosenSettings> {
  if (config.model === "auto") return auto(config);
  if (needsList(config)) return onlyModel(config);
  const hasModel = firstModel(config) !== null || [config.anthropicApiKey, config.openaiApiKey].some((key) => key);
  return { settings: modelSettings(config, []), local: hasModel ? Promise.resolve([]) : findLocalModels(), why: null };
}

const needsList = (config: Config): boolean =>
  firstModel(config) === null && config.anthropicApiKey === undefined && config.openaiBaseUrl !== undefined;

/** MODEL, else the first model of MODEL_PROVIDERS that does not need a key of an organization. */
const firstModel = ({ model, provided }: Pick<Partial<Config>, "model" | "provided">): string | null =>
  model ?? provided?.models.find(({ isOwnKeyOnly }) => isOwnKeyOnly !== true)?.model ?? null;

async function auto(config: Config): Promise<ChosenSettings> {
  const local = await findLocalModels();
  const settings = modelSettings(config, local);
  const lookedFor = LOCAL_SERVERS.map(({ server, port }) => `${server} at http://127.0.0.1:${port}/v1`);
  const [found] = local;
  const chosen = { settings, local: Promise.resolve(local) };
  if (found !== undefined) {
    const fields = { server: found.server, baseUrl: found.baseUrl, model: found.model };
    return { ...chosen, why: { level: "info", fields, message: "MODEL=auto" } };
  }
  const none = `MODEL=auto found no model server on this machine. It looked for ${lookedFor.join(", ")}.`;
  if (whyUnusable(null, settings) !== null)
    throw new ModelUnavailable(`${none} Start one of them, or set MODEL=provider:name.`);
  return { ...chosen, why: { level: "warn", fields: {}, message: `${none} The demo model answers.` } };
}

async function onlyModel(config: Config): Promise<ChosenSettings> {
  const baseUrl = config.openaiBaseUrl ?? "";
  const headers = providerHeaders("chat-completions", { apiKey: config.openaiApiKey ?? null });
  const list = await listModels(baseUrl, { headers });
  if (list.kind !== "listed") {
    throw new ModelUnavailable(
      `MODEL is not set, and the server of OPENAI_BASE_URL could not be asked for its models: ${list.why}. Start it, or set MODEL=openai:NAME.`,
    );
  }
  const [only, ...others] = list.models;
  if (only === undefined)
    throw new ModelMissing("MODEL is not set, and the server of OPENAI_BASE_URL has no model. Set MODEL=openai:NAME.");
  if (others.length > 0) {
    const shown = list.models.slice(0, NAMES_SHOWN).map((name) => `MODEL=openai:${name}`);
    const more = list.models.length > NAMES_SHOWN ? ` and ${list.models.length - NAMES_SHOWN} more` : "";
    throw new ModelMissing(
      `MODEL is not set, and the server of OPENAI_BASE_URL has ${list.models.length} models. Set one of them: ${shown.join(", ")}${more}.`,
    );
  }
  const model = `openai:${only}`;
  const message = "MODEL is not set: this is the only model of OPENAI_BASE_URL";
  const settings = modelSettings({ ...config, model }, []);
  return { settings, local: Promise.resolve([]), why: { level: "info", fields: { model }, message } };
}

/** The settings about models; `localModels` are the servers found on this machine. */
export function modelSettings(config: Partial<Config>, localModels: readonly LocalModel[]): ModelSettings {
  const provided = config.provided?.models ?? [];
  return {
    model: firstModel(config),
    providers: config.provided?.providers ?? [],
    anthropicApiKey: config.anthropicApiKey ?? null,
    openaiApiKey: config.openaiApiKey ?? null,
    openaiBaseUrl: config.openaiBaseUrl ?? null,
    models: [
      ...provided.flatMap(({ model, isOwnKeyOnly }) => (isOwnKeyOnly === true ? [] : [model])),
      ...(config.models ?? []),
      ...(config.modelFallbacks ?? []),
    ],
    ownKeyModels: [
      ...provided.flatMap(({ model, isOwnKeyOnly }) => (isOwnKeyOnly === true ? [model] : [])),
      ...(config.ownKeyModels ?? []),
    ],
    windows: saidOf(provided, ({ window }) => window, config.modelWindows, windowEntry),
    inputs: saidOf(provided, ({ inputs }) => inputs, config.modelInputs, inputEntry),
    thinking: saidOf(provided, ({ thinking }) => thinking, config.modelThinking, thinkingEntry),
    withoutTools: [
      ...provided.flatMap(({ model, takesTools }) => (takesTools === false ? [model] : [])),
      ...(config.modelsWithoutTools ?? []),
    ],
    localModels,
    production: config.nodeEnv === "production",
    allowDemoModel: config.allowDemoModel ?? false,
    ...(config.stalledStreamSeconds === undefined ? {} : { stalledStreamMs: config.stalledStreamSeconds * 1_000 }),
  };
}

/** Why a model cannot be used, for the operator, or null. */
function whyUnusable(name: string | null, settings: ModelSettings): string | null {
  const target = resolveModel(name, settings);
  if (target.ok) return null;
  return target.fault.kind === "provider_error" ? target.fault.message : target.fault.kind;
}

/**
 * Settings of models by `provider:name`: from the file of MODEL_PROVIDERS, or from a setting, which takes precedence.
 */
function saidOf<T>(
  provided: readonly ProvidedModel[],
  inFile: (model: ProvidedModel) => T | undefined,
  entries: readonly string[] = [],
  read: (entry: string) => readonly [string, T] | null,
): ReadonlyMap<string, T> {
  const said = new Map<string, T>();
  for (const model of provided) {
    const value = inFile(model);
    if (value !== undefined) said.set(model.model, value);
  }
  for (const [model, value] of entries.flatMap((entry) => [read(entry)].filter((pair) => pair !== null)))
    said.set(model, value);
  return said;
}
