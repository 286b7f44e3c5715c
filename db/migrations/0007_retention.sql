CREATE TABLE "sweep_position" (
	"sweep" text PRIMARY KEY NOT NULL,
	"at_rest_since" text NOT NULL,
	"organization_id" text NOT NULL,
	"id" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "chat" ADD COLUMN "at_rest_since" text GENERATED ALWAYS AS ((case when body ->> 'deletedAt' is not null then body ->> 'updatedAt' end)) STORED;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "at_rest_since" text GENERATED ALWAYS AS ((case when body ->> 'completedAt' is not null then body ->> 'updatedAt' end)) STORED;--> statement-breakpoint
ALTER TABLE "rate_window" ADD COLUMN "updated_at" text GENERATED ALWAYS AS ((body ->> 'updatedAt')) STORED;--> statement-breakpoint
CREATE INDEX "chat_at_rest" ON "chat" USING btree ("at_rest_since","organization_id","id") WHERE at_rest_since is not null;--> statement-breakpoint
CREATE INDEX "job_at_rest" ON "job" USING btree ("at_rest_since","organization_id","id") WHERE at_rest_since is not null;--> statement-breakpoint
CREATE INDEX "rate_window_updated" ON "rate_window" USING btree ("updated_at");