ALTER INDEX "agent_tags" SET (gin_pending_list_limit = 1024);--> statement-breakpoint
ALTER INDEX "agent_words" SET (gin_pending_list_limit = 1024);--> statement-breakpoint
ALTER INDEX "chat_words" SET (gin_pending_list_limit = 1024);--> statement-breakpoint
ALTER INDEX "message_words" SET (gin_pending_list_limit = 1024);--> statement-breakpoint
ALTER INDEX "workspace_apps" SET (gin_pending_list_limit = 1024);--> statement-breakpoint
ALTER INDEX "workspace_text_words" SET (gin_pending_list_limit = 1024);