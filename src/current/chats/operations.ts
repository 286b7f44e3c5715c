/** Chats on the current surface: list, create, read, change, delete (CHAT-1 to CHAT-3, CHAT-7). */
import type { ChatCommand } from "../../../actors/chat/protocol.ts";
import { type Chat, CHAT_STATUSES, chatRef } from "../../../actors/chat/schema.ts";
import { type Fault, mapOutcome, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import { hasScope, type Principal } from "../../../actors/organization/principal.ts";
import type { Agent } from "../../../actors/organization/schema.ts";
import { OneOf } from "../../../actors/schema.ts";
import { toNew } from "../../../actors/runtime/turns/members.ts";
import { ask } from "../../../actors/troupe.ts";
import { workspaceRef } from "../../../actors/workspace/schema.ts";
import { type Change, type Commit, created, done } from "../../http/commit/commit.ts";
import { idFilter, searchField, someOf } from "../../http/contract/field.ts";
import { withinMetadata } from "../../http/contract/limits.ts";
import { Id } from "../../http/contract/noun.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { unlessNotInstalled } from "../library-visibility.ts";
import { POLL_QUERY, pollRecord } from "../long-poll.ts";
import { pageOf, pageQuery, pageView } from "../paging.ts";
import { chatParams } from "../path-ids.ts";
import { chatStanding, chatStandings, ownsChat } from "../standing.ts";
import { updateRecord } from "../updating.ts";
import { usableChatTools, usableModel } from "../usable-settings.ts";
import { visibleChat } from "../work-visibility.ts";
import { CreateChatBody, OptionsBody, optionsOf, UpdateChatBody } from "./schema.ts";
import { ChatList, ChatView, chatView, DeletedChat, deletedView } from "./view.ts";

export const chatOperations = {
  listChats: operation(
    {
      method: "GET",
      path: "/api/chats",
      scope: "chats:read",
      summary: "List chats",
      description: "Filters are combined with AND.",
      query: {
        agent_id: idFilter(Id("agt", "Chats with this agent")),
        workspace_id: idFilter(Id("wsp", "Chats in this workspace")),
        status: someOf(CHAT_STATUSES, { description: "Chats with one of these statuses" }),
        title: searchField("Chats whose title has a word that starts with this text"),
        pinned: OneOf(["true", "false"] as const, {
          description: "Only pinned chats (`true`), or only the others (`false`)",
        }),
        text: searchField('Chats whose messages contain this: words, "phrases", `or`, and `-` before words to exclude'),
        ...pageQuery("chats"),
      },
      answers: { 200: ChatList },
    },
    async (services, { principal }, { query }) => {
      const { chats, readCommitted } = services;
      const { organizationId, userId } = principal;
      const filter = {
        seenBy: userId,
        agentId: query.agent_id,
        workspaceId: query.workspace_id,
        status: query.status,
        title: query.title,
        isPinned: query.pinned === undefined ? undefined : query.pinned === "true",
        text: query.text,
      };
      const found = await readCommitted(organizationId, () => chats.listChats(organizationId, filter, pageOf(query)));
      if (!found.ok) return found;
      const standings = await chatStandings(services, principal, found.value.records);
      return mapOutcome(standings, (standingOf) =>
        pageView("chats", found.value, (chat) => chatView(chat, principal, standingOf(chat))),
      );
    },
  ),

  createChat: operation(
    {
      method: "POST",
      path: "/api/chats",
      scope: "chats:write",
      summary: "Create a durable chat",
      body: CreateChatBody,
      answers: { 201: ChatView },
      errors: ["invalid_state"],
      emits: "chat.created",
    },
    async (services, change, { body }) => {
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
      return change.commit([toNew(ask(chatRef(organizationId, newId("cht")), command))], (chat) =>
        created(chatView(chat, change.principal)),
      );
    },
  ),

  getChat: operation(
    {
      method: "GET",
      path: "/api/chats/{id}",
      scope: "chats:read",
      summary: "Read a chat",
      description: "With `since_version` and `wait` it returns as soon as the chat changes.",
      params: chatParams,
      query: POLL_QUERY,
      answers: { 200: ChatView, 304: null },
    },
    async (services, caller, { params, query }) => {
      const { principal } = caller;
      const chat = await visibleChat(services, principal, params.id);
      if (!chat.ok) return chat;
      const ref = chatRef(principal.organizationId, params.id);
      const read = () => services.system.dispatch(ref, { kind: "read_chat" });
      return pollRecord(services, caller, { ref, read, query }, async (found) =>
        chatView(found, principal, await chatStanding(services, principal, found)),
      );
    },
  ),

  deleteChat: operation(
    {
      method: "DELETE",
      path: "/api/chats/{id}",
      scope: "chats:write",
      summary: "Delete a chat",
      description:
        "Only for the chat's creator and for owners. Running work is cancelled, and the chat can no longer be found.",
      params: chatParams,
      answers: { 200: DeletedChat },
      errors: ["forbidden"],
      emits: "chat.deleted",
    } /** A soft delete (CHAT-1): running work is cancelled, and the chat is gone for everybody. */,
    async (services, change, { params }) => {
      const { principal } = change;
      const chat = await visibleChat(services, change.principal, params.id);
      if (!chat.ok) return chat;
      if (!ownsChat(chat.value, principal)) return refuse(NOT_THEIRS);
      return change.commit([ask(chatRef(principal.organizationId, params.id), { kind: "delete_chat" })], (gone) =>
        done(deletedView(gone, principal)),
      );
    },
  ),

  updateChat: operation(
    {
      method: "PATCH",
      path: "/api/chats/{id}",
      scope: "chats:write",
      summary: "Rename a chat, pin it, or change its metadata",
      description: "Only for the chat's creator and for owners. Omitted fields are unchanged.",
      params: chatParams,
      headers: IF_MATCH,
      body: UpdateChatBody,
      answers: { 200: ChatView },
      errors: ["forbidden"],
      emits: "chat.updated",
    },
    async (services, change, { params, headers, body }) => {
      const chat = await visibleChat(services, change.principal, params.id);
      if (!chat.ok) return chat;
      if (!ownsChat(chat.value, change.principal)) return refuse(NOT_THEIRS);
      const { metadata, ...options } = body;
      const fits = withinMetadata(metadata ?? {});
      if (!fits.ok) return fits;
      const changes = { options: optionsOf(options), ...(metadata === undefined ? {} : { metadata }) };
      return commitUpdate(services, change, chat.value, { ...changes, version: headers["if-match"] ?? null });
    },
  ),

  updateChatOptions: operation(
    {
      method: "PATCH",
      path: "/api/chats/{id}/options",
      scope: "chats:write",
      summary: "Update chat options",
      description:
        "Merges the given options, sent at the top level or in `options`. Only the chat's creator and owners can change its title.",
      params: chatParams,
      headers: IF_MATCH,
      body: OptionsBody,
      bodyMayBeIn: "options",
      answers: { 200: ChatView },
      errors: ["forbidden"],
      emits: "chat.updated",
    },
    async (services, change, { params, headers, body }) => {
      const chat = await visibleChat(services, change.principal, params.id);
      if (!chat.ok) return chat;
      const { principal } = change;
      const renames = body.title !== undefined && body.title !== chat.value.options.title;
      if (renames && !ownsChat(chat.value, principal)) return refuse(NOT_THEIRS);
      const model = usableModel(services, body.model, "/model");
      if (!model.ok) return model;
      const names = body.tools ?? [];
      const agent = names.length === 0 ? null : await services.agents.find(principal, chat.value.agentId);
      // Without the agent its servers are unknown, and nothing runs in the chat.
      if (agent?.ok === true) {
        const tools = usableChatTools(services, connectionsOf(agent.value, chat.value.organizationId), {
          names,
          path: "/tools",
        });
        if (!tools.ok) return tools;
      }
      const approves = mayApprove(principal, body.auto_approve);
      if (!approves.ok) return approves;
      return commitUpdate(services, change, chat.value, {
        options: optionsOf(body),
        version: headers["if-match"] ?? null,
      });
    },
  ),
};

const NOT_THEIRS: Fault = {
  kind: "forbidden",
  message: "Only the person who made the chat and owners of the organization rename or delete it",
};

/** The agent's connections; none for an agent of another organization (V1-5). */
const connectionsOf = (agent: Agent, organizationId: string): Pick<Agent, "organizationId" | "mcpServers" | "tools"> =>
  agent.organizationId === organizationId ? agent : { organizationId, mcpServers: [] };

async function commitUpdate(
  services: Services,
  change: Change,
  chat: Chat,
  changes: Omit<Extract<ChatCommand, { readonly kind: "update_chat" }>, "kind">,
): Promise<Outcome<Commit>> {
  const { principal } = change;
  const standing = await chatStanding(services, principal, chat);
  const ref = chatRef(principal.organizationId, chat.id);
  const steps = [ask(ref, { kind: "read_chat" }), ask(ref, { kind: "update_chat", ...changes })] as const;
  return updateRecord(change, steps, (after) => chatView(after, principal, standing));
}

const DECIDING = "jobs:write";

/** `auto_approve` decides approvals in advance, so it requires the same rights as deciding them (CHAT-9). */
function mayApprove({ scopes }: Principal, autoApprove: boolean | undefined): Outcome<null> {
  if (autoApprove !== true || hasScope(scopes, DECIDING)) return ok(null);
  return refuse({ kind: "insufficient_scope", required: [DECIDING] });
}
