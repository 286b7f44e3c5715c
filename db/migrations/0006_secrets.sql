CREATE TABLE "secret" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	CONSTRAINT "secret_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
