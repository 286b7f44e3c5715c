/** Where a response takes place, and what its input adds there. */
import { chatRef } from "../../../actors/chat/schema.ts";
import { invalid, ok, type Outcome } from "../../../actors/fault.ts";
import { waitingCalls } from "../../../actors/job/client-call.ts";
import { isTerminal, openApprovals } from "../../../actors/job/machine.ts";
import { type Job, TEXT_SEPARATOR } from "../../../actors/job/schema.ts";
import { lookUp } from "../../log/look-up.ts";
import type { GivenContent } from "../../work/content-blocks.ts";
import { type GivenChat, type GivenRun, namedChatId } from "../runs/begin-run.ts";
import { readRun } from "../runs/followed-run.ts";
import type { GivenPast } from "../runs/past-messages.ts";
import type { ProtocolServices } from "../runs/protocol.ts";
import { openAiApprovalId, openAiCallId } from "./call-id.ts";
import { followedPart } from "./response-facts.ts";
import { continuedChat } from "./conversation.ts";

interface Placing {
  readonly previous: Job | null;
  readonly conversation: string | null;
  readonly history: Extract<GivenChat, { readonly kind: "new" }>["history"];
}

interface ResponsePlaces {
  /** A busy place is followed by the next one. */
  readonly chats: readonly GivenChat[];
  /** Whether the client has named a chat that exists, to which its input is added. */
  readonly isExisting: boolean;
}

/** Where the response takes place. */
export async function responsePlaces(
  services: ProtocolServices,
  of: Parameters<typeof continuedChat>[1],
  { previous, conversation, history = [] }: Placing,
): Promise<Outcome<ResponsePlaces>> {
  if (previous !== null) {
    const chats = await placesAfter(services, of.by.organizationId, previous);
    return chats.ok ? ok({ chats: chats.value, isExisting: true }) : chats;
  }
  if (conversation !== null) return conversationPlace(services, of, { name: conversation, history });
  const chatId = await continuedChat(services, of);
  const chats = [
    ...(chatId === null ? [] : [{ kind: "existing" as const, chatId }]),
    { kind: "new" as const, history },
  ];
  return ok({ chats, isExisting: false });
}

async function conversationPlace(
  services: ProtocolServices,
  { by, agentId }: Parameters<typeof continuedChat>[1],
  { name, history }: Pick<Extract<GivenChat, { readonly kind: "named" }>, "name" | "history">,
): Promise<Outcome<ResponsePlaces>> {
  const chatId = namedChatId(by, { protocol: "openai", agentId: "", name });
  const chat = await services.system.dispatch(chatRef(by.organizationId, chatId), { kind: "read_chat" });
  if (chat.ok && chat.value.agentId !== agentId)
    return invalid("/model", `This conversation is with the model ${chat.value.agentName}`);
  if (!chat.ok && chat.fault.kind !== "not_found") return chat;
  const activeId = chat.ok ? chat.value.activeJobId : null;
  const active = activeId === null ? null : await readRun(services, { principal: by }, activeId);
  const waiting = active?.ok === true ? missingOutputs(active.value) : null;
  if (waiting !== null) return waiting;
  return ok({ chats: [{ kind: "named", name, history: history ?? [], isOfAnyAgent: true }], isExisting: chat.ok });
}

/** Refuses a message where results of the client's functions, or its decisions, are missing; null: none are. */
function missingOutputs(job: Job): Outcome<never> | null {
  const ids = waitingCalls(job).map(({ id }) => openAiCallId(job.id, id));
  if (ids.length > 0)
    return invalid(
      "/input",
      `The response before waits for results. Send them first, without a message: ${ids.join(", ")}`,
    );
  const { endsAtApprovals = false } = followedPart(job, { jobId: job.id, afterRounds: 0 });
  const asked = endsAtApprovals ? openApprovals(job).map(({ id }) => openAiApprovalId(job.id, id)) : [];
  return asked.length === 0
    ? null
    : invalid(
        "/input",
        `The response before waits for decisions. Send them first, without a message: ${asked.join(", ")}`,
      );
}

type AskedContent = Pick<GivenRun, "content" | "field">;

/** What the input adds to a chat that exists: its last message, with those of the user right before it. */
export function addedContent(history: readonly GivenPast[], { content, field }: AskedContent): Outcome<AskedContent> {
  const earlier = history.findLastIndex(({ role }) => role === "assistant");
  if (earlier >= 0)
    return invalid("/input", "Only messages of the user can be added here: the conversation has its answers already");
  if (history.length === 0) return ok({ content, field });
  const contents = [...history.flatMap((past) => (past.role === "user" ? [past.content] : [])), content];
  return ok({ content: joinedContent(contents), field: "input" });
}

/** Contents as one: a text if all of them are. */
const joinedContent = (contents: readonly GivenContent[]): GivenContent =>
  contents.every((one) => typeof one === "string")
    ? contents.join(TEXT_SEPARATOR)
    : contents.flatMap((one) => (typeof one === "string" ? [{ type: "text" as const, text: one }] : one));

/** The chat of the previous response; a branch of it, if the chat has gone on since, or goes on meanwhile. */
async function placesAfter(
  services: ProtocolServices,
  organizationId: string,
  previous: Job,
): Promise<Outcome<readonly GivenChat[]>> {
  const waiting = missingOutputs(previous);
  if (waiting !== null) return waiting;
  if (!isTerminal(previous.status))
    return invalid("/previous_response_id", "The previous response is not over: read it, or cancel it, first");
  const { chatId, createdBy: seenBy, id, outputMessageId: messageId } = previous;
  const latest = await lookUp(services.log, services.jobs.latest(organizationId, { chatId, seenBy }, 1));
  const isLast = !latest.ok || latest.value[0] === undefined || latest.value[0].id === id;
  const branch = { kind: "branch", chatId, messageId } as const;
  return ok(isLast ? [{ kind: "existing", chatId }, branch] : [branch]);
}
