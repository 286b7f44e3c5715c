/**
 * Cleans up after workspaces and uploads: expired versions and deleted files, the contents of deleted directories,
 * uploads that were deleted or that no message has used, also those of removed members, and unreferenced content.
 *
 * Content is removed under the lock of its claim. An upload claims its content before it stores it. If its claim comes
 * first, the claim is young and the sweep skips it. If the sweep has the lock first, the upload waits, and then stores
 * the content again.
 */
import type { TransactionSql } from "postgres";
import { CLOCK_SKEW_MS } from "../actors/runtime/ports.ts";
import { VERSION_MS } from "../actors/workspace/limits.ts";
import type { BlobStore } from "../actors/workspace/ports.ts";
import { isReferred } from "./stores/content-references.ts";
import { past, type Sweep, type Taken } from "./sweeps.ts";

/** How long content may stay unreferenced after its claim. An upload or a clone takes minutes. */
const CLAIM_MS = 3_600_000;
/** How long the unused uploads of a removed member stay: their actors have left memory by then. */
const REMOVED_MS = 3_600_000;
/** Contents that one batch removes: each is a request to the store, and the transaction stays open meanwhile. */
const REMOVED_BLOBS = 20;

/** The sweeps of workspaces. Unreferenced content is removed from `blobs`. */
export const workspaceSweeps = (blobs: Pick<BlobStore, "remove">): readonly Sweep[] => [
  { name: "file_versions", retentionMs: CLOCK_SKEW_MS, take: past("workspace_version", "kept_until") },
  { name: "vacant_places", retentionMs: VERSION_MS, take: past("workspace_place", "vacant_since") },
  { name: "file_texts", retentionMs: CLOCK_SKEW_MS, take: past("workspace_text", "empty_since") },
  { name: "shares", retentionMs: VERSION_MS, take: past("workspace_share", "ends_at") },
  { name: "uploads", retentionMs: CLOCK_SKEW_MS, take: past("upload", "ends_at") },
  { name: "uploads_of_removed", retentionMs: REMOVED_MS, take: uploadsOfRemoved },
  { name: "deleted_directories", retentionMs: VERSION_MS, take: emptyDirectories },
  { name: "blobs", retentionMs: CLAIM_MS, take: sweepUnreferenced(blobs) },
];

/** Uploads that no message has used, of people who have been removed: nobody can find them. */
async function uploadsOfRemoved(sql: TransactionSql, cutoff: string, limit: number): Promise<Taken> {
  const rows = await sql`
    with doomed as (
      select u.ctid from member m
      join upload u on u.organization_id = m.organization_id and u.created_by = m.id
      where m.body ->> 'status' = 'removed' and m.body ->> 'updatedAt' < ${cutoff}
        and u.deleted_at is null and u.ends_at is not null
      limit ${limit} for update of u skip locked)
    delete from upload where ctid = any(array(select ctid from doomed)) and ends_at is not null`;
  return { deleted: rows.count, isDone: rows.count < limit };
}

/** Empties the directory that was deleted first. Directories in it count as deleted at the same time. */
async function emptyDirectories(sql: TransactionSql, cutoff: string, limit: number): Promise<Taken> {
  const [directory] = await sql<{ organizationId: string; id: string }[]>`
    select organization_id as "organizationId", id from workspace_deleted_directory
    where deleted_at < ${cutoff} order by deleted_at limit 1 for update skip locked`;
  if (directory === undefined) return { deleted: 0, isDone: true };
  const { organizationId, id } = directory;
  const places = await sql<{ nodeId: string | null; kind: string }[]>`
    delete from workspace_place where ctid = any(array(
      select ctid from workspace_place where organization_id = ${organizationId} and directory_id = ${id} limit ${limit}))
    returning node_id as "nodeId", kind`;
  const below = places.flatMap(({ nodeId, kind }) => (kind === "directory" && nodeId !== null ? [nodeId] : []));
  const files = places.flatMap(({ nodeId, kind }) => (kind === "file" && nodeId !== null ? [nodeId] : []));
  await sql`delete from workspace_text where organization_id = ${organizationId} and id = any(${files})`;
  await sql`
    insert into workspace_deleted_directory (organization_id, id, version, body)
    select d.organization_id, child, 1, d.body || jsonb_build_object('id', child)
    from workspace_deleted_directory d, unnest(${below}::text[]) as child
    where d.organization_id = ${organizationId} and d.id = ${id} on conflict do nothing`;
  if (places.length < limit)
    await sql`delete from workspace_deleted_directory where organization_id = ${organizationId} and id = ${id}`;
  return { deleted: places.length, isDone: false };
}

/** Goes through all claims, a batch at a time, and then starts again. */
function sweepUnreferenced(blobs: Pick<BlobStore, "remove">): Sweep["take"] {
  return async (sql, cutoff, limit) => {
    await sql`
      insert into sweep_position (sweep, at_rest_since, organization_id, id) values ('blobs', '', '', '')
      on conflict do nothing`;
    const held = await sql`select 1 from sweep_position where sweep = 'blobs' for update skip locked`;
    if (held.count === 0) return { deleted: 0, isDone: true };
    const claims = await sql<{ organizationId: string; sha256: string; isUsed: boolean }[]>`
      select c.organization_id as "organizationId", c.sha256, c.claimed_at >= ${cutoff}::timestamptz
        or ${sql.unsafe(isReferred("c.organization_id", "c.sha256"))} as "isUsed"
      from blob_claim c, sweep_position s
      where s.sweep = 'blobs' and (c.organization_id, c.sha256) > (s.organization_id, s.id)
      order by c.organization_id, c.sha256 limit ${limit}`;
    let deleted = 0;
    let last = claims.at(-1);
    for (const claim of claims) {
      if (claim.isUsed) continue;
      if (await removeUnused(sql, claim, { cutoff, blobs })) deleted++;
      if (deleted < REMOVED_BLOBS) continue;
      last = claim;
      break;
    }
    const isThrough = claims.length < limit && last === claims.at(-1);
    const next = isThrough || last === undefined ? { organizationId: "", sha256: "" } : last;
    await sql`
      update sweep_position set organization_id = ${next.organizationId}, id = ${next.sha256} where sweep = 'blobs'`;
    return { deleted, isDone: isThrough };
  };
}

/** Removes content whose claim is still old and unused once its row is locked. */
async function removeUnused(
  sql: TransactionSql,
  { organizationId, sha256 }: { readonly organizationId: string; readonly sha256: string },
  { cutoff, blobs }: { readonly cutoff: string; readonly blobs: Pick<BlobStore, "remove"> },
): Promise<boolean> {
  const locked = await sql`
    select 1 from blob_claim where organization_id = ${organizationId} and sha256 = ${sha256}
    and claimed_at < ${cutoff}::timestamptz for update skip locked`;
  if (locked.count === 0) return false;
  // Checked again: the lock keeps new claims away, and referenced content was claimed before.
  const used = await sql.unsafe(`select 1 where ${isReferred("$1", "$2")}`, [organizationId, sha256]);
  if (used.count > 0) return false;
  await blobs.remove({ organizationId, sha256 });
  await sql`delete from blob_claim where organization_id = ${organizationId} and sha256 = ${sha256}`;
  return true;
}
