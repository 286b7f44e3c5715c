CREATE TABLE "erasure" (
	"organization_id" text PRIMARY KEY NOT NULL,
	"shard" smallint NOT NULL,
	"begun_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE INDEX "erasure_shard" ON "erasure" USING btree ("shard");