/** Searches for words in the columns that `db/tables/records.ts` makes of texts, within one organization. */
import { type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";

/** Words that one search looks for. */
const MOST_WORDS = 16;
const WORD = /[\p{L}\p{N}]+/gu;

/** What the column has for every text of the organization. Ids need no escaping, and are escaped nevertheless. */
const ofOrganization = (organizationId: string): SQL =>
  sql`${`'org:${organizationId.replaceAll(/['\\]/g, "")}'`}::tsquery`;

/** The texts with words that begin with these, in any order; none where `text` has no word. */
export function beginningWith(column: AnyPgColumn, organizationId: string, text: string): SQL {
  const words = (text.match(WORD) ?? []).slice(0, MOST_WORDS);
  if (words.length === 0) return sql`false`;
  const query = words.map((word) => `'${word}':*`).join(" & ");
  return sql`${column} @@ (${ofOrganization(organizationId)} && to_tsquery('simple'::regconfig, ${query}))`;
}

/** The texts that a search as on the web finds: words, "phrases", `or`, and `-` before what must not be there. */
export function saying(column: AnyPgColumn, organizationId: string, text: string): SQL {
  if (text.match(WORD) === null) return sql`false`;
  const query = sql`websearch_to_tsquery('simple'::regconfig, ${text})`;
  return sql`${column} @@ (${ofOrganization(organizationId)} && ${query})`;
}
