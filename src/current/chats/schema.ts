/** The bodies of chats and messages on the current surface (CHAT-2, CHAT-4, CHAT-7). */
import { costLimitOf, GivenAmount } from "../cost.ts";
import { type ChatOptions, ON_BUSY } from "../../../actors/chat/schema.ts";
import { MOST_STEPS } from "../../../actors/job/limits.ts";
import { type Budget, JOB_PRIORITIES } from "../../../actors/job/terms.ts";
import { invalid, ok, type Outcome } from "../../../actors/fault.ts";
import { FreeObject, type JsonObject, Nullable, OneOf, type Static, timeOf, Type } from "../../../actors/schema.ts";
import { NOT_BLANK } from "../../http/contract/body-schema.ts";
import { naming } from "../../http/contract/field.ts";
import { ModelName } from "../agents/schema.ts";
import { noun } from "../../http/contract/noun.ts";
import { ModelSettingsShape } from "../../operations/model-settings.ts";
import { contentField } from "../../operations/said-content.ts";

/** Characters. */
const CHAT_TITLE_CHARACTERS = 512;
const CHAT_BODY_ID_CHARACTERS = 256;
const INSTRUCTIONS = 4_096;
const GivenChatTitle = Type.String({ pattern: NOT_BLANK, maxLength: CHAT_TITLE_CHARACTERS });

/** The options of a chat; null removes an override. */
export const OptionsBody = Type.Object(
  {
    model: Type.Optional(Type.Union([ModelName, Type.Null()])),
    on_busy: Type.Optional(OneOf(ON_BUSY)),
    tools: Type.Optional(
      Type.Union([
        Type.Array(Type.String({ pattern: "^\\S{1,128}$", form: "1 to 128 characters without spaces" }), {
          maxItems: 128,
        }),
        Type.Null(),
      ]),
    ),
    auto_approve: Type.Optional(Type.Boolean()),
    title: Type.Optional(GivenChatTitle),
    pinned: Type.Optional(Type.Boolean()),
  },
  {
    $id: "ChatOptions",
    description: "Settings of a chat",
    additionalProperties: false,
    examples: [{ on_busy: "steer", pinned: true }],
  },
);
export type OptionsBody = Static<typeof OptionsBody>;

/** `POST /api/chats`. */
export const CreateChatBody = Type.Object(
  {
    agent_id: naming("agent", Type.String({ pattern: NOT_BLANK, maxLength: CHAT_BODY_ID_CHARACTERS })),
    workspace_id: naming("workspace", Type.String({ pattern: NOT_BLANK, maxLength: CHAT_BODY_ID_CHARACTERS })),
    title: Type.Optional(GivenChatTitle),
    options: Type.Optional(OptionsBody),
    metadata: Type.Optional(FreeObject),
  },
  {
    examples: [
      { agent_id: "agt_V1StGXR8_Z5jdHi6B-myT", workspace_id: "wsp_V1StGXR8_Z5jdHi6B-myT", title: "The release notes" },
    ],
  },
);

/** `PATCH /api/chats/{id}`: absent fields stay unchanged. */
export const UpdateChatBody = Type.Object(
  {
    title: Type.Optional(GivenChatTitle),
    pinned: Type.Optional(Type.Boolean()),
    metadata: Type.Optional(FreeObject),
  },
  { examples: [{ title: "The release notes of May", metadata: { ticket: "T-7" } }] },
);

/** Limits for the job of a message; null is no limit, as in the job's record. */
export const BudgetBody = noun("JobBudget", "What a job may use; null is no limit of its own", {
  max_tokens: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 }))),
  max_cost: Type.Optional(Nullable(GivenAmount)),
  max_steps: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: MOST_STEPS }))),
  deadline_at: Type.Optional(
    Nullable(Type.String({ description: "Deadline of the run in ISO 8601, at most 24 hours after its start" })),
  ),
});

/**
 * `POST /api/chats/{id}/messages`. `priority`, `review_required`, `budget`, `output_schema` and `model_settings` apply to the job that
 * answers; `metadata` applies to message and job.
 */
export const SendMessageBody = Type.Object(
  {
    content: contentField("Message to the agent"),
    on_busy: Type.Optional(OneOf(ON_BUSY)),
    metadata: Type.Optional(FreeObject),
    priority: Type.Optional(OneOf(JOB_PRIORITIES)),
    review_required: Type.Optional(Type.Boolean()),
    budget: Type.Optional(BudgetBody),
    output_schema: Type.Optional(Type.Union([Type.Unsafe<JsonObject>(FreeObject), Type.Null()])),
    model_settings: Type.Optional(Nullable(ModelSettingsShape)),
  },
  {
    examples: [
      { content: "Write the release notes of this week." },
      {
        content: [
          { type: "text", text: "What does this invoice ask for?" },
          { type: "file", source: { kind: "upload", file_id: "upl_V1StGXR8_Z5jdHi6B-myT" } },
        ],
      },
    ],
  },
);
export type SendMessageBody = Static<typeof SendMessageBody>;

/** `PATCH /api/chats/{id}/messages/{message_id}`. */
export const UpdateMessageBody = Type.Object({ pinned: Type.Boolean() }, { examples: [{ pinned: true }] });

/** `POST /api/chats/{id}/compact`. */
export const CompactChatBody = Type.Object(
  {
    instructions: Type.Optional(
      Type.String({ description: "What the summary must keep, in your own words", maxLength: INSTRUCTIONS }),
    ),
  },
  { examples: [{ instructions: "Keep all prices and dates." }] },
);

/** `POST /api/chats/{id}/fork`. */
export const ForkChatBody = Type.Object(
  {
    from_message_id: naming(
      "message",
      Type.String({
        pattern: NOT_BLANK,
        maxLength: CHAT_BODY_ID_CHARACTERS,
        description: "The conversation is copied up to and including this message",
      }),
    ),
    content: Type.Optional(contentField("Replaces the message, which must be a user's, and is answered")),
    title: Type.Optional(GivenChatTitle),
  },
  { examples: [{ from_message_id: "msg_V1StGXR8_Z5jdHi6B-myT", content: "The same in French, please." }] },
);

/** The options that a body sets. */
export function optionsOf({ on_busy: onBusy, auto_approve: autoApprove, ...same }: OptionsBody): Partial<ChatOptions> {
  return {
    ...same,
    ...(onBusy === undefined ? {} : { onBusy }),
    ...(autoApprove === undefined ? {} : { autoApprove }),
  };
}

/** The budget that a body sets; `now` in ms. A deadline in the past is refused. */
export function budgetOf(
  { max_tokens: maxTokens, max_cost: maxCost, max_steps: maxSteps, deadline_at: text }: Static<typeof BudgetBody>,
  now: number,
): Outcome<Budget> {
  const deadlineAt = timeOf(text ?? "");
  if ((text ?? null) !== null && deadlineAt === null)
    return invalid("/budget/deadline_at", "Field budget.deadline_at must be a time in ISO 8601");
  if (deadlineAt !== null && Date.parse(deadlineAt) <= now)
    return invalid("/budget/deadline_at", "budget.deadline_at is in the past; a deadline is a time in the future");
  const cost = costLimitOf(maxCost ?? null);
  if (!cost.ok) return cost;
  return ok({ maxTokens: maxTokens ?? null, ...cost.value, maxSteps: maxSteps ?? null, deadlineAt });
}
