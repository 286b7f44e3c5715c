import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ok, refuse } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { claimOf, parseIdempotencyKey } from "../../../src/http/commit/idempotency-key.ts";

const INVALID = refuse({ kind: "invalid_idempotency_key" });
const printable = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 1, maxLength: 255 })
  .map((codes) => String.fromCharCode(...codes));
const quoted = (key: string): string => `"${key.replace(/["\\]/g, "\\$&")}"`;

describe("the header", () => {
  test("[IDEM-1] any printable key is read, bare or quoted, and is the same key either way", () => {
    fc.assert(
      fc.property(printable, (key) => {
        expect(parseIdempotencyKey(quoted(key))).toEqual(ok(key));
        if (!key.startsWith('"') && !key.includes(",")) expect(parseIdempotencyKey(key)).toEqual(ok(key));
      }),
    );
  });

  test("[IDEM-1] any text is either a key of 1 to 255 printable characters or not a key", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const key = parseIdempotencyKey(text);
        if (key.ok) expect(key.value).toMatch(/^[\x20-\x7e]{1,255}$/);
        else expect(key.fault).toEqual({ kind: "invalid_idempotency_key" });
      }),
    );
  });

  test("[IDEM-1] 255 characters are a key, 256 are not", () => {
    expect(parseIdempotencyKey("k".repeat(255))).toEqual(ok("k".repeat(255)));
    expect(parseIdempotencyKey("k".repeat(256))).toEqual(INVALID);
    expect(parseIdempotencyKey(quoted("k".repeat(256)))).toEqual(INVALID);
  });

  test.each([
    "",
    " ",
    '"',
    '""',
    '"a',
    '"a"b"',
    '"a", "b"',
    '"a\\b"',
    "é",
    "a\u0000",
    "a\nb",
    "a\u007f",
    "a, b",
    "a,",
    'a, "b"',
  ])("[IDEM-1] %j is not a key", (header) => {
    expect(parseIdempotencyKey(header)).toEqual(INVALID);
  });
});

describe("the claim", () => {
  const principal = { organizationId: "org_1", tokenId: "tok_1" } as Principal;
  const secret = new Uint8Array(32).fill(1);
  const claim = (path: string, { method = "POST", key = "k", body = "{}", by = principal } = {}) =>
    claimOf(
      by,
      { key, method, path: path.split("?")[0] ?? "", query: path.slice(path.indexOf("?") + 1) },
      { digest: body, secrets: [secret] },
    );

  test("[IDEM-1] another organization, token, method, path or key is another key", () => {
    const ids = [
      claim("/a"),
      claim("/b"),
      claim("/a", { method: "PATCH" }),
      claim("/a", { key: "l" }),
      claim("/a", { by: { ...principal, organizationId: "org_2" } }),
      claim("/a", { by: { ...principal, tokenId: "tok_2" } }),
    ].map(({ keyId }) => keyId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("[IDEM-1] another query or body is the same key with another fingerprint", () => {
    const [first, query, body] = [claim("/a"), claim("/a?wait=1"), claim("/a", { body: "{} " })];
    for (const other of [query, body]) {
      expect(other.keyId).toBe(first.keyId);
      expect(other.fingerprint).not.toBe(first.fingerprint);
    }
    expect(claim("/a").fingerprint).toBe(first.fingerprint);
  });

  test("[IDEM-7] stored keys and bodies can be guessed only with the key of the service", () => {
    const [here, elsewhere] = [secret, new Uint8Array(32).fill(2)].map((of) =>
      claimOf(principal, { key: "k", method: "GET", path: "/a", query: "" }, { digest: "b", secrets: [of] }),
    );
    for (const hash of [here!.keyId, here!.fingerprint]) expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(elsewhere!.keyId).not.toBe(here!.keyId);
    expect(elsewhere!.fingerprint).not.toBe(here!.fingerprint);
  });
});
