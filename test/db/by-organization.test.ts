/**
 * What it takes to distribute PostgreSQL by organization (docs/scaling.md): each statement of the hot path names the
 * organization whose rows it wants. The statements are those that the server logs while a service works.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Service, startService } from "../support/service.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { withTables } from "../support/service-tables.ts";
import { ORGANIZATION_TABLES } from "../../db/organization-tables.ts";
import { answered, Client } from "../support/current.ts";

let database: TestDatabase;
let service: Service;
/** The log of the server, and where this test begins in it. */
let log: string;
let from: number;

beforeAll(async () => {
  database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  log = await withTables(database.url, async (sql) => {
    await sql.unsafe(`alter database ${name} set log_statement = 'all'`);
    const [row] = await sql<{ path: string }[]>`select current_setting('data_directory') as path`;
    return join(dirname(row!.path), "postgres.log");
  });
  service = await startService({ testDatabase: database });
  from = statSync(log).size;
});
afterAll(() => service.stop());

function statements(): readonly string[] {
  const text = readFileSync(log).subarray(from).toString();
  const entries = text.split(/^(?=\d{4}-\d\d-\d\d )/m);
  const found = entries.flatMap((entry) => /LOG: {2}(?:execute [^:]*|statement): ([\s\S]*)/.exec(entry)?.[1] ?? []);
  return [...new Set(found.map((statement) => statement.trim().replaceAll(/\s+/g, " ")))];
}

/** Tables whose rows are an organization's, as a whole word after what names a table in a statement. */
const OWNED = new RegExp(
  `\\b(?:from|into|update|join) "?(${Object.keys(ORGANIZATION_TABLES).join("|")})"?(?![\\w"])`,
  "i",
);

/** What a statement does to tables: itself, or each part of a flush by its name. */
function partsOf(statement: string): readonly (readonly [name: string, text: string])[] {
  if (!statement.startsWith("with f as materialized")) return [[statement, statement]];
  return statement
    .split(/, (?=w_\w+ as \()/)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf(" ")), part] as const);
}

/** What would have to ask every server, and why it may. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  'select "organization_id", "id" from "token" where "token"."hash" = $1 limit $2':
    "says which organization a token is of: a table of references, and cached",
  'select "body" from "agent" where "agent"."id" in ($1)':
    "finds agents that another organization has made public: a table of references",
  w_settled: "names the shard and an id: it gets the organization with the distribution",
  w_consumed: "names the shard and an id: it gets the organization with the distribution",
};

test("[SCALE-1] each statement of the hot path names the organization", async () => {
  const owner = await service.found();
  const client = new Client(service, owner);
  const { id } = await answered(client.call("POST", "/api/tasks", { title: "Read me" }), 201);
  await client.get(`/api/tasks/${String(id)}`);
  await client.get("/api/tasks?limit=10");
  const agent = await answered(client.call("POST", "/api/agents", { name: "Ada", system_prompt: "Be brief." }), 201);
  const chat = await client.chat(String(agent["id"]), owner.workspaceId);
  const sent = await client.send(chat, "Hello.");
  await client.reached(sent.job.id, "completed");
  await client.messages(chat);
  await client.get("/api/jobs?limit=10");
  const parts = statements().flatMap(partsOf);
  const owned = parts.filter(([, text]) => OWNED.test(text));
  const nameless = owned.filter(([, text]) => !/\borganization_id\b/.test(text.replace(/^select .*? from /i, "")));
  const tables = owned.map(([, text]) => OWNED.exec(text)![1]!);
  for (const table of ["task", "chat", "job", "message", "event", "effect", "alarm"]) expect(tables).toContain(table);
  expect(nameless.map(([name]) => name).filter((name) => !(name in EVERYWHERE))).toEqual([]);
});
