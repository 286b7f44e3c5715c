CREATE TABLE "identity_owner" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	CONSTRAINT "identity_owner_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "sign_in_flow" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"expires_at" text GENERATED ALWAYS AS ((body ->> 'expiresAt')) STORED,
	CONSTRAINT "sign_in_flow_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE INDEX "sign_in_flow_expiry" ON "sign_in_flow" USING btree ("expires_at");