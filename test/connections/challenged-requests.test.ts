/** What a tool server asks for in a refusal is stored and shown: it must not carry the token (ACC-10). */
import { expect, test } from "bun:test";
import { ok } from "../../actors/fault.ts";
import { AccessedRequests, type AccessParts } from "../../src/connections/accessed-requests.ts";
import { SealedGrant } from "../../src/connections/sealed-grant.ts";
import { createSealing } from "../../src/service/service-key.ts";

const TOKEN = "an-access-token";
const sealing = createSealing(new Uint8Array(32).fill(4));
const sealed = new SealedGrant(sealing, "org_a", "con_1").seal("tokens", { accessToken: TOKEN });
const clock = { monotonic: () => 0, after: () => () => {} };
const requests = new AccessedRequests({
  system: { dispatch: async () => ok({ kind: "ready", sealed, generation: 1, scopes: ["read"] }) },
  sealing,
  pauses: { clock, chance: { fraction: () => 1 } },
  addresses: { page: (id: string) => `https://troupe.test/connections/${id}` },
} as unknown as AccessParts);
const subject = { name: "crm", resource: "https://crm.test", owner: "person", scopes: ["read"], client: null } as const;
const need = {
  ...requests.needOf(subject, { organizationId: "org_a", userId: "usr_a" }),
  connectionId: "con_1",
};

const lackingAfter = async (challenge: string) => {
  const headers = new Headers({ "www-authenticate": `Bearer error="insufficient_scope", ${challenge}` });
  const refused = { kind: "response", status: 403, headers } as const;
  return requests.withAccess({ organizationId: "org_a", need }, async () => refused);
};

test("[ACC-10] a server that echoes the token in its challenge does not bring it into a record", async () => {
  const place = "https://crm.test/metadata";
  expect(await lackingAfter(`scope="write", resource_metadata="${place}"`)).toMatchObject({
    kind: "lacking",
    need: { scopes: ["read", "write"], resourceMetadata: place },
  });
  const echoed = await lackingAfter(`scope="write ${TOKEN}", resource_metadata="${place}?of=${TOKEN}"`);
  expect(echoed).toMatchObject({ kind: "lacking", need: { scopes: ["read", "write"], resourceMetadata: null } });
  expect(JSON.stringify(echoed)).not.toContain(TOKEN);
});
