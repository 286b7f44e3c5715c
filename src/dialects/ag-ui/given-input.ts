/** What the input of a run means: a message, answers to a run that waits, or nothing new. */
import { cutText } from "../../../actors/cut-text.ts";
import { invalid, ok, type Outcome } from "../../../actors/fault.ts";
import { isJsonObject, type JsonObject } from "../../../actors/schema.ts";
import type { GivenBlock } from "../../work/content-blocks.ts";
import type { GivenTool } from "../runs/client-tools.ts";
import type { RunAnswer } from "../runs/run-answers.ts";
import type { AgUiInput, AgUiMessage } from "./schema.ts";

/** Characters of the comment of a decision. */
const AG_UI_COMMENT = 4_096;

/** A message of the user. */
export interface AgUiSaid {
  readonly messageId: string;
  readonly content: readonly GivenBlock[];
  readonly field: string;
}

export interface AgUiRequest {
  /** The newest message of the user; null: there is none with content. */
  readonly said: AgUiSaid | null;
  /** Whether the request sends that message; else it gives the answers, or asks for the run once more. */
  readonly isSent: boolean;
  readonly answers: readonly RunAnswer[];
}

export function readAgUiInput({ messages, resume = [] }: AgUiInput): Outcome<AgUiRequest> {
  const decisions = resume.map((one, at) => approvalIn(one, `resume/${at}`));
  const answers = [...decisions, ...messages.flatMap((one, at) => resultIn(one, `messages/${at}`))];
  const at = messages.findLastIndex(({ role }) => role === "user");
  const message = messages[at];
  const later = messages.slice(at + 1);
  // Behind the message is an answer: the request says nothing new beside its decisions.
  const isOld = decisions.length > 0 && later.some(({ role }) => role === "assistant");
  const isSent = message !== undefined && !isOld && later.every(({ role }) => role !== "tool");
  if (message === undefined && answers.length === 0)
    return invalid("/messages", "Field messages must have a message of the user");
  const field = `messages/${at}/content`;
  const content = contentBlocks(message?.content);
  if (isSent && content.length === 0) return invalid(`/${field}`, "The message has no text and no file");
  const said = message === undefined || content.length === 0 ? null : { messageId: message.id, content, field };
  return ok({ said, isSent, answers });
}

type GivenPart = Readonly<{
  type?: unknown;
  text?: unknown;
  source?: { type?: unknown; value?: unknown; mimeType?: unknown };
}>;

function contentBlocks(content: unknown): readonly GivenBlock[] {
  if (typeof content === "string") return content.trim() === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.flatMap((part) => partBlocks(part as GivenPart)) : [];
}

function partBlocks({ type, text, source = {} }: GivenPart): readonly GivenBlock[] {
  if (type === "text") return typeof text === "string" && text !== "" ? [{ type, text }] : [];
  const value = String(source.value ?? "");
  const kind = type === "image" ? "image" : "file";
  if (source.type === "data")
    return [{ type: kind, source: { kind: "data", url: `data:${String(source.mimeType ?? "")};base64,${value}` } }];
  if (source.type === "file") return [{ type: kind, source: { kind: "upload", file_id: value } }];
  return [{ type: kind, source: { kind: "url", url: value } }];
}

function approvalIn(
  { interruptId: approvalId, status, payload }: NonNullable<AgUiInput["resume"]>[number],
  field: string,
): RunAnswer {
  const {
    approved,
    arguments: given,
    comment,
  } = (typeof payload === "object" && payload !== null ? payload : {}) as JsonObject;
  return {
    kind: "approval",
    approvalId,
    isApproved: status === "resolved" && (approved === true || payload === true),
    comment: typeof comment === "string" ? cutText(comment, AG_UI_COMMENT) : null,
    arguments: isJsonObject(given) ? { given, field: `${field}/payload/arguments` } : null,
  };
}

function resultIn({ role, toolCallId: callId, content, error }: AgUiMessage, field: string): readonly RunAnswer[] {
  if (role !== "tool" || callId === undefined) return [];
  const text = contentBlocks(content)
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("\n");
  return [{ kind: "result", callId, content: error ?? text, isError: error !== undefined, field: `${field}/content` }];
}

/** The tools of the client. */
export const agUiTools = ({ tools = [] }: AgUiInput): readonly GivenTool[] =>
  tools.map(({ name, description, parameters }) => ({
    name,
    description,
    inputSchema:
      typeof parameters === "object" && parameters !== null ? (parameters as JsonObject) : { type: "object" },
  }));

/** What the client tells the agent beside the conversation: its context and its state. */
export function agUiInstructions({ context = [], state }: AgUiInput): string {
  const isEmpty = state === undefined || state === null || JSON.stringify(state) === "{}";
  return [
    ...context.map(({ description, value }) => `${description}: ${value}`),
    ...(isEmpty ? [] : [`The state of the application: ${JSON.stringify(state)}`]),
  ].join("\n");
}
