/** The key of the service: what it seals, and to which database it belongs. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { openDatabase } from "../../db/client.ts";
import { checkServiceKey, createSealing, WrongServiceKey } from "../../src/service/service-key.ts";
import { createTestDatabase } from "../support/postgres.ts";

const keyOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const sealing = createSealing(keyOf(1));
const AT = ["org_1", "name"];

test("[START-57] a sealed text opens only with the same key, for the same purpose, in the same place", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.array(fc.string()), (plain, context) => {
      const sealed = sealing.seal("secret", plain, context);
      expect(createSealing(keyOf(1)).open("secret", sealed, context)).toBe(plain);
      expect(sealed).toMatch(/^v1\.[\w-]+$/);
    }),
  );
  const sealed = sealing.seal("secret", "hunter2", AT);
  expect(sealing.seal("secret", "hunter2", AT)).not.toBe(sealed);
  expect(sealing.open("replay", sealed, AT)).toBeNull();
  expect(createSealing(keyOf(2)).open("secret", sealed, AT)).toBeNull();
  for (const context of [["org_2", "name"], ["org_1", "other"], ["org_1"], ["org_1,name"], ["org_1name"], [...AT, ""]])
    expect(sealing.open("secret", sealed, context)).toBeNull();
});

test("[IDEM-4] a text that is also sealed with another secret opens only with that secret", () => {
  const sealed = sealing.seal("replay", "hunter2", AT, "key");
  expect(createSealing(keyOf(1)).open("replay", sealed, AT, "key")).toBe("hunter2");
  for (const under of ["", "Key", undefined]) expect(sealing.open("replay", sealed, AT, under)).toBeNull();
  expect(createSealing(keyOf(2)).open("replay", sealed, AT, "key")).toBeNull();
});

test("[START-57] a changed, truncated or invalid sealed text cannot be opened", () => {
  const sealed = sealing.seal("secret", "hunter2", AT);
  const bytes = Buffer.from(sealed.slice(3), "base64url");
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed[i]! ^= 1;
    expect(sealing.open("secret", `v1.${changed.toString("base64url")}`, AT)).toBeNull();
    expect(sealing.open("secret", `v1.${bytes.subarray(0, i).toString("base64url")}`, AT)).toBeNull();
  }
  for (const text of ["", "v1.", "v2.", "hunter2", `v2.${sealed.slice(3)}`, sealed.slice(3)])
    expect(sealing.open("secret", text, AT)).toBeNull();
});

test("[START-57] each purpose has its own key, the same in every process, and never the sealing key", () => {
  const key = sealing.key("app_stream");
  expect(key).toHaveLength(32);
  expect(createSealing(keyOf(1)).key("app_stream")).toEqual(key);
  expect(createSealing(keyOf(2)).key("app_stream")).not.toEqual(key);
  expect(sealing.key("webhook")).not.toEqual(key);
  key.fill(0);
  expect(sealing.key("app_stream")).not.toEqual(key);
  expect(createSealing(sealing.key("secret")).open("secret", sealing.seal("secret", "x", AT), AT)).toBeNull();
});

test("[START-58] a database accepts the key of its first start and refuses every other one", async () => {
  const test = await createTestDatabase();
  const database = openDatabase(test.url);
  await Promise.all([1, 2, 3].map(() => checkServiceKey(database, sealing)));
  const refused = checkServiceKey(database, createSealing(keyOf(2)));
  await expect(refused).rejects.toThrow(WrongServiceKey);
  await expect(refused).rejects.toThrow("TROUPE_SECRET");
  await checkServiceKey(database, sealing);
  const stored = JSON.stringify(await database.read`select * from service_key`);
  for (const encoding of ["hex", "base64", "base64url"] as const)
    expect(stored).not.toContain(Buffer.from(keyOf(1)).toString(encoding));
  await database.close();
  await test.drop();
});
