/**
 * Resolves a model's name by the configuration alone (RUN-1): pure, and loads nothing.
 *
 *   null          → MODEL, else the default of the provider that has a key, else `demo:echo`
 *   "auto"        → the first local model that was found, else `demo:echo` (as MODEL only)
 *   "provider:x"  → that model, if its provider is configured
 */
import { cutText } from "../../actors/cut-text.ts";
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import {
  type ModelFormat,
  type ModelProvider,
  type ProviderAddress,
  USUAL_PROVIDERS,
} from "../../actors/job/model-provider.ts";
import type { Thinking } from "../../actors/job/model-entry.ts";
import type { ModelInput } from "../../actors/upload/terms.ts";
import { didYouMean } from "../../actors/near-name.ts";
import type { LocalModel } from "./local-models.ts";

/** The configuration of the provider seam. Keys are never logged or shown. */
export interface ModelSettings {
  /** `provider:name` or `auto`, from MODEL, else the first of MODEL_PROVIDERS; null if there is none. */
  readonly model: string | null;
  readonly anthropicApiKey: string | null;
  readonly openaiApiKey: string | null;
  /** Any OpenAI-compatible endpoint, including its `/v1`; null means OpenAI itself. */
  readonly openaiBaseUrl: string | null;
  /** For tests and gateways; null means Anthropic itself. */
  readonly anthropicBaseUrl?: string | null;
  /** The providers of MODEL_PROVIDERS; they take the place of those that the settings above would give. */
  readonly providers?: readonly ModelProvider[];
  /** Further allowed models, from MODELS; unusable ones are ignored. */
  readonly models?: readonly string[];
  /**
   * Further models that are only for calls with organizations' keys, from OWN_KEY_MODELS: the operator needs no key for
   * them.
   */
  readonly ownKeyModels?: readonly string[];
  /** Tokens by `provider:name`, from MODEL_WINDOWS. */
  readonly windows?: ReadonlyMap<string, number>;
  /** What models read by `provider:name`, from MODEL_INPUTS. */
  readonly inputs?: ReadonlyMap<string, readonly ModelInput[]>;
  /** How the text of models holds their reasoning by `provider:name`, from MODEL_THINKING. */
  readonly thinking?: ReadonlyMap<string, Thinking>;
  /** Models that take no tools, from MODELS_WITHOUT_TOOLS. */
  readonly withoutTools?: readonly string[];
  /** The result of `findLocalModels`. Prompts go there only with `auto`. */
  readonly localModels: readonly LocalModel[];
  /** In production the demo provider is refused unless `allowDemoModel`. */
  readonly production: boolean;
  readonly allowDemoModel: boolean;
  /** A stream that is silent for this long has failed; default 60,000 (RUN-3). */
  readonly stalledStreamMs?: number;
}

/** The targets that the operator allows, by name. */
export interface AllowedTargets {
  readonly settings: ModelSettings;
  /** The target if no model is named. */
  readonly fallback: Outcome<ModelTarget>;
  readonly byName: ReadonlyMap<string, ModelTarget>;
}

/** A model of a provider whose format we implement. */
export interface WireTarget extends ProviderAddress {
  readonly kind: ModelFormat;
  readonly provider: string;
  readonly name: string;
  readonly isOwnKeyOnly?: true;
}

/** Where a call goes. */
export type ModelTarget =
  | { readonly kind: "demo"; readonly provider: "demo"; readonly name: "echo" }
  | WireTarget
  /** A provider of the AI SDK whose package the operator has installed; it reads its key from the environment. */
  | {
      readonly kind: "ai-sdk";
      readonly provider: "ai-sdk";
      /** `package:model`, as the operator wrote it. */
      readonly name: string;
      readonly package: string;
      readonly model: string;
    };

export const DEFAULT_ANTHROPIC_MODEL = "claude-sonnet-5-5";
export const DEFAULT_OPENAI_MODEL = "gpt-5-mini";
export const DEFAULT_ANTHROPIC_URL = "https://api.anthropic.com/v1";
export const DEFAULT_OPENAI_URL = "https://api.openai.com/v1";
const DEMO: ModelTarget = { kind: "demo", provider: "demo", name: "echo" };
/** The short name of a package of the AI SDK, or the full name of another package. */
const SDK_MODEL = /^((?:@[a-z0-9-]{1,60}\/)?[a-z0-9][a-z0-9.-]{0,80}):(.+)$/;

/**
 * The models that may be named (RUN-4): the default one, those of MODELS and OWN_KEY_MODELS, and the demo if it is
 * allowed at all. A provider's key does not by itself allow all of its models.
 */
export function allowedTargets(settings: ModelSettings): AllowedTargets {
  const fallback = resolveModel(null, settings);
  const { models = [], ownKeyModels = [] } = settings;
  const named = [...models, ...ownKeyModels, "demo:echo"].map((name) => resolveModel(name, settings));
  const targets = [fallback, ...named].flatMap((target) => (target.ok ? [target.value] : []));
  return {
    settings,
    fallback,
    byName: new Map(targets.map((target) => [`${target.provider}:${target.name}`, target])),
  };
}

/**
 * The allowed target of a name; null names the default. A name that is unusable in any case is refused for that reason
 * first.
 */
export function allowedTarget(name: string | null, allowed: AllowedTargets): Outcome<ModelTarget> {
  if (presentSetting(name) === null) return allowed.fallback;
  const target = allowed.byName.get(name ?? "");
  if (target !== undefined) return ok(target);
  const unknown = resolveModel(name, allowed.settings);
  return unknown.ok
    ? refuseModelName(
        `The model "${shortModelName(name ?? "")}" is not allowed here: GET /api/models lists the allowed models.`,
      )
    : unknown;
}

/** The target of a name, or a `provider_error` in words for the operator. */
export function resolveModel(name: string | null, settings: ModelSettings): Outcome<ModelTarget> {
  const chosen = presentSetting(name) ?? presentSetting(settings.model);
  if (chosen === null) return defaultTarget(settings);
  if (chosen === "auto")
    return name === "auto"
      ? refuseModelName("`auto` is for the MODEL setting only; name a model as `provider:name`.")
      : autoTarget(settings);
  // The first colon: names of local models have colons of their own.
  const colon = chosen.indexOf(":");
  const provider = colon < 0 ? chosen : chosen.slice(0, colon);
  const rest = colon < 0 ? "" : chosen.slice(colon + 1);
  if (rest === "")
    return refuseModelName(`The model "${shortModelName(chosen)}" is not of the form \`provider:name\`.`);
  if (settings.ownKeyModels?.includes(chosen) === true) return ownKeyTarget(provider, rest, settings);
  const known = modelProviders(settings).get(provider);
  if (known !== undefined) return providedTarget(known, rest);
  switch (provider) {
    case "demo":
      return rest === "echo" ? demoTarget(settings) : refuseModelName("The demo provider has one model, `demo:echo`.");
    case "anthropic":
      return refuseModelName("A model of Anthropic needs ANTHROPIC_API_KEY.");
    case "openai":
      return refuseModelName("A model of OpenAI needs OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint.");
    case "openai-compatible":
      return refuseModelName("`openai-compatible` needs OPENAI_BASE_URL, the address of the endpoint with its /v1.");
    case "ai-sdk":
      return sdkTarget(rest);
    default:
      return refuseModelName(unknownProvider(provider, settings));
  }
}

function unknownProvider(given: string, { providers = [] }: ModelSettings): string {
  const names = [...new Set([...providers.map(({ name }) => name), ...USUAL_PROVIDERS, "ai-sdk"])];
  const known = `there are ${names.join(", ")} and demo`;
  return `The provider "${shortModelName(given)}" is unknown${didYouMean(given, names) || `; ${known}.`}`;
}

/**
 * Every provider that can be called, by name: those that the settings of one key or address give, and in their place
 * those of MODEL_PROVIDERS.
 */
export function modelProviders(settings: ModelSettings): ReadonlyMap<string, ModelProvider> {
  const all = [...usualProviders(settings), ...(settings.providers ?? [])];
  return new Map(all.map((provider) => [provider.name, provider]));
}

function usualProviders(settings: ModelSettings): readonly ModelProvider[] {
  const anthropicKey = presentSetting(settings.anthropicApiKey);
  const openaiKey = presentSetting(settings.openaiApiKey);
  const baseUrl = presentSetting(settings.openaiBaseUrl);
  const compatible = baseUrl === null ? null : ({ format: "chat-completions", baseUrl, apiKey: openaiKey } as const);
  const found: ModelProvider[] = [];
  if (anthropicKey !== null) {
    const address = presentSetting(settings.anthropicBaseUrl ?? null) ?? DEFAULT_ANTHROPIC_URL;
    found.push({ name: "anthropic", format: "messages", baseUrl: address, apiKey: anthropicKey });
  }
  if (compatible !== null) found.push({ name: "openai", ...compatible }, { name: "openai-compatible", ...compatible });
  else if (openaiKey !== null)
    found.push({ name: "openai", format: "responses", baseUrl: DEFAULT_OPENAI_URL, apiKey: openaiKey });
  return found;
}

function defaultTarget(settings: ModelSettings): Outcome<ModelTarget> {
  const providers = modelProviders(settings);
  const anthropic = providers.get("anthropic");
  if (presentSetting(settings.anthropicApiKey) !== null && anthropic !== undefined)
    return providedTarget(anthropic, DEFAULT_ANTHROPIC_MODEL);
  // The endpoint's models are unknown, and a fall-back to the demo would hide that.
  if (presentSetting(settings.openaiBaseUrl) !== null)
    return refuseModelName("OPENAI_BASE_URL is set, but no model: set MODEL=openai-compatible:<name> too.");
  const openai = providers.get("openai");
  if (presentSetting(settings.openaiApiKey) !== null && openai !== undefined)
    return providedTarget(openai, DEFAULT_OPENAI_MODEL);
  return (settings.providers ?? []).length === 0
    ? demoTarget(settings)
    : refuseModelName("MODEL_PROVIDERS is set and names no model: add `models` to a provider, or set MODEL.");
}

/** A placeholder for the operator's key where one is required. */
const NO_OPERATOR_KEY = "none";

/** A target without the operator's key, even if there is one. */
function ownKeyTarget(provider: string, name: string, settings: ModelSettings): Outcome<ModelTarget> {
  const keyless = { ...settings, ownKeyModels: [], anthropicApiKey: NO_OPERATOR_KEY, openaiApiKey: NO_OPERATOR_KEY };
  const target = resolveModel(`${provider}:${name}`, keyless);
  if (!target.ok) return target;
  return "baseUrl" in target.value
    ? ok({ ...target.value, apiKey: null, isOwnKeyOnly: true })
    : refuseModelName(`Organizations have no keys of their own for ${shortModelName(provider)}.`);
}

function autoTarget(settings: ModelSettings): Outcome<ModelTarget> {
  const found = settings.localModels[0];
  if (found === undefined) return demoTarget(settings);
  const { server, model, baseUrl } = found;
  return providedTarget({ name: server, format: "chat-completions", baseUrl, apiKey: null }, model);
}

function demoTarget(settings: ModelSettings): Outcome<ModelTarget> {
  if (!settings.production || settings.allowDemoModel) return ok(DEMO);
  return refuseModelName(
    "No model is configured. Set MODEL and the key of its provider, or ALLOW_DEMO_MODEL=1 for the built-in demo, which is not a language model.",
  );
}

function providedTarget(provider: ModelProvider, model: string): Outcome<ModelTarget> {
  const { name, format, ...address } = provider;
  return ok({ kind: format, provider: name, name: model, ...address });
}

function sdkTarget(name: string): Outcome<ModelTarget> {
  const [, provider, model] = SDK_MODEL.exec(name) ?? [];
  if (provider === undefined || model === undefined)
    return refuseModelName(`The model "ai-sdk:${shortModelName(name)}" is not of the form \`ai-sdk:package:model\`.`);
  return ok({
    kind: "ai-sdk",
    provider: "ai-sdk",
    name,
    package: provider.startsWith("@") ? provider : `@ai-sdk/${provider}`,
    model,
  });
}

/** An empty setting counts as not set. */
const presentSetting = (value: string | null): string | null =>
  value === null || value.trim() === "" ? null : value.trim();
const refuseModelName = (message: string): Outcome<never> => refuse({ kind: "provider_error", message });
const shortModelName = (text: string): string => cutText(text, 80);
