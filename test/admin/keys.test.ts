/** The key of the service is changed while it runs; nothing is lost, and nothing stays under the former key. */
import { beforeAll, expect, test } from "bun:test";
import { newId } from "../../actors/ids.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { messengerContext, reachRef } from "../../actors/reach/schema.ts";
import { secretContext } from "../../actors/sealing.ts";
import { type NewsEvent, webhookRef } from "../../actors/webhook/events.ts";
import { signingContext } from "../../actors/webhook/schema.ts";
import { claimOf } from "../../src/http/commit/idempotency-key.ts";
import { signedAddress, subjectOf } from "../../src/http/admission/signed-address.ts";
import { checkServiceKey, createSealing, otherSecretsOf, WrongServiceKey } from "../../src/service/service-key.ts";
import { readRefreshToken, refreshTokenOf } from "../../src/sign-in/oauth/grant-secrets.ts";
import { readConfig } from "../../src/settings/config.ts";
import { runCommand } from "../support/admin.ts";
import { serviceOfFile } from "../support/scene.ts";
import { type Founded, testSealing } from "../support/service.ts";

const FORMER = new Uint8Array(32).fill(7);
const PRESENT = new Uint8Array(32).fill(8);
/** As a process has them after the change. */
const ring = createSealing(PRESENT, [FORMER]);
const alone = createSealing(PRESENT);

const PUSHED = newId("job");
const NEWS: NewsEvent = {
  type: "resource.created",
  source: "api_mutation",
  at: "2026-11-01T12:00:00.000Z",
  actor: { type: "system", id: "test" },
  requestId: null,
  resource: { type: "push_notification", id: "p", path: null, version: null },
  data: {},
  isTruncated: false,
  changes: [],
};

let owners: Founded[];

const service = serviceOfFile();
beforeAll(async () => {
  owners = await Promise.all([service.found(), service.found()]);
  for (const { organizationId } of owners) {
    const { system } = service;
    for (const name of ["A", "B"]) {
      const sealed = testSealing.seal("secret", `value ${name}`, secretContext(organizationId, name));
      await system.dispatch(organizationRef(organizationId), { kind: "put_secret", name, sealed });
    }
    const fresh = { sealed: testSealing.seal("webhook", "signing", signingContext(organizationId)), last4: "ning" };
    const input = {
      name: "x",
      url: "https://hooks.test",
      enabled: true,
      eventTypes: [],
      retryProfile: "standard",
    } as const;
    await system.dispatch(webhookRef(organizationId), { kind: "configure_destination", input, fresh });
    await system.dispatch(webhookRef(organizationId), { kind: "rotate_secret", fresh, graceMs: 60_000 });
    const push = { id: "p", url: "https://hooks.test", scheme: "Bearer", sealed: fresh.sealed };
    await system.dispatch(webhookRef(organizationId), {
      kind: "set_push",
      jobId: PUSHED,
      isOver: false,
      push,
      event: NEWS,
    });
    const sealedUrl = testSealing.seal("webhook", "https://chat.test/x", messengerContext(organizationId));
    const messenger = { name: "Ops", format: "slack", sealedUrl, host: "c***t.t***t" } as const;
    await system.dispatch(reachRef(organizationId), { kind: "add_messenger", by: "usr_1", input: messenger });
    await system.settled(organizationId);
  }
  await service.database.read`insert into service_key (id, check_value) values (1, 'former') on conflict do nothing`;
});

const living = (check: string | null) => service.database.read`update replica set key_check = ${check}`;
const checkOf = (sealing: typeof ring): string => Buffer.from(sealing.key("key_check")).toString("hex");
const rotate = (sealing = ring) => runCommand(service, "secrets rotate-key", {}, ["json"], sealing);

async function secretOf({ organizationId }: Founded, name: string): Promise<string | null> {
  const found = await service.system.dispatch(organizationRef(organizationId), { kind: "read_secret", name });
  return found.ok ? alone.open("secret", found.value, secretContext(organizationId, name)) : null;
}

test("[OPS-7] nothing is encrypted again while a replica still encrypts under another key", async () => {
  for (const check of [null, checkOf(testSealing)]) {
    await living(check);
    expect(rotate()).rejects.toThrow("test still seals under another key: start it anew with the same TROUPE_SECRET");
  }
  expect(await secretOf(owners[0]!, "A")).toBeNull();
});

test("[OPS-7] a text that opens under no key is named, the others are encrypted again, and the key stays as it was", async () => {
  await living(checkOf(ring));
  const { organizationId } = owners[1]!;
  const foreign = createSealing(new Uint8Array(32).fill(9)).seal("secret", "x", secretContext(organizationId, "B"));
  await service.system.dispatch(organizationRef(organizationId), { kind: "put_secret", name: "B", sealed: foreign });
  await service.system.settled(organizationId);
  expect(rotate()).rejects.toThrow(`with any key that the service has: the secret B of ${organizationId}.`);
  expect(await secretOf(owners[1]!, "A")).toBe("value A");
  const [row] = await service.database.read<{ check: string }[]>`select check_value as check from service_key`;
  expect(row).toEqual({ check: "former" });
});

