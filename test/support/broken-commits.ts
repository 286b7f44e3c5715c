/** Requests under an idempotency key, for tests that break their commits. */
import type { Sql } from "../../db/client.ts";
import type { KeyedAnswer, KeyedRequest } from "./keyed.ts";
import { eventually } from "./troupe-process.ts";

/** What each statement of a commit has in it. */
export const FLUSH = "troupe flush";
/** No request of these has more commits; a loop that comes here never met its end. */
export const COMMITS = 30;

export interface KeyedOperation {
  readonly request: (marker: string) => KeyedRequest;
  /** Table and field that have the marker once for each time that it was done. */
  readonly effect: readonly [table: string, field: readonly string[]];
}

/** Requests whose effect can be counted, on an agent and a workspace that are known when they are sent. */
export const operations = (
  agentId: () => string,
  workspaceId: () => string,
): Readonly<Record<string, KeyedOperation>> => ({
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
export async function answered(ask: () => Promise<KeyedAnswer>): Promise<KeyedAnswer> {
  let last: KeyedAnswer | null = null;
  await eventually("the request is answered", async () => {
    last = await ask().catch(() => null);
    return last !== null && last.status < 500 && last.status !== 409;
  });
  return last!;
}

/** How often the effect is there. */
export async function countOf(sql: Sql, [table, field]: KeyedOperation["effect"], marker: string): Promise<number> {
  const rows = await sql`select 1 from ${sql(table)} where body #>> ${`{${field.join(",")}}`}::text[] = ${marker}`;
  return rows.count;
}
