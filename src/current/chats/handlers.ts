/** Chats on the current surface: list, create, read, options, delete, and their messages (CHAT-1 to CHAT-7). */
import { type Chat, chatRef } from "../../../actors/chat/schema.ts";
import type { ChatCommand } from "../../../actors/chat/protocol.ts";
import { type Fault, mapped, type Outcome, refuse } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import { PLAIN_TERMS } from "../../../actors/job/schema.ts";
import type { Agent } from "../../../actors/organization/schema.ts";
import { workspaceRef } from "../../../actors/workspace/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { withinMetadata } from "../../http/contract/limits.ts";
import type { Handlers, Input } from "../../http/contract/operation.ts";
import type { Caller } from "../../http/request/caller.ts";
import { accepted, type Change, type Commit, created, done } from "../../http/commit/commit.ts";
import { lookUp } from "../../log/look-up.ts";
import { saidContent } from "../../operations/said-content.ts";
import type { Services } from "../../operations/services.ts";
import { unlessNotInstalled } from "../library-visibility.ts";
import { polled } from "../long-poll.ts";
import { pageOf, pageView } from "../paging.ts";
import { chatStanding, chatStandings, ownsChat } from "../standing.ts";
import { updated } from "../updating.ts";
import { usableChatTools } from "../usable-tools.ts";
import { usableModel } from "../usable-model.ts";
import { visibleChat } from "../work-visibility.ts";
import { compactChat, forkChat, updateMessage } from "./long-chats.ts";
import { messagePage } from "./message-page.ts";
import type { chatOperations } from "./operations.ts";
import { mayApprove } from "./standing-approval.ts";
import { budgetOf, optionsOf } from "./schema.ts";
import { say } from "./sending.ts";
import { sentView } from "./sent-view.ts";
import { usableSchema } from "../../operations/usable-schema.ts";
import { chatView, deletedView } from "./view.ts";

type ChatOperations = typeof chatOperations.operations;
type Committing = Promise<Outcome<Commit>>;

export const chatHandlers: Handlers<ChatOperations, Services> = {
  listChats,
  createChat,

  getChat: (services, caller, { params, query }) =>
    onChat(services, caller, params.id, ({ id }) => {
      const ref = chatRef(caller.principal.organizationId, id);
      const read = () => services.system.dispatch(ref, { kind: "read_chat" });
      const { principal } = caller;
      return polled(services, caller, { ref, read, query }, async (chat) =>
        chatView(chat, principal, await chatStanding(services, principal, chat)),
      );
    }),

  /** A soft delete (CHAT-1): running work is cancelled, and the chat is gone for everybody. */
  deleteChat: (services, change, { params }) =>
    onChat(services, change, params.id, async (chat) => {
      const { principal } = change;
      if (!ownsChat(chat, principal)) return refuse(NOT_THEIRS);
      return change.commit([ask(chatRef(principal.organizationId, chat.id), { kind: "delete_chat" })], (gone) =>
        done(deletedView(gone, principal)),
      );
    }),

  updateChat: (services, change, { params, headers, body }) =>
    onChat(services, change, params.id, async (chat) => {
      if (!ownsChat(chat, change.principal)) return refuse(NOT_THEIRS);
      const { metadata, ...options } = body;
      const fits = withinMetadata(metadata ?? {});
      if (!fits.ok) return fits;
      const changes = { options: optionsOf(options), ...(metadata === undefined ? {} : { metadata }) };
      return commitUpdate(services, change, chat, { ...changes, version: headers["if-match"] ?? null });
    }),

  updateChatOptions: (services, change, input) =>
    onChat(services, change, input.params.id, (chat) => updateOptions(services, change, chat, input)),

  listMessages: (services, caller, { params, query }) =>
    onChat(services, caller, params.id, ({ id }) => messagePage(services, caller.principal, { chatId: id, ...query })),

  sendMessage: (services, change, input) =>
    onChat(services, change, input.params.id, (chat) => sendMessage(services, change, chat, input)),

  updateMessage: (services, change, input) =>
    onChat(services, change, input.params.id, (chat) => updateMessage(services, change, chat, input)),

  compactChat: (services, change, input) =>
    onChat(services, change, input.params.id, (chat) => compactChat(services, change, chat, input)),

  forkChat: (services, change, input) =>
    onChat(services, change, input.params.id, (chat) => forkChat(services, change, chat, input)),
};

const NOT_THEIRS: Fault = {
  kind: "forbidden",
  message: "Only the person who made the chat and owners of the organization rename or delete it",
};

/** Runs on a chat that the caller may know of (AGT-5). */
async function onChat<T>(
  services: Services,
  { principal }: Caller,
  chatId: string,
  run: (chat: Chat) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const chat = await visibleChat(services, principal, chatId);
  return chat.ok ? run(chat.value) : chat;
}

