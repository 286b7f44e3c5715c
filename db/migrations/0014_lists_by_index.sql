DROP INDEX "agent_newest";--> statement-breakpoint
DROP INDEX "chat_newest";--> statement-breakpoint
DROP INDEX "job_chat";--> statement-breakpoint
DROP INDEX "job_parent";--> statement-breakpoint
DROP INDEX "mission_newest";--> statement-breakpoint
DROP INDEX "task_newest";--> statement-breakpoint
DROP INDEX "task_assignee";--> statement-breakpoint
DROP INDEX "webhook_attempt_event";--> statement-breakpoint
DROP INDEX "workspace_share_newest";--> statement-breakpoint
ALTER TABLE "agent" ADD COLUMN "created_by" text GENERATED ALWAYS AS ((body ->> 'createdBy')) STORED;--> statement-breakpoint
ALTER TABLE "token" ADD COLUMN "kind" text GENERATED ALWAYS AS ((body ->> 'kind')) STORED;--> statement-breakpoint
ALTER TABLE "token" ADD COLUMN "user_id" text GENERATED ALWAYS AS ((body ->> 'userId')) STORED;--> statement-breakpoint
CREATE INDEX "agent_visible" ON "agent" USING btree ("organization_id","visibility","created_at","id") WHERE status = 'active';--> statement-breakpoint
CREATE INDEX "agent_creator" ON "agent" USING btree ("organization_id","created_by","visibility","created_at","id") WHERE status = 'active';--> statement-breakpoint
CREATE INDEX "chat_status" ON "chat" USING btree ("organization_id","status","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "chat_agent" ON "chat" USING btree ("organization_id","agent_id","status","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "chat_workspace" ON "chat" USING btree ("organization_id","workspace_id","status","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "job_status" ON "job" USING btree ("organization_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "job_agent" ON "job" USING btree ("organization_id","agent_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "job_workspace" ON "job" USING btree ("organization_id","workspace_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "job_mission" ON "job" USING btree ("organization_id","mission_id","created_at","id") WHERE mission_id is not null;--> statement-breakpoint
CREATE INDEX "mission_status" ON "mission" USING btree ("organization_id","status","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "mission_of_agent" ON "mission" USING btree ("organization_id","agent_id","status","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "mission_workspace" ON "mission" USING btree ("organization_id","workspace_id","status","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "mission_run_outcome" ON "mission_run" USING btree ("organization_id","mission_id","outcome","created_at","id");--> statement-breakpoint
CREATE INDEX "task_status" ON "task" USING btree ("organization_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "task_workspace" ON "task" USING btree ("organization_id","workspace_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "task_assignee_workspace" ON "task" USING btree ("organization_id","assigned_to","workspace_id","status","created_at","id") WHERE assigned_to is not null and workspace_id is not null;--> statement-breakpoint
CREATE INDEX "token_kind" ON "token" USING btree ("organization_id","kind","created_at","id");--> statement-breakpoint
CREATE INDEX "token_user" ON "token" USING btree ("organization_id","user_id","kind","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_attempt_status" ON "webhook_attempt" USING btree ("organization_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_attempt_type" ON "webhook_attempt" USING btree ("organization_id","event_type","status","created_at","id");--> statement-breakpoint
CREATE INDEX "workspace_newest" ON "workspace" USING btree ("organization_id","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "workspace_place_listed" ON "workspace_place" USING btree ("organization_id","directory_id",name collate "C") WHERE node_id is not null;--> statement-breakpoint
CREATE INDEX "chat_newest" ON "chat" USING btree ("organization_id","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "job_chat" ON "job" USING btree ("organization_id","chat_id","created_at","id");--> statement-breakpoint
CREATE INDEX "job_parent" ON "job" USING btree ("organization_id","parent_job_id","created_at","id") WHERE parent_job_id is not null;--> statement-breakpoint
CREATE INDEX "mission_newest" ON "mission" USING btree ("organization_id","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "task_newest" ON "task" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "task_assignee" ON "task" USING btree ("organization_id","assigned_to","status","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_attempt_event" ON "webhook_attempt" USING btree ("organization_id","event_id","created_at","id");--> statement-breakpoint
CREATE INDEX "workspace_share_newest" ON "workspace_share" USING btree ("organization_id","workspace_id","created_at","id");