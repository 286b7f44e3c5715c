/**
 * Calls with the organization's own key (RUN-5). The secret is read for each call, so a changed value applies from the
 * next call on. If it cannot be used, the call fails. It never falls back to the operator's key: what an organization
 * pays for, and where its data goes, follow from its own contract with the provider.
 */
import { type ModelCall, type ModelOutcome, type ModelPort, withCalls } from "../../actors/job/ports.ts";
import type { SecretReader } from "./mcp/header-secrets.ts";

/** Characters that an HTTP header can hold. */
const SENDABLE = /^[\x21-\x7e]+$/;

/** The models, called with the keys that calls name. */
export function withProviderKeys(models: ModelPort, secrets: SecretReader): ModelPort {
  return withCalls(models, async (call, onText, signal) => {
    const { keySecret } = call;
    if (keySecret === undefined) return models.call(call, onText, signal);
    const provider = providerOf(models, call);
    const value = await secrets.read(call.origin.organizationId, keySecret);
    if (signal.aborted) return { kind: "aborted", partialText: "" };
    if (!value.ok && value.fault.kind !== "not_found")
      return failed("provider_error", "The organization's key for its model provider could not be read.");
    if (!value.ok) return rejected(`Its secret ${keySecret} does not exist.`, provider);
    if (!SENDABLE.test(value.value))
      return rejected(
        `Its secret ${keySecret} has a space, a line end or another character that no key has.`,
        provider,
      );
    const outcome = await models.call({ ...call, apiKey: value.value }, onText, signal);
    if (outcome.usage === undefined) return outcome;
    const { inputTokens, outputTokens } = outcome.usage;
    const usage = { ...outcome.usage, ownKeyTokens: inputTokens + outputTokens };
    if (outcome.kind !== "failed" || outcome.error.code !== "provider_unauthorized") return { ...outcome, usage };
    return { ...outcome, usage, error: rejected(`The provider refused its secret ${keySecret}.`, provider).error };
  });
}

function providerOf(models: ModelPort, { model }: ModelCall): string {
  const described = models.describe(model);
  return described.ok ? described.value.provider : "the provider";
}

type Failed = Extract<ModelOutcome, { readonly kind: "failed" }>;

const rejected = (why: string, provider: string): Failed =>
  failed(
    "provider_key_rejected",
    `The organization's own key for ${provider} cannot be used. ${why} An owner has to write the secret anew, or to remove the key.`,
  );

const failed = (code: Failed["error"]["code"], message: string): Failed => ({
  kind: "failed",
  error: { code, message },
  partialText: "",
  usage: { inputTokens: 0, outputTokens: 0 },
});
