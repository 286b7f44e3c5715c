/**
 * The beginning of an execution (V1-2): finds the agent and the conversation, makes sure that the model can be used,
 * and commits the message with its job. Nothing is created before all of these checks pass.
 */
import { assert } from "../../../actors/assert.ts";
import { notFound, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { chatRef, preview } from "../../../actors/chat/schema.ts";
import { chatIdOf, isIdOf, newId, sessionIdOf } from "../../../actors/ids.ts";
import { type Job, PLAIN_TERMS } from "../../../actors/job/schema.ts";
import { oneLine } from "../../../actors/cut-text.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { workspaceRef } from "../../../actors/workspace/schema.ts";
import type { Change, Commit } from "../../http/commit/commit.ts";
import { prepareWork, type WorkRequest } from "../../work/prepared-work.ts";
import { withinMessage } from "../../http/contract/limits.ts";
import type { Services } from "../../operations/services.ts";
import type { ExecuteBody, ExecutionNames } from "./schema.ts";

/** Characters of the first message that become the title of its chat. */
const V1_TITLE_CHARACTERS = 80;

export interface Execution {
  readonly names: ExecutionNames;
  readonly jobId: string;
  /** Whether the demo provider will answer. */
  readonly isDemo: boolean;
  readonly isStreamed: boolean;
}

type BeginningParts = Pick<Services, "system" | "models" | "agents">;

export async function beginExecution(
  parts: BeginningParts,
  change: Change,
  agentId: string,
  body: ExecuteBody,
): Promise<Outcome<Commit>> {
  const by = change.principal;
  const fits = withinMessage(body.message, "message");
  if (!fits.ok) return fits;
  const agent = await parts.agents.find(by, agentId);
  if (!agent.ok) return agent;
  const conversation = await conversationOf(parts, by, body);
  if (!conversation.ok) return conversation;
  const { chatId, workspaceId, noun } = conversation.value;
  const given = workspaceId === null ? await givenBy(parts, by, conversation.value) : ok({});
  if (!given.ok) return given;
  const work = await prepareWork(parts, { by, agent: agent.value, ...given.value });
  if (!work.ok) return work.fault.kind === "not_found" && work.fault.noun === "workspace" ? GONE : work;
  const message = work.value.message({
    chatId,
    opening: workspaceId === null ? null : { workspaceId, title: titleOf(body.message) },
    content: body.message,
    // A second execution is always queued, whatever the chat's policy: v1 has no answer for a steered message.
    onBusy: "queue",
    terms: { ...PLAIN_TERMS, provenance: { origin: "v1" }, requestId: change.requestId },
    metadata: {},
  });
  const isDemo = work.value.model.demo;
  const isStreamed = body.stream === true;
  const begun = await change.begin([message], ({ job }) => ({ ...executionOf(chatId, job), isDemo, isStreamed }));
  return !begun.ok && begun.fault.kind === "not_found" ? notFound(noun) : begun;
}

function executionOf(chatId: string, job: Job | null) {
  assert(job !== null, "a queued message has a job");
  const names = { executionId: job.executionId, chatId, sessionId: sessionIdOf(chatId) };
  return { names, jobId: job.id } satisfies Partial<Execution>;
}

interface Conversation {
  readonly chatId: string;
  /** The workspace in which a new chat opens; null if the chat must exist. */
  readonly workspaceId: string | null;
  /** The name by which the caller refers to it. */
  readonly noun: "chat" | "session";
}

/** The chat that the caller names by either of its ids, or a new one. An empty id counts as omitted. */
async function conversationOf(parts: BeginningParts, by: Principal, body: ExecuteBody): Promise<Outcome<Conversation>> {
  const { chatId, sessionId } = body;
  if (chatId && !isIdOf("cht", chatId)) return notFound("chat");
  if (sessionId && !isIdOf("ses", sessionId)) return notFound("session");
  if (chatId && sessionId && chatIdOf(sessionId) !== chatId) return MISMATCH;
  if (chatId) return ok({ chatId, workspaceId: null, noun: "chat" });
  if (sessionId) return ok({ chatId: chatIdOf(sessionId), workspaceId: null, noun: "session" });
  const workspaceId = await spaceOf(parts, by, body.spaceId);
  return workspaceId.ok ? ok({ chatId: newId("cht"), workspaceId: workspaceId.value, noun: "chat" }) : workspaceId;
}

/** The chat's settings for the work in it: its workspace, and the model that overrides its agent's. */
async function givenBy(
  { system }: BeginningParts,
  by: Principal,
  { chatId, noun }: Conversation,
): Promise<Outcome<Pick<WorkRequest, "model" | "workspaceId">>> {
  const chat = await system.dispatch(chatRef(by.organizationId, chatId), { kind: "read_chat" });
  if (!chat.ok) return chat.fault.kind === "not_found" ? notFound(noun) : chat;
  return ok({ model: chat.value.options.model, workspaceId: chat.value.workspaceId });
}

async function spaceOf(
  { system }: BeginningParts,
  by: Principal,
  spaceId: string | undefined,
): Promise<Outcome<string>> {
  if (!spaceId) {
    const organization = await system.dispatch(organizationRef(by.organizationId), { kind: "read_organization" });
    return organization.ok ? ok(organization.value.defaultWorkspaceId) : organization;
  }
  if (!isIdOf("wsp", spaceId)) return notFound("workspace");
  const workspace = await system.dispatch(workspaceRef(by.organizationId, spaceId), { kind: "read_workspace" });
  return workspace.ok ? ok(workspace.value.id) : workspace;
}

const titleOf = (message: string): string => preview(oneLine(message, V1_TITLE_CHARACTERS), V1_TITLE_CHARACTERS);

const MISMATCH = refuse({
  kind: "invalid_state",
  status: "mismatch",
  allowedActions: [],
  message: "The session does not belong to this chat",
});

/** A new chat has just found its workspace, so this is the one of an earlier chat. */
const GONE = refuse({
  kind: "invalid_state",
  status: "workspace_deleted",
  allowedActions: [],
  message: "The workspace of this conversation was deleted",
});
