/** Sessions: chats of the service, with the folder in which the editor works. */
import { invalid, ok, type Outcome } from "../../../actors/fault.ts";
import type { Agent } from "../../../actors/organization/schema.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { isJsonObject, type JsonObject } from "../../../actors/schema.ts";
import type { Caller } from "../../http/request/caller.ts";
import { agentOfName, visibleAgents } from "../runs/named-agent.ts";
import type { ProtocolServices } from "../runs/protocol.ts";
import { type AcpChat, configOptions, optionChange } from "./config-options.ts";
import { ownMeta } from "./own-meta.ts";
import { type PastAcpMessage, pastUpdates } from "./history.ts";

/** A request of a connection, for the agent that its address names; null: it names none. */
export interface AcpRequest {
  readonly services: ProtocolServices;
  readonly caller: Caller;
  readonly agent: string | null;
}

/** Where a chat keeps its folder. */
const FOLDER_FIELD = "acp_cwd";
/** Chats that were begun elsewhere have no folder. */
const NO_FOLDER = "/";
const SESSIONS_OF_PAGE = 50;
const MESSAGES_OF_PAGE = 100;
const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/;
const FOLDER_CHARACTERS = 4_096;

export interface NewAcpSession {
  readonly cwd: string;
  readonly additionalDirectories?: readonly unknown[] | undefined;
  readonly mcpServers?: readonly unknown[] | undefined;
  readonly _meta?: JsonObject | undefined;
}

/** The agent of new sessions, and of the list; null: the connection names none, and there are several. */
export async function connectedAgent({ services, caller, agent }: AcpRequest): Promise<Outcome<Agent | null>> {
  if (agent !== null) return agentOfName(services, caller.principal, agent, "agent");
  const agents = await visibleAgents(services, caller.principal);
  if (!agents.ok) return agents;
  const [only = null, ...others] = agents.value;
  return ok(others.length === 0 ? only : null);
}

export async function newSession(request: AcpRequest, given: NewAcpSession): Promise<Outcome<JsonObject>> {
  const { services, caller } = request;
  const place = usablePlace(given);
  if (!place.ok) return place;
  const { agent: named, key } = ownMeta(given._meta);
  const agent = await connectedAgent(typeof named === "string" ? { ...request, agent: named } : request);
  if (!agent.ok) return agent;
  if (agent.value === null)
    return invalid("/agent", "There are several agents: name one in the address of the connection, /acp?agent=…");
  const { organizationId } = caller.principal;
  const organization = await services.system.dispatch(organizationRef(organizationId), { kind: "read_organization" });
  if (!organization.ok) return organization;
  const body = {
    agent_id: agent.value.id,
    workspace_id: organization.value.defaultWorkspaceId,
    metadata: { [FOLDER_FIELD]: given.cwd },
  };
  const made = await services.invoke("createChat", caller, {
    body,
    ...(typeof key === "string" ? { idempotencyKey: key } : {}),
  });
  if (!made.ok) return made;
  const chat = made.value as AcpChat;
  return ok({ sessionId: chat.id, ...(await openedSession(request, chat, given)) });
}

/** The answer to a session that is opened, of any kind. */
async function openedSession(
  { services, caller }: AcpRequest,
  chat: AcpChat,
  { mcpServers = [] }: Pick<NewAcpSession, "mcpServers">,
): Promise<JsonObject> {
  const unused = mcpServers.map((one) => (isJsonObject(one) ? String(one["name"]) : ""));
  const own = { agent_id: chat.agent_id, agent_name: chat.agent_name, unused_mcp_servers: unused };
  return { configOptions: await configOptions(services, caller, chat), _meta: { troupe: own } };
}

/** Refuses what an agent in a service cannot use. Programs on the editor's machine are left out, and are named. */
function usablePlace({ cwd, additionalDirectories = [], mcpServers = [] }: NewAcpSession): Outcome<null> {
  if (!ABSOLUTE.test(cwd) || cwd.length > FOLDER_CHARACTERS)
    return invalid("/cwd", `cwd must be an absolute path of at most ${FOLDER_CHARACTERS} characters`);
  if (additionalDirectories.length > 0)
    return invalid("/additionalDirectories", "This agent takes no additional directories, as its capabilities say");
  const remote = mcpServers.findIndex((one) => isJsonObject(one) && (one["type"] === "http" || one["type"] === "sse"));
  return remote < 0
    ? ok(null)
    : invalid(`/mcpServers/${remote}`, "This agent takes no MCP servers of its client: add the server to the agent");
}

