/** The doors of a surface of this test's own: answers with secrets, and requests that commit more than once. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { type Outcome, refuse } from "../../../actors/fault.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { Type } from "../../../actors/schema.ts";
import { ask, type TroupeSystem } from "../../../actors/troupe.ts";
import { systemClock } from "../../../src/wiring/clock.ts";
import { type Change, type Commit, created, done } from "../../../src/http/commit/commit.ts";
import { operationGroup, operationsOver } from "../../../src/http/contract/operation.ts";
import { operationRoutes } from "../../../src/http/request/routes.ts";
import { makeToken } from "../../../src/http/admission/token.ts";
import { refused } from "../../support/current.ts";
import { gate } from "../../support/fake-model.ts";
import { expectOne, expectReplay, keyed, parallel } from "../../support/keyed.ts";
import { sceneOfFile } from "../../support/scene.ts";
import { ShiftedClock } from "../../support/shifted-clock.ts";
import { testSurface } from "../../support/surface.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const SECRET_KEY = "the-key-of-a-secret";

let url: string;
let close: () => Promise<void>;
const clock = new ShiftedClock();
/** What the slow operation does between its commits. */
let between: (call: Change) => Promise<Outcome<Commit> | null>;

const { service, owner } = sceneOfFile({ clock });
beforeAll(async () => {
  const surface = testSurface(service, clock);
  const app = new Elysia().use(operationRoutes(surface, [group], service.system));
  app.listen({ port: 0, hostname: "127.0.0.1" });
  url = `http://127.0.0.1:${app.server?.port}`;
  close = async () => void (await app.stop(true));
});
afterAll(() => close());

const newTask = (title: string) =>
  ({
    kind: "create_task",
    createdBy: owner.userId,
    input: { title, description: null, priority: "low", assignedTo: null, workspaceId: null },
  }) as const;

const operation = operationsOver<TroupeSystem>();
const group = operationGroup("Test", "Operations of this test", {
  mint: operation(
    {
      method: "POST",
      path: "/api/test/tokens",
      scope: "tokens:write",
      summary: "Mint",
      hasOneTimeSecret: true,
      answers: { 201: Type.Object({ id: Type.String(), token: Type.String() }) },
    },
    (_, change) => mintToken(change),
  ),
  slow: operation(
    {
      method: "POST",
      path: "/api/test/slow",
      scope: "tasks:write",
      summary: "Slow",
      holdsKey: true,
      answers: { 200: Type.Object({}) },
    },
    async (system, change) => {
      const ref = organizationRef(owner.organizationId);
      await system.dispatch(ref, newTask("first"));
      return (await between(change)) ?? change.commit([ask(ref, newTask("last"))], done);
    },
  ),
});

function mintToken(call: Change): Promise<Outcome<Commit>> {
  const { secret, hash, hint } = makeToken("personal");
  const { organizationId, userId } = call.principal;
  const expiresAt = new Date(systemClock.now() + 90 * DAY_MS).toISOString();
  const token = { kind: "personal", name: "once", hash, hint, userId, scopes: ["*"], expiresAt } as const;
  const command = { kind: "create_token", token, by: null } as const;
  return call.commit([ask(organizationRef(organizationId), command)], ({ id }) => created({ id, token: secret }));
}

const mint = (key: string, by = owner) => keyed({ url }, by, key, { method: "POST", path: "/api/test/tokens" });
const slow = (key: string) => keyed({ url }, owner, key, { method: "POST", path: "/api/test/slow" });

/** Every row of every table as a text. */
async function everything(): Promise<string> {
  const sql = service.database.read;
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public'`;
  expect(tables.length).toBeGreaterThan(10);
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await sql<{ text: string }[]>`select t::text as text from ${sql(name)} t`;
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join("\n");
}

describe("a secret that is shown once", () => {
  test("[IDEM-4] is replayed to the holder of the key, and is stored nowhere in plain text", async () => {
    const answer = expectOne(await parallel(20, () => mint(SECRET_KEY)));
    expect(answer.status).toBe(201);
    const { id, token } = JSON.parse(answer.text) as { id: string; token: string };
    expect((await service.call({ ...owner, token }, "GET", "/api/agents")).status).toBe(200);
    const stored = await everything();
    expect(stored).toContain(id);
    for (const secret of [token, token.slice(4, 47), btoa(answer.text).slice(0, 40), SECRET_KEY])
      expect(stored).not.toContain(secret);
  });

  test("[IDEM-4] the search of the tables finds plain text", async () => {
    const plain = await keyed(service, owner, "plain", {
      method: "POST",
      path: "/api/v1/tasks",
      body: { title: "in clear" },
    });
    expect(plain.status).toBe(200);
    expect(await everything()).toContain("in clear");
  });

  test("[IDEM-4] survives the eviction of its actor", async () => {
    const first = await mint("passive");
    service.system.actors.passivate(service.system.clock.monotonic() + 2 * MINUTE_MS);
    expectReplay(first, await mint("passive"));
  });
});

describe("a request that commits more than once", () => {
  test("[IDEM-2] is 409 idempotency_in_progress for others until its end, and then replayed", async () => {
    const [begun, held] = [gate(), gate()];
    between = async () => {
      begun.open();
      await held.hold;
      return null;
    };
    const first = slow("steps");
    await begun.hold;
    const headers = { authorization: `Bearer ${owner.token}`, "idempotency-key": "steps" };
    const second = await fetch(`${url}/api/test/slow`, { method: "POST", headers });
    expect(second.headers.get("retry-after")).toBe("1");
    expect(second.headers.get("idempotency-status")).toBeNull();
    await refused(second, 409, "idempotency_in_progress");
    held.open();
    expectReplay(await first, await slow("steps"));
  });

  test("[IDEM-5] whose process has ended is executed again after a minute, and not before", async () => {
    const begun = gate();
    between = () => {
      begun.open();
      return new Promise(() => {});
    };
    void slow("crashed").catch(() => null);
    await begun.hold;
    between = async () => null;
    await clock.shift(MINUTE_MS - 5_000);
    expect((await slow("crashed")).status).toBe(409);
    await clock.shift(5_001);
    expect(await slow("crashed")).toMatchObject({ status: 200, key: "created" });
  });

  test("[IDEM-3] that fails temporarily releases its key at once", async () => {
    between = async () => refuse({ kind: "unavailable", retryAfterMs: 1_000 });
    expect(await slow("again")).toMatchObject({ status: 503, key: null });
    between = async () => null;
    expect(await slow("again")).toMatchObject({ status: 200, key: "created" });
  });

  test("[IDEM-3] that is refused permanently keeps its refusal", async () => {
    between = async () => refuse({ kind: "not_found", noun: "task" });
    const first = await slow("never");
    expect(first.status).toBe(404);
    between = async () => null;
    expectReplay(first, await slow("never"));
  });
});
