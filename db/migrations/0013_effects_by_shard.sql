DROP INDEX "effect_shard";--> statement-breakpoint
CREATE INDEX "effect_shard" ON "effect" USING btree ("shard","id");