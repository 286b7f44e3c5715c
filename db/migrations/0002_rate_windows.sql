CREATE TABLE "rate_window" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	CONSTRAINT "rate_window_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
