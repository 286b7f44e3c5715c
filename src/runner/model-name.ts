/**
 * Resolves a model's name by the configuration alone (RUN-1): pure, and loads nothing.
 *
 *   null          → MODEL, else the default of the provider that has a key, else `demo:echo`
 *   "auto"        → the first local model that was found, else `demo:echo` (as MODEL only)
 *   "provider:x"  → that model, if its provider is configured
 */
import { cutText } from "../../actors/cut-text.ts";
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { Thinking } from "../../actors/job/model-entry.ts";
import type { ModelInput } from "../../actors/upload/terms.ts";
import type { LocalModel } from "./local-models.ts";

/** The configuration of the provider seam. Keys are never logged or shown. */
export interface ModelSettings {
  /** `provider:name` or `auto`, from MODEL; null if not set. */
  readonly model: string | null;
  readonly anthropicApiKey: string | null;
  readonly openaiApiKey: string | null;
  /** Any OpenAI-compatible endpoint, including its `/v1`; null means OpenAI itself. */
  readonly openaiBaseUrl: string | null;
  /** For tests and gateways; null means Anthropic itself. */
  readonly anthropicBaseUrl?: string | null;
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

/** Where a call goes. */
export type ModelTarget =
  | { readonly kind: "demo"; readonly provider: "demo"; readonly name: "echo" }
  | {
      readonly kind: "anthropic";
      readonly provider: string;
      readonly name: string;
      readonly apiKey: string | null;
      readonly baseUrl: string;
      readonly isOwnKeyOnly?: true;
    }
  | {
      readonly kind: "openai";
      readonly provider: string;
      readonly name: string;
      readonly apiKey: string | null;
      readonly baseUrl: string;
      readonly isOwnKeyOnly?: true;
    }
  | {
      readonly kind: "compatible";
      readonly provider: string;
      readonly name: string;
      readonly apiKey: string | null;
      readonly baseUrl: string;
      readonly isOwnKeyOnly?: true;
    }
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
const PROVIDER_NAMES = "anthropic, openai, openai-compatible, ai-sdk and demo";
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
        `The model "${shortModelName(name ?? "")}" is not one of those that are allowed here: GET /api/models lists them.`,
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
  switch (provider) {
    case "demo":
      return rest === "echo" ? demoTarget(settings) : refuseModelName("The demo provider has one model, `demo:echo`.");
    case "anthropic":
      return anthropicTarget(rest, settings);
    case "openai":
      return openaiTarget(rest, settings);
    case "openai-compatible":
      return settings.openaiBaseUrl === null
        ? refuseModelName("`openai-compatible` needs OPENAI_BASE_URL, the address of the endpoint with its /v1.")
        : compatibleTarget(rest, settings.openaiBaseUrl, settings.openaiApiKey);
    case "ai-sdk":
      return sdkTarget(rest);
    default:
      return refuseModelName(`The provider "${shortModelName(provider)}" is unknown; there are ${PROVIDER_NAMES}.`);
  }
}

function defaultTarget(settings: ModelSettings): Outcome<ModelTarget> {
  if (presentSetting(settings.anthropicApiKey) !== null) return anthropicTarget(DEFAULT_ANTHROPIC_MODEL, settings);
  // The endpoint's models are unknown, and a fall-back to the demo would hide that.
  if (presentSetting(settings.openaiBaseUrl) !== null)
    return refuseModelName("OPENAI_BASE_URL is set, but no model: set MODEL=openai-compatible:<name> too.");
  if (presentSetting(settings.openaiApiKey) !== null) return openaiTarget(DEFAULT_OPENAI_MODEL, settings);
  return demoTarget(settings);
}

/** A placeholder for the operator's key where one is required. */
const NO_OPERATOR_KEY = "none";

/** A target without the operator's key, even if there is one. */
function ownKeyTarget(provider: string, name: string, settings: ModelSettings): Outcome<ModelTarget> {
  if (provider !== "anthropic" && provider !== "openai" && provider !== "openai-compatible")
    return refuseModelName("Organizations have keys for anthropic, openai and openai-compatible only.");
  const keyless = { ...settings, ownKeyModels: [], anthropicApiKey: NO_OPERATOR_KEY, openaiApiKey: NO_OPERATOR_KEY };
  const target = resolveModel(`${provider}:${name}`, keyless);
  return target.ok ? ok({ ...target.value, apiKey: null, isOwnKeyOnly: true } as ModelTarget) : target;
}

function autoTarget(settings: ModelSettings): Outcome<ModelTarget> {
  const found = settings.localModels[0];
  if (found === undefined) return demoTarget(settings);
  return ok({ kind: "compatible", provider: found.server, name: found.model, apiKey: null, baseUrl: found.baseUrl });
}

function demoTarget(settings: ModelSettings): Outcome<ModelTarget> {
  if (!settings.production || settings.allowDemoModel) return ok(DEMO);
  return refuseModelName(
    "No model is configured. Set MODEL and the key of its provider, or ALLOW_DEMO_MODEL=1 for the built-in demo, which is no language model.",
  );
}

function anthropicTarget(name: string, settings: ModelSettings): Outcome<ModelTarget> {
  const apiKey = presentSetting(settings.anthropicApiKey);
  if (apiKey === null) return refuseModelName("A model of Anthropic needs ANTHROPIC_API_KEY.");
  return ok({
    kind: "anthropic",
    provider: "anthropic",
    name,
    apiKey,
    baseUrl: settings.anthropicBaseUrl ?? DEFAULT_ANTHROPIC_URL,
  });
}

function openaiTarget(name: string, settings: ModelSettings): Outcome<ModelTarget> {
  const baseUrl = presentSetting(settings.openaiBaseUrl);
  if (baseUrl !== null) return compatibleTarget(name, baseUrl, settings.openaiApiKey, "openai");
  const apiKey = presentSetting(settings.openaiApiKey);
  if (apiKey === null)
    return refuseModelName("A model of OpenAI needs OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint.");
  return ok({ kind: "openai", provider: "openai", name, apiKey, baseUrl: DEFAULT_OPENAI_URL });
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

function compatibleTarget(
  name: string,
  baseUrl: string,
  apiKey: string | null,
  provider = "openai-compatible",
): Outcome<ModelTarget> {
  return ok({ kind: "compatible", provider, name, apiKey: presentSetting(apiKey), baseUrl });
}

/** An empty setting counts as not set. */
const presentSetting = (value: string | null): string | null =>
  value === null || value.trim() === "" ? null : value.trim();
const refuseModelName = (message: string): Outcome<never> => refuse({ kind: "provider_error", message });
const shortModelName = (text: string): string => cutText(text, 80);
