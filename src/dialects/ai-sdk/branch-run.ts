/**
 * A run in a fork of a client's chat (CHAT-13): for an edited message, and for an answer that is written again. The
 * fork, its message, and the end of the run that it replaces are one commit. The fork's id follows from its reason, so
 * that a retry finds it.
 */
import { chatRef } from "../../../actors/chat/schema.ts";
import type { Outcome } from "../../../actors/fault.ts";
import { type Job, PLAIN_TERMS } from "../../../actors/job/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import type { InputBlock } from "../../../actors/upload/terms.ts";
import type { Change, Commit } from "../../http/commit/commit.ts";
import type { Services } from "../../operations/services.ts";
import { usesOf } from "../../work/attaching.ts";
import { forkStep } from "../../work/forking.ts";
import { type PreparedWork, prepareWork } from "../../work/prepared-work.ts";
import { cancellingSteps } from "../../work/sending.ts";
import { namedChatId } from "../runs/begin-run.ts";
import { keyedMessage } from "../runs/keyed-run.ts";
import { AI_SDK, BRANCH_FIELD, type UiChats } from "./chat-branch.ts";

/** A fork of a client's chat: of the chat of `job`, before its message or after its answer. */
export interface UiBranch {
  readonly chats: UiChats;
  readonly job: Job;
  readonly side: "before" | "after";
  /** What makes it this fork and no other. */
  readonly reason: readonly string[];
  /** The client's id of the message. */
  readonly messageId: string;
}

export interface BranchMessage {
  readonly content: string;
  readonly blocks?: readonly InputBlock[] | undefined;
  /** The content's field in the body. */
  readonly field: string;
  readonly metadata: JsonObject;
}

/** The ids of the fork, of its message and of its run. */
export function branchIds(by: Principal, { chats, reason, messageId: key }: Omit<UiBranch, "job" | "side">) {
  const name = JSON.stringify([chats.first.id, ...reason]);
  const chatId = namedChatId(by, { protocol: `${AI_SDK} branch`, agentId: chats.first.agentId, name });
  return { chatId, ...keyedMessage(by, { protocol: AI_SDK, chatId, key }) };
}

export async function beginBranch(
  services: Services,
  change: Change,
  branch: UiBranch,
  message: BranchMessage,
): Promise<Outcome<Commit>> {
  const { principal: by, requestId } = change;
  const { first, current } = branch.chats;
  const { organizationId } = by;
  const { blocks, field, metadata } = message;
  const { agentId: agent, workspaceId, options } = first;
  const work = await prepareWork(services, { by, agent, workspaceId, model: options.model, blocks, field });
  if (!work.ok) return work;
  const { chatId, ...keyed } = branchIds(by, branch);
  const fork = await uiForkStep(services, by, branch, { work: work.value, chatId });
  if (!fork.ok) return fork;
  const terms = { ...PLAIN_TERMS, provenance: { origin: AI_SDK } as const, requestId, metadata };
  const { content } = message;
  return change.begin(
    [
      fork.value,
      work.value.message({ chatId, opening: null, content, blocks, onBusy: "queue", terms, metadata, keyed }),
      ask(chatRef(organizationId, first.id), {
        kind: "update_chat",
        options: {},
        metadata: { ...first.metadata, [BRANCH_FIELD]: chatId },
        version: null,
      }),
      ...usesOf(by, blocks, field),
      // The run that the branch replaces may still run.
      ...(current.activeJobId === null ? [] : cancellingSteps({ organizationId, id: current.activeJobId })),
    ],
    () => ({ chatId, jobId: keyed.jobId }),
  );
}

/** The member that makes the fork. */
async function uiForkStep(
  services: Services,
  { organizationId, userId }: Principal,
  { job, side, chats }: UiBranch,
  { work, chatId }: { readonly work: PreparedWork; readonly chatId: string },
) {
  const source = await services.system.dispatch(chatRef(organizationId, job.chatId), { kind: "read_chat" });
  if (!source.ok) return source;
  const isEdit = side === "before";
  const from = isEdit ? job.inputMessageId : job.outputMessageId;
  const { title } = chats.first.options;
  return forkStep(services, { source: source.value, chatId, from, isEdit, agent: work.agent, title, userId });
}