export async function listSessions(
  request: AcpRequest,
  {
    cwd = null,
    cursor = null,
  }: { readonly cwd?: string | null | undefined; readonly cursor?: string | null | undefined },
): Promise<Outcome<JsonObject>> {
  const { services, caller } = request;
  const agent = request.agent === null ? ok(null) : await connectedAgent(request);
  if (!agent.ok) return agent;
  const query = {
    agent_id: agent.value?.id,
    limit: SESSIONS_OF_PAGE,
    ...(cursor === null ? {} : { cursor }),
  };
  const listed = await services.invoke("listChats", caller, { query });
  if (!listed.ok) return listed;
  const { chats, next_cursor: nextCursor = null } = listed.value as {
    readonly chats: readonly AcpChat[];
    readonly next_cursor?: string;
  };
  const sessions = chats.map(sessionInfo).filter((one) => cwd === null || one["cwd"] === cwd);
  return ok({ sessions, nextCursor });
}

export const folderOf = ({ metadata }: AcpChat): string => {
  const folder = metadata[FOLDER_FIELD];
  return typeof folder === "string" ? folder : NO_FOLDER;
};

const sessionInfo = (chat: AcpChat): JsonObject => ({
  sessionId: chat.id,
  cwd: folderOf(chat),
  title: chat.title,
  updatedAt: chat.updated_at,
});

export const readSession = ({ services, caller }: AcpRequest, id: string): Promise<Outcome<AcpChat>> =>
  services.invoke("getChat", caller, { params: { id } }) as Promise<Outcome<AcpChat>>;

/** A session that exists: its options. */
export async function resumeSession(
  request: AcpRequest,
  { sessionId, ...given }: NewAcpSession & { readonly sessionId: string },
): Promise<Outcome<JsonObject>> {
  const place = usablePlace(given);
  if (!place.ok) return place;
  const chat = await readSession(request, sessionId);
  return chat.ok ? ok(await openedSession(request, chat.value, given)) : chat;
}

/** A page of what was said in a session, newest page first, and the run that goes on in it. */
export async function sessionHistory(
  request: AcpRequest,
  { sessionId: id, cursor }: { readonly sessionId: string; readonly cursor?: string | undefined },
): Promise<Outcome<JsonObject>> {
  const { services, caller } = request;
  const query = { limit: MESSAGES_OF_PAGE, ...(cursor === undefined ? {} : { cursor }) };
  const page = await services.invoke("listMessages", caller, { params: { id }, query });
  if (!page.ok) return page;
  const {
    messages,
    work,
    next_cursor: nextCursor = null,
  } = page.value as {
    readonly messages: readonly PastAcpMessage[];
    readonly work: { readonly active_job_id: string | null };
    readonly next_cursor?: string;
  };
  const { active_job_id: active } = work;
  // The answer that is being written comes with its run.
  const past = messages.filter(({ role, job_id }) => role === "user" || active === null || job_id !== active);
  return ok({ updates: past.flatMap(pastUpdates), nextCursor, active });
}

export async function setOption(
  request: AcpRequest,
  {
    sessionId: id,
    configId,
    value,
  }: { readonly sessionId: string; readonly configId: string; readonly value: string | boolean },
): Promise<Outcome<JsonObject>> {
  const change = optionChange(configId, value);
  if (!change.ok) return change;
  const { services, caller } = request;
  const changed = await services.invoke("updateChatOptions", caller, { params: { id }, body: change.value });
  return changed.ok ? ok({ configOptions: await configOptions(services, caller, changed.value as AcpChat) }) : changed;
}

/** Deleting what is not there is no fault. */
export async function deleteSession(
  { services, caller }: AcpRequest,
  { sessionId: id }: { readonly sessionId: string },
): Promise<Outcome<JsonObject>> {
  const gone = await services.invoke("deleteChat", caller, { params: { id } });
  return gone.ok || gone.fault.kind === "not_found" ? ok({}) : gone;
}
