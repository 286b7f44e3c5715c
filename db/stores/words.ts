/** Searches for words in the columns that `db/tables/records.ts` derives from texts, within one organization. */
import { type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";

/** Words that one search looks for. */
const MOST_WORDS = 16;
const WORD = /[\p{L}\p{N}]+/gu;

/**
 * The lexeme that the column has for every text of the organization. Ids need no escaping, but are escaped anyway.
 */
const ofOrganization = (organizationId: string): SQL =>
  sql`${`'org:${organizationId.replaceAll(/['\\]/g, "")}'`}::tsquery`;

/** Texts with words that begin with these, in any order; none if `text` has no word. */
export function beginningWith(column: AnyPgColumn, organizationId: string, text: string): SQL {
  const words = (text.match(WORD) ?? []).slice(0, MOST_WORDS);
  if (words.length === 0) return sql`false`;
  const query = words.map((word) => `'${word}':*`).join(" & ");
  return sql`${column} @@ (${ofOrganization(organizationId)} && to_tsquery('simple'::regconfig, ${query}))`;
}

/** Texts that match a search in web syntax: words, "phrases", `or`, and `-` before excluded words. */
export function saying(column: AnyPgColumn, organizationId: string, text: string): SQL {
  if (text.match(WORD) === null) return sql`false`;
  const query = sql`websearch_to_tsquery('simple'::regconfig, ${text})`;
  return sql`${column} @@ (${ofOrganization(organizationId)} && ${query})`;
}
