/** Tokens that were made with others: they are no wider, live no longer, and end with them. */
import { expect, test } from "bun:test";
import { organizationRef } from "../../actors/organization/schema.ts";
import { MAX_DESCENDANTS } from "../../actors/organization/token-lineage.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { runCommand } from "../support/admin.ts";
import { answered, type Json, refused } from "../support/current.ts";
import { keyed } from "../support/keyed.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { sceneOfTest } from "../support/scene.ts";
import { type Caller, type Service, startService } from "../support/service.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";

const DAY_MS = 86_400_000;
const SERVICE = "/api/service-tokens";
const PERSONAL = "/api/personal-access-tokens";

interface TokenRecord extends Json {
  readonly id: string;
  readonly status: string;
  readonly expires_at: string;
  readonly token: string;
}

const clock = new ShiftedClock();

const { service, owner } = sceneOfTest({ clock });

const inDays = (days: number): string => new Date(systemClock.now() + days * DAY_MS).toISOString();
const make = (fields: Json, by: Caller, path = PERSONAL) =>
  service.call(by, "POST", path, { name: "CI", scopes: ["tokens:write"], ...fields });
const made = async (fields: Json, by: Caller, path = PERSONAL) => answered<TokenRecord>(make(fields, by, path), 201);
const bearer = ({ token, id }: TokenRecord): Caller => ({ ...owner, token, tokenId: id });
const revoke = (id: string, by: Caller, path = PERSONAL) => service.call(by, "POST", `${path}/${id}/revoke`);
const use = (token: TokenRecord) => service.call(bearer(token), "GET", PERSONAL);
const statusOf = async (id: string, path = PERSONAL): Promise<string | undefined> => {
  const page = await answered<Record<string, TokenRecord[]>>(service.call(owner, "GET", `${path}?limit=100`));
  return Object.values(page)
    .flat()
    .find((token) => token.id === id)?.status;
};

test("[AUTH-10] revoking a token revokes all that it created, immediately and in their records, and no others", async () => {
  const first = await made({}, owner);
  const second = await made({}, bearer(first), SERVICE);
  const third = await made({}, bearer(second));
  const other = await made({}, owner);
  for (const token of [first, second, third, other]) await answered(use(token));
  await answered(revoke(first.id, owner));
  for (const token of [first, second, third]) await refused(use(token), 401, "unauthenticated");
  await answered(use(other));
  expect([await statusOf(second.id, SERVICE), await statusOf(third.id), await statusOf(other.id)]).toEqual([
    "revoked",
    "revoked",
    "active",
  ]);
});

async function newChat(): Promise<string> {
  const agent = await answered(service.call(owner, "POST", "/api/agents", { name: "A", system_prompt: "P" }), 201);
  const body = { agent_id: agent["id"], workspace_id: owner.workspaceId };
  return String((await answered(service.call(owner, "POST", "/api/chats", body), 201))["id"]);
}

test("[AUTH-10] the streams of a token end when its creator token is revoked", async () => {
  const scopes = ["tokens:write", "chats:read"];
  const parent = await made({ scopes }, owner);
  const child = await made({ scopes }, bearer(parent));
  const headers = { authorization: `Bearer ${child.token}` };
  const stream = await fetch(`${service.url}/api/chats/${await newChat()}/events`, { headers });
  expect(stream.status).toBe(200);
  await answered(revoke(parent.id, owner));
  expect(await stream.text()).toContain('"reason":"revoked"');
});

test("[AUTH-10] a revocation by the operator also ends the token's descendants, and the operator's tokens depend on no token", async () => {
  const given = await service.tokenFor(owner, {});
  const child = await made({}, given);
  const ref = organizationRef(owner.organizationId);
  const command = { kind: "revoke_token", tokenId: given.tokenId, of: null, by: null } as const;
  const revoked = await service.system.dispatch(ref, command);
  expect(revoked.ok && new Set(revoked.value.endedIds)).toEqual(new Set([given.tokenId, child.id]));
  await refused(use(child), 401, "unauthenticated");
  expect(child["created_with"]).toBe(given.tokenId);
  await answered(service.call(owner, "GET", PERSONAL));
});

test("[AUTH-10] a token does not outlive its creator token: not by default, and not on request", async () => {
  const weekly = await service.tokenFor(owner, { expiresAt: inDays(10) });
  const byDefault = await made({}, weekly);
  const [own] = (await service.directory.listTokens(owner.organizationId)).filter(({ id }) => id === weekly.tokenId);
  expect(byDefault.expires_at).toBe(own!.expiresAt);
  const { errors } = await refused(make({ expires_in_days: 11 }, weekly), 400, "invalid_request");
  expect(errors).toEqual([{ path: "/expires_in_days", message: expect.stringContaining("at most 10 days") as string }]);
  expect((await made({ expires_in_days: 10 }, weekly)).expires_at).toBe(own!.expiresAt);
  expect((await made({ expires_in_days: 7 }, weekly)).expires_at < own!.expiresAt).toBe(true);
  try {
    await clock.skip(10 * DAY_MS);
    await refused(use(byDefault), 401, "token_expired");
  } finally {
    await clock.skip(0);
  }
});