test("[OPS-7] a repeated key change continues with the rest, and then the database belongs to the current key", async () => {
  const { organizationId } = owners[1]!;
  const sealed = testSealing.seal("secret", "value B", secretContext(organizationId, "B"));
  await service.system.dispatch(organizationRef(organizationId), { kind: "put_secret", name: "B", sealed });
  await service.system.settled(organizationId);
  expect(JSON.parse(await rotate())).toMatchObject({ organizations: 2, secrets: 1, signing: 0 });
  for (const owner of owners) for (const name of ["A", "B"]) expect(await secretOf(owner, name)).toBe(`value ${name}`);
  for (const owner of owners) {
    const found = await service.system.dispatch(webhookRef(owner.organizationId), { kind: "read_destination" });
    if (!found.ok || found.value === null) throw new Error("no destination");
    const { secret, formerSecret } = found.value.destination;
    const pushes = await service.system.dispatch(webhookRef(owner.organizationId), {
      kind: "read_pushes",
      jobId: PUSHED,
    });
    const push = pushes.ok ? (pushes.value[0]?.sealed ?? "") : "";
    for (const text of [secret.sealed, formerSecret?.sealed ?? "", push])
      expect(alone.open("webhook", text, signingContext(owner.organizationId))).toBe("signing");
    const listed = await service.system.dispatch(reachRef(owner.organizationId), { kind: "list_messengers" });
    const sealedUrl = listed.ok ? (listed.value[0]?.sealedUrl ?? "") : "";
    expect(alone.open("webhook", sealedUrl, messengerContext(owner.organizationId))).toBe("https://chat.test/x");
  }
  await checkServiceKey(service.database, alone);
  expect(checkServiceKey(service.database, testSealing)).rejects.toThrow(WrongServiceKey);
  expect(JSON.parse(await rotate(alone))).toMatchObject({ organizations: 2, secrets: 0, signing: 0 });
});

test("[OPS-7] a secret that was set meanwhile is not overwritten", async () => {
  const { organizationId } = owners[0]!;
  const resealed = [{ former: "read before", sealed: "too late" }];
  const replies = [
    await service.system.dispatch(organizationRef(organizationId), { kind: "reseal_secrets", resealed }),
    await service.system.dispatch(webhookRef(organizationId), { kind: "reseal_signing", resealed }),
    await service.system.dispatch(reachRef(organizationId), { kind: "reseal_messengers", resealed }),
  ];
  expect(replies).toEqual([
    { ok: true, value: 0 },
    { ok: true, value: 0 },
    { ok: true, value: 0 },
  ]);
  expect(await secretOf(owners[0]!, "A")).toBe("value A");
});

test("[OPS-7] signatures under either key are valid while both are configured", async () => {
  const subject = { organizationId: newId("org"), userId: newId("usr"), tokenId: newId("tok") };
  const clock = { now: () => 0 };
  const [path, search] = signedAddress({ sealing: testSealing, clock }, "/stream", subject).split("?");
  expect(subjectOf({ sealing: ring, clock }, path!, `?${search}`)).toEqual(subject);
  expect(subjectOf({ sealing: alone, clock }, path!, `?${search}`)).toBeNull();
  const place = { organizationId: newId("org"), grantId: newId("gra") };
  const refresh = refreshTokenOf(testSealing, place, 3);
  expect(readRefreshToken(ring, refresh)).toEqual({ ...place, generation: 3 });
  expect(readRefreshToken(alone, refresh)).toBeNull();
});

test("[OPS-7] a request with an idempotency key is recognized under either service key", () => {
  const principal = { organizationId: "org_1", tokenId: "tok_1" };
  const input = { key: "k", method: "POST", path: "/x", query: "" };
  const of = (sealing: typeof ring) => claimOf(principal, input, { digest: "d", secrets: sealing.keys("replay") });
  const { keyId, fingerprint } = of(testSealing);
  expect(of(ring).others).toEqual([{ keyId, fingerprint }]);
  expect(of(alone).others).toBeUndefined();
});

test("[OPS-7] the other keys are read from the environment, and never shown", () => {
  const text = Buffer.from(FORMER).toString("base64");
  const read = readConfig({ TROUPE_OTHER_SECRETS: `${text}, ${text}` });
  expect(read.ok && otherSecretsOf(read.config)).toEqual([FORMER, FORMER]);
  const wrong = readConfig({ TROUPE_OTHER_SECRETS: "short" });
  expect(wrong).toMatchObject({ ok: false, errors: [{ variable: "TROUPE_OTHER_SECRETS" }] });
  expect(JSON.stringify(wrong.ok ? "" : wrong.errors)).not.toContain("short");
});
