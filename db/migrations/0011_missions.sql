CREATE TABLE "mission" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"status" text GENERATED ALWAYS AS ((body ->> 'status')) STORED,
	"agent_id" text GENERATED ALWAYS AS ((body ->> 'agentId')) STORED,
	"workspace_id" text GENERATED ALWAYS AS ((body ->> 'workspaceId')) STORED,
	"deleted_at" text GENERATED ALWAYS AS ((body ->> 'deletedAt')) STORED,
	CONSTRAINT "mission_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "mission_run" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer DEFAULT 0 NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"mission_id" text GENERATED ALWAYS AS ((body ->> 'missionId')) STORED,
	"scheduled_at" text GENERATED ALWAYS AS ((body ->> 'scheduledAt')) STORED,
	"outcome" text GENERATED ALWAYS AS ((body ->> 'outcome')) STORED,
	CONSTRAINT "mission_run_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE INDEX "mission_newest" ON "mission" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "mission_agent" ON "mission" USING btree ("agent_id","organization_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "mission_run_scheduled" ON "mission_run" USING btree ("organization_id","mission_id","scheduled_at");--> statement-breakpoint
CREATE INDEX "mission_run_newest" ON "mission_run" USING btree ("organization_id","mission_id","created_at","id");--> statement-breakpoint
CREATE INDEX "mission_run_created" ON "mission_run" USING btree ("created_at");