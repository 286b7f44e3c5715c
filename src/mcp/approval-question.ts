/**
 * Asks the person at the client whether an agent may call a tool (MCP-7). A job that is blocked for an approval
 * becomes a form, if the client shows forms and its token may decide. The person's answer runs the same operation as
 * every other approval. A job that lacks a connection leads to the page for it, if the client opens pages (ACC-9).
 */
import { cutText } from "../../actors/cut-text.ts";
import { ok, type Outcome } from "../../actors/fault.ts";
import { hasScope } from "../../actors/organization/principal.ts";
import type { Json, JsonObject } from "../../actors/schema.ts";
import { visibleText } from "../../actors/visible-text.ts";
import { type Caller, detachCaller } from "../http/request/caller.ts";
import type { CallParts } from "./call-parts.ts";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** Characters of a call's arguments that the form shows. */
const SHOWN_ARGUMENTS = 4_000;

/** The tool call that the question is about. */
export interface ApprovalQuestion {
  readonly jobId: string;
  readonly approvalId: string;
  /** The form, in the protocol's format. */
  readonly form: {
    readonly message: string;
    readonly requestedSchema: {
      readonly type: "object";
      readonly properties: Record<string, never>;
      readonly required: string[];
    };
  };
}

const APPROVAL_FIELDS = {
  decision: {
    type: "string",
    title: "Decision",
    oneOf: [
      { const: "approve", title: "Approve" },
      { const: "deny", title: "Deny" },
    ],
  },
  comment: { type: "string", title: "Comment", description: "The agent reads it", maxLength: 2_000 },
};

interface ApprovalRecord {
  readonly id: string;
  readonly tool_name: string;
  readonly arguments: JsonObject;
  readonly message: string;
  readonly decision: string | null;
  /** Why the caller may not decide it. */
  readonly decision_refusal: string | null;
}

/** The question of a job to a person who may decide it; null if it has none. */
export function questionOf(job: JsonObject, { principal }: Caller): ApprovalQuestion | null {
  const { id, blocked_reason: reason, allowed_actions: actions } = job;
  const mayDecide = hasScope(principal.scopes, "jobs:write") && (actions as readonly Json[]).includes("approve");
  if (reason !== "approval_required" || !mayDecide) return null;
  const approvals = job["approvals"] as unknown as readonly ApprovalRecord[];
  const open = approvals.find(({ decision, decision_refusal: why }) => decision === null && why === null);
  if (open === undefined) return null;
  const given = visibleText(JSON.stringify(open.arguments, null, 2));
  const beginning = cutText(given, SHOWN_ARGUMENTS);
  const left = given.length - beginning.length;
  const shown = left <= 0 ? given : `${beginning}\n… and ${left} more characters`;
  const form = {
    message: `${visibleText(open.message)}\n\n${shown}`,
    requestedSchema: { type: "object" as const, properties: APPROVAL_FIELDS as never, required: ["decision"] },
  };
  return { jobId: String(id), approvalId: open.id, form };
}

/** A connection that the person must give on a page of the service, for a job that waits for it (ACC-9). */
export interface ConnectionQuestion {
  readonly jobId: string;
  readonly message: string;
  readonly url: string;
}

interface AuthorizationRecord {
  readonly name: string;
  readonly link: string;
  readonly outcome: string | null;
}

/** The page that a job waits for; null if it waits for none. */
export function connectionQuestionOf(job: JsonObject): ConnectionQuestion | null {
  if (job["blocked_reason"] !== "auth_required") return null;
  const authorizations = job["authorizations"] as unknown as readonly AuthorizationRecord[];
  const open = authorizations.find(({ outcome }) => outcome === null);
  if (open === undefined) return null;
  const message = `The agent needs a connection to ${visibleText(open.name)}. The job goes on when you have given it.`;
  return { jobId: String(job["id"]), message, url: open.link };
}

/** Whether the client behind this message shows forms. */
export function showsForms(...client: Parameters<typeof elicitationOf>): boolean {
  const elicitation = elicitationOf(...client);
  // The first revision with forms had no other kind of elicitation.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Whether the client opens pages for the person. */
export const showsPages = (...client: Parameters<typeof elicitationOf>): boolean =>
  elicitationOf(...client)?.url !== undefined;

function elicitationOf(
  server: Server,
  context: ServerContext,
  era: "legacy" | "modern",
): ClientCapabilities["elicitation"] {
  const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const capabilities = era === "modern" ? envelope?.[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
  return ((capabilities ?? {}) as ClientCapabilities).elicitation;
}

/** Records the person's decision. False: the person has not decided, so the job keeps waiting. */
export async function decide(
  { invoke }: Pick<CallParts, "invoke">,
  caller: Caller,
  { jobId, approvalId }: Pick<ApprovalQuestion, "jobId" | "approvalId">,
  response: unknown,
): Promise<Outcome<boolean>> {
  const { action, content } = (response ?? {}) as { readonly action?: unknown; readonly content?: JsonObject };
  const { decision, comment } = content ?? {};
  if (action !== "accept" || (decision !== "approve" && decision !== "deny")) return ok(false);
  const body = { approval_id: approvalId, decision, ...(typeof comment === "string" ? { comment } : {}) };
  const decided = await invoke("approveJob", detachCaller(caller), { params: { id: jobId }, body });
  // Somebody else was quicker: the job's record shows the outcome.
  if (!decided.ok && decided.fault.kind !== "invalid_state" && decided.fault.kind !== "not_found") return decided;
  return ok(true);
}
