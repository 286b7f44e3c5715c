/** The answers of a compaction and of a fork (CHAT-11, CHAT-13). */
import { Nullable } from "../../../actors/schema.ts";
import { noun } from "../../http/contract/noun.ts";
import { JobView } from "../jobs/view.ts";
import { ChatView, MessageView } from "./view.ts";

export const CompactionView = noun("StartedCompaction", "The job that writes a summary of the conversation", {
  chat: ChatView,
  job: JobView,
});

export const ForkView = noun("ForkedChat", "A chat that goes on from an earlier message of another one", {
  chat: ChatView,
  message: Nullable(MessageView),
  job: Nullable(JobView),
});
