/** Both SDKs say of the same webhooks whether they are the service's. */
import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { verifyWebhook, WebhookSignatureError } from "../../sdk/typescript/troupe.ts";
import { hasPython, python } from "../support/python.ts";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes ...").toString("base64")}`;
const BODY = JSON.stringify({ id: "evt_1", type: "job.completed", data: { text: "naïve \u{1F600}" } });
const NOW = 1_800_000_000;

const own = (body: string, at = NOW, secret = SECRET): string =>
  createHmac("sha256", secret).update(`${at}.${body}`).digest("hex");
const standard = (body: string, at = NOW): string =>
  createHmac("sha256", Buffer.from(SECRET.slice("whsec_".length), "base64"))
    .update(`evt_1.${at}.${body}`)
    .digest("base64");
const ownHeaders = (signature: string, at = NOW) => ({ "Service-Signature": `t=${at},v1=${signature}` });
const standardHeaders = (signature: string) => ({
  "Webhook-Id": "evt_1",
  "webhook-timestamp": String(NOW),
  "webhook-signature": `v1,AAAA v1,${signature}`,
});

interface Case {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly secret?: string | readonly string[];
  readonly isGood: boolean;
}
const forged = own(BODY).replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
const CASES: readonly Case[] = [
  { name: "the service's own signature", headers: ownHeaders(own(BODY)), isGood: true },
  { name: "Standard Webhooks", headers: standardHeaders(standard(BODY)), isGood: true },
  {
    name: "an old secret beside the new",
    headers: { "service-signature": `t=${NOW},v1=${own(BODY, NOW, "whsec_bmV3")},v1=${own(BODY)}` },
    isGood: true,
  },
  { name: "one of two secrets", headers: ownHeaders(own(BODY)), secret: ["whsec_bmV3", SECRET], isGood: true },
  { name: "a forged signature", headers: ownHeaders(forged), isGood: false },
  { name: "another body", headers: ownHeaders(own(BODY)), body: `${BODY} `, isGood: false },
  { name: "another body, by the standard", headers: standardHeaders(standard(BODY)), body: `${BODY} `, isGood: false },
  { name: "another secret", headers: ownHeaders(own(BODY)), secret: "whsec_bmV3", isGood: false },
  { name: "another time than the signed one", headers: ownHeaders(own(BODY), NOW + 1), isGood: false },
  { name: "301 seconds ago", headers: ownHeaders(own(BODY, NOW - 301), NOW - 301), isGood: false },
  { name: "300 seconds ago", headers: ownHeaders(own(BODY, NOW - 300), NOW - 300), isGood: true },
  { name: "301 seconds ahead", headers: ownHeaders(own(BODY, NOW + 301), NOW + 301), isGood: false },
  { name: "no signature", headers: {}, isGood: false },
  { name: "a signature without a time", headers: { "service-signature": `v1=${own(BODY)}` }, isGood: false },
  { name: "hex that is none", headers: ownHeaders("zz"), isGood: false },
  { name: "an empty signature", headers: ownHeaders(""), isGood: false },
  { name: "a secret that is none", headers: standardHeaders(standard(BODY)), secret: "whsec_", isGood: false },
];

describe("TypeScript", () => {
  for (const { name, headers, body = BODY, secret = SECRET, isGood } of CASES)
    test(`[DOC-3] ${name} is ${isGood ? "believed" : "refused"}`, async () => {
      const now = NOW * 1_000;
      for (const given of [headers, new Headers(headers)]) {
        const verified = verifyWebhook({ headers: given, body, secret, now });
        if (isGood) expect(await verified).toEqual(JSON.parse(BODY));
        else expect(verified).rejects.toBeInstanceOf(WebhookSignatureError);
      }
      if (isGood)
        expect(await verifyWebhook({ headers, body: new TextEncoder().encode(body), secret, now })).toEqual(
          JSON.parse(BODY),
        );
    });
});

const PROGRAM = `
import json, sys
import troupe
for case in json.load(sys.stdin):
    try:
        event = troupe.verify_webhook(case["headers"], case["body"].encode(), case["secret"], now=case["now"])
        print(json.dumps(event))
    except troupe.WebhookSignatureError:
        print("null")
`;

test.skipIf(!hasPython)("[DOC-3] the Python SDK says the same of each", async () => {
  const input = CASES.map(({ headers, body = BODY, secret = SECRET }) => ({ headers, body, secret, now: NOW }));
  const lines = (await python(PROGRAM, { input: JSON.stringify(input) })).trim().split("\n");
  const said = lines.map((line, i) => ({ name: CASES[i]?.name, event: JSON.parse(line) as unknown }));
  expect(said).toEqual(CASES.map(({ name, isGood }) => ({ name, event: isGood ? JSON.parse(BODY) : null })));
});
