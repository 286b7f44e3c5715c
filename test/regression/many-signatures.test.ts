/** The debugger of signatures computed one for each that it was given, and parsed bodies of any depth: a request held the process up for seconds, or minutes. */
import { expect, spyOn, test } from "bun:test";
import { newSigningSecret, Signer } from "../../src/egress/webhook-signature.ts";
import { verifySignature } from "../../src/egress/webhook-verification.ts";

const secret = newSigningSecret();
const body = JSON.stringify({ id: "evt_1" });
const NOW = 1_800_000_000;
const verdict = (signatures: readonly string[], arrived = body) =>
  verifySignature(
    {
      headers: { "service-signature": `t=${NOW},${signatures.map((hex) => `v1=${hex}`).join(",")}` },
      body: arrived,
    },
    [secret],
    NOW * 1_000,
  );

test("[HOOK-10] however many signatures there are, each body is signed once, and 16 of them are checked", () => {
  const right = new Signer(secret).hex(NOW, body);
  const wrong = (count: number): string[] => Array.from({ length: count }, () => "0".repeat(64));
  expect(verdict([...wrong(15), right]).kind).toBe("valid");
  const digests = spyOn(Bun.CryptoHasher.prototype, "digest");
  expect(verdict([...wrong(16), right]).kind).toBe("signature_mismatch");
  const few = digests.mock.calls.length;
  expect(few).toBeGreaterThan(0);
  expect(verdict(wrong(50_000)).kind).toBe("signature_mismatch");
  expect(digests.mock.calls.length).toBe(2 * few);
  digests.mockRestore();
});

test("[HOOK-10] a body of 64 Ki characters is tried as a parser writes it, a longer one is not", () => {
  const right = new Signer(secret).hex(NOW, body);
  const padded = (characters: number): string => body.replace(":", `:${" ".repeat(characters - body.length)}`);
  expect(verdict([right], padded(64 * 1024)).kind).toBe("body_changed");
  expect(verdict([right], padded(64 * 1024 + 1)).kind).toBe("signature_mismatch");
});
