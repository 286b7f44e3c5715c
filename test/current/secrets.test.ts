/** The secrets of an organization over HTTP: who may write them, within which limits, and that nobody reads them. */
import { expect, test } from "bun:test";
import { MAX_SECRETS, organizationRef } from "../../actors/organization/schema.ts";
import { secretContext } from "../../actors/sealing.ts";
import { SECRET_MAX_BYTES } from "../../src/current/secrets/schema.ts";
import { answered, type Json, refused } from "../support/current.ts";
import { sceneOfTest } from "../support/scene.ts";
import { testSealing } from "../support/service.ts";
import { storedText } from "../support/stored-text.ts";

const { service, owner } = sceneOfTest();

const put = (name: string, body: unknown = { value: "a long value" }) =>
  service.call(owner, "PUT", `/api/secrets/${encodeURIComponent(name)}`, body);
const list = async () => (await answered<{ secrets: Json[] }>(service.call(owner, "GET", "/api/secrets"))).secrets;
const sealedOf = async (name: string): Promise<string> => {
  const read = await service.system.dispatch(organizationRef(owner.organizationId), { kind: "read_secret", name });
  return read.ok ? read.value : read.fault.kind;
};

test("[RUN-5] a secret is made, replaced and deleted; lists have names and times, sorted by name", async () => {
  const time = expect.stringMatching(/^\d{4}-.*Z$/) as string;
  const made = await answered(put("zeta"), 201);
  expect(made).toEqual({ name: "zeta", created_at: time, updated_at: time });
  await answered(put("Alpha.key_1-x", { value: "value of alpha" }), 201);
  const replaced = await answered(put("zeta", { value: "another value" }), 200);
  expect(replaced["created_at"]).toBe(made["created_at"]);
  expect((await list()).map((secret) => secret["name"])).toEqual(["Alpha.key_1-x", "zeta"]);
  const sealed = await sealedOf("zeta");
  expect(testSealing.open("secret", sealed, secretContext(owner.organizationId, "zeta"))).toBe("another value");
  expect(testSealing.open("secret", sealed, secretContext(owner.organizationId, "other"))).toBeNull();
  expect(await answered(service.call(owner, "DELETE", "/api/secrets/zeta"))).toEqual(replaced);
  await refused(service.call(owner, "DELETE", "/api/secrets/zeta"), 404, "not_found");
  expect((await list()).map((secret) => secret["name"])).toEqual(["Alpha.key_1-x"]);
  expect(await sealedOf("zeta")).toBe("not_found");
});

test("[RUN-5] nobody reads a value: it is in no table, no log line and no answer", async () => {
  const value = `plain-${crypto.randomUUID()}`;
  const answers = [
    await (await put("key", { value })).text(),
    await (await put("key", { value: `${value}-again` })).text(),
    await (await put("key", { value: [value] })).text(),
    await (await put("key", { value: value.repeat(200) })).text(),
    await (await put("bad name", { value })).text(),
    await (await put("key", { values: value })).text(),
    JSON.stringify(await list()),
    await (await service.call(owner, "GET", "/api/secrets/key")).text(),
  ];
  const stored = await storedText(service.database);
  expect(stored.includes(`"name": "key"`)).toBe(true);
  for (const text of [stored, JSON.stringify(service.log), ...answers]) {
    for (const form of [value, Buffer.from(value).toString("base64").slice(0, 40), Buffer.from(value).toString("hex")])
      expect(text.includes(form)).toBe(false);
  }
  await refused(service.call(owner, "GET", "/api/secrets/key"), 405, "method_not_allowed");
});

test("[RUN-5] only an owner with the scope for tokens can use the operations of secrets", async () => {
  const member = await service.join(owner.organizationId);
  const reader = await service.tokenFor(owner, { kind: "service", scopes: ["tokens:read"] });
  const writer = await service.tokenFor(owner, { kind: "service", scopes: ["tokens:write"] });
  const other = await service.tokenFor(owner, { kind: "service", scopes: ["agents:write", "mcp"] });
  const body = { value: "a long value" };
  await answered(service.call(writer, "PUT", "/api/secrets/key", body), 201);
  await answered(service.call(reader, "GET", "/api/secrets"));
  for (const [method, sent] of [["PUT", body], ["DELETE"]] as const) {
    await refused(service.call(member, method, "/api/secrets/key", sent), 403, "owner_required");
    await refused(service.call(reader, method, "/api/secrets/key", sent), 403, "insufficient_scope");
    await refused(service.call(other, method, "/api/secrets/key", sent), 403, "insufficient_scope");
    await refused(service.call(null, method, "/api/secrets/key", sent), 401, "unauthenticated");
  }
  await refused(service.call(member, "GET", "/api/secrets"), 403, "owner_required");
  await refused(service.call(other, "GET", "/api/secrets"), 403, "insufficient_scope");
  const stranger = await service.found("Other");
  await refused(service.call(stranger, "DELETE", "/api/secrets/key"), 404, "not_found");
  expect(await answered(service.call(stranger, "GET", "/api/secrets"))).toEqual({ secrets: [] });
});

test("[RUN-5] names and values have limits", async () => {
  for (const name of ["a", "A_b-c.d", "0".repeat(64)]) await answered(put(name), 201);
  for (const name of ["a".repeat(65), "-a", ".a", "a b", "ä", "a/b", "a:b"])
    await refused(put(name), 400, "invalid_request");
  await answered(put("a", { value: "8 chars." }), 200);
  await refused(put("a", { value: "7 chars" }), 400, "invalid_request");
  await answered(put("a", { value: "é".repeat(SECRET_MAX_BYTES / 2) }), 200);
  await refused(put("a", { value: `${"é".repeat(SECRET_MAX_BYTES / 2)}x` }), 400, "invalid_request");
  for (const body of [{}, { value: 12_345_678 }, { value: null }])
    await refused(put("a", body), 400, "invalid_request");
});

test("[RUN-5] an organization has a limited number of secrets, and can replace one at the limit", async () => {
  const names = Array.from({ length: MAX_SECRETS }, (_, i) => `secret_${i}`);
  for (const name of names) await answered(put(name), 201);
  expect(await refused(put("one_more"), 429, "quota_exceeded")).toEqual({ quota: "secrets", limit: 64, used: 64 });
  await answered(put(names[0]!), 200);
  await answered(service.call(owner, "DELETE", `/api/secrets/${names[1]}`));
  await answered(put("one_more"), 201);
  expect(await list()).toHaveLength(MAX_SECRETS);
});
