CREATE TABLE "attachment" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"sha256" text GENERATED ALWAYS AS ((body ->> 'sha256')) STORED,
	CONSTRAINT "attachment_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "upload" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"created_by" text GENERATED ALWAYS AS ((body ->> 'createdBy')) STORED,
	"sha256" text GENERATED ALWAYS AS ((body ->> 'sha256')) STORED,
	"ends_at" text GENERATED ALWAYS AS ((coalesce(body ->> 'deletedAt', body ->> 'expiresAt'))) STORED,
	"deleted_at" text GENERATED ALWAYS AS ((body ->> 'deletedAt')) STORED,
	CONSTRAINT "upload_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE INDEX "attachment_content" ON "attachment" USING btree ("organization_id","sha256");--> statement-breakpoint
CREATE INDEX "upload_creator" ON "upload" USING btree ("organization_id","created_by","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "upload_content" ON "upload" USING btree ("organization_id","sha256");--> statement-breakpoint
CREATE INDEX "upload_end" ON "upload" USING btree ("ends_at");