/**
 * The tables that refer to stored content. The sweep of contents, backups and exports all use this list, so none of
 * them can forget a table. Each has `organization_id` and `sha256`, which is null if a record has no content.
 */
export const CONTENT_TABLES = ["workspace_place", "workspace_version", "upload", "attachment"] as const;

/** A condition: whether any record of the organization refers to the content. Both are SQL expressions. */
export const isReferred = (organizationId: string, sha256: string): string =>
  `(${CONTENT_TABLES.map(
    (table) => `exists (select from ${table} r where r.organization_id = ${organizationId} and r.sha256 = ${sha256})`,
  ).join(" or ")})`;

/** A query for all content that records refer to, each once, as `"organizationId"` and `sha256`. `where` narrows it. */
export const referredContents = (where = "true"): string =>
  `${CONTENT_TABLES.map(
    (table) => `select organization_id as "organizationId", sha256 from ${table} where sha256 is not null and ${where}`,
  ).join(" union ")} order by 1, 2`;
