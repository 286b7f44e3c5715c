/**
 * Continues the work of an earlier job in a new one (resume, iterate): the decision and the message commit together.
 */
import { assert } from "../../actors/assert.ts";
import type { SentMessage } from "../../actors/chat/protocol.ts";
import type { Chat } from "../../actors/chat/schema.ts";
import type { Outcome } from "../../actors/fault.ts";
import { chatAfter } from "../../actors/job/transitions.ts";
import type { JobCommand } from "../../actors/job/protocol.ts";
import { type Job, jobRef, type JobTerms, optionsModelOf, PLAIN_TERMS } from "../../actors/job/schema.ts";
import { type Budget, NO_BUDGET } from "../../actors/job/terms.ts";
import {
  type Ask,
  followedBy,
  following,
  type GroupMember,
  type RepliesOf,
} from "../../actors/runtime/turns/members.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { ask } from "../../actors/troupe.ts";
import { type SaidContent, usesOf } from "./attaching.ts";
import { prepareWork, type Requester, type WorkServices } from "./prepared-work.ts";
import { workOf } from "./sending.ts";

/** A decision about an ended job, and the message to the next job. */
export interface Continuation {
  readonly by: Requester;
  readonly relation: "resume" | "iteration";
  /** The ended job as it was read; its actor decides by its state at that time. */
  readonly job: Job;
  readonly command: Extract<JobCommand, { readonly kind: "resume" | "request_changes" }>;
  /** Null: the input of the earlier job. */
  readonly said: SaidContent | null;
  /** The content's field in the request, for a refusal. */
  readonly field: "input" | "feedback";
  readonly requestId: string | null;
  /** The new job's budget; absent or null: the earlier one's. */
  readonly budget?: Budget | null;
  /** The new job's metadata; absent or null: the earlier one's. */
  readonly metadata?: JsonObject | null;
}

/** The decision, the end of the chat's turn, and the message of the new job. */
export type ContinuationSteps = readonly [
  Ask<Job>,
  (replies: readonly unknown[]) => GroupMember | null,
  (replies: readonly unknown[]) => Ask<SentMessage>,
  ...Ask<unknown>[],
];

/** Commits the decision with the message of the new job; `newJobOf` finds it in the replies. */
export async function continueWork<T>(
  services: WorkServices,
  chat: Chat,
  { by, relation, job: before, command, said, field, requestId, budget = null, metadata = null }: Continuation,
  commit: (steps: ContinuationSteps) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  // Inherited content must also fit the model, because the chat may have changed its model.
  const blocks = said === null ? before.inputBlocks : said.blocks;
  const inherited =
    (budget?.maxCost ?? null) === null ? ({ budgetName: "The max_cost of the job before" } as const) : {};
  const work = await prepareWork(services, {
    ...workOf(chat, by),
    blocks,
    field,
    budget: mergeBudgets(before, budget ?? NO_BUDGET),
    ...inherited,
  });
  if (!work.ok) return work;
  const messageAfter = (parent: Job): Ask<SentMessage> =>
    work.value.message({
      chatId: chat.id,
      opening: null,
      content: said?.text ?? parent.input,
      blocks,
      onBusy: "queue",
      terms: {
        ...termsAfter(parent, relation, requestId),
        ...(budget === null ? {} : { budget: mergeBudgets(parent, budget) }),
        ...(metadata === null ? {} : { metadata }),
      },
      metadata: {},
    });
  const deciding = followedBy(ask(jobRef(by.organizationId, before.id), command), chatAfter);
  const [decision, turn, message] = following(deciding, ([job]) => messageAfter(job));
  return commit([decision, turn, message, ...usesOf(by, said?.blocks, field)]);
}

/** The new job, from the replies of a continuation's members. */
export function newJobOf([, , { job }]: RepliesOf<ContinuationSteps>): Job {
  assert(job !== null, "a queued message has a job");
  return job;
}

/** Fields that the new budget omits keep the earlier values, except the deadline, which was the earlier job's own. */
const mergeBudgets = ({ budget: { maxTokens, maxCost = null, maxSteps } }: Job, budget: Budget): Budget => ({
  maxTokens: budget.maxTokens ?? maxTokens,
  maxCost: budget.maxCost ?? maxCost,
  maxSteps: budget.maxSteps ?? maxSteps,
  deadlineAt: budget.deadlineAt,
});

/** The terms of the earlier job without its deadline, which was its own. */
function termsAfter(parent: Job, relation: Continuation["relation"], requestId: string | null): JobTerms {
  const { priority, metadata, missionId, missionTaskId, outputSchema, modelSettings, provenance } = parent;
  return {
    ...PLAIN_TERMS,
    priority,
    metadata,
    missionId,
    missionTaskId,
    requestId,
    ...(provenance === undefined ? {} : { provenance }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(modelSettings === undefined ? {} : { modelSettings, settingsModel: optionsModelOf(parent) }),
    reviewRequired: parent.review.required,
    budget: { ...parent.budget, deadlineAt: null },
    lineage: {
      parentJobId: parent.id,
      rootJobId: parent.rootJobId ?? parent.id,
      relation,
      iteration: parent.iteration + (relation === "iteration" ? 1 : 0),
      depth: parent.depth,
    },
  };
}
