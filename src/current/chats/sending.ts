/**
 * Sends a user's message over HTTP, in the request's own commit, which includes its idempotency key and its event.
 * `src/work/` says how work begins; here a refusal because the agent or the chat is gone becomes one about the
 * record in the request.
 */
import { type Chat, chatRef } from "../../../actors/chat/schema.ts";
import type { Outcome } from "../../../actors/fault.ts";
import type { Job } from "../../../actors/job/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Change, ChangeAnswer, Commit } from "../../http/commit/commit.ts";
import { type Continuation, continueWork, newJobOf } from "../../work/continuation.ts";
import { type ChatMessage, sendMessage, type Sent, sentOf } from "../../work/sending.ts";
import { aboutRecord, chatVerbs, FALLEN, jobVerbs } from "../standing.ts";
import type { Services } from "../../operations/services.ts";

type SendingParts = Pick<Services, "system" | "agents" | "models" | "library">;
type Committer = Pick<Change, "commit">;
type AnswerTo<T> = (value: T) => ChangeAnswer;
interface By {
  readonly by: Principal;
}

/** Sends the message to this chat. */
export async function say(
  parts: SendingParts,
  call: Committer,
  { chat, said }: { readonly chat: Chat; readonly said: ChatMessage & By },
  answer: AnswerTo<Sent>,
): Promise<Outcome<Commit>> {
  const sent = await sendMessage(parts, { chat, message: said }, (steps) =>
    call.commit(steps, (_, replies) => answer(sentOf(replies))),
  );
  // Deleted meanwhile: then it is 404, as always.
  if (!sent.ok && sent.fault.kind === "not_found" && sent.fault.noun === "chat") return sent;
  const agent = { id: chat.agentId, name: chat.agentName, organizationId: said.by.organizationId };
  return aboutRecord(parts, { status: chat.status, verbs: chatVerbs(chat, said.by, FALLEN), agent }, sent);
}

/** Continues an earlier job of this chat in a new job. */
export async function sayAfter(
  parts: SendingParts,
  call: Committer,
  continuation: Continuation & By,
  answer: AnswerTo<Job>,
): Promise<Outcome<Commit>> {
  const { by, job } = continuation;
  const chat = await readChat(parts, by.organizationId, job.chatId);
  const begun = chat.ok
    ? await continueWork(parts, chat.value, continuation, (steps) =>
        call.commit(steps, (_, replies) => answer(newJobOf(replies))),
      )
    : chat;
  const agent = { id: job.agent.id, name: job.agent.name, organizationId: by.organizationId };
  return aboutRecord(parts, { status: job.status, verbs: jobVerbs(job, by, FALLEN), agent }, begun);
}

const readChat = ({ system }: SendingParts, organizationId: string, chatId: string): Promise<Outcome<Chat>> =>
  system.dispatch(chatRef(organizationId, chatId), { kind: "read_chat" });
