/** Content of messages by a URL: what becomes of a fetch that came to nothing (FILE-6). */
import { expect, test } from "bun:test";
import type { EgressError } from "../../src/egress/failure.ts";
import { ok } from "../../actors/fault.ts";
import { urlContents } from "../../src/wiring/url-contents.ts";

const fetched = (error: EgressError) =>
  urlContents({ open: () => Promise.resolve({ kind: "failed", error }) } as never, {} as never).fetch(
    "org_a",
    "https://example.com/a.png",
    { maxBytes: 1, signal: new AbortController().signal, check: () => ok(null) },
  );

test("[FILE-6] a fetch that its client has left is not a refusal that an idempotency key would keep", async () => {
  expect(await fetched("aborted")).toMatchObject({
    kind: "refused",
    refusal: { ok: false, fault: { kind: "unavailable" } },
  });
  expect(await fetched("dns_error")).toMatchObject({ kind: "failed", isPassing: false });
});

test("[FILE-6] a slow or unreachable host may be tried again, a wrong one may not", async () => {
  for (const error of ["timeout", "connection_refused", "connection_reset"] as const)
    expect(await fetched(error)).toMatchObject({ kind: "failed", isPassing: true });
  for (const error of ["invalid_url", "blocked_address", "tls_error", "too_large", "too_many_redirects"] as const)
    expect(await fetched(error)).toMatchObject({ kind: "failed", isPassing: false });
});
