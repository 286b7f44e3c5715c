ALTER INDEX "job_metadata" SET (fastupdate = false);--> statement-breakpoint
SELECT gin_clean_pending_list('job_metadata');