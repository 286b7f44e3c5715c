/** `admin org erase` with the service stopped, and with two replicas that serve: nothing of the organization is left. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { guardedFolder } from "../support/guarded-folder.ts";
import { ReplicaProcesses } from "../support/replica-processes.ts";
import { admin, databaseOf, eventually, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const CONTENT = `what a customer has written ${crypto.randomUUID()}`;
/** The logs keep what was written before: the command says so. Databases of a stopped service are looked at as tables. */
const NOT_LOOKED_AT = /(?:^|\/)postgres(?:\/|$)|\.log$/;

/** How many rows of each table name this. */
async function mentions(sql: postgres.Sql, what: string): Promise<Readonly<Record<string, number>>> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`;
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await sql<{ n: number }[]>`
      select count(*)::int as n from ${sql(name)} t where position(${what} in t::text) > 0`;
    if (row!.n > 0) found[name] = row!.n;
  }
  return found;
}

/** Files below a folder whose path or content names one of these. */
function traces(folder: string, ...what: readonly string[]): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return paths.filter((path) => {
    if (NOT_LOOKED_AT.test(path)) return false;
    if (what.some((one) => path.includes(one))) return true;
    const at = join(folder, path);
    return statSync(at).isFile() && what.some((one) => readFileSync(at).includes(one));
  });
}

interface At {
  readonly service: TroupeProcess;
  readonly token: string;
  readonly agentId: string;
}

/** Chats, jobs, tasks, secrets, files, uploads in parts and workspaces of the organization. */
async function used({ service, token, agentId }: At): Promise<void> {
  const call = async (method: string, path: string, body?: object | string): Promise<Record<string, unknown>> => {
    const type = typeof body === "object" ? { "content-type": "application/json" } : {};
    const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const headers = { authorization: `Bearer ${token}`, ...type };
    const answer = await fetch(service.url + path, { method, headers, ...sent });
    expect([method, path, answer.status < 300]).toEqual([method, path, true]);
    return (await answer.json()) as Record<string, unknown>;
  };
  const { workspaces } = (await call("GET", "/api/workspaces")) as { workspaces: readonly { id: string }[] };
  const workspace = workspaces[0]?.id ?? "";
  await call("PUT", `/api/workspaces/${workspace}/files/content?path=notes.txt`, CONTENT);
  await call("PUT", "/api/secrets/CRM_KEY", { value: "correct horse battery staple" });
  await call("POST", "/api/v1/tasks", { title: CONTENT });
  await call("POST", `/api/v1/agents/${agentId}/execute`, { message: `/say ${CONTENT}` });
  // One that runs while the organization goes.
  const chat = await call("POST", "/api/chats", { agent_id: agentId, workspace_id: workspace });
  await call("POST", `/api/chats/${String(chat["id"])}/messages`, { content: `/slow 500\n/say ${CONTENT.repeat(20)}` });
}

test("[OPS-6] a stopped service is left without a trace of the organization", async () => {
  const folder = guardedFolder();
  try {
    const { personal: token, agentId } = await copyFirstRun(folder);
    const service = await startTroupe(folder);
    await used({ service, token, agentId });
    const sql = databaseOf(service.dataDir);
    const [row] = await sql<{ id: string }[]>`select id from organization`;
    const id = row?.id ?? "";
    expect(Object.keys(await mentions(sql, id)).length).toBeGreaterThan(10);
    await sql.end();
    expect(traces(join(service.dataDir, "files"), id, CONTENT).length).toBeGreaterThan(0);
    expect(await service.end()).toBe(0);
    const erased = await admin(folder, ["org", "erase", "--org", id, "--yes"]);
    expect([erased.code, erased.err]).toEqual([0, ""]);
    expect(traces(join(service.dataDir, "files"), id, CONTENT)).toEqual([]);
    const again = await startTroupe(folder);
    const after = databaseOf(again.dataDir);
    expect(await mentions(after, id)).toEqual({ erasure: 1 });
    expect(await mentions(after, CONTENT)).toEqual({});
    await after.end();
    const answer = await fetch(`${again.url}/api/chats`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(401);
    expect(await again.end()).toBe(0);
  } finally {
    await folder.remove();
  }
}, 300_000);

test.each(["owner", "other"] as const)(
  "[OPS-6] [REP-1] two replicas are left without a trace, whichever is asked: %s",
  async (side) => {
    const replicas = await ReplicaProcesses.start(2);
    try {
      const { organizationId: id, token, agentId, sql } = replicas;
      const sides = await replicas.sides();
      await used({ service: sides.owner, token, agentId });
      const read = await replicas.call(sides.other, "GET", "/api/chats");
      expect(read.status).toBe(200);
      expect(traces(join(replicas.folder.path, "files"), id, CONTENT).length).toBeGreaterThan(0);
      const at = sides[side];
      const erased = await replicas.admin(at, ["org", "erase", "--org", id, "--yes"]);
      expect([erased.code, erased.err]).toEqual([0, ""]);
      for (const one of [sides.owner, sides.other])
        await eventually("no replica knows the organization", async () => {
          const { status } = await replicas.call(one, "GET", "/api/chats");
          return status === 401;
        });
      expect(await mentions(sql, id)).toEqual({ erasure: 1 });
      expect(await mentions(sql, CONTENT)).toEqual({});
      expect(traces(join(replicas.folder.path, "files"), id, CONTENT)).toEqual([]);
      for (const one of [sides.owner, sides.other]) expect(await one.end()).toBe(0);
      // What a replica had in memory is not written at its end.
      expect(await mentions(sql, id)).toEqual({ erasure: 1 });
    } finally {
      await replicas.stop();
    }
  },
  300_000,
);
