/** The bodies of people's decisions about jobs (JOB-2, JOB-8, JOB-9). */
import { FreeObject, type JsonObject, OneOf, Type } from "../../../actors/schema.ts";
import { BudgetBody } from "../chats/schema.ts";
import { NOT_BLANK } from "../../http/contract/body-schema.ts";
import { naming } from "../../http/contract/field.ts";
import { noun } from "../../http/contract/noun.ts";
import { contentField } from "../../operations/said-content.ts";

/** Characters. */
const JOB_BODY_ID_CHARACTERS = 256;
const COMMENT = 4_096;

/** `POST /api/jobs/{id}/approve`. Without an id it decides all waiting approvals, or the review. */
export const ApproveBody = Type.Object(
  {
    approval_id: naming("approval", Type.Optional(Type.String({ maxLength: JOB_BODY_ID_CHARACTERS }))),
    tool_call_id: naming("approval", Type.Optional(Type.String({ maxLength: JOB_BODY_ID_CHARACTERS }))),
    decision: Type.Optional(OneOf(["approve", "deny"] as const)),
    arguments: Type.Optional(
      Type.Unsafe<JsonObject>({
        ...FreeObject,
        description: "Arguments to use instead of the model's; at most 64 KiB as JSON",
      }),
    ),
    comment: Type.Optional(Type.String({ maxLength: COMMENT })),
  },
  { examples: [{ decision: "approve", comment: "Go on." }] },
);

/** Metadata of the new job. */
const Metadata = Type.Optional(
  Type.Unsafe<JsonObject>({
    ...FreeObject,
    description: "Metadata of the new job; by default that of the previous job",
  }),
);

/** `POST /api/jobs/{id}/resume`. */
export const ResumeBody = Type.Object(
  {
    input: Type.Optional(contentField("Answer to what the job waits for, or instructions for the next job")),
    retry_step: Type.Optional(Type.Boolean()),
    budget: Type.Optional(BudgetBody),
    metadata: Metadata,
  },
  { examples: [{ input: "Go on with the second chapter." }] },
);

/** `POST /api/jobs/{id}/iterate`. */
export const IterateBody = Type.Object(
  { feedback: contentField("Requested changes"), metadata: Metadata },
  { examples: [{ feedback: "Shorter, please." }] },
);

/** `POST /api/jobs/{id}/tool-results`: each result has either content or an error. */
export const ToolResultsBody = Type.Object(
  {
    results: Type.Array(
      noun("ToolResult", "The result of a tool call that the client has run", {
        tool_call_id: Type.String({ pattern: NOT_BLANK, maxLength: JOB_BODY_ID_CHARACTERS }),
        content: Type.Optional(Type.String({ description: "Result of the tool, at most 64 KiB" })),
        error: Type.Optional(Type.String({ description: "Error message for the model, instead of `content`" })),
      }),
      { minItems: 1, maxItems: 64 },
    ),
  },
  { examples: [{ results: [{ tool_call_id: "toolu_1", content: "7 EUR" }] }] },
);
