/** What the rate headers of providers ask for. */
import { expect, test } from "bun:test";
import { providerFault, frameFault } from "../../src/runner/provider-faults.ts";
import { rateHeaderPause } from "../../src/runner/rate-headers.ts";

const NOW = Date.UTC(2026, 10, 1, 12);

test.each([
  [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s" }, 360_000],
  [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "120ms" }, 120],
  [{ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1.5s" }, 1_500],
  [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "7" }, 7_000],
  [{ "x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "6m0s" }, undefined],
  [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "soon" }, undefined],
  [{ "x-ratelimit-remaining-requests": "", "x-ratelimit-reset-requests": "1s" }, undefined],
  [
    { "anthropic-ratelimit-requests-remaining": "0", "anthropic-ratelimit-requests-reset": "2026-11-01T12:00:09Z" },
    9_000,
  ],
  [
    {
      "anthropic-ratelimit-input-tokens-remaining": "0",
      "anthropic-ratelimit-input-tokens-reset": "2026-11-01T11:00:00Z",
    },
    0,
  ],
  [
    { "anthropic-ratelimit-tokens-remaining": "5", "anthropic-ratelimit-tokens-reset": "2026-11-01T12:00:09Z" },
    undefined,
  ],
  [{}, undefined],
])("[RUN-8] %j asks for a pause of %p ms", (headers, pause) => {
  expect(rateHeaderPause(headers as Record<string, string>, NOW)).toBe(pause as number);
});

test("[RUN-8] uses the longest of several pauses", () => {
  const headers = {
    "x-ratelimit-remaining-requests": "0",
    "x-ratelimit-reset-requests": "2s",
    "x-ratelimit-remaining-tokens": "0",
    "x-ratelimit-reset-tokens": "9s",
  };
  expect(rateHeaderPause(headers, NOW)).toBe(9_000);
});

test("[RUN-8] a refusal without Retry-After waits as its rate headers say", () => {
  const responseHeaders = { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "3s" };
  const error = Object.assign(new Error("limited"), { statusCode: 429, responseHeaders });
  expect(providerFault(error, [], NOW)).toMatchObject({ code: "provider_rate_limited", retryAfterMs: 3_000 });
  const named = Object.assign(new Error("limited"), {
    statusCode: 429,
    responseHeaders: { ...responseHeaders, "retry-after": "1" },
  });
  expect(providerFault(named, [], NOW).retryAfterMs).toBe(1_000);
});

test.each([
  ["rate_limit_error", "provider_rate_limited"],
  ["overloaded_error", "provider_error"],
  ["authentication_error", "provider_unauthorized"],
  ["invalid_request_error", "provider_rejected"],
] as const)("[RUN-8] an error frame of the type %s is %s", (type, code) => {
  expect(providerFault(frameFault({ type: "error", error: { type, message: "No." } }), [], NOW).code).toBe(code);
});

test("[RUN-8] a too long context is final, also if reported within the stream", () => {
  expect(
    providerFault(frameFault({ error: { code: "context_length_exceeded", message: "Too long." } }), [], NOW).code,
  ).toBe("provider_rejected");
});