async function listChats(services: Services, { principal }: Caller, { query }: Input<ChatOperations["listChats"]>) {
  const { system, chats, log } = services;
  const { organizationId, userId } = principal;
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const filter = {
    seenBy: userId,
    agentId: query.agent_id,
    workspaceId: query.workspace_id,
    status: query.status,
    title: query.title,
    isPinned: query.pinned === undefined ? undefined : query.pinned === "true",
    text: query.text,
  };
  const found = await lookUp(log, chats.listChats(organizationId, filter, pageOf(query)));
  if (!found.ok) return found;
  const standings = await chatStandings(services, principal, found.value.records);
  return mapped(standings, (standingOf) =>
    pageView("chats", found.value, (chat) => chatView(chat, principal, standingOf(chat))),
  );
}

async function createChat(
  services: Services,
  change: Change,
  { body }: Input<ChatOperations["createChat"]>,
): Committing {
  const { organizationId, userId } = change.principal;
  const { agent_id: agentId, workspace_id: workspaceId, title, options = {}, metadata = {} } = body;
  const fits = withinMetadata(metadata);
  if (!fits.ok) return fits;
  const agent = await services.agents.find(change.principal, agentId);
  if (!agent.ok) return unlessNotInstalled(services, change.principal, agentId, agent);
  const place = workspaceRef(organizationId, workspaceId);
  const workspace = await services.system.dispatch(place, { kind: "read_workspace" });
  if (!workspace.ok) return workspace;
  const model = usableModel(services, options.model, "/options/model");
  if (!model.ok) return model;
  const tools = usableChatTools(services, connectionsOf(agent.value, organizationId), {
    names: options.tools ?? [],
    path: "/options/tools",
  });
  if (!tools.ok) return tools;
  const approves = mayApprove(change.principal, options.auto_approve);
  if (!approves.ok) return approves;
  const command = {
    kind: "open_chat",
    agent: { id: agent.value.id, name: agent.value.name },
    workspaceId,
    userId,
    title: title ?? options.title ?? agent.value.name,
    options: optionsOf(options),
    metadata,
  } as const;
  return change.commit([ask(chatRef(organizationId, newId("cht")), command)], (chat) =>
    created(chatView(chat, change.principal)),
  );
}

async function updateOptions(
  services: Services,
  change: Change,
  chat: Chat,
  { headers, body }: Input<ChatOperations["updateChatOptions"]>,
): Committing {
  const { principal } = change;
  const renames = body.title !== undefined && body.title !== chat.options.title;
  if (renames && !ownsChat(chat, principal)) return refuse(NOT_THEIRS);
  const model = usableModel(services, body.model, "/model");
  if (!model.ok) return model;
  const names = body.tools ?? [];
  const agent = names.length === 0 ? null : await services.agents.find(principal, chat.agentId);
  // Without the agent its servers are unknown, and nothing runs in the chat.
  if (agent?.ok === true) {
    const tools = usableChatTools(services, connectionsOf(agent.value, chat.organizationId), { names, path: "/tools" });
    if (!tools.ok) return tools;
  }
  const approves = mayApprove(principal, body.auto_approve);
  if (!approves.ok) return approves;
  return commitUpdate(services, change, chat, { options: optionsOf(body), version: headers["if-match"] ?? null });
}

/** The agent's connections; none for an agent of another organization (V1-5). */
const connectionsOf = (agent: Agent, organizationId: string): Pick<Agent, "organizationId" | "mcpServers" | "tools"> =>
  agent.organizationId === organizationId ? agent : { organizationId, mcpServers: [] };

async function commitUpdate(
  services: Services,
  change: Change,
  chat: Chat,
  changes: Omit<Extract<ChatCommand, { readonly kind: "update_chat" }>, "kind">,
): Committing {
  const { principal } = change;
  const standing = await chatStanding(services, principal, chat);
  const ref = chatRef(principal.organizationId, chat.id);
  const steps = [ask(ref, { kind: "read_chat" }), ask(ref, { kind: "update_chat", ...changes })] as const;
  return updated(change, steps, (after) => chatView(after, principal, standing));
}

async function sendMessage(
  services: Services,
  change: Change,
  chat: Chat,
  { body }: Input<ChatOperations["sendMessage"]>,
): Committing {
  const { on_busy: onBusy = null, metadata = {}, priority = PLAIN_TERMS.priority } = body;
  const { review_required: reviewRequired = false } = body;
  const fitting = withinMetadata(metadata);
  if (!fitting.ok) return fitting;
  const budget = budgetOf(body.budget ?? {}, services.clock.now());
  if (!budget.ok) return budget;
  const { requestId, principal: by } = change;
  const { output_schema: outputSchema = null } = body;
  const usable = await usableSchema(services, by.organizationId, { schema: outputSchema, path: "/output_schema" });
  if (!usable.ok) return usable;
  const own = outputSchema === null ? {} : { outputSchema };
  const terms = { ...PLAIN_TERMS, priority, reviewRequired, budget: budget.value, metadata, requestId, ...own };
  const said = await saidContent(services, change, body.content);
  if (!said.ok) return said;
  const { text: content, blocks } = said.value;
  return say(services, change, { chat, said: { by, content, blocks, onBusy, terms, metadata } }, (sent) =>
    accepted(sentView(sent, by)),
  );
}
