/** The debugger of signatures looked at `Service-Signature` alone: a wrong `webhook-signature` beside it was called valid. */
import { expect, test } from "bun:test";
import { newSigningSecret, Signer } from "../../src/egress/webhook-signature.ts";
import { verifySignature } from "../../src/egress/webhook-verification.ts";

const NOW = 1_800_000_000;
const secret = newSigningSecret();
const signer = new Signer(secret);
const body = JSON.stringify({ id: "evt_1" });

const headers = (at: { readonly service?: number; readonly standard?: number; readonly stamp?: number }) => ({
  "Service-Signature": `t=${at.service ?? NOW},v1=${signer.hex(at.service ?? NOW, body)}`,
  "webhook-id": "evt_1",
  "webhook-timestamp": String(at.stamp ?? at.standard ?? NOW),
  "webhook-signature": `v1,${signer.base64("evt_1", at.standard ?? NOW, body)}`,
});
const verdict = (given: Readonly<Record<string, string>>) =>
  verifySignature({ headers: given, body }, [secret], NOW * 1_000);

test("[HOOK-10] every signature header is judged, each with its own timestamp", () => {
  expect(verdict(headers({}))).toEqual({
    kind: "valid",
    message: "The Service-Signature header verifies; The webhook-signature header verifies",
  });
  expect(verdict({ ...headers({}), "webhook-signature": "v1,bm90IGl0" })).toMatchObject({
    kind: "signature_mismatch",
    message: expect.stringMatching(/^webhook-signature: .* \(the other signature header verifies\)$/),
  });
  expect(verdict({ ...headers({}), "Service-Signature": "nonsense" })).toMatchObject({
    kind: "malformed_signature",
    message: expect.stringMatching(/^Service-Signature: /),
  });
  // The timestamp that is given beside the signature is part of what was signed.
  expect(verdict(headers({ stamp: NOW + 1 })).kind).toBe("signature_mismatch");
  expect(verdict(headers({ standard: NOW - 301 }))).toMatchObject({
    kind: "timestamp_out_of_tolerance",
    message: expect.stringContaining(`its timestamp ${NOW - 301} is 301 s ago; up to 300 s are accepted`),
  });
});
