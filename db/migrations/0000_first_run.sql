CREATE TABLE "agent" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "agent_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"status" text GENERATED ALWAYS AS ((body ->> 'status')) STORED,
	"visibility" text GENERATED ALWAYS AS ((body ->> 'visibility')) STORED,
	CONSTRAINT "agent_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "chat" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"agent_id" text GENERATED ALWAYS AS ((body ->> 'agentId')) STORED,
	CONSTRAINT "chat_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "job" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"status" text GENERATED ALWAYS AS ((body ->> 'status')) STORED,
	"chat_id" text GENERATED ALWAYS AS ((body ->> 'chatId')) STORED,
	CONSTRAINT "job_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "member" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"email" text GENERATED ALWAYS AS ((body ->> 'email')) STORED,
	CONSTRAINT "member_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "message" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	"chat_id" text GENERATED ALWAYS AS ((body ->> 'chatId')) STORED,
	"seq" integer GENERATED ALWAYS AS (((body ->> 'seq')::integer)) STORED,
	"status" text GENERATED ALWAYS AS ((body ->> 'status')) STORED,
	CONSTRAINT "message_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "organization" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	CONSTRAINT "organization_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "task" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "task_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"status" text GENERATED ALWAYS AS ((body ->> 'status')) STORED,
	"assigned_to" text GENERATED ALWAYS AS ((body ->> 'assignedTo')) STORED,
	"workspace_id" text GENERATED ALWAYS AS ((body ->> 'workspaceId')) STORED,
	CONSTRAINT "task_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "token" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"hash" text GENERATED ALWAYS AS ((body ->> 'hash')) STORED,
	CONSTRAINT "token_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "workspace" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	CONSTRAINT "workspace_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "actor_message" (
	"shard" smallint NOT NULL,
	"organization_id" text NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text NOT NULL,
	"id" text PRIMARY KEY NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "actor_message_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"command" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alarm" (
	"shard" smallint NOT NULL,
	"organization_id" text NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text NOT NULL,
	"name" text NOT NULL,
	"due_at_ms" bigint NOT NULL,
	"command" json NOT NULL,
	CONSTRAINT "alarm_organization_id_actor_id_name_pk" PRIMARY KEY("organization_id","actor_id","name")
);
--> statement-breakpoint
CREATE TABLE "effect" (
	"shard" smallint NOT NULL,
	"organization_id" text NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text NOT NULL,
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"intent" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event" (
	"organization_id" text NOT NULL,
	"stream" text NOT NULL,
	"seq" integer NOT NULL,
	"type" text NOT NULL,
	"at" text NOT NULL,
	"data" json NOT NULL,
	CONSTRAINT "event_organization_id_stream_seq_pk" PRIMARY KEY("organization_id","stream","seq")
);
--> statement-breakpoint
CREATE TABLE "replica" (
	"id" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"build" text NOT NULL,
	"folder" text,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"dead" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shard" (
	"id" integer PRIMARY KEY NOT NULL,
	"owner" text,
	"epoch" bigint DEFAULT 0 NOT NULL,
	"wanted" text
);
--> statement-breakpoint
CREATE INDEX "agent_id" ON "agent" USING btree ("id");--> statement-breakpoint
CREATE INDEX "agent_newest" ON "agent" USING btree ("organization_id","created_at","position");--> statement-breakpoint
CREATE INDEX "chat_newest" ON "chat" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "job_newest" ON "job" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "job_chat" ON "job" USING btree ("organization_id","chat_id","created_at");--> statement-breakpoint
CREATE INDEX "member_email" ON "member" USING btree (lower(email));--> statement-breakpoint
CREATE INDEX "message_order" ON "message" USING btree ("organization_id","chat_id","seq");--> statement-breakpoint
CREATE INDEX "task_newest" ON "task" USING btree ("organization_id","created_at","position");--> statement-breakpoint
CREATE INDEX "task_assignee" ON "task" USING btree ("organization_id","assigned_to","created_at");--> statement-breakpoint
CREATE INDEX "token_hash" ON "token" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "actor_message_shard" ON "actor_message" USING btree ("shard","position");--> statement-breakpoint
CREATE INDEX "alarm_due" ON "alarm" USING btree ("shard","due_at_ms");--> statement-breakpoint
CREATE INDEX "effect_shard" ON "effect" USING btree ("shard");