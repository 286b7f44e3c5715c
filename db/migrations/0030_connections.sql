CREATE TABLE "connection" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"owner_id" text GENERATED ALWAYS AS ((body ->> 'ownerId')) STORED,
	"removed_at" text GENERATED ALWAYS AS ((body ->> 'removedAt')) STORED,
	CONSTRAINT "connection_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE INDEX "connection_owner" ON "connection" USING btree ("organization_id","owner_id","created_at","id") WHERE removed_at is null;