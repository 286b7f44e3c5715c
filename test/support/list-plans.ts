/** The statements of lists as they are sent, and what PostgreSQL reads for one. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Database, ReadPool, Sql } from "../../db/client.ts";

export interface Statement {
  readonly text: string;
  readonly parameters: readonly never[];
}

/** What a statement has read and returned. */
export interface Reads {
  /** Rows of tables and indexes, whether they were returned or not. */
  readonly read: number;
  readonly returned: number;
}

/** A tagged query of postgres.js, once it has been sent. */
interface Sent {
  readonly string: string;
  readonly parameters: readonly unknown[];
}

/** Notes each statement of a list that the database is asked, and none that others ask meanwhile. */
export function recordLists(database: Database): Statement[] {
  const statements: Statement[] = [];
  const { reading, readingInto } = database;
  const recorded = (pool: ReadPool, tagged: Sent[]): ReadPool => ({
    query: pool.query,
    sql: new Proxy(pool.sql, {
      apply(target, self, given) {
        const query: unknown = Reflect.apply(target, self, given);
        // Also fragments come this way; they are never sent.
        tagged.push(query as Sent);
        return query;
      },
    }),
  });
  const unsafe = database.read.unsafe.bind(database.read);
  const lists = new AsyncLocalStorage<true>();
  const recordedUnsafe = (text: string, parameters: never[], options: never) => {
    if (lists.getStore() === true) statements.push({ text, parameters });
    return unsafe(text, parameters, options);
  };
  Object.assign(database.read, { unsafe: recordedUnsafe });
  type Ask<T> = (pool: ReadPool) => PromiseLike<T>;
  const noted =
    <T>(ask: Ask<T>): Ask<T> =>
    async (pool) => {
      const tagged: Sent[] = [];
      try {
        return await lists.run(true, async () => await ask(recorded(pool, tagged)));
      } finally {
        for (const { string: text, parameters } of tagged) {
          if (typeof text === "string") statements.push({ text, parameters: parameters.map(valueOf) });
        }
      }
    };
  const readingLists: Database["reading"] = (kind, organizationId, ask) =>
    reading(kind, organizationId, kind === "list" ? noted(ask) : ask);
  const readingPages: Database["readingInto"] = (kind, organizationId, ask, used) =>
    readingInto(kind, organizationId, kind === "list" ? noted(ask) : ask, used);
  Object.assign(database, { reading: readingLists, readingInto: readingPages });
  return statements;
}

/** A parameter as it is given again: postgres.js wraps some with their types. */
const valueOf = (parameter: unknown): never =>
  (typeof parameter === "object" && parameter !== null && "value" in parameter ? parameter.value : parameter) as never;

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Runs the statement and counts. */
export async function readsOf(sql: Sql, { text, parameters }: Statement): Promise<Reads> {
  const [row] = await sql.unsafe<{ "QUERY PLAN": readonly { readonly Plan: PlanNode }[] }[]>(
    `explain (analyze, buffers, format json) ${text}`,
    [...parameters],
  );
  const plan = row?.["QUERY PLAN"][0]?.Plan;
  if (plan === undefined) throw new Error("PostgreSQL shows no plan");
  return { read: Math.round(readBy(plan)), returned: plan["Actual Rows"] };
}

function readBy(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, plan) => sum + readBy(plan), 0);
  const isScan = node["Relation Name"] !== undefined || node["Index Name"] !== undefined;
  if (!isScan) return below;
  const { "Rows Removed by Filter": filtered = 0, "Rows Removed by Index Recheck": rechecked = 0 } = node;
  return below + (node["Actual Rows"] + filtered + rechecked) * node["Actual Loops"];
}
