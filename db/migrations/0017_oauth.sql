CREATE TABLE "oauth_client" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"expires_at" text GENERATED ALWAYS AS ((body ->> 'expiresAt')) STORED,
	CONSTRAINT "oauth_client_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "oauth_grant" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"user_id" text GENERATED ALWAYS AS ((body ->> 'userId')) STORED,
	"expires_at" text GENERATED ALWAYS AS ((body ->> 'expiresAt')) STORED,
	CONSTRAINT "oauth_grant_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE INDEX "oauth_client_expiry" ON "oauth_client" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "oauth_grant_user" ON "oauth_grant" USING btree ("organization_id","user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "oauth_grant_expiry" ON "oauth_grant" USING btree ("expires_at");