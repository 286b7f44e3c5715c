/** Service tokens and personal access tokens over HTTP: who makes them, what they may, and how they end. */
import { describe, expect, test } from "bun:test";
import { SCOPES } from "../../actors/organization/principal.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { LAST_USED_PRECISION_MS } from "../../actors/organization/tokens.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { answered, type Json, refused } from "../support/current.ts";
import { expectReplay, keyed } from "../support/keyed.ts";
import { sceneOfTest } from "../support/scene.ts";
import type { Caller } from "../support/service.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";
import { storedText } from "../support/stored-text.ts";

const DAY_MS = 86_400_000;
const SERVICE = "/api/service-tokens";
const PERSONAL = "/api/personal-access-tokens";
const KINDS = [
  { path: SERVICE, plural: "service_tokens", kind: "service", form: /^svc_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/ },
  { path: PERSONAL, plural: "personal_access_tokens", kind: "personal", form: /^pat_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/ },
] as const;

interface TokenRecord extends Json {
  readonly id: string;
  readonly status: string;
  readonly version: number;
  readonly last_used_at: string | null;
}
interface NewTokenRecord extends TokenRecord {
  readonly token: string;
  readonly expires_at: string;
  readonly created_at: string;
}

const clock = new ShiftedClock();

const { service, owner } = sceneOfTest({ clock });

const make = (path: string, fields: Json = {}, by: Caller = owner) =>
  service.call(by, "POST", path, { name: "CI", scopes: ["agents:read"], ...fields });
const made = (path: string, fields: Json = {}, by: Caller = owner) =>
  answered<NewTokenRecord>(make(path, fields, by), 201);
const list = async (path: string, by: Caller = owner): Promise<readonly TokenRecord[]> => {
  const page = await answered<Record<string, readonly TokenRecord[]>>(service.call(by, "GET", `${path}?limit=100`));
  return page[KINDS.find((kind) => kind.path === path)!.plural]!;
};
const revoke = (path: string, id: string, by: Caller = owner) => service.call(by, "POST", `${path}/${id}/revoke`);
const bearer = ({ token }: NewTokenRecord): Caller => ({ ...owner, token });

