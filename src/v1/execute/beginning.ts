/**
 * The beginning of an execution (V1-2): finds the agent and the conversation, makes sure that the
 * model can be used, and commits the message with its job. Nothing is made before all of that holds.
 */
import { assert } from "../../../actors/assert.ts";
import { notFound, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { chatRef, preview } from "../../../actors/chat/schema.ts";
import { chatIdOf, newId, sessionIdOf } from "../../../actors/ids.ts";
import { type Job, PLAIN_TERMS } from "../../../actors/job/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import type { Committed, MutatingCall } from "../../http/commit.ts";
import { snapshotOf } from "../../http/agent-snapshot.ts";
import { withinBudget } from "../../http/budget.ts";
import { withinMessage } from "../../http/limits.ts";
import type { V1Parts } from "../parts.ts";
import type { ExecuteBody, ExecutionNames } from "./schema.ts";

const CHAT_ID = /^cht_[A-Za-z0-9_-]{21}$/;
const SESSION_ID = /^ses_[A-Za-z0-9_-]{21}$/;
const WORKSPACE_ID = /^wsp_[A-Za-z0-9_-]{21}$/;
/** Characters of the first message that become the title of its chat. */
const TITLE_CHARACTERS = 80;

export interface Execution {
  readonly names: ExecutionNames;
  readonly jobId: string;
  /** Whether the demo provider will answer. */
  readonly isDemo: boolean;
  readonly isStreamed: boolean;
}

type BeginningParts = Pick<V1Parts, "system" | "models" | "agents">;

export async function beginExecution(
  parts: BeginningParts,
  call: MutatingCall,
  body: ExecuteBody,
): Promise<Outcome<Committed>> {
  const by = call.principal;
  const fits = withinMessage(body.message);
  if (!fits.ok) return fits;
  const agent = await parts.agents.find(by, call.params["id"] ?? "");
  if (!agent.ok) return agent;
  const conversation = await conversationOf(parts, by, body);
  if (!conversation.ok) return conversation;
  const { chatId, workspaceId, noun } = conversation.value;
  const override = workspaceId === null ? await modelOf(parts, by, conversation.value) : ok(null);
  if (!override.ok) return override;
  const model = parts.models.describe(override.value ?? agent.value.model);
  if (!model.ok) return model;
  const allowed = await withinBudget(parts.system, by.organizationId);
  if (!allowed.ok) return allowed;
  const message = ask(chatRef(by.organizationId, chatId), {
    kind: "send_message",
    open: workspaceId === null ? null : { workspaceId, title: titleOf(body.message) },
    agent: snapshotOf(agent.value, by.organizationId),
    content: body.message,
    userId: by.userId,
    // A second execution waits for its turn, whatever the chat's own policy: this surface has no word for a steered one.
    onBusy: "queue",
    terms: { ...PLAIN_TERMS, requestId: call.requestId },
    metadata: {},
  });
  const isDemo = model.value.demo;
  const isStreamed = body.stream === true;
  const begun = await call.begin([message], ({ job }) => ({ ...executionOf(chatId, job), isDemo, isStreamed }));
  return !begun.ok && begun.fault.kind === "not_found" ? notFound(noun) : begun;
}

function executionOf(chatId: string, job: Job | null) {
  assert(job !== null, "a queued message has a job");
  const names = { executionId: job.executionId, chatId, sessionId: sessionIdOf(chatId) };
  return { names, jobId: job.id } satisfies Partial<Execution>;
}

interface Conversation {
  readonly chatId: string;
  /** Where a new chat is opened; null where it must exist. */
  readonly workspaceId: string | null;
  /** What the caller named it by. */
  readonly noun: "chat" | "session";
}

/** The chat that the caller names, by whichever of its names, or a new one. An empty id names none. */
async function conversationOf(parts: BeginningParts, by: Principal, body: ExecuteBody): Promise<Outcome<Conversation>> {
  const { chatId, sessionId } = body;
  if (chatId && !CHAT_ID.test(chatId)) return notFound("chat");
  if (sessionId && !SESSION_ID.test(sessionId)) return notFound("session");
  if (chatId && sessionId && chatIdOf(sessionId) !== chatId) return MISMATCH;
  if (chatId) return ok({ chatId, workspaceId: null, noun: "chat" });
  if (sessionId) return ok({ chatId: chatIdOf(sessionId), workspaceId: null, noun: "session" });
  const workspaceId = await workspaceOf(parts, by, body.spaceId);
  return workspaceId.ok ? ok({ chatId: newId("cht"), workspaceId: workspaceId.value, noun: "chat" }) : workspaceId;
}

/** The model that the chat has set in place of its agent's. */
async function modelOf(
  { system }: BeginningParts,
  by: Principal,
  { chatId, noun }: Conversation,
): Promise<Outcome<string | null>> {
  const chat = await system.dispatch(chatRef(by.organizationId, chatId), { kind: "read_chat" });
  if (!chat.ok) return chat.fault.kind === "not_found" ? notFound(noun) : chat;
  return ok(chat.value.options.model);
}

async function workspaceOf(
  { system }: BeginningParts,
  by: Principal,
  spaceId: string | undefined,
): Promise<Outcome<string>> {
  const ref = organizationRef(by.organizationId);
  if (!spaceId) {
    const organization = await system.dispatch(ref, { kind: "read_organization" });
    return organization.ok ? ok(organization.value.defaultWorkspaceId) : organization;
  }
  if (!WORKSPACE_ID.test(spaceId)) return notFound("workspace");
  const workspace = await system.dispatch(ref, { kind: "read_workspace", workspaceId: spaceId });
  return workspace.ok ? ok(workspace.value.id) : workspace;
}

const titleOf = (message: string): string => preview(message.trim().replace(/\s+/g, " "), TITLE_CHARACTERS);

const MISMATCH = refuse({
  kind: "invalid_state",
  status: "mismatch",
  allowedActions: [],
  message: "The session does not belong to this chat",
});
