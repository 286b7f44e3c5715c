/**
 * Models of providers whose package the operator has installed beside the service, such as `bun add @ai-sdk/google`. A
 * package is large, so the first call loads it, and it stays loaded. Its requests go through our `fetch`, with the same
 * limits as all others; the package reads its key from the environment.
 */
import type { LanguageModel } from "ai";
import { ModelCallUnavailable } from "../provider-faults.ts";
import { fetchFromProvider } from "../provider-fetch.ts";
import type { LoadedModel } from "./source.ts";

/** Cached models: a new one would compile its checks again. An operator names far fewer. */
const KEPT_MODELS = 64;
const keptModels = new Map<string, Promise<LoadedModel>>();

/** Rejects with `ModelCallUnavailable` if the package is missing or not one of the AI SDK. */
export function installedModel(packageName: string, model: string): Promise<LoadedModel> {
  const key = `${packageName} ${model}`;
  const known = keptModels.get(key);
  if (known !== undefined) return known;
  const loaded = loadModel(packageName, model);
  keptModels.set(key, loaded);
  loaded.catch(() => keptModels.delete(key));
  const [oldest] = keptModels.keys();
  if (keptModels.size > KEPT_MODELS && oldest !== undefined) keptModels.delete(oldest);
  return loaded;
}

async function loadModel(packageName: string, name: string): Promise<LoadedModel> {
  const [{ experimental_streamLanguageModelCall: streamCall }, exports] = await Promise.all([
    import("ai"),
    importPackage(packageName),
  ]);
  const model = modelFrom(exports, name);
  if (model === null) throw new ModelCallUnavailable(`The package ${packageName} is not an AI SDK provider.`);
  return { streamCall, model };
}

async function importPackage(name: string): Promise<object> {
  try {
    return (await import(name)) as object;
  } catch (cause) {
    throw new ModelCallUnavailable(
      `The package ${name} cannot be loaded. An operator must install it beside the service: bun add ${name}`,
      { cause },
    );
  }
}

/** By the convention of these packages: `create…` takes the settings and gives a provider. */
function modelFrom(exports: object, name: string): LanguageModel | null {
  for (const [key, create] of Object.entries(exports)) {
    if (!key.startsWith("create") || typeof create !== "function") continue;
    const provider: unknown = create({ fetch: fetchFromProvider });
    // Another `create…` may return a promise; nothing awaits it, so ignore its rejection.
    if (provider instanceof Promise) provider.catch(() => {});
    if (isProvider(provider)) return provider.languageModel(name);
  }
  return null;
}

interface SdkProvider {
  languageModel(name: string): LanguageModel;
}
const isProvider = (value: unknown): value is SdkProvider =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  typeof Reflect.get(value, "languageModel") === "function";
