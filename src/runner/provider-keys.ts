/**
 * Calls with the organization's own key (RUN-5). The secret is read for each call, so a changed value applies from the
 * next call on. If it cannot be used, the call fails. It never falls back to the operator's key: what an organization
 * pays for, and where its data goes, follow from its own contract with the provider.
 */
import { type ModelCall, type ModelPort, withCalls } from "../../actors/job/ports.ts";
import type { SecretReader } from "../connections/client-secret.ts";
import { type FailedCall, unmadeCall, UNREAD_KEY } from "../../actors/job/run/call-failures.ts";

/** Characters that an HTTP header can hold. */
const PROVIDER_KEY = /^[\x21-\x7e]+$/;

/** The models, called with the keys that calls name. */
export function withProviderKeys(models: ModelPort, secrets: SecretReader): ModelPort {
  return withCalls(models, async (call, onText, signal) => {
    const { keySecret } = call;
    if (keySecret === undefined) return models.call(call, onText, signal);
    const provider = callProvider(models, call);
    const value = await secrets.read(call.origin.organizationId, keySecret);
    if (signal.aborted) return { kind: "aborted", partialText: "" };
    if (!value.ok && value.fault.kind !== "not_found") return UNREAD_KEY;
    if (!value.ok) return rejectKey(`Its secret ${keySecret} does not exist.`, provider);
    if (!PROVIDER_KEY.test(value.value))
      return rejectKey(
        `Its secret ${keySecret} has a space, a line end or another character that a key cannot have.`,
        provider,
      );
    const outcome = await models.call({ ...call, apiKey: value.value }, onText, signal);
    if (outcome.usage === undefined) return outcome;
    const { inputTokens, outputTokens } = outcome.usage;
    const usage = { ...outcome.usage, ownKeyTokens: inputTokens + outputTokens };
    if (outcome.kind !== "failed" || outcome.error.code !== "provider_unauthorized") return { ...outcome, usage };
    return { ...outcome, usage, error: rejectKey(`The provider refused its secret ${keySecret}.`, provider).error };
  });
}

function callProvider(models: ModelPort, { model }: ModelCall): string {
  const described = models.describe(model);
  return described.ok ? described.value.provider : "the provider";
}

const rejectKey = (why: string, provider: string): FailedCall =>
  unmadeCall({
    code: "provider_key_rejected",
    message: `The organization's own key for ${provider} cannot be used. ${why} An owner must write the secret again, or remove the key.`,
  });