test("[AUTH-10] tokens:write revokes no token with wider scopes or a later expiry; full access revokes any", async () => {
  const narrow = await service.tokenFor(owner, { scopes: ["tokens:write", "chats:write"], expiresAt: inDays(10) });
  const wide = await service.tokenFor(owner, { scopes: ["agents:write", "chats:read"], expiresAt: inDays(9) });
  const lasting = await service.tokenFor(owner, { scopes: ["chats:read"], expiresAt: inDays(11) });
  const like = await service.tokenFor(owner, { scopes: ["chats:read", "tokens:read"], expiresAt: inDays(9) });
  expect(await refused(revoke(wide.tokenId, narrow), 403, "insufficient_scope")).toEqual({
    required_scopes: ["agents:write"],
  });
  await refused(revoke(lasting.tokenId, narrow), 403, "forbidden");
  await refused(revoke(owner.tokenId, narrow), 403, "insufficient_scope");
  const listed = await answered<{ personal_access_tokens: Json[] }>(service.call(narrow, "GET", PERSONAL));
  const offered = listed.personal_access_tokens.filter(({ allowed_actions: a }) => (a as string[]).includes("revoke"));
  expect(new Set(offered.map(({ id }) => id))).toEqual(new Set([narrow.tokenId, like.tokenId]));
  await answered(revoke(like.tokenId, narrow));
  await answered(revoke(narrow.tokenId, narrow));
  const brief = await service.tokenFor(owner, { expiresAt: inDays(1) });
  for (const { tokenId } of [wide, lasting]) await answered(revoke(tokenId, brief));
});

test("[AUTH-10] a token can have a limited number of valid descendants; revoked and expired ones do not count", async () => {
  const maker = await service.tokenFor(owner, { expiresAt: inDays(90) });
  const tokens: TokenRecord[] = [];
  for (let i = 0; i < MAX_DESCENDANTS; i++) tokens.push(await made({ expires_in_days: 7 }, maker));
  await refused(make({}, maker), 403, "forbidden");
  // The bound holds for what these make as well.
  await refused(make({}, bearer(tokens[0]!)), 403, "forbidden");
  await answered(revoke(tokens[1]!.id, maker));
  await made({ expires_in_days: 7 }, bearer(tokens[0]!));
  await refused(make({}, maker), 403, "forbidden");
  try {
    await clock.skip(8 * DAY_MS);
    const later = await made({}, maker);
    const answer = await answered(revoke(maker.tokenId, owner));
    expect(answer["status"]).toBe("revoked");
    await refused(use(later), 401, "unauthenticated");
  } finally {
    await clock.skip(0);
  }
});

test("[AUTH-10] a token that is created while its creator token is revoked is invalid afterwards", async () => {
  const maker = await service.tokenFor(owner, {});
  const outcomes = await Promise.all([
    ...Array.from({ length: 10 }, () => make({}, maker)),
    revoke(maker.tokenId, owner),
    ...Array.from({ length: 10 }, () => make({}, maker)),
  ]);
  const children = (await Promise.all(
    outcomes.filter(({ status }) => status === 201).map((a) => a.json()),
  )) as TokenRecord[];
  for (const child of children) await refused(use(child), 401, "unauthenticated");
});

test("[AUTH-10] a restart forgets no descendant, and a repeated revocation answers the same", async () => {
  const testDatabase = await createTestDatabase();
  const before = await startService({ testDatabase });
  const founded = await before.found();
  const makeAt = async (at: Service, by: Caller) =>
    answered<TokenRecord>(at.call(by, "POST", PERSONAL, { name: "CI", scopes: ["tokens:write"] }), 201);
  const parent = await makeAt(before, founded);
  const child = await makeAt(before, { ...founded, token: parent.token });
  await before.stop();
  const after = await startService({ testDatabase });
  try {
    const request = { method: "POST", path: `${PERSONAL}/${parent.id}/revoke`, body: {} };
    const first = await keyed(after, founded, "revocation", request);
    const again = await keyed(after, founded, "revocation", request);
    expect([first.status, again.text]).toEqual([200, first.text]);
    await refused(after.call({ ...founded, token: child.token }, "GET", PERSONAL), 401, "unauthenticated");
  } finally {
    await after.stop();
    await testDatabase.drop();
  }
});

test("[AUTH-12] the operator's tokens name secrets only when requested", async () => {
  const email = (await service.directory.listMembers(owner.organizationId))[0]!.email;
  const create = (more: Record<string, string> = {}) =>
    runCommand(service, "token create", { org: owner.organizationId, email, ...more });
  expect(await create()).not.toMatch(/secrets:use|scopes \*/);
  expect(await create({ scopes: "secrets:use,agents:write" })).toContain("secrets:use");
});
