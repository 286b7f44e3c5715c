CREATE TABLE "account" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	CONSTRAINT "account_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "audit_entry" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"action" text GENERATED ALWAYS AS ((body ->> 'action')) STORED,
	"user_id" text GENERATED ALWAYS AS ((body ->> 'userId')) STORED,
	CONSTRAINT "audit_entry_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "sign_in_attempts" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"updated_at" text GENERATED ALWAYS AS ((body ->> 'updatedAt')) STORED,
	CONSTRAINT "sign_in_attempts_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
ALTER TABLE "token" ADD COLUMN "swept_after" text GENERATED ALWAYS AS ((case when body ->> 'kind' in ('session', 'oauth') then body ->> 'expiresAt' end)) STORED;--> statement-breakpoint
CREATE INDEX "audit_entry_newest" ON "audit_entry" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_entry_created" ON "audit_entry" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_updated" ON "sign_in_attempts" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "member_person" ON "member" USING btree ("id");--> statement-breakpoint
CREATE INDEX "token_swept" ON "token" USING btree ("swept_after") WHERE swept_after is not null;