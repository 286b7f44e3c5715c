/** Workspaces, their files, and their stored content. Records have the shape of `records.ts`. */
import { type SQL, sql } from "drizzle-orm";
import { bigint, index, integer, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { recordTable, SHORT_PENDING_LIST, tsvectorColumn } from "./records.ts";

const raw = (text: string): SQL => sql.raw(`(${text})`);
const generatedText = (column: string, name: string) => text(column).generatedAlwaysAs(raw(`body ->> '${name}'`));
/** A field of a place's node (`actors/workspace/schema.ts`). */
const ofNode = (column: string, name: string) => text(column).generatedAlwaysAs(raw(`body -> 'node' ->> '${name}'`));
const createdAtText = generatedText("created_at", "createdAt");

export const workspace = recordTable(
  "workspace",
  {
    createdAt: createdAtText,
    deletedAt: generatedText("deleted_at", "deletedAt"),
    /** The labels of its apps; null if it has none. */
    appLabels: jsonb("app_labels").generatedAlwaysAs(
      raw(`nullif(jsonb_path_query_array(body, '$.apps[*].label'), '[]'::jsonb)`),
    ),
  },
  (t) => [
    index("workspace_apps").using("gin", t.appLabels).with(SHORT_PENDING_LIST),
    index("workspace_newest")
      .on(t.organizationId, t.createdAt, t.id)
      .where(sql`deleted_at is null`),
  ],
);

/** The workspace that each user has selected. */
export const workspaceSelection = recordTable("workspace_selection", {});

export const workspacePlace = recordTable(
  "workspace_place",
  {
    workspaceId: generatedText("workspace_id", "workspaceId"),
    directoryId: generatedText("directory_id", "directoryId"),
    name: generatedText("name", "name"),
    kind: ofNode("kind", "kind"),
    /** The id of the file or directory here; null if the place is vacant. */
    nodeId: text("node_id").generatedAlwaysAs(
      raw(`case when body -> 'node' ->> 'kind' <> 'vacant' then body -> 'node' ->> 'id' end`),
    ),
    sha256: ofNode("sha256", "sha256"),
    vacantSince: ofNode("vacant_since", "since"),
  },
  (t) => [
    index("workspace_place_directory").on(t.organizationId, t.directoryId),
    // Ordered by the bytes of the names, as a directory is listed.
    index("workspace_place_listed")
      .on(t.organizationId, t.directoryId, sql`name collate "C"`)
      .where(sql`node_id is not null`),
    index("workspace_place_workspace").on(t.organizationId, t.workspaceId),
    index("workspace_place_node").on(t.organizationId, t.nodeId),
    index("workspace_place_content").on(t.organizationId, t.sha256),
    index("workspace_place_vacant")
      .on(t.vacantSince)
      .where(sql`vacant_since is not null`),
  ],
);

/** Earlier versions of files; the sweep deletes expired ones. */
export const workspaceVersion = recordTable(
  "workspace_version",
  {
    fileId: generatedText("file_id", "fileId"),
    number: integer("number").generatedAlwaysAs(raw(`(body ->> 'number')::integer`)),
    sha256: generatedText("sha256", "sha256"),
    keptUntil: generatedText("kept_until", "keptUntil"),
  },
  (t) => [
    index("workspace_version_file").on(t.organizationId, t.fileId, t.number),
    index("workspace_version_content").on(t.organizationId, t.sha256),
    index("workspace_version_kept").on(t.keptUntil),
  ],
);

/** The words of text files. `simple` uses no language: it finds words as they are written, even in code. */
export const workspaceText = recordTable(
  "workspace_text",
  {
    workspaceId: generatedText("workspace_id", "workspaceId"),
    words: tsvectorColumn("words").generatedAlwaysAs(raw(`to_tsvector('simple'::regconfig, body ->> 'text')`)),
    emptySince: text("empty_since").generatedAlwaysAs(
      raw(`case when body ->> 'text' = '' then body ->> 'updatedAt' end`),
    ),
  },
  (t) => [
    index("workspace_text_words").using("gin", t.words).with(SHORT_PENDING_LIST),
    index("workspace_text_empty")
      .on(t.emptySince)
      .where(sql`empty_since is not null`),
  ],
);

/** Directories to which nothing leads any more; the sweep empties them. */
export const workspaceDeletedDirectory = recordTable(
  "workspace_deleted_directory",
  { deletedAt: generatedText("deleted_at", "deletedAt") },
  (t) => [index("workspace_deleted_directory_time").on(t.deletedAt)],
);

export const workspaceShare = recordTable(
  "workspace_share",
  {
    createdAt: createdAtText,
    workspaceId: generatedText("workspace_id", "workspaceId"),
    hash: generatedText("hash", "hash"),
    endsAt: text("ends_at").generatedAlwaysAs(raw(`coalesce(body ->> 'revokedAt', body ->> 'expiresAt')`)),
  },
  (t) => [
    index("workspace_share_hash").on(t.hash),
    index("workspace_share_newest").on(t.organizationId, t.workspaceId, t.createdAt, t.id),
    index("workspace_share_end").on(t.endsAt),
  ],
);

/** Uploads of people; the sweep deletes them after their deletion or expiry. */
export const upload = recordTable(
  "upload",
  {
    createdAt: createdAtText,
    createdBy: generatedText("created_by", "createdBy"),
    sha256: generatedText("sha256", "sha256"),
    endsAt: text("ends_at").generatedAlwaysAs(raw(`coalesce(body ->> 'deletedAt', body ->> 'expiresAt')`)),
    deletedAt: generatedText("deleted_at", "deletedAt"),
  },
  (t) => [
    index("upload_creator")
      .on(t.organizationId, t.createdBy, t.createdAt, t.id)
      .where(sql`deleted_at is null`),
    index("upload_content").on(t.organizationId, t.sha256),
    index("upload_end").on(t.endsAt),
  ],
);

/** Content to which messages refer. */
export const attachment = recordTable("attachment", { sha256: generatedText("sha256", "sha256") }, (t) => [
  index("attachment_content").on(t.organizationId, t.sha256),
]);

/**
 * Content that is stored, or about to be: it is claimed before it is stored. The sweep removes unreferenced content.
 */
export const blobClaim = pgTable(
  "blob_claim",
  {
    organizationId: text("organization_id").notNull(),
    sha256: text("sha256").notNull(),
    claimedAt: timestamp("claimed_at", { withTimezone: true }).notNull(),
    /** Null if an earlier release has claimed it. */
    size: bigint("size", { mode: "number" }),
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.sha256] })],
);
