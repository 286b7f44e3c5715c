/** Which chats and jobs somebody may know of (AGT-5): `hidesWork` of the organization, for lists. */
import { type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { agent } from "../tables/records.ts";

interface Work {
  readonly organizationId: AnyPgColumn;
  readonly agentId: AnyPgColumn;
  readonly body: AnyPgColumn;
}

/**
 * All but what others have begun with an agent that is private to another person. The agent is looked up for each
 * record that a list comes to: PostgreSQL turns `not exists` into a hash of all private agents where it likes, and
 * a scalar query never. The record itself comes last, because it may have to be unpacked for that.
 */
export const seenBy = (work: Work, userId: string): SQL =>
  sql`(coalesce((select ${agent.createdBy} = ${userId} from ${agent} where ${agent.organizationId} = ${work.organizationId}
      and ${agent.id} = ${work.agentId} and ${agent.visibility} = 'private'), true)
    or ${work.body} ->> 'createdBy' = ${userId})`;
