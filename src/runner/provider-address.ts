/** The addresses and headers of requests to a provider of models. */
import type { ModelFormat, ProviderAddress } from "../../actors/job/model-provider.ts";

const ANTHROPIC_VERSION = "2023-06-01";

/** `path` below the provider's address, which may have a query, such as Azure's `api-version`. */
export function providerUrl(baseUrl: string, path: string): string {
  const [place = "", ...query] = baseUrl.split("?");
  return [`${place.replace(/\/+$/, "")}${path}`, ...query].join("?");
}

/** The headers that a provider wants with each request: its key, and those that the operator has set. */
export function providerHeaders(
  format: ModelFormat,
  { apiKey, keyHeader, headers }: Pick<ProviderAddress, "apiKey" | "keyHeader" | "headers">,
): Readonly<Record<string, string>> {
  return {
    ...(format === "messages" ? { "anthropic-version": ANTHROPIC_VERSION } : {}),
    ...headers,
    ...(apiKey === null ? {} : keyHeaders(format, apiKey, keyHeader)),
  };
}

function keyHeaders(format: ModelFormat, apiKey: string, keyHeader: string | undefined) {
  if (keyHeader !== undefined) return { [keyHeader]: apiKey };
  return format === "messages" ? { "x-api-key": apiKey } : { authorization: `Bearer ${apiKey}` };
}
