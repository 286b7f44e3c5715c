/**
 * What PostgreSQL reads for each list. The lists and their filters are found in the tables of operations, so one
 * that comes later is looked at too: a filter without an index fails here.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { TASK_STATUSES } from "../../actors/organization/schema.ts";
import type { TSchema } from "../../actors/schema.ts";
import { ATTEMPT_STATUSES } from "../../actors/webhook/schema.ts";
import { LOOKS_PER_RECORD } from "../../db/stores/paging.ts";
import { OPERATIONS } from "../../src/contract/document.ts";
import type { OperationContract } from "../../src/http/contract/operation.ts";
import { answered, Client, type Json } from "../support/current.ts";
import { fillLists, RARE_IDS, RARE_NAME } from "../support/list-fill.ts";
import { readsOf, recordLists, type Statement } from "../support/list-plans.ts";
import { until } from "../support/condition.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { uploaded } from "../support/uploads.ts";
import { createAgent } from "../support/v1.ts";

/** Records of each noun: walking them all reads far more than a page. */
const RECORDS = 12_000;
/** A page unless asked for. */
const PAGE = 25;
/** A descent of an index may touch rows that have just gone; and a lookup is no walk. */
const SPARE = 10;
const PATIENCE_MS = 300_000;

/** Parameters that are no filter. */
const NO_FILTERS = ["limit", "cursor", "after", "path", "wait", "since_version"];
/** Lists that are read otherwise, and why. */
const OTHERWISE: Readonly<Record<string, string>> = {
  getUsage: "a report: it sums the days of its range",
  getCostliestJobs: "a report: it sorts the jobs of one day",
  getLoad: "asks no table",
  checkInvariants: "counts what is broken of the whole organization",
  listModels: "asks no table",
  listTools: "asks no table",
  listGroups: "one record of the organization",
  listSecrets: "one record of the organization",
  listProviderKeys: "one record of the organization",
  listStateMachines: "asks no table",
  searchFiles: "looks at 500 matches at most, by the index of words",
};
/** Searches of words: their index gives all matches, and two of them at once are joined as PostgreSQL likes. */
const SEARCHES = ["name", "title", "text"];
/** Some that must be found, and must send a statement; lists of records that one actor has send none. */
const READ_FROM_TABLES = [
  "listAgents",
  "listChats",
  "listMessages",
  "listJobs",
  "listTasks",
  "listMissions",
  "listMissionRuns",
  "listWorkspaces",
  "listFiles",
  "listShares",
  "listUploads",
  "listDeliveries",
  "listEvents",
  "v1ListTasks",
  "v1ListAgents",
];
/** `total` of v1 counts all agents, past the first thousand: by the index alone. */
const COUNT = /^select count\(/;
/** Filters that are tests on what is walked, bounded as two filters at once are, and why. */
const TESTS: Readonly<Record<string, string>> = {
  "listTranscriptEvents types": "an index would cost each event another write; a job's stream is short",
  "listFiles glob": "a pattern is in no index's order",
};

let service: Service;
let owner: Founded;
let client: Client;
let statements: Statement[];
/** What stands in paths and filters, by its name there. */
const common: Record<string, string> = {};

beforeAll(async () => {
  service = await startService();
  owner = await service.found();
  client = new Client(service, owner);
  await makeOneOfEach();
  await fillLists(service.database.read, owner.organizationId, RECORDS);
  statements = recordLists(service.database);
}, PATIENCE_MS);
afterAll(() => service.stop());

async function makeOneOfEach(): Promise<void> {
  const agent = await createAgent(service, owner);
  const { workspaceId } = owner;
  const post = (path: string, body: Json, status = 201) => answered<Json>(client.call("POST", path, body), status);
  await answered(
    client.call("PUT", "/api/messaging-integration", {
      provider: "webhook",
      name: "x",
      url: "https://example.com",
      enabled: true,
      event_types: [],
    }),
    201,
  );
  const task = { title: "x", assignTo: owner.userId, spaceId: workspaceId };
  await post("/api/v1/tasks", task, 200);
  const chat = await client.chat(agent, workspaceId);
  const { job } = await client.send(chat, "hello");
  await client.reached(job.id, "completed");
  const mission = (await post("/api/missions", { title: "x", goal: "x", agent_id: agent }))["id"] as string;
  await post(`/api/missions/${mission}/run`, {}, 202);
  const runs = async () => (await client.get<{ runs: Json[] }>(`/api/missions/${mission}/runs`)).runs;
  await until("the run ends", async () => (await runs())[0]?.["outcome"] === "succeeded");
  const files = `/api/workspaces/${workspaceId}/files`;
  await answered(client.call("PUT", `${files}/content?path=a.txt`, "text"), 201);
  await post(`${files}/share`, { path: "a.txt" });
  await uploaded(client, "a.txt", "text");
  const ledger = "/api/messaging-integration/deliveries";
  await until("a delivery", async () => (await client.get<{ deliveries: Json[] }>(ledger)).deliveries.length > 0);
  Object.assign(common, { chats: chat, jobs: job.id, missions: mission, workspaces: workspaceId });
  Object.assign(common, { agent_id: agent, workspace_id: workspaceId, spaceId: workspaceId, chat_id: chat });
  Object.assign(common, { assigned_to: owner.userId, assignedTo: owner.userId, mission_id: mission });
}

interface List {
  readonly id: string;
  readonly operation: OperationContract;
}

/** Operations that answer several records and read them from the tables. */
const LISTS: readonly List[] = OPERATIONS.filter(({ id, operation: { method, scope, answers } }) => {
  const properties = ((answers[200] as TSchema | undefined)?.["properties"] ?? {}) as Record<string, TSchema>;
  const isPaged =
    properties["next_cursor"] !== undefined || /List/.test(String((answers[200] as TSchema | undefined)?.$id));
  return method === "GET" && scope !== null && !(id in OTHERWISE) && (isPaged || id === "listEvents");
});

const RARE: Readonly<Record<string, string>> = {
  agent_id: RARE_IDS.agentId,
  workspace_id: RARE_IDS.workspaceId,
  spaceId: RARE_IDS.workspaceId,
  assigned_to: RARE_IDS.assignedTo,
  assignedTo: RARE_IDS.assignedTo,
  mission_id: RARE_IDS.missionId,
  parent_job_id: RARE_IDS.parentJobId,
  event_id: RARE_IDS.eventId,
  name: RARE_NAME,
  since: "2026-01-01T00:00:00.000Z",
};

/** Values to filter by: each of a few words, an id that many have and one that few have, and what nobody has. */
function valuesOf(name: string, schema: TSchema): readonly string[] {
  const one = (schema["items"] ?? schema) as TSchema;
  const words = (one["enum"] ?? (one["anyOf"] as TSchema[] | undefined)?.map((variant) => variant["const"])) as
    | string[]
    | undefined;
  if (words !== undefined) return [...words, ...(schema["items"] === undefined ? [] : [words.slice(0, 3).join(",")])];
  const [example] = (schema["examples"] ?? []) as string[];
  return [common[name], RARE[name], example ?? RARE[name] ?? "nothing"].filter((value) => value !== undefined);
}

const pathOf = ({ operation: { path } }: List): string =>
  path.replace(/\/(\w+)\/\{id\}/, (_, noun: string) => `/${noun}/${common[noun]}`);

const filtersOf = ({ operation }: List): [string, TSchema][] =>
  Object.entries(operation.query ?? {}).filter(([name]) => !NO_FILTERS.includes(name));

/** What the list reads in one request, in all of its statements. */
async function costOf(list: List, query: Readonly<Record<string, string>>) {
  statements.length = 0;
  const search = new URLSearchParams(query).toString();
  const answer = await client.call("GET", `${pathOf(list)}?${search}`);
  expect({ list: list.id, search, status: answer.status }).toEqual({ list: list.id, search, status: 200 });
  const body = (await answer.json()) as { readonly next_cursor?: string };
  const sent = statements.filter(({ text }) => !COUNT.test(text));
  const reads = await Promise.all(sent.map((statement) => readsOf(service.database.read, statement)));
  return {
    body,
    statements: sent.length,
    read: reads.reduce((sum, { read }) => sum + read, 0),
    returned: reads.reduce((sum, { returned }) => sum + returned, 0),
  };
}

test("[GEN-16] the lists are found in the tables of operations, with their filters", () => {
  const ids = LISTS.map(({ id }) => id);
  for (const id of READ_FROM_TABLES) expect(ids).toContain(id);
  expect(LISTS.filter(({ id }) => id === "listJobs").flatMap(filtersOf).length).toBeGreaterThan(6);
  for (const id of Object.keys(OTHERWISE)) expect(OPERATIONS.map((placed) => placed.id)).toContain(id);
});

test("[GEN-16] concurrent reads of others are not counted for a list", async () => {
  const { organizationId } = owner;
  const [begun, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  statements.length = 0;
  const list = service.database.reading("list", organizationId, async ({ query }) => {
    begun.resolve();
    await other.promise;
    await query.execute(sql`select 'of the list'`);
  });
  await begun.promise;
  await service.database.reading("load", organizationId, ({ query }) => query.execute(sql`select 'of another'`));
  other.resolve();
  await list;
  expect(statements.map(({ text }) => text)).toEqual(["select 'of the list'"]);
});

for (const list of LISTS) {
  test(
    `[GEN-16] ${list.id}: plain, on a later page, and by each filter alone it reads at most ten times what it returns`,
    async () => {
      const plain = await costOf(list, {});
      if (READ_FROM_TABLES.includes(list.id)) expect(plain.statements).toBeGreaterThan(0);
      const queries: Record<string, string>[] = [{}];
      if (plain.body.next_cursor !== undefined && "cursor" in (list.operation.query ?? {}))
        queries.push({ cursor: plain.body.next_cursor, limit: "100" });
      for (const [name, schema] of filtersOf(list)) {
        queries.push(...valuesOf(name, schema).map((value) => ({ [name]: value })));
      }
      for (const query of queries) {
        const { read, returned } = await costOf(list, query);
        const isTest = Object.keys(query).some((name) => `${list.id} ${name}` in TESTS);
        const isBounded = read <= LOOKS_PER_RECORD * (isTest ? Math.max(PAGE + 1, returned) : returned) + SPARE;
        expect({ query, read, returned, isBounded }).toEqual({ query, read, returned, isBounded: true });
      }
    },
    PATIENCE_MS,
  );

  test(
    `[GEN-16] ${list.id}: with two filters it checks at most ten times its limit`,
    async () => {
      const filters = filtersOf(list).filter(([name]) => !SEARCHES.includes(name));
      const pairs = filters.flatMap((one, i) => filters.slice(i + 1).map((other) => [one, other] as const));
      for (const [[name, schema], [other, otherSchema]] of pairs) {
        for (const value of valuesOf(name, schema).slice(0, 3)) {
          const [first = ""] = valuesOf(other, otherSchema).slice(-2);
          const query = { [name]: value, [other]: first };
          const { read } = await costOf(list, query);
          // Each of them and, where that is asked, its agent.
          const isBounded = read <= 2 * LOOKS_PER_RECORD * (PAGE + 1) + SPARE || list.id.startsWith("v1");
          expect({ query, read, isBounded }).toEqual({ query, read, isBounded: true });
        }
      }
    },
    PATIENCE_MS,
  );
}

for (const { id, table, statuses } of [
  { id: "listTasks", table: "task", statuses: TASK_STATUSES },
  { id: "listDeliveries", table: "webhook_attempt", statuses: ATTEMPT_STATUSES },
])
  test(
    `[GEN-16] ${id}: it reads no more if nearly all records have changed since PostgreSQL's last statistics`,
    async () => {
      const list = LISTS.find((one) => one.id === id)!;
      const common = sql.raw(
        `select body ->> 'status' as status from ${table} group by 1 order by count(*) desc limit 1`,
      );
      const [before] = await service.database.reading("own", "", ({ query }) =>
        query.execute<{ status: string }>(common),
      );
      const other = statuses.find((status) => status !== before!.status)!;
      await service.database.read.unsafe(`update ${table} set body = body || '{"status":"${other}"}'::jsonb`);
      const queries = [
        {},
        ...(id === "listDeliveries" ? [{ since: RARE["since"]! }, { event_type: "job.failed" }] : []),
      ];
      for (const status of [...statuses, statuses.join(",")]) {
        for (const query of queries) {
          const { read, returned } = await costOf(list, { status, ...query });
          const isBounded = read <= LOOKS_PER_RECORD * returned + SPARE;
          expect({ status, query, read, returned, isBounded }).toEqual({
            status,
            query,
            read,
            returned,
            isBounded: true,
          });
        }
      }
    },
    PATIENCE_MS,
  );
