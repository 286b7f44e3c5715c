ALTER TABLE "chat" ADD COLUMN "status" text GENERATED ALWAYS AS ((body ->> 'status')) STORED;--> statement-breakpoint
ALTER TABLE "chat" ADD COLUMN "workspace_id" text GENERATED ALWAYS AS ((body ->> 'workspaceId')) STORED;--> statement-breakpoint
ALTER TABLE "chat" ADD COLUMN "deleted_at" text GENERATED ALWAYS AS ((body ->> 'deletedAt')) STORED;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "agent_id" text GENERATED ALWAYS AS ((body -> 'agent' ->> 'id')) STORED;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "workspace_id" text GENERATED ALWAYS AS ((body ->> 'workspaceId')) STORED;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "mission_id" text GENERATED ALWAYS AS ((body ->> 'missionId')) STORED;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "parent_job_id" text GENERATED ALWAYS AS ((body ->> 'parentJobId')) STORED;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "root_job_id" text GENERATED ALWAYS AS ((body ->> 'rootJobId')) STORED;--> statement-breakpoint
CREATE INDEX "job_parent" ON "job" USING btree ("organization_id","parent_job_id");--> statement-breakpoint
CREATE INDEX "job_root" ON "job" USING btree ("organization_id","root_job_id");