/**
 * The operation behind `execute_agent`: a message to an agent in a new chat, in one commit. It has no route, because
 * REST has its own (V1-2); otherwise it is a full operation, with scope, schema and idempotency key.
 */
import { preview } from "../../actors/chat/schema.ts";
import { newId } from "../../actors/ids.ts";
import { jobRef, PLAIN_TERMS } from "../../actors/job/schema.ts";
import { oneLine } from "../../actors/cut-text.ts";
import { FreeObject, type JsonObject, Type } from "../../actors/schema.ts";
import { ask } from "../../actors/troupe.ts";
import { attachmentWords, isAttachment } from "../../actors/upload/terms.ts";
import { workspaceRef } from "../../actors/workspace/schema.ts";
import { NOT_BLANK } from "../http/contract/body-schema.ts";
import { naming } from "../http/contract/field.ts";
import { operationGroup } from "../http/contract/operation.ts";
import { accepted } from "../http/commit/commit.ts";
import { operation } from "../operations/operation.ts";
import { contentField, saidContent } from "../operations/said-content.ts";
import { usableSchema } from "../operations/usable-schema.ts";
import { type SaidContent, usesOf } from "../work/attaching.ts";
import { keyedId, prepareWork } from "../work/prepared-work.ts";

/** Characters of an id, of a title, and of the message that becomes the title. */
const EXECUTE_ID_CHARACTERS = 256;
const EXECUTE_TITLE_CHARACTERS = 512;
const SHOWN_TITLE = 80;

const McpExecuteBody = Type.Object({
  agent_id: naming(
    "agent",
    Type.String({ pattern: NOT_BLANK, maxLength: EXECUTE_ID_CHARACTERS, description: "The agent, from list_agents" }),
  ),
  message: contentField("Message to the agent"),
  workspace_id: naming("workspace", Type.String({ pattern: NOT_BLANK, maxLength: EXECUTE_ID_CHARACTERS })),
  /** Determines the ids of the chat and the job before they exist; must be unique. */
  call_key: Type.Optional(Type.String({ pattern: NOT_BLANK, maxLength: EXECUTE_ID_CHARACTERS })),
  title: Type.Optional(
    Type.String({
      pattern: NOT_BLANK,
      maxLength: EXECUTE_TITLE_CHARACTERS,
      description: "Title of the chat; the message by default",
    }),
  ),
  output_schema: Type.Optional(Type.Union([Type.Unsafe<JsonObject>(FreeObject), Type.Null()])),
});

export const mcpExecuteOperations = operationGroup("MCP execution", "What only tools do", {
  executeAgent: operation(
    {
      method: "POST",
      path: "/mcp/execute",
      scope: "chats:write",
      summary: "Execute an agent",
      body: McpExecuteBody,
      answers: { 202: Type.Object({ job_id: Type.String(), chat_id: Type.String() }) },
      errors: ["invalid_state", "budget_exceeded", "provider_error"],
      emits: null,
    },
    async (parts, change, { body }) => {
      const { principal: by, requestId } = change;
      const key = body.call_key ?? newId("req");
      const ids = { job_id: jobOfCall(key), chat_id: keyedId("cht", { purpose: PURPOSE, key }) };
      if (body.call_key !== undefined && typeof body.message !== "string") {
        // The first call has already resolved its references: by now they may be gone or changed, so a repetition does
        // not resolve them again.
        const read = ask(jobRef(by.organizationId, ids.job_id), { kind: "read_job" });
        const begun = await change.commit([read], () => accepted(ids));
        if (begun.ok || begun.fault.kind !== "not_found") return begun;
      }
      const { output_schema: outputSchema = null } = body;
      const usable = await usableSchema(parts, by.organizationId, { schema: outputSchema, path: "/output_schema" });
      if (!usable.ok) return usable;
      const own = outputSchema === null ? {} : { outputSchema };
      const ref = workspaceRef(by.organizationId, body.workspace_id);
      const workspace = await parts.system.dispatch(ref, { kind: "read_workspace" });
      if (!workspace.ok) return workspace;
      const said = await saidContent(parts, change, body.message, "message");
      if (!said.ok) return said;
      const { text: content, blocks } = said.value;
      const work = await prepareWork(parts, { by, agent: body.agent_id, blocks, field: "message" });
      if (!work.ok) return work;
      const { job_id: jobId, chat_id: chatId } = ids;
      const title = body.title ?? contentTitle(said.value);
      const message = work.value.firstMessage({
        chatId,
        jobId,
        opening: { workspaceId: workspace.value.id, title },
        content,
        blocks,
        sender: { type: "user", id: by.userId },
        terms: { ...PLAIN_TERMS, provenance: { origin: "mcp" }, requestId, ...own },
      });
      return change.commit([message, ...usesOf(by, blocks, "message")], () => accepted(ids));
    },
  ),
});

/** Separates the keys of calls from those of other work. It must never change. */
const PURPOSE = "mcp call";
/** The id of the job that the call with this key begins. */
export const jobOfCall = (key: string): string => keyedId("job", { purpose: PURPOSE, key });

/** The text of the message, or else its attachments. */
const contentTitle = ({ text, blocks = [] }: SaidContent): string =>
  preview(
    oneLine(text === "" ? blocks.filter(isAttachment).map(attachmentWords).join(", ") : text, SHOWN_TITLE),
    SHOWN_TITLE,
  );
