/** Chats on the current surface: list, create, read, options, delete, and their messages (CHAT-1 to CHAT-7). */
import { CHAT_STATUSES, chatRef } from "../../../actors/chat/schema.ts";
import { mapped, notFound, type Outcome } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import { PLAIN_TERMS } from "../../../actors/job/schema.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { accepted, type Committed, created, done, type MutatingCall } from "../../http/commit.ts";
import { queryOf } from "../../http/exchange.ts";
import { withinMessage, withinMetadata } from "../../http/limits.ts";
import { lookUp } from "../../http/look-up.ts";
import type { Handlers } from "../../http/operation.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Call, Surface } from "../../http/surface.ts";
import { Body } from "../../http/validation.ts";
import { idFilters, wordFilter } from "../filter.ts";
import { unlessNotInstalled } from "../library-sight.ts";
import { polled } from "../long-poll.ts";
import { pageRequest, pageView } from "../paging.ts";
import type { CurrentParts } from "../parts.ts";
import { ifMatch } from "../record.ts";
import { usableModel } from "../usable-model.ts";
import { chatInSight } from "../work-sight.ts";
import { messagePage } from "./message-page.ts";
import { chatOperations } from "./operations.ts";
import { mayApprove } from "./standing-approval.ts";
import { budgetOf, CreateChatBody, OptionsBody, optionsOf, SendMessageBody } from "./schema.ts";
import { say } from "./sending.ts";
import { sentView } from "./sent-view.ts";
import { chatView, deletedView } from "./view.ts";

const createBody = new Body(CreateChatBody);
const optionsBody = new Body(OptionsBody);
const sendBody = new Body(SendMessageBody);
const WORKSPACE_ID = /^wsp_[A-Za-z0-9_-]{21}$/;

export const chatRoutes = (current: Surface, parts: CurrentParts) =>
  operationRoutes(current, chatOperations, handlers(parts));

const handlers = (parts: CurrentParts): Handlers<typeof chatOperations.operations> => ({
  listChats: (call) => listChats(parts, call),
  createChat: (call) => createChat(parts, call),
  getChat: (call) => onChat(parts, call, (id) => readChat(parts, call, id)),
  deleteChat: (call) => onChat(parts, call, (id) => deleteChat(call, id)),
  updateChatOptions: (call) => onChat(parts, call, (id) => updateOptions(parts, call, id)),
  listMessages: (call) => onChat(parts, call, (id) => messagePage(parts, call, id)),
  sendMessage: (call) => onChat(parts, call, (id) => sendMessage(parts, call, id)),
});

type Change = Promise<Outcome<Committed>>;

/** On a chat that the caller may know of (AGT-5). */
async function onChat<T>(
  parts: CurrentParts,
  { params, principal }: Call,
  run: (chatId: string) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const chat = await chatInSight(parts, principal, params["id"] ?? "");
  return chat.ok ? run(chat.value.id) : chat;
}

async function listChats({ system, chats, log }: CurrentParts, { request, principal }: Call) {
  const { organizationId } = principal;
  const query = queryOf(request.url);
  const ids = idFilters(query, { agentId: "agent_id", workspaceId: "workspace_id" });
  if (!ids.ok) return ids;
  const status = wordFilter(query, "status", CHAT_STATUSES);
  if (!status.ok) return status;
  const page = pageRequest(query, "chats");
  if (!page.ok) return page;
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const filter = { seenBy: principal.userId, ...ids.value, ...(status.value === null ? {} : { status: status.value }) };
  const found = await lookUp(log, chats.listChats(organizationId, filter, page.value));
  return mapped(found, (list) => pageView("chats", list, (chat) => chatView(chat, principal)));
}

async function createChat(parts: CurrentParts, call: MutatingCall): Change {
  const { system, agents } = parts;
  const { organizationId, userId } = call.principal;
  const body = await call.body.as(createBody);
  if (!body.ok) return body;
  const { agent_id: agentId, workspace_id: workspaceId, title, options = {}, metadata = {} } = body.value;
  const fits = withinMetadata(metadata);
  if (!fits.ok) return fits;
  const agent = await agents.find(call.principal, agentId);
  if (!agent.ok) return unlessNotInstalled(parts, call.principal, agentId, agent);
  if (!WORKSPACE_ID.test(workspaceId)) return notFound("workspace");
  const workspace = await system.dispatch(organizationRef(organizationId), { kind: "read_workspace", workspaceId });
  if (!workspace.ok) return workspace;
  const model = usableModel(parts, options.model, "/options/model");
  if (!model.ok) return model;
  const approves = mayApprove(call.principal, options.auto_approve);
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
  return call.commit([ask(chatRef(organizationId, newId("cht")), command)], (chat) =>
    created(chatView(chat, call.principal)),
  );
}

function readChat(parts: CurrentParts, call: Call, id: string) {
  const ref = chatRef(call.principal.organizationId, id);
  return polled(parts, call, { ref, read: () => parts.system.dispatch(ref, { kind: "read_chat" }) }, (chat) =>
    chatView(chat, call.principal),
  );
}

/** Softly (CHAT-1): what runs in it is cancelled, and from now on nobody finds it. */
function deleteChat(call: MutatingCall, id: string): Change {
  const ref = chatRef(call.principal.organizationId, id);
  return call.commit([ask(ref, { kind: "delete_chat" })], () => done(deletedView(id)));
}

/** The body is the options that change, bare or as `options`. */
async function updateOptions(parts: CurrentParts, call: MutatingCall, id: string): Change {
  const version = ifMatch(call.request);
  if (!version.ok) return version;
  const json = await call.body.object();
  if (!json.ok) return json;
  const body = optionsBody.parse(bare(json.value));
  if (!body.ok) return body;
  const model = usableModel(parts, body.value.model, "/model");
  if (!model.ok) return model;
  const approves = mayApprove(call.principal, body.value.auto_approve);
  if (!approves.ok) return approves;
  const command = { kind: "update_chat", options: optionsOf(body.value), version: version.value } as const;
  return call.commit([ask(chatRef(call.principal.organizationId, id), command)], (chat) =>
    done(chatView(chat, call.principal)),
  );
}

function bare(body: JsonObject): JsonObject {
  const { options } = body;
  const isWrapped =
    Object.keys(body).length === 1 && typeof options === "object" && options !== null && !Array.isArray(options);
  return isWrapped ? (options as JsonObject) : body;
}

async function sendMessage(parts: CurrentParts, call: MutatingCall, id: string): Change {
  const body = await call.body.as(sendBody);
  if (!body.ok) return body;
  const { content, on_busy: onBusy = null, metadata = {}, priority = PLAIN_TERMS.priority } = body.value;
  const { review_required: reviewRequired = false } = body.value;
  const fits = withinMessage(content);
  if (!fits.ok) return fits;
  const fitting = withinMetadata(metadata);
  if (!fitting.ok) return fitting;
  const budget = budgetOf(body.value.budget ?? {});
  if (!budget.ok) return budget;
  const { requestId, principal: by } = call;
  const terms = { ...PLAIN_TERMS, priority, reviewRequired, budget: budget.value, requestId };
  return say(parts, call, { chatId: id, said: { by, content, onBusy, terms, metadata } }, (sent) =>
    accepted(sentView(sent, by)),
  );
}
