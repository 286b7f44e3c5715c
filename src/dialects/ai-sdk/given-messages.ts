/** What a request of a chat client means: a message, the same message once more, or answers to a run that waits. */
import { cutText } from "../../../actors/cut-text.ts";
import { invalid, ok, type Outcome } from "../../../actors/fault.ts";
import type { GivenBlock } from "../../work/content-blocks.ts";
import { answerId, type RunAnswer } from "../runs/run-answers.ts";
import type { KnownMessage } from "./continuation.ts";
import type { UiChatBody, UiMessageBody, UiPart } from "./schema.ts";

export type UiRequest =
  | {
      readonly kind: "message";
      readonly messageId: string;
      readonly content: readonly GivenBlock[];
      /** The content's name in the body. */
      readonly field: string;
      /** The client has no other message in the chat. */
      readonly isFirst: boolean;
      /** The message replaces an earlier one with its id. */
      readonly isEdit: boolean;
      /** The run that wrote the message before it; null if the client has sent none. */
      readonly afterJobId: string | null;
      /** Answers that the client has sent with the message: they are in the one before it. */
      readonly answers: readonly RunAnswer[];
    }
  /** `jobId`: the run whose answer is to be written again; null: the last one. */
  | { readonly kind: "regenerate"; readonly jobId: string | null }
  | {
      readonly kind: "answers";
      readonly jobId: string;
      readonly answers: readonly RunAnswer[];
      readonly known: KnownMessage;
      /** The message's field in the body. */
      readonly field: string;
    };

export function readUiRequest({ messages, trigger, messageId = null }: UiChatBody): Outcome<UiRequest> {
  if (trigger === "regenerate-message") return ok({ kind: "regenerate", jobId: jobIdIn(messageId) });
  const named = messages.findLastIndex(({ id, role }) => id === messageId && role === "assistant");
  const at = named === -1 ? messages.length - 1 : named;
  const message = messages[at];
  if (message === undefined) return invalid("/messages", "Field messages must have at least 1 message");
  if (message.role === "assistant") return ok(uiAnswers(message, `messages/${at}`));
  if (message.role !== "user")
    return invalid(
      `/messages/${at}/role`,
      "The last message must be of the user, or of the assistant with answers to its calls",
    );
  const content = message.parts.flatMap(uiBlock);
  const field = `messages/${at}/parts`;
  const before = messages.findLastIndex(({ role }, i) => i < at && role === "assistant");
  const answered = messages[before];
  if (content.length === 0) return invalid(`/${field}`, "The message has no text and no file");
  return ok({
    kind: "message",
    messageId: message.id,
    content,
    field,
    isFirst: messages.length === 1 && messageId === null,
    isEdit: messageId === message.id,
    afterJobId: answered?.id ?? null,
    answers: answered === undefined ? [] : answersIn(answered, `messages/${before}`),
  });
}

/** Characters of the reason of a decision. */
const COMMENT_CHARACTERS = 4_096;

/** Ids of the service's own messages are those of their runs. */
const jobIdIn = (messageId: string | null): string | null =>
  messageId?.startsWith("job_") === true ? messageId : null;

/** Parts of other types are the client's own. */
function uiBlock({ type, text, url = "", mediaType = "", filename, providerReference }: UiPart): readonly GivenBlock[] {
  if (type === "text") return text === undefined || text === "" ? [] : [{ type, text }];
  if (type !== "file") return [];
  const file_id = providerReference?.["troupe"];
  const source =
    file_id !== undefined
      ? ({ kind: "upload", file_id } as const)
      : ({ kind: url.startsWith("data:") ? "data" : "url", url } as const);
  const kind = mediaType === "image" || mediaType.startsWith("image/") ? "image" : "file";
  return [{ type: kind, source, ...(filename === undefined ? {} : { name: filename }) }];
}

const answersIn = ({ parts }: UiMessageBody, field: string): readonly RunAnswer[] =>
  parts.flatMap((part, at) => uiAnswer(part, `${field}/parts/${at}`));

function uiAnswers(message: UiMessageBody, field: string): UiRequest {
  const { id: jobId, parts } = message;
  const answers = answersIn(message, field);
  const lastStep = parts.findLastIndex(isStepStart);
  const answered = parts.slice(lastStep + 1).flatMap((part) => uiAnswer(part, field).map(answerId));
  return { kind: "answers", jobId, answers, known: { steps: parts.filter(isStepStart).length, answered }, field };
}

const isStepStart = ({ type }: UiPart): boolean => type === "step-start";

function uiAnswer(part: UiPart, field: string): readonly RunAnswer[] {
  const { state, toolCallId: callId, approval, output, errorText = "", providerExecuted = false } = part;
  if (state === "approval-responded" && approval !== undefined) {
    const { id: approvalId, approved: isApproved = false, reason } = approval;
    const comment = reason === undefined ? null : cutText(reason, COMMENT_CHARACTERS);
    return [{ kind: "approval", approvalId, isApproved, comment, arguments: null }];
  }
  if (callId === undefined || providerExecuted) return [];
  if (state === "output-error")
    return [{ kind: "result", callId, content: errorText, isError: true, field: `${field}/errorText` }];
  if (state !== "output-available") return [];
  return [{ kind: "result", callId, content: outputText(output), isError: false, field: `${field}/output` }];
}

/** An output as the model reads it. */
const outputText = (output: unknown): string => (typeof output === "string" ? output : (JSON.stringify(output) ?? ""));
