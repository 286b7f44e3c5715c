/** The answer to the sender of a message (CHAT-4). */
import type { Principal } from "../../../actors/organization/principal.ts";
import { Count, noun } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { JobView, jobView } from "../jobs/view.ts";
import type { Sent } from "../../work/sending.ts";
import { ChatView, chatView, MessageView, messageView } from "./view.ts";

export const SentView = noun("SentMessage", "A message that is stored, and the job that answers it", {
  message: MessageView,
  job: JobView,
  chat: ChatView,
  queued_position: Count("Its place among the turns that wait; 0 for the one that runs"),
});

export const sentView = ({ message, job, chat, queuedPosition }: Sent, by: Principal): Shown<typeof SentView> => ({
  message: messageView(message, chat),
  job: jobView(job, by),
  chat: chatView(chat, by),
  queued_position: queuedPosition,
});
