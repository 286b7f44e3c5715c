CREATE TABLE "reach" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	CONSTRAINT "reach_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "reach_question" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"job_id" text GENERATED ALWAYS AS ((body ->> 'jobId')) STORED,
	CONSTRAINT "reach_question_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE INDEX "reach_question_newest" ON "reach_question" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "reach_question_job" ON "reach_question" USING btree ("organization_id","job_id","created_at","id");--> statement-breakpoint
CREATE INDEX "reach_question_created" ON "reach_question" USING btree ("created_at");