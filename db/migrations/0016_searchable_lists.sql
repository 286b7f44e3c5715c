DROP INDEX "task_newest";--> statement-breakpoint
DROP INDEX "task_status";--> statement-breakpoint
DROP INDEX "task_assignee";--> statement-breakpoint
DROP INDEX "task_workspace";--> statement-breakpoint
DROP INDEX "task_assignee_workspace";--> statement-breakpoint
ALTER TABLE "agent" ADD COLUMN "source" text GENERATED ALWAYS AS ((body ->> 'source')) STORED;--> statement-breakpoint
ALTER TABLE "agent" ADD COLUMN "tags" jsonb GENERATED ALWAYS AS ((nullif(body -> 'tags', '{}'::jsonb))) STORED;--> statement-breakpoint
ALTER TABLE "agent" ADD COLUMN "words" "tsvector" GENERATED ALWAYS AS ((array_to_tsvector(array['org:' || organization_id]) || to_tsvector('simple'::regconfig, coalesce(body ->> 'name', '')))) STORED;--> statement-breakpoint
ALTER TABLE "chat" ADD COLUMN "pinned" text GENERATED ALWAYS AS ((body -> 'options' ->> 'pinned')) STORED;--> statement-breakpoint
ALTER TABLE "chat" ADD COLUMN "words" "tsvector" GENERATED ALWAYS AS ((array_to_tsvector(array['org:' || organization_id]) || to_tsvector('simple'::regconfig, coalesce(body -> 'options' ->> 'title', '')))) STORED;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "metadata" jsonb GENERATED ALWAYS AS ((nullif(body -> 'metadata', '{}'::jsonb))) STORED;--> statement-breakpoint
ALTER TABLE "message" ADD COLUMN "words" "tsvector" GENERATED ALWAYS AS ((case when body ->> 'status' <> 'streaming' then (array_to_tsvector(array['org:' || organization_id]) || to_tsvector('simple'::regconfig, coalesce(left(body ->> 'content', 16384), ''))) end)) STORED;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "deleted_at" text GENERATED ALWAYS AS ((body ->> 'deletedAt')) STORED;--> statement-breakpoint
CREATE INDEX "agent_source" ON "agent" USING btree ("organization_id","source","visibility","created_at","id") WHERE status = 'active';--> statement-breakpoint
CREATE INDEX "agent_creator_source" ON "agent" USING btree ("organization_id","created_by","source","visibility","created_at","id") WHERE status = 'active';--> statement-breakpoint
CREATE INDEX "agent_tags" ON "agent" USING gin ("tags" jsonb_path_ops);--> statement-breakpoint
CREATE INDEX "agent_words" ON "agent" USING gin ("words");--> statement-breakpoint
CREATE INDEX "chat_pinned" ON "chat" USING btree ("organization_id","created_at","id") WHERE deleted_at is null and pinned = 'true';--> statement-breakpoint
CREATE INDEX "chat_words" ON "chat" USING gin ("words");--> statement-breakpoint
CREATE INDEX "job_metadata" ON "job" USING gin ("metadata" jsonb_path_ops) WHERE metadata is not null;--> statement-breakpoint
CREATE INDEX "message_words" ON "message" USING gin ("words") WHERE words is not null;--> statement-breakpoint
CREATE INDEX "task_newest" ON "task" USING btree ("organization_id","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "task_status" ON "task" USING btree ("organization_id","status","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "task_assignee" ON "task" USING btree ("organization_id","assigned_to","status","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "task_workspace" ON "task" USING btree ("organization_id","workspace_id","status","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "task_assignee_workspace" ON "task" USING btree ("organization_id","assigned_to","workspace_id","status","created_at","id") WHERE assigned_to is not null and workspace_id is not null and deleted_at is null;