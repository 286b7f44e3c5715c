/** Long and branching conversations (CHAT-11 to CHAT-13): summaries, pinned messages and forks. */
import { type Chat, chatRef } from "../../../actors/chat/schema.ts";
import { ok, type Outcome } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import { type Job, PLAIN_TERMS } from "../../../actors/job/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { withinMessage } from "../../http/contract/limits.ts";
import type { Input } from "../../http/contract/operation.ts";
import { accepted, type Change, type Commit, created, done } from "../../http/commit/commit.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Services } from "../../operations/services.ts";
import { saidContent } from "../../operations/said-content.ts";
import { usesOf } from "../../work/attaching.ts";
import { forkedPart } from "../../work/forking.ts";
import { prepareWork } from "../../work/prepared-work.ts";
import { workOf } from "../../work/sending.ts";
import { aboutRecord, chatVerbs, FALLEN } from "../standing.ts";
import { jobView } from "../jobs/view.ts";
import type { chatOperations } from "./operations.ts";
import { chatView, messageView } from "./view.ts";

type ChatOperations = typeof chatOperations.operations;
type Committing = Promise<Outcome<Commit>>;

/** Begins the job that writes the summary. */
export async function compactChat(
  services: Services,
  change: Change,
  chat: Chat,
  { body }: Input<ChatOperations["compactChat"]>,
): Committing {
  const { principal: by, requestId } = change;
  const { instructions = "" } = body;
  const fits = withinMessage(instructions);
  if (!fits.ok) return fits;
  const work = await prepareWork(services, workOf(chat, by));
  if (!work.ok) return fallen(services, change, chat, work);
  const command = {
    kind: "compact_chat",
    agent: work.value.agent,
    instructions,
    userId: by.userId,
    terms: { ...PLAIN_TERMS, requestId },
  } as const;
  return change.commit([ask(chatRef(chat.organizationId, chat.id), command)], ({ chat: after, job }) =>
    accepted({ chat: chatView(after, by), job: jobView(job, by) }),
  );
}

/** Pins or unpins the message. */
export async function updateMessage(
  _services: Services,
  change: Change,
  chat: Chat,
  { params, body }: Input<ChatOperations["updateMessage"]>,
): Committing {
  const command = { kind: "pin_message", messageId: params.message_id, isPinned: body.pinned } as const;
  const ref = chatRef(chat.organizationId, chat.id);
  return change.commit(
    [ask(ref, { kind: "read_chat" }), ask(ref, command)],
    (before, [, { chat: after, message }]) => ({
      ...done(messageView(message, after)),
      ...(before.version === after.version ? { emits: null } : {}),
    }),
  );
}

/** Copies the conversation up to a message. With content, that replaces the message and is answered. */
export async function forkChat(
  services: Services,
  change: Change,
  chat: Chat,
  { body }: Input<ChatOperations["forkChat"]>,
): Committing {
  const { principal: by, requestId } = change;
  const { from_message_id: from, title = chat.options.title } = body;
  const said = body.content === undefined ? ok(null) : await saidContent(services, change, body.content);
  if (!said.ok) return said;
  const { text: content = null, blocks } = said.value ?? {};
  const work = await prepareWork(services, { ...workOf(chat, by), blocks, checksBudget: content !== null });
  if (!work.ok) return fallen(services, change, chat, work);
  const settled = await services.system.settled(chat.organizationId);
  if (!settled.ok) return settled;
  const read = await lookUp(services.log, forkedPart(services, chat, { messageId: from, isEdit: content !== null }));
  if (!read.ok) return read;
  const part = read.value;
  if (!part.ok) return part;
  const chatId = newId("cht");
  const ref = chatRef(chat.organizationId, chatId);
  const { id, name } = work.value.agent;
  const agent = { id, name };
  const fork = ask(ref, { kind: "fork_chat", source: chat, from, agent, title, userId: by.userId, ...part.value });
  if (content === null)
    return change.commit([fork], (forked) => created({ chat: chatView(forked, by), message: null, job: null }));
  const terms = { ...PLAIN_TERMS, requestId };
  const sending = work.value.message({ chatId, opening: null, content, blocks, onBusy: null, terms, metadata: {} });
  return change.commit([fork, sending, ...usesOf(by, blocks)], (_, [, sent]) =>
    created({
      chat: chatView(sent.chat, by),
      message: messageView(sent.message, sent.chat),
      job: jobView(sent.job as Job, by),
    }),
  );
}

/** The refusal, or, if the agent is gone, a refusal that says so of the chat. */
const fallen = (services: Services, { principal }: Change, chat: Chat, refused: Outcome<never>): Outcome<never> =>
  aboutRecord(
    services,
    {
      status: chat.status,
      verbs: chatVerbs(chat, principal, FALLEN),
      agent: { id: chat.agentId, name: chat.agentName, organizationId: chat.organizationId },
    },
    refused,
  );
