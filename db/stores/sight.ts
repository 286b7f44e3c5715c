/** Which chats and jobs a person may see (AGT-5): the organization's `hidesWork`, for lists. */
import { type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { agent } from "../tables/records.ts";

interface WorkColumns {
  readonly organizationId: AnyPgColumn;
  readonly agentId: AnyPgColumn;
  readonly body: AnyPgColumn;
}

/**
 * Everything except others' work with an agent that is private to another person. The agent is looked up for each
 * examined record: PostgreSQL may turn `not exists` into a hash of all private agents, but never a scalar query. The
 * record itself comes last, because it may have to be decompressed for that.
 */
export const seenBy = (work: WorkColumns, userId: string): SQL =>
  sql`(coalesce((select ${agent.createdBy} = ${userId} from ${agent} where ${agent.organizationId} = ${work.organizationId}
      and ${agent.id} = ${work.agentId} and ${agent.visibility} = 'private'), true)
    or ${work.body} ->> 'createdBy' = ${userId})`;
