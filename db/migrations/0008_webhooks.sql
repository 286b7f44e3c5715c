CREATE TABLE "webhook_attempt" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"status" text GENERATED ALWAYS AS ((body ->> 'status')) STORED,
	"event_id" text GENERATED ALWAYS AS ((body ->> 'eventId')) STORED,
	"event_type" text GENERATED ALWAYS AS ((body ->> 'eventType')) STORED,
	"due_at" text GENERATED ALWAYS AS ((body ->> 'dueAt')) STORED,
	"sequence" integer GENERATED ALWAYS AS (((body ->> 'sequence')::integer)) STORED,
	CONSTRAINT "webhook_attempt_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_destination" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	CONSTRAINT "webhook_destination_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_event" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	"created_at" text GENERATED ALWAYS AS ((body ->> 'createdAt')) STORED,
	"sequence" integer GENERATED ALWAYS AS (((body ->> 'sequence')::integer)) STORED,
	"type" text GENERATED ALWAYS AS ((body ->> 'type')) STORED,
	CONSTRAINT "webhook_event_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_feed" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"version" integer NOT NULL,
	"body" jsonb NOT NULL,
	CONSTRAINT "webhook_feed_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
CREATE INDEX "webhook_attempt_newest" ON "webhook_attempt" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_attempt_event" ON "webhook_attempt" USING btree ("organization_id","event_id");--> statement-breakpoint
CREATE INDEX "webhook_attempt_waiting" ON "webhook_attempt" USING btree ("organization_id","due_at","sequence") WHERE "webhook_attempt"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_attempt_created" ON "webhook_attempt" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_event_sequence" ON "webhook_event" USING btree ("organization_id","sequence");--> statement-breakpoint
CREATE INDEX "webhook_event_created" ON "webhook_event" USING btree ("created_at");