CREATE TABLE "invitation" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"expires_at" text GENERATED ALWAYS AS ((body ->> 'expiresAt')) STORED,
	CONSTRAINT "invitation_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE INDEX "invitation_newest" ON "invitation" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "invitation_expiry" ON "invitation" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "audit_entry_user" ON "audit_entry" USING btree ("organization_id","user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_entry_action" ON "audit_entry" USING btree ("organization_id","action","created_at","id");