/** The audit: who signed in, and who made, used or revoked what, from which address (AUTH-17). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { answered, refused } from "../support/current.ts";
import { type Caller, type Founded, type Service, startService } from "../support/service.ts";
import { browserOf, emailOf, signedIn } from "../support/signed-in.ts";

interface Entry {
  readonly action: string;
  readonly user_id: string | null;
  readonly token_id: string | null;
  readonly address: string | null;
  readonly subject_id: string | null;
  readonly detail: string | null;
}

let service: Service;
let owner: Founded;

beforeAll(async () => {
  service = await startService();
  owner = await service.found();
});
afterAll(() => service.stop());

const audit = async (query = "", by: Caller = owner): Promise<readonly Entry[]> =>
  (await answered<{ audit_entries: Entry[] }>(service.call(by, "GET", `/api/audit${query}`))).audit_entries;

test("[AUTH-17] tokens that are made, used and revoked are in the audit, with who, by what and from where", async () => {
  const made = await answered<{ id: string; token: string }>(
    service.call(owner, "POST", "/api/personal-access-tokens", { name: "Robot", scopes: ["agents:read"] }),
    201,
  );
  await service.call({ ...owner, token: made.token }, "GET", "/api/agents");
  const of = async (action: string) => (await audit(`?action=${action}`)).find((entry) => entry.subject_id === made.id);
  await until("the use is noted", async () => (await of("token.used")) !== undefined);
  await service.call(owner, "POST", `/api/personal-access-tokens/${made.id}/revoke`);
  const by = { user_id: owner.userId, token_id: owner.tokenId, address: "127.0.0.1", detail: "Robot" };
  expect(await of("token.created")).toMatchObject(by);
  expect(await of("token.revoked")).toMatchObject(by);
  expect(await of("token.used")).toMatchObject({ user_id: owner.userId, token_id: made.id, address: "127.0.0.1" });
});

test("[AUTH-17] sign-ins, refused ones, new passwords and ended sessions are in the audit", async () => {
  const person = await service.join(owner.organizationId);
  const browser = await signedIn(service, person);
  await browserOf(service).post("/sign-in", { email: await emailOf(service, person), password: "wrong wrong wrong" });
  await browser.submit(await browser.get("/account"), "/sign-out");
  await until("the refusal is noted", async () => (await audit("?action=session.refused")).length > 0);
  const own = (await audit(`?user_id=${person.userId}&limit=100`)).map(({ action }) => action);
  for (const action of ["password.set", "session.started", "session.ended"]) expect(own).toContain(action);
  expect((await audit("?action=session.refused"))[0]).toMatchObject({
    user_id: null,
    subject_id: person.userId,
    address: "127.0.0.1",
  });
});

test("[AUTH-17] the audit is for owners of the organization, and in pages", async () => {
  const member = await service.join(owner.organizationId);
  await refused(service.call(member, "GET", "/api/audit"), 403, "owner_required");
  const scoped = await service.tokenFor(owner, { scopes: ["agents:read"] });
  await refused(service.call(scoped, "GET", "/api/audit"), 403, "insufficient_scope");
  const other = await service.found("Globex");
  expect((await audit("", other)).every((entry) => entry.subject_id !== owner.tokenId)).toBe(true);
  const first = await answered<{ audit_entries: Entry[]; next_cursor: string }>(
    service.call(owner, "GET", "/api/audit?limit=2"),
  );
  expect(first.audit_entries).toHaveLength(2);
  const second = await audit(`?limit=2&cursor=${first.next_cursor}`);
  expect(second).not.toContainEqual(first.audit_entries[0]!);
  await refused(service.call(owner, "GET", "/api/audit?action=nothing"), 400, "invalid_request");
});
