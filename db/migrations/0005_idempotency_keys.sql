CREATE TABLE "idempotency_key" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	"expires_at" text GENERATED ALWAYS AS ((body ->> 'expiresAt')) STORED,
	CONSTRAINT "idempotency_key_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE INDEX "idempotency_key_expiry" ON "idempotency_key" USING btree ("expires_at");