/**
 * Models of providers whose package the operator has installed beside the service, such as `bun add @ai-sdk/google`. A
 * package is large, so the first call loads it, and it stays loaded. Its requests go through our `fetch`, with the same
 * limits as all others; the package reads its key from the environment.
 */
import type { LanguageModel } from "ai";
import { ModelUnavailable } from "../provider-faults.ts";
import { providerFetch } from "../provider-fetch.ts";
import type { LoadedModel } from "./source.ts";

/** Cached models: a new one would compile its checks again. An operator names far fewer. */
const KEPT_MODELS = 64;
const kept = new Map<string, Promise<LoadedModel>>();

/** Rejects with `ModelUnavailable` if the package is missing or not one of the AI SDK. */
export function installedModel(packageName: string, model: string): Promise<LoadedModel> {
  const key = `${packageName} ${model}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const loaded = load(packageName, model);
  kept.set(key, loaded);
  loaded.catch(() => kept.delete(key));
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MODELS && oldest !== undefined) kept.delete(oldest);
  return loaded;
}

async function load(packageName: string, name: string): Promise<LoadedModel> {
  const [{ experimental_streamLanguageModelCall: streamCall }, exports] = await Promise.all([
    import("ai"),
    importPackage(packageName),
  ]);
  const model = modelOf(exports, name);
  if (model === null) throw new ModelUnavailable(`The package ${packageName} is no provider of the AI SDK.`);
  return { streamCall, model };
}

async function importPackage(name: string): Promise<object> {
  try {
    return (await import(name)) as object;
  } catch (cause) {
    throw new ModelUnavailable(
      `The package ${name} cannot be loaded. An operator has to install it beside the service: bun add ${name}`,
      { cause },
    );
  }
}

/** By the convention of these packages: `create…` takes the settings and gives a provider. */
function modelOf(exports: object, name: string): LanguageModel | null {
  for (const [key, create] of Object.entries(exports)) {
    if (!key.startsWith("create") || typeof create !== "function") continue;
    const provider: unknown = create({ fetch: providerFetch });
    // Another `create…` may return a promise; nothing awaits it, so ignore its rejection.
    if (provider instanceof Promise) provider.catch(() => {});
    if (isProvider(provider)) return provider.languageModel(name);
  }
  return null;
}

interface Provider {
  languageModel(name: string): LanguageModel;
}
const isProvider = (value: unknown): value is Provider =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  typeof Reflect.get(value, "languageModel") === "function";
