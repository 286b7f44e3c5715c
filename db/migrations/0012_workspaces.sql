CREATE TABLE "blob_claim" (
	"organization_id" text NOT NULL,
	"sha256" text NOT NULL,
	"claimed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "blob_claim_organization_id_sha256_pk" PRIMARY KEY("organization_id","sha256")
);
--> statement-breakpoint
CREATE TABLE "workspace_deleted_directory" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"deleted_at" text GENERATED ALWAYS AS ((body ->> 'deletedAt')) STORED,
	CONSTRAINT "workspace_deleted_directory_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "workspace_place" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"workspace_id" text GENERATED ALWAYS AS ((body ->> 'workspaceId')) STORED,
	"directory_id" text GENERATED ALWAYS AS ((body ->> 'directoryId')) STORED,
	"name" text GENERATED ALWAYS AS ((body ->> 'name')) STORED,
	"kind" text GENERATED ALWAYS AS ((body -> 'node' ->> 'kind')) STORED,
	"node_id" text GENERATED ALWAYS AS ((case when body -> 'node' ->> 'kind' <> 'vacant' then body -> 'node' ->> 'id' end)) STORED,
	"sha256" text GENERATED ALWAYS AS ((body -> 'node' ->> 'sha256')) STORED,
	"vacant_since" text GENERATED ALWAYS AS ((body -> 'node' ->> 'since')) STORED,
	CONSTRAINT "workspace_place_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "workspace_selection" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	CONSTRAINT "workspace_selection_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "workspace_share" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"workspace_id" text GENERATED ALWAYS AS ((body ->> 'workspaceId')) STORED,
	"hash" text GENERATED ALWAYS AS ((body ->> 'hash')) STORED,
	"ends_at" text GENERATED ALWAYS AS ((coalesce(body ->> 'revokedAt', body ->> 'expiresAt'))) STORED,
	CONSTRAINT "workspace_share_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "workspace_text" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"workspace_id" text GENERATED ALWAYS AS ((body ->> 'workspaceId')) STORED,
	"words" "tsvector" GENERATED ALWAYS AS ((to_tsvector('simple'::regconfig, body ->> 'text'))) STORED,
	"empty_since" text GENERATED ALWAYS AS ((case when body ->> 'text' = '' then body ->> 'updatedAt' end)) STORED,
	CONSTRAINT "workspace_text_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "workspace_version" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"file_id" text GENERATED ALWAYS AS ((body ->> 'fileId')) STORED,
	"number" integer GENERATED ALWAYS AS (((body ->> 'number')::integer)) STORED,
	"sha256" text GENERATED ALWAYS AS ((body ->> 'sha256')) STORED,
	"kept_until" text GENERATED ALWAYS AS ((body ->> 'keptUntil')) STORED,
	CONSTRAINT "workspace_version_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
ALTER TABLE "workspace" ADD COLUMN "deleted_at" text GENERATED ALWAYS AS ((body ->> 'deletedAt')) STORED;--> statement-breakpoint
CREATE INDEX "workspace_deleted_directory_time" ON "workspace_deleted_directory" USING btree ("deleted_at");--> statement-breakpoint
CREATE INDEX "workspace_place_directory" ON "workspace_place" USING btree ("organization_id","directory_id");--> statement-breakpoint
CREATE INDEX "workspace_place_workspace" ON "workspace_place" USING btree ("organization_id","workspace_id");--> statement-breakpoint
CREATE INDEX "workspace_place_node" ON "workspace_place" USING btree ("organization_id","node_id");--> statement-breakpoint
CREATE INDEX "workspace_place_content" ON "workspace_place" USING btree ("organization_id","sha256");--> statement-breakpoint
CREATE INDEX "workspace_place_vacant" ON "workspace_place" USING btree ("vacant_since") WHERE vacant_since is not null;--> statement-breakpoint
CREATE INDEX "workspace_share_hash" ON "workspace_share" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "workspace_share_newest" ON "workspace_share" USING btree ("organization_id","workspace_id","created_at");--> statement-breakpoint
CREATE INDEX "workspace_share_end" ON "workspace_share" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "workspace_text_words" ON "workspace_text" USING gin ("words");--> statement-breakpoint
CREATE INDEX "workspace_text_empty" ON "workspace_text" USING btree ("empty_since") WHERE empty_since is not null;--> statement-breakpoint
CREATE INDEX "workspace_version_file" ON "workspace_version" USING btree ("organization_id","file_id","number");--> statement-breakpoint
CREATE INDEX "workspace_version_content" ON "workspace_version" USING btree ("organization_id","sha256");--> statement-breakpoint
CREATE INDEX "workspace_version_kept" ON "workspace_version" USING btree ("kept_until");--> statement-breakpoint
-- Workspaces were records of their organization; as actors of their own they have two fields more.
UPDATE "workspace" SET "body" = '{"instructions": null, "deletedAt": null}'::jsonb || "body";
