/**
 * The replies that are kept of a token and of an agent (RT-19), over HTTP: whatever takes a token away, or an agent from
 * its reader, counts for the very next request, also while its commit is under way.
 */
import { beforeEach, expect, test } from "bun:test";
import type { Outcome } from "../../actors/fault.ts";
import type { OrganizationCommand } from "../../actors/organization/protocol.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { hashToFind } from "../../src/http/admission/token.ts";
import { until } from "../support/condition.ts";
import { sceneOfTest } from "../support/scene.ts";
import type { Caller } from "../support/service.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";
import { createAgent } from "../support/v1.ts";

const clock = new ShiftedClock();
let agentId: string;
let path: string;

const { service, owner } = sceneOfTest({ clock });
beforeEach(async () => {
  agentId = await createAgent(service, owner);
  path = `/api/v1/agents/${agentId}`;
});

const keptOf = (name: string): boolean =>
  service.system.actors.find(organizationRef(owner.organizationId))?.kept?.get(name) !== undefined;

/** A request that is answered by what is kept: of the token, and of the agent. */
async function keep(caller: Caller): Promise<void> {
  const name = `authenticate ${caller.tokenId} ${hashToFind(caller.token)}`;
  await until("the reply is kept", async () => {
    expect((await service.call(caller, "GET", path)).status).toBe(200);
    return keptOf(name);
  });
  expect(keptOf(`read_agent ${owner.organizationId} ${caller.organizationId} ${caller.userId} ${agentId}`)).toBe(true);
}

const told = (command: OrganizationCommand): Promise<Outcome<unknown>> =>
  service.system.dispatch(organizationRef(owner.organizationId), command);

const statusOf = async (caller: Caller, at = path): Promise<number> => (await service.call(caller, "GET", at)).status;

/** What ends a kept reply, and what the next request is then answered. */
const ENDS: readonly (readonly [what: string, command: (caller: Caller) => OrganizationCommand, status: number])[] = [
  ["its revocation", ({ tokenId }) => ({ kind: "revoke_token", tokenId, of: null, by: null }), 401],
  ["the removal of its person", ({ userId }) => ({ kind: "remove_member", userId }), 401],
  ["the suspension of its organization", () => ({ kind: "set_suspended", isSuspended: true }), 403],
  [
    "the agent is made private",
    () => ({ kind: "update_agent", by: { ...owner, ...OWNER }, agentId, changes: { visibility: "private" } }),
    404,
  ],
  ["the agent is deleted", () => ({ kind: "archive_agent", by: { ...owner, ...OWNER }, agentId }), 404],
];
const OWNER = { role: "owner", scopes: ["*"], tokenKind: "personal", expiresAt: "" } as const;

test.each(ENDS)("[RT-19] [AUTH-2] %s takes effect with the very next request", async (_what, command, status) => {
  const member = await service.join(owner.organizationId);
  await keep(member);
  expect((await told(command(member))).ok).toBe(true);
  expect(await statusOf(member)).toBe(status);
  expect(await statusOf(member)).toBe(status);
});

test.each(ENDS)(
  "[RT-19] [AUTH-2] %s: a request that comes while its commit is in progress waits for it",
  async (_what, command, status) => {
    const member = await service.join(owner.organizationId);
    await keep(member);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
    // Nothing is stored while another transaction has the table of the shards.
    const holding = service.database.read.begin(async (sql) => {
      await sql`lock table shard in exclusive mode`;
      lock();
      await held;
    });
    await locked;
    const ended = told(command(member));
    const asked: number[] = [];
    const requests = [1, 2].map(async () => asked.push(await statusOf(member)));
    const { mailbox } = service.system.actors.find(organizationRef(owner.organizationId))!;
    await until("the requests wait behind the change", () => mailbox.depth >= 3);
    expect(asked).toEqual([]);
    release();
    await holding;
    expect((await ended).ok).toBe(true);
    await Promise.all(requests);
    expect(asked).toEqual([status, status]);
  },
);

test("[RT-19] [AUTH-18] a changed role takes effect with the very next request", async () => {
  const second = await service.join(owner.organizationId, "owner");
  await keep(second);
  const origin = { userId: owner.userId, tokenId: owner.tokenId, address: null };
  expect(await statusOf(second, "/api/service-tokens")).toBe(200);
  expect((await told({ kind: "change_role", userId: second.userId, role: "member", origin })).ok).toBe(true);
  expect(await statusOf(second, "/api/service-tokens")).toBe(403);
});

test("[RT-19] [AUTH-1] a token is refused from the millisecond of its expiry on", async () => {
  clock.hold();
  const expiresAt = new Date(clock.now() + 5_000).toISOString();
  const token = await service.tokenFor(owner, { expiresAt });
  await keep(token);
  await clock.shift(4_999);
  expect(await statusOf(token)).toBe(200);
  await clock.shift(1);
  expect(await statusOf(token)).toBe(401);
});

test("[RT-19] [AUTH-9] the use of a token is recorded each minute, despite kept replies", async () => {
  clock.hold();
  await keep(owner);
  const lastUse = async (): Promise<string | null> => {
    await service.system.settled(owner.organizationId);
    const tokens = await service.directory.listTokens(owner.organizationId);
    return tokens.find(({ id }) => id === owner.tokenId)?.lastUsedAt ?? null;
  };
  const before = await lastUse();
  const to = (ms: number): Promise<void> => clock.shift(Date.parse(before ?? "") + ms - clock.now());
  await to(59_000);
  await keep(owner);
  await to(59_999);
  await keep(owner);
  expect(await lastUse()).toBe(before);
  await to(60_000);
  expect(await statusOf(owner)).toBe(200);
  expect(await lastUse()).toBe(new Date(clock.now()).toISOString());
});

test("[RT-19] [AUTH-1] a kept reply is only for the secret of its token", async () => {
  await keep(owner);
  const other = await service.tokenFor(owner, {});
  expect(await statusOf(other)).toBe(200);
  const guessed = { ...owner, token: other.token.slice(0, -1) + (other.token.endsWith("a") ? "b" : "a") };
  expect(await statusOf(guessed)).toBe(401);
});