describe.each(KINDS)("$kind tokens", ({ path, kind, form }) => {
  test("[AUTH-2] a new token works within its scopes, and is listed without its secret", async () => {
    const token = await made(path, { scopes: ["agents:read", "chats:write"] });
    expect(token).toEqual({
      id: expect.stringMatching(/^tok_[A-Za-z0-9_-]{21}$/) as string,
      kind,
      name: "CI",
      status: "active",
      scopes: ["agents:read", "chats:write"],
      last_characters: token.token.slice(-4),
      user_id: owner.userId,
      expires_at: expect.any(String) as string,
      last_used_at: null,
      revoked_at: null,
      created_with: owner.tokenId,
      organization_id: owner.organizationId,
      version: 1,
      created_at: expect.any(String) as string,
      updated_at: token.created_at,
      links: { revoke: `${path}/${token.id}/revoke` },
      allowed_actions: ["revoke"],
      token: expect.stringMatching(form) as string,
    });
    const { token: _, ...record } = token;
    expect((await list(path)).find(({ id }) => id === token.id)).toEqual(record);
    await answered(service.call(bearer(token), "GET", "/api/agents"));
    await refused(service.call(bearer(token), "GET", "/api/tasks"), 403, "insufficient_scope");
    expect((await storedText(service.database)).includes(token.token)).toBe(false);
    expect(JSON.stringify(service.log).includes(token.token)).toBe(false);
  });

  test("[AUTH-1] a token is valid for 90 days by default, and for 7 to 365 on request", async () => {
    const maker = await service.tokenFor(owner, {
      expiresAt: new Date(systemClock.now() + 366 * DAY_MS).toISOString(),
    });
    for (const [days, expected] of [[undefined, 90] as const, [7, 7] as const, [365, 365] as const]) {
      const before = systemClock.now();
      const { expires_at: expiry } = await made(path, { expires_in_days: days }, maker);
      const lifeMs = Date.parse(expiry) - expected * DAY_MS;
      expect(lifeMs).toBeGreaterThanOrEqual(before);
      expect(lifeMs).toBeLessThanOrEqual(systemClock.now());
    }
    for (const days of [6, 366, 7.5, "90", -1]) {
      const { errors } = await refused(make(path, { expires_in_days: days }), 400, "invalid_request");
      expect(errors).toEqual([{ path: "/expires_in_days", message: expect.any(String) }]);
    }
  });

  test("[AUTH-3] an unknown scope, no scope and a bad name are refused with the field", async () => {
    const cases: [Json, string][] = [
      [{ scopes: ["agents:read", "agents:delete"] }, "/scopes/1"],
      [{ scopes: [] }, "/scopes"],
      [{ scopes: "agents:read" }, "/scopes"],
      [{ scopes: ["mcp", "mcp"] }, "/scopes"],
      [{ scopes: undefined }, "/scopes"],
      [{ name: undefined }, "/name"],
      [{ name: "  " }, "/name"],
      [{ name: "bell \u0007" }, "/name"],
      [{ name: "x".repeat(101) }, "/name"],
    ];
    for (const [fields, field] of cases) {
      const { errors } = await refused(make(path, fields), 400, "invalid_request");
      expect((errors as { path: string }[])[0]!.path).toBe(field);
    }
    await made(path, { scopes: SCOPES, name: "x".repeat(100) });
  });

  test("[AUTH-2] a revoked token is 401 from the next request on, and revoking it again gives the same answer", async () => {
    const token = await made(path);
    await answered(service.call(bearer(token), "GET", "/api/agents"));
    const first = await answered<TokenRecord>(revoke(path, token.id));
    expect([first.status, first["allowed_actions"]]).toEqual(["revoked", []]);
    expect(first["revoked_at"]).toMatch(/^\d{4}-.*Z$/);
    await refused(service.call(bearer(token), "GET", "/api/agents"), 401, "unauthenticated");
    expect(await answered<TokenRecord>(revoke(path, token.id))).toEqual(first);
    expect((await list(path)).find(({ id }) => id === token.id)).toEqual(first);
  });

  test("[AUTH-4] an expired token is 401 token_expired, and its record says so", async () => {
    const token = await made(path, { expires_in_days: 7 });
    try {
      await clock.skip(7 * DAY_MS);
      const answer = await service.call(bearer(token), "GET", "/api/agents");
      expect(answer.headers.get("www-authenticate")).toStartWith('Bearer error="invalid_token", resource_metadata=');
      await refused(answer, 401, "token_expired");
      expect((await list(path)).find(({ id }) => id === token.id)!.status).toBe("expired");
      expect((await answered<TokenRecord>(revoke(path, token.id))).status).toBe("revoked");
    } finally {
      await clock.skip(0);
    }
  });

  test("[AUTH-2] no token grants a scope that it lacks; write includes read, and * includes all", async () => {
    const narrow = await service.tokenFor(owner, { kind: "service", scopes: ["tokens:write", "chats:write", "mcp"] });
    await made(path, { scopes: ["chats:read", "chats:write", "tokens:read", "mcp"] }, narrow);
    const answer = await make(path, { scopes: ["chats:read", "agents:read", "*"] }, narrow);
    expect(answer.headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope", scope="agents:read *"');
    expect(await refused(answer, 403, "insufficient_scope")).toEqual({ required_scopes: ["agents:read", "*"] });
    const reader = await service.tokenFor(owner, { scopes: ["tokens:read"] });
    expect(await refused(make(path, {}, reader), 403, "insufficient_scope")).toEqual({
      required_scopes: ["tokens:write"],
    });
    const token = await made(path);
    expect((await list(path, reader)).map(({ allowed_actions }) => allowed_actions)).not.toContainEqual(["revoke"]);
    await refused(revoke(path, token.id, reader), 403, "insufficient_scope");
  });

  test("[AUTH-2] a creation is repeated with its secret under its idempotency key, and the secret is stored nowhere", async () => {
    const request = { method: "POST", path, body: { name: "CI", scopes: ["agents:read"] } };
    const first = await keyed(service, owner, "token 1", request);
    const before = (await list(path)).length;
    expectReplay(first, await keyed(service, owner, "token 1", request));
    expect(await list(path)).toHaveLength(before);
    const { token } = JSON.parse(first.text) as NewTokenRecord;
    const stored = await storedText(service.database);
    expect(stored.includes("idempotency_key")).toBe(true);
    expect(stored.includes(token)).toBe(false);
  });

  test("[GEN-3] lists are paged, newest first, and have only tokens of this kind", async () => {
    const ids: string[] = [];
    for (const name of ["a", "b", "c"]) ids.push((await made(path, { name })).id);
    await made(kind === "service" ? PERSONAL : SERVICE);
    const seen: TokenRecord[] = [];
    let cursor: unknown = "";
    do {
      const page = await answered(service.call(owner, "GET", `${path}?limit=2&cursor=${String(cursor)}`));
      seen.push(...(page[KINDS.find((k) => k.path === path)!.plural] as TokenRecord[]));
      cursor = page["next_cursor"];
    } while (cursor !== undefined);
    const places = seen.map(({ created_at: createdAt, id }) => `${String(createdAt)} ${id}`);
    expect(places).toEqual([...places].sort().reverse());
    expect(seen.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    expect(seen).toHaveLength(kind === "service" ? 3 : 4);
    await refused(service.call(owner, "GET", `${path}?cursor=x`), 400, "invalid_cursor");
  });

  test("[AUTH-4] a token of another organization, one of the other kind and a missing one are 404", async () => {
    const { id } = await made(path);
    const stranger = await service.found("Other");
    await refused(revoke(path, id, stranger), 404, "not_found");
    await refused(revoke(kind === "service" ? PERSONAL : SERVICE, id), 404, "not_found");
    for (const none of ["tok_x", `tok_${"a".repeat(21)}`]) await refused(revoke(path, none), 404, "not_found");
    expect((await list(path)).find((token) => token.id === id)!.status).toBe("active");
    expect((await list(path, stranger)).some((token) => token.id === id)).toBe(false);
  });
});

test("[AUTH-5] only owners manage service tokens, whatever the scopes of their token", async () => {
  const member = await service.join(owner.organizationId);
  const { id } = await made(SERVICE);
  await refused(make(SERVICE, {}, member), 403, "owner_required");
  await refused(service.call(member, "GET", SERVICE), 403, "owner_required");
  await refused(revoke(SERVICE, id, member), 403, "owner_required");
  const second = await service.join(owner.organizationId, "owner");
  expect((await list(SERVICE, second)).map((token) => token.id)).toEqual([id]);
  expect((await answered<TokenRecord>(revoke(SERVICE, id, second))).status).toBe("revoked");
});

test("[AUTH-5] a service token remains when its creator becomes a member, who cannot create more", async () => {
  const second = await service.join(owner.organizationId, "owner");
  const token = await made(SERVICE, { scopes: ["*"] }, second);
  const ref = organizationRef(owner.organizationId);
  const command = {
    kind: "add_member",
    userId: second.userId,
    name: "M",
    email: "m@example.com",
    role: "member",
  } as const;
  expect((await service.system.dispatch(ref, command)).ok).toBe(true);
  await refused(make(SERVICE, {}, second), 403, "owner_required");
  await refused(make(SERVICE, {}, { ...second, token: token.token }), 403, "owner_required");
});

test("[AUTH-2] everybody, including owners, manages only their own personal tokens", async () => {
  const member = await service.join(owner.organizationId);
  const theirs = await made(PERSONAL, { name: "theirs" }, member);
  expect((await list(PERSONAL)).some(({ id }) => id === theirs.id)).toBe(false);
  await refused(revoke(PERSONAL, theirs.id), 404, "not_found");
  expect((await list(PERSONAL, member)).some(({ id }) => id === theirs.id)).toBe(true);
  expect((await answered<TokenRecord>(revoke(PERSONAL, theirs.id, member))).status).toBe("revoked");
});

test("[AUTH-2] a token that is revoked while it creates another one leaves no valid token", async () => {
  const caller = await service.tokenFor(owner, {});
  const outcomes = await Promise.all([
    ...Array.from({ length: 20 }, () => make(PERSONAL, {}, caller)),
    revoke(PERSONAL, caller.tokenId),
    ...Array.from({ length: 20 }, () => make(PERSONAL, {}, caller)),
  ]);
  const revokedAt = (await list(PERSONAL)).find(({ id }) => id === caller.tokenId)!["revoked_at"] as string;
  const statuses = new Set(outcomes.map(({ status }) => status));
  expect([...statuses].every((status) => [200, 201, 401].includes(status))).toBe(true);
  for (const { created_at: createdAt } of await list(PERSONAL)) expect(String(createdAt) <= revokedAt).toBe(true);
  await refused(make(PERSONAL, {}, caller), 401, "unauthenticated");
});

test("[AUTH-2] a token may revoke itself", async () => {
  const token = await made(PERSONAL, { scopes: ["tokens:write"] });
  expect((await answered<TokenRecord>(revoke(PERSONAL, token.id, bearer(token)))).status).toBe("revoked");
  await refused(revoke(PERSONAL, token.id, bearer(token)), 401, "unauthenticated");
});

test("[AUTH-1] [AUTH-9] the last use of a token is stored by the minute: a hundred requests write its record once, and are no change", async () => {
  const token = await made(PERSONAL, { scopes: ["*"] });
  const noted = async (): Promise<TokenRecord> => (await list(PERSONAL)).find(({ id }) => id === token.id)!;
  const use = () => answered(service.call(bearer(token), "GET", "/api/tasks"));
  /** How often its record was written. */
  const stored = async () =>
    (await service.directory.listTokens(owner.organizationId)).find(({ id }) => id === token.id)?.version;
  try {
    await use();
    await Promise.all(Array.from({ length: 100 }, use));
    const first = await noted();
    expect(await stored()).toBe(2);
    // The note is no change to those who look at the token.
    expect(first).toMatchObject({ version: 1, updated_at: token.created_at });
    await clock.skip(LAST_USED_PRECISION_MS);
    await use();
    const second = await noted();
    expect(await stored()).toBe(3);
    expect(second.version).toBe(1);
    expect(Date.parse(second.last_used_at!)).toBeGreaterThanOrEqual(
      Date.parse(first.last_used_at!) + LAST_USED_PRECISION_MS,
    );
    const revoked = await answered<Json>(revoke(PERSONAL, token.id));
    expect(revoked).toMatchObject({ version: 2, updated_at: revoked["revoked_at"] });
  } finally {
    await clock.skip(0);
  }
});
