/** What a prompt does to the runs of its session. These operations have no route: `rpc.ts` calls them. */
import type { FoundMessage } from "../../../actors/chat/protocol.ts";
import { chatRef } from "../../../actors/chat/schema.ts";
import { ok } from "../../../actors/fault.ts";
import { FreeObject, type Json, type JsonObject, type Static, Type } from "../../../actors/schema.ts";
import { MIB } from "../../../actors/units.ts";
import { type Change, done } from "../../http/commit/commit.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import { cancellingSteps } from "../../work/sending.ts";
import { beginRun } from "../runs/begin-run.ts";
import { readRun } from "../runs/followed-run.ts";
import { protocolOperation, type ProtocolServices } from "../runs/protocol.ts";
import { answerRun, type RunAnswer } from "../runs/run-answers.ts";
import { EditorAbilities, editorTools } from "./editor-tools.ts";
import { promptContent } from "./prompt-content.ts";

/** Bytes of a message of a client: a prompt has its images in it, as Base64. */
export const ACP_BYTES = 16 * MIB;
/** Separates the ids of this protocol from those of others. It must never change. */
const ACP = "acp";

const RunName = Type.Object({ job_id: Type.String() });
const taken = async (_: unknown, __: unknown, work: JsonObject) =>
  ok({ ...done({ job_id: String(work["jobId"]) }), isFinal: true });

/** Decisions about calls, and results of the editor's tools. */
export const AcpAnswers = Type.Object({
  approvals: Type.Optional(
    Type.Array(
      Type.Object({
        approval_id: Type.String(),
        is_approved: Type.Boolean(),
        arguments: Type.Optional(Type.Unsafe<JsonObject>(FreeObject)),
        comment: Type.Optional(Type.String({ maxLength: 4_096 })),
      }),
    ),
  ),
  results: Type.Optional(
    Type.Array(Type.Object({ call_id: Type.String(), content: Type.String(), is_error: Type.Boolean() })),
  ),
});
export type AcpAnswers = Static<typeof AcpAnswers>;

export const acpRunOperations = operationGroup<ProtocolServices>("ACP runs", "What a prompt does to its session", {
  beginAcpRun: protocolOperation(
    {
      method: "POST",
      path: "/acp/sessions/{id}/begin",
      scope: "chats:write",
      summary: "Begin the run of a prompt",
      params: { id: Type.String() },
      body: Type.Object({
        agent_id: Type.String(),
        prompt: Type.Unsafe<Json[]>(Type.Array(Type.Unknown())),
        message_id: Type.String({ minLength: 1, maxLength: 256 }),
        instructions: Type.String(),
        abilities: EditorAbilities,
      }),
      bodyBytes: ACP_BYTES,
      answers: { 200: RunName },
      errors: ["invalid_state", "budget_exceeded", "provider_error"],
      emits: null,
    },
    {
      async run(
        services,
        change,
        { params, body: { agent_id: agentId, prompt, message_id: key, instructions, abilities } },
      ) {
        const content = promptContent(prompt);
        if (!content.ok) return content;
        const chat = { kind: "existing", chatId: params.id } as const;
        const told = {
          content: content.value,
          field: "prompt",
          key,
          answers: [],
          place: await emptySession(services, change, params.id),
        };
        return beginRun(services, change, {
          protocol: ACP,
          agentId,
          chat,
          ...told,
          instructions,
          tools: editorTools(abilities),
        });
      },
      join: taken,
    },
  ),

  answerAcpRun: protocolOperation(
    {
      method: "POST",
      path: "/acp/runs/{id}/answers",
      scope: "chats:write",
      summary: "Give a run decisions, and results of the editor's tools",
      params: { id: Type.String() },
      body: Type.Object({ answers: AcpAnswers }),
      bodyBytes: ACP_BYTES,
      answers: { 200: RunName },
      errors: ["invalid_state"],
      emits: null,
    },
    {
      async run(services, change, { params, body: { answers } }) {
        const job = await readRun(services, change, params.id);
        if (!job.ok) return job;
        const { id: jobId, chatId } = job.value;
        return answerRun(services, change, { job: job.value, answers: givenAnswers(answers) }, { jobId, chatId });
      },
      join: taken,
    },
  ),

  cancelAcpRun: protocolOperation(
    {
      method: "POST",
      path: "/acp/runs/{id}/cancel",
      scope: "chats:write",
      summary: "Cancel the run of a prompt",
      params: { id: Type.String() },
      answers: { 200: RunName },
      errors: ["invalid_state"],
      emits: null,
    },
    async (services, change, { params }) => {
      const job = await readRun(services, change, params.id);
      if (!job.ok) return job;
      return change.commit(cancellingSteps(job.value), ({ id: job_id }) => done({ job_id }));
    },
  ),
});

function givenAnswers({ approvals = [], results = [] }: AcpAnswers): readonly RunAnswer[] {
  return [
    ...approvals.map(({ approval_id: approvalId, is_approved: isApproved, arguments: given, comment = null }, at) => ({
      kind: "approval" as const,
      approvalId,
      isApproved,
      comment,
      arguments: given === undefined ? null : { given, field: `answers/approvals/${at}/arguments` },
    })),
    ...results.map(({ call_id: callId, content, is_error: isError }, at) => ({
      kind: "result" as const,
      callId,
      content,
      isError,
      field: `answers/results/${at}/content`,
    })),
  ];
}

/** A session without messages: the prompt is its first, so that it is not looked up (DIA-27). Undefined: it has some. */
async function emptySession(
  { system }: ProtocolServices,
  { principal: { organizationId } }: Change,
  id: string,
): Promise<FoundMessage | undefined> {
  const chat = await system.dispatch(chatRef(organizationId, id), { kind: "read_chat" });
  return chat.ok && chat.value.messageCount === 0 ? { chat: chat.value, isSent: false } : undefined;
}
