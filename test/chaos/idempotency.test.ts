/**
 * Requests under an idempotency key whose commits are broken, or whose process is killed, at every
 * commit in turn: whoever then repeats the request gets an answer, and it was done once.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import postgres from "postgres";
import type { Sql } from "../../db/client.ts";
import { until } from "../support/condition.ts";
import { eventually, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";
import { guardedFolder } from "../support/guarded-folder.ts";
import { keyed, type KeyedAnswer, type KeyedRequest } from "../support/keyed.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { PostgresProxy, type WireFault } from "../support/postgres-proxy.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { createAgent } from "../support/v1.ts";

const FLUSH = "troupe flush";
/** No request of these has more commits; a loop that comes here never met its end. */
const COMMITS = 30;

let service: Service;
let proxy: PostgresProxy;
let owner: Founded;
let agent: string;

beforeAll(async () => {
  service = await startService({
    async through(url) {
      proxy = await PostgresProxy.open(url);
      return proxy.urlOf(url);
    },
  });
  owner = await service.found();
  agent = await createAgent(service, owner);
});
afterAll(async () => {
  await service.stop();
  await proxy.close();
});

interface Operation {
  readonly request: (marker: string) => KeyedRequest;
  /** Table and field that have the marker once for each time that it was done. */
  readonly effect: readonly [table: string, field: readonly string[]];
}

const operations = (agentId: () => string, workspaceId: () => string): Readonly<Record<string, Operation>> => ({
  "create agent": {
    request: (name) => ({ method: "POST", path: "/api/agents", body: { name, system_prompt: "P" } }),
    effect: ["agent", ["name"]],
  },
  "create chat": {
    request: (title) => ({
      method: "POST",
      path: "/api/chats",
      body: { agent_id: agentId(), workspace_id: workspaceId(), title },
    }),
    effect: ["chat", ["options", "title"]],
  },
  "create task": {
    request: (title) => ({ method: "POST", path: "/api/v1/tasks", body: { title } }),
    effect: ["task", ["title"]],
  },
  execute: {
    request: (message) => ({ method: "POST", path: `/api/v1/agents/${agentId()}/execute`, body: { message } }),
    effect: ["job", ["input"]],
  },
});

/** Asks until it is answered by the operation itself. */
async function answered(ask: () => Promise<KeyedAnswer>): Promise<KeyedAnswer> {
  let last: KeyedAnswer | null = null;
  await eventually("the request is answered", async () => {
    last = await ask().catch(() => null);
    return last !== null && last.status < 500 && last.status !== 409;
  });
  return last!;
}

const HERE = operations(
  () => agent,
  () => owner.workspaceId,
);

for (const [name, { request, effect }] of Object.entries(HERE)) {
  for (const fault of ["request_lost", "cut_short", "reply_lost"] as const satisfies readonly WireFault[]) {
    test(`[IDEM-3] ${name}: ${fault} at each commit, then the request again: one effect`, async () => {
      let hits = 0;
      for (let commit = 0; commit < COMMITS; commit++) {
        const marker = `${name} ${fault} ${commit}`;
        const ask = () => keyed(service, owner, marker, request(marker));
        await calm();
        const struck = strikeAt(proxy, fault, commit);
        const first = await ask();
        const isHit = struck.forgive();
        const second = first.status < 300 ? first : await answered(ask);
        // The commit of the request's event, which comes after its answer, may be the one that was struck.
        const third = await answered(ask);
        expect([second.status, third.status, third.key]).toEqual([second.status, second.status, "replayed"]);
        expect(third.text).toBe(second.text);
        expect(await countOf(effect, marker)).toBe(1);
        if (!isHit) break;
        hits++;
        expect(commit).toBeLessThan(COMMITS - 1);
      }
      expect(hits).toBeGreaterThan(0);
    }, 60_000);
  }
}

/** The service serves, and nothing of an earlier request is left to commit. */
const calm = (): Promise<void> =>
  until("the service is calm", async () => {
    const left = await service.database.read`select 1 from actor_message limit 1`;
    return left.count === 0 && service.system.isReady;
  });

function strikeAt(at: PostgresProxy, fault: WireFault, commit: number): { readonly forgive: () => boolean } {
  let isHit = false;
  let isOver = false;
  void at.strike(FLUSH, fault, commit).then(() => (isHit ||= !isOver));
  return {
    forgive() {
      isOver = true;
      at.forgive();
      return isHit;
    },
  };
}

async function countOf(
  [table, field]: Operation["effect"],
  marker: string,
  sql: Sql = service.database.read,
): Promise<number> {
  const rows = await sql`select 1 from ${sql(table)} where body #>> ${`{${field.join(",")}}`}::text[] = ${marker}`;
  return rows.count;
}

/** A killed process, then a new one: each is a start of the whole service. */
test("[IDEM-3] [IDEM-4] kill -9 of the service at each commit of an execution, then the request again: one job", async () => {
  const folder = guardedFolder();
  const testDatabase = await createTestDatabase();
  const inFront = await PostgresProxy.open(testDatabase.url);
  const sql = postgres(testDatabase.url, { max: 1 });
  try {
    const env = { DATABASE_URL: inFront.urlOf(testDatabase.url) };
    let process: TroupeProcess = await startTroupe(folder, { env });
    const { personal: token, agentId } = process.firstRun();
    const { execute } = operations(
      () => agentId,
      () => "",
    );
    let kills = 0;
    for (const fault of ["request_lost", "reply_swallowed"] as const) {
      for (let commit = 0; commit < COMMITS; commit++) {
        const marker = `${fault} ${commit}`;
        const ask = () => keyed(process, { token }, marker, execute!.request(marker));
        const struck = inFront.strike(FLUSH, fault, commit);
        const first = ask().catch(() => null);
        const met = await Promise.race([struck.then(() => true), first.then(() => false)]);
        if (!met) inFront.forgive();
        else {
          kills++;
          await process.end("SIGKILL");
          // Its lease would run out by itself, some seconds later.
          await sql`update replica set lease_until = now()`;
          process = await startTroupe(folder, { env });
        }
        const second = await answered(ask);
        expect(second).toMatchObject({ status: 200 });
        expect((await ask()).text).toBe(second.text);
        expect(await countOf(execute!.effect, marker, sql)).toBe(1);
        if (!met) break;
      }
    }
    expect(kills).toBeGreaterThan(4);
    await process.end();
  } finally {
    await sql.end();
    await inFront.close();
    await testDatabase.drop();
    await folder.remove();
  }
}, 120_000);
