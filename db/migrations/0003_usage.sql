CREATE TABLE "day_usage" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	"day" text GENERATED ALWAYS AS ((body ->> 'day')) STORED,
	"agent_id" text GENERATED ALWAYS AS ((body ->> 'agentId')) STORED,
	"model" text GENERATED ALWAYS AS ((body ->> 'model')) STORED,
	CONSTRAINT "day_usage_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "month_usage" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	CONSTRAINT "month_usage_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "token_budget" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	CONSTRAINT "token_budget_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE INDEX "day_usage_day" ON "day_usage" USING btree ("organization_id","day");