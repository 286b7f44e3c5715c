/** What tokens that nobody has cost: look-ups in the database, counted. The clock is the test's. */
import { beforeEach, expect, test } from "bun:test";
import { organizationRef } from "../../actors/organization/schema.ts";
import { makeToken, type MintedToken } from "../../src/http/admission/token.ts";
import { LOOK_UPS_PER_SECOND, UNKNOWN_MS } from "../../src/http/admission/unknown-tokens.ts";
import { sceneOfFile } from "../support/scene.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";

const WINDOW_MS = 60_000;
const clock = new ShiftedClock();

let lookUps = 0;
let addresses = 0;

const { service, owner } = sceneOfFile({
  clock,
  settings: { trustedProxies: ["127.0.0.1"] },
  overrides: {
    services: ({ directory }) => ({
      directory: new Proxy(directory, {
        get(target, name) {
          if (name === "findToken") lookUps++;
          const member: unknown = Reflect.get(target, name);
          return typeof member === "function" ? member.bind(target) : member;
        },
      }),
    }),
  },
});
beforeEach(async () => {
  await clock.set((Math.floor(clock.now() / WINDOW_MS) + 1) * WINDOW_MS + 10_000);
  lookUps = 0;
});

/** The status of a request with this token from this address. */
async function send(address: string, token: string, path = "/api/tasks"): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "x-forwarded-for": address };
  const answer = await fetch(service.url + path, { headers });
  await answer.arrayBuffer();
  if (answer.status === 429) expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
  return answer.status;
}
const unknown = (): string => makeToken("personal").secret;

/** An address of its own that has used up its budget; tokens without a checksum cost no look-up. */
async function spentAddress(): Promise<string> {
  const address = `203.0.113.${++addresses}`;
  await Promise.all(Array.from({ length: 3_001 }, () => send(address, "pat_no")));
  expect(lookUps).toBe(0);
  return address;
}

/** Stores a token that was made elsewhere: nothing of this process is told of it but the actors. */
async function store({ hash, hint }: MintedToken): Promise<void> {
  const expiresAt = new Date(clock.now() + 86_400_000).toISOString();
  const token = { kind: "personal", name: "new", hash, hint, userId: owner.userId, scopes: ["*"], expiresAt } as const;
  const made = await service.system.dispatch(organizationRef(owner.organizationId), {
    kind: "create_token",
    token,
    by: null,
  });
  expect(made.ok).toBe(true);
}

test("[RATE-7] while the address has budget, every token works immediately", async () => {
  const token = makeToken("personal");
  for (let i = 0; i < 3; i++) expect(await send("203.0.113.200", token.secret)).toBe(401);
  expect(lookUps).toBe(3);
  await store(token);
  expect(await send("203.0.113.200", token.secret)).toBe(200);
});

test("[AUTH-1] [RATE-7] a text with the length of a token but another form or a wrong checksum is never looked up", async () => {
  const token = unknown();
  const wrong = token.slice(0, -1) + (token.endsWith("0") ? "1" : "0");
  for (const text of [wrong, `xyz${token.slice(3)}`, `${token.slice(0, 20)}.${token.slice(21)}`]) {
    expect(text).toHaveLength(token.length);
    for (const path of ["/api/tasks", "/api/v1/agents"]) expect(await send("203.0.113.200", text, path)).toBe(401);
  }
  expect(lookUps).toBe(0);
});

test("[RATE-7] past its budget, an unknown token is looked up once", async () => {
  const address = await spentAddress();
  const token = unknown();
  for (const path of ["/api/tasks", "/api/v1/agents"])
    for (let i = 0; i < 100; i++) expect(await send(address, token, path)).toBe(429);
  expect(lookUps).toBe(1);
});

test("[RATE-7] past its budget, only a few of many unknown tokens are looked up per second", async () => {
  const address = await spentAddress();
  for (let second = 1; second <= 2; second++) {
    const statuses = await Promise.all(Array.from({ length: 500 }, () => send(address, unknown())));
    expect(new Set(statuses)).toEqual(new Set([429]));
    expect(lookUps).toBe(second * LOOK_UPS_PER_SECOND);
    await clock.shift(1_000);
  }
  // Others have theirs.
  expect(await send("203.0.113.201", unknown())).toBe(401);
  expect(lookUps).toBe(2 * LOOK_UPS_PER_SECOND + 1);
});

test("[RATE-5] [RATE-7] past its budget, valid tokens are admitted: known ones at once, new ones on a later attempt", async () => {
  expect(await send("203.0.113.202", owner.token)).toBe(200);
  lookUps = 0;
  const address = await spentAddress();
  const token = makeToken("personal");
  await store(token);
  expect(await send(address, token.secret)).toBe(200);
  const late = makeToken("personal");
  await store(late);
  lookUps = 0;
  await Promise.all(Array.from({ length: 100 }, () => send(address, unknown())));
  expect(await send(address, late.secret)).toBe(429);
  expect(await send(address, owner.token)).toBe(200);
  await clock.shift(1_000);
  expect(await send(address, late.secret)).toBe(200);
});

test("[RATE-7] an address that has used up its budget gets a new one when the clock is set back", async () => {
  const address = await spentAddress();
  await clock.shift(-86_400_000);
  for (let i = 0; i <= LOOK_UPS_PER_SECOND; i++) expect(await send(address, unknown())).toBe(401);
});

test("[RATE-7] a token that was sent before it was created works a few seconds later even there", async () => {
  const address = await spentAddress();
  const token = makeToken("personal");
  expect(await send(address, token.secret)).toBe(429);
  await store(token);
  expect(await send(address, token.secret)).toBe(429);
  expect(await send("203.0.113.203", token.secret)).toBe(200);
  await clock.shift(UNKNOWN_MS);
  expect(await send(address, token.secret)).toBe(200);
});
