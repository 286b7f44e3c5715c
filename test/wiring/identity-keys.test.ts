/** The keys that sign who acts, and what a receiver does with them (by a library that is not ours). */
import { expect, test } from "bun:test";
import { createLocalJWKSet, decodeProtectedHeader, type JWTVerifyResult, jwtVerify } from "jose";
import { createSealing } from "../../src/service/service-key.ts";
import { IDENTITY_MS, SignedIdentities } from "../../src/wiring/agent-identity.ts";
import { IdentityKeys, KEY_PERIOD_MS } from "../../src/wiring/identity-keys.ts";
import { HandClock } from "../support/hand-clock.ts";

const KEY = new Uint8Array(32).fill(1);
const OTHER = new Uint8Array(32).fill(2);
const ISSUER = "https://troupe.test";
const ACTING = { organizationId: "org_1", userId: "usr_1", agentId: "agt_1", jobId: "job_1" };

/** A replica with this key, and the other ones. */
function replica(key: Uint8Array, others: readonly Uint8Array[] = [], at = Date.parse("2026-11-28T12:00:00Z")) {
  const clock = new HandClock();
  clock.at = at;
  const keys = new IdentityKeys(createSealing(key, others), clock);
  return { clock, keys, identities: new SignedIdentities(keys, { clock, appUrl: () => ISSUER }) };
}
type Replica = ReturnType<typeof replica>;

/** What a receiver does, with the keys that `published` serves. */
const received = (
  token: string,
  { keys, clock }: Replica,
  cached: ReturnType<IdentityKeys["published"]> = keys.published(),
): Promise<JWTVerifyResult> =>
  jwtVerify(token, createLocalJWKSet({ keys: [...cached] }), {
    issuer: ISSUER,
    audience: "https://shop.test",
    typ: "agent-identity+jwt",
    algorithms: ["ES256"],
    currentDate: new Date(clock.at),
  });

test("[ACC-12] a token says which agent acts for whom, where, and for five minutes", async () => {
  const here = replica(KEY);
  const token = here.identities.tokenFor("https://shop.test", ACTING);
  const { payload, protectedHeader } = await received(token, here);
  const { iat = 0, jti = "" } = payload;
  expect(payload).toEqual({
    iss: ISSUER,
    sub: "usr_1",
    act: { sub: "agt_1" },
    aud: "https://shop.test",
    iat: here.clock.at / 1_000,
    exp: iat + IDENTITY_MS / 1_000,
    jti: expect.stringMatching(/^[\w-]{21}$/),
    organization_id: "org_1",
    job_id: "job_1",
  });
  expect(protectedHeader).toMatchObject({ alg: "ES256", typ: "agent-identity+jwt" });
  // The requests of a minute have the same one.
  here.clock.at += 59_999;
  expect(here.identities.tokenFor("https://shop.test", ACTING)).toBe(token);
  expect(here.identities.tokenFor("https://shop.test", { ...ACTING, jobId: "job_2" })).not.toBe(token);
  here.clock.at += 1;
  const next = await received(here.identities.tokenFor("https://shop.test", ACTING), here);
  expect(next.payload.jti).not.toBe(jti);
  here.clock.at -= 3_600_000;
  expect((await received(here.identities.tokenFor("https://shop.test", ACTING), here)).payload.iat).toBe(
    here.clock.at / 1_000,
  );
});

test("[ACC-12] a token is refused late, elsewhere, changed, and by the keys of another service", async () => {
  const here = replica(KEY);
  const token = here.identities.tokenFor("https://shop.test", ACTING);
  const elsewhere = here.identities.tokenFor("https://bank.test", ACTING);
  await expect(received(elsewhere, here)).rejects.toThrow('"aud"');
  await expect(received(token, replica(OTHER))).rejects.toThrow("no applicable key");
  const [head = "", claims = "", signature = ""] = token.split(".");
  const forged = { ...JSON.parse(Buffer.from(claims, "base64url").toString()), sub: "usr_2" } as object;
  const changed = Buffer.from(JSON.stringify(forged)).toString("base64url");
  await expect(received(`${head}.${changed}.${signature}`, here)).rejects.toThrow("signature verification failed");
  here.clock.at += IDENTITY_MS;
  await expect(received(token, here)).rejects.toThrow('"exp"');
});

test("[ACC-13] replicas have the same keys, and verify each other's tokens", async () => {
  const [one, two] = [replica(KEY), replica(KEY)];
  expect(one.keys.published()).toEqual(two.keys.published());
  await received(one.identities.tokenFor("https://shop.test", ACTING), two);
  expect(one.keys.published()).toBe(one.keys.published());
});

test("[ACC-13] keys change with the period, are published a period before and after, and never repeat", async () => {
  const here = replica(KEY);
  const start = Math.floor(here.clock.at / KEY_PERIOD_MS) * KEY_PERIOD_MS;
  const kids: unknown[] = [];
  for (let period = 0; period < 12; period++) {
    here.clock.at = start + period * KEY_PERIOD_MS;
    const token = here.identities.tokenFor("https://shop.test", ACTING);
    kids.push(decodeProtectedHeader(token).kid);
    expect(here.keys.published()).toHaveLength(3);
    // Replicas whose clocks are on the other side of the change, and receivers that have cached the keys for a period.
    for (const shift of [-1, -KEY_PERIOD_MS, KEY_PERIOD_MS]) {
      const cached = replica(KEY, [], here.clock.at + shift).keys.published();
      await received(token, here, cached);
    }
  }
  expect(new Set(kids).size).toBe(12);
});

test("[ACC-13] while the service's key changes, tokens under both keys verify on every replica", async () => {
  const former = replica(OTHER);
  const ready = replica(OTHER, [KEY]);
  const changed = replica(KEY, [OTHER]);
  expect(changed.keys.published()).toHaveLength(6);
  for (const published of [ready, changed])
    for (const { identities } of [former, ready, changed])
      await received(identities.tokenFor("https://shop.test", ACTING), published);
  const { kid } = decodeProtectedHeader(changed.identities.tokenFor("https://shop.test", ACTING));
  expect(
    replica(KEY)
      .keys.published()
      .map((key) => key.kid),
  ).toContain(kid ?? "");
});

test("[ACC-13] what is published has no private part", () => {
  for (const key of replica(KEY).keys.published())
    expect(Object.keys(key).toSorted()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
});
