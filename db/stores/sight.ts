/** Which chats and jobs somebody may know of (AGT-5): `hidesWork` of the organization, for lists. */
import { type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { agent } from "../tables/records.ts";

interface Work {
  readonly organizationId: AnyPgColumn;
  readonly agentId: AnyPgColumn;
  readonly body: AnyPgColumn;
}

/** All but what others have begun with an agent that is private to another person. */
export const seenBy = (work: Work, userId: string): SQL =>
  sql`(${work.body} ->> 'createdBy' = ${userId} or not exists (
    select from ${agent} where ${agent.organizationId} = ${work.organizationId} and ${agent.id} = ${work.agentId}
      and ${agent.visibility} = 'private' and ${agent.body} ->> 'createdBy' <> ${userId}))`;
