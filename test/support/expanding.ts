/**
 * Whether a migration lets the former release go on beside it. It expands: new tables, columns that may be missing, and
 * indexes. What takes away or changes what the former release uses is a contraction, and comes in a later release: the
 * file names the release that has stopped using it.
 */

/** A line of the file such as `-- contracts: unused since 0.3.0`. */
const CONTRACTS = /^-- contracts: unused since (\d+\.\d+\.\d+)\b/m;

/** What the file does that the former release could not bear; empty: nothing. `released` are the releases that there are. */
export function breachesOf(sql: string, released: readonly string[]): readonly string[] {
  const since = CONTRACTS.exec(sql)?.[1];
  if (since !== undefined) return released.includes(since) ? [] : [`${since} is no release`];
  const statements = sql
    .split("--> statement-breakpoint")
    .flatMap((part) => part.replaceAll(/^--.*$/gm, "").split(/;\s*$/m))
    .map((statement) => statement.trim().replaceAll(/\s+/g, " "))
    .filter((statement) => statement !== "");
  const made = new Set(
    statements.flatMap((statement) => nameIn(/^create table (?:if not exists )?"?(\w+)"?/i, statement)),
  );
  return statements.filter((statement) => !isExpansion(statement, made)).map((statement) => statement.slice(0, 120));
}

const nameIn = (pattern: RegExp, statement: string): readonly string[] => pattern.exec(statement)?.slice(1, 2) ?? [];

/** How an index takes in new rows, which is nothing to those who write them. */
const INDEX_UPKEEP =
  /^(?:alter index "?\w+"? set \((?:fastupdate = (?:true|false)|gin_pending_list_limit = \d+)\)|select gin_clean_pending_list\('\w+'\))$/i;

function isExpansion(statement: string, made: ReadonlySet<string>): boolean {
  if (/^create table /i.test(statement) || INDEX_UPKEEP.test(statement)) return true;
  const [indexed] = nameIn(/^create (?:unique )?index [^(]*? on "?(\w+)"?/i, statement);
  // What was allowed twice before is still written twice by the former release.
  if (indexed !== undefined) return made.has(indexed) || !/^create unique/i.test(statement);
  const [altered] = nameIn(/^alter table "?(\w+)"?/i, statement);
  if (altered === undefined) return false;
  if (made.has(altered)) return true;
  // The former release does not name the column when it writes.
  const isColumn =
    /^alter table "?\w+"? add column /i.test(statement) && !/ (?:unique|references|check)\b/i.test(statement);
  return isColumn && (!/ not null/i.test(statement) || / default | generated always as /i.test(statement));
}
