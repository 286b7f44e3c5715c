/** `POST /responses`: one turn of an agent, with what the service keeps of it. */
import { chatRef } from "../../../actors/chat/schema.ts";
import { invalid, notFound, ok, type Outcome } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import type { Job } from "../../../actors/job/schema.ts";
import { FreeObject, isJsonObject, type JsonObject, type Static, Type } from "../../../actors/schema.ts";
import type { Change, Commit, JoinedAnswer } from "../../http/commit/commit.ts";
import { checkedField } from "../../http/contract/body-schema.ts";
import type { Caller } from "../../http/request/caller.ts";
import { awaitRun } from "../runs/awaited-run.ts";
import { beginRun, type GivenRun, joinRun } from "../runs/begin-run.ts";
import { giveResults } from "../runs/client-results.ts";
import { followRun, readRun } from "../runs/followed-run.ts";
import { type ProtocolServices, protocolOperation } from "../runs/protocol.ts";
import { openAiCallId } from "./call-id.ts";
import { askedConversation } from "./chat-messages.ts";
import {
  conversationDigest,
  CONVERSATION_FIELD,
  firstAttemptOf,
  REQUEST_FIELD,
  requestDigest,
} from "./conversation.ts";
import { agentOfName } from "../runs/named-agent.ts";
import {
  RUN_CONTRACT,
  SETTING_FIELDS,
  answerFormat,
  decidesApprovals,
  askedSettings,
  functionTools,
  isRetriedRun,
} from "./parameters.ts";
import { followedPart, keptRequest, RESPONSE_FIELD, responseFacts } from "./response-facts.ts";
import { ResponseFrames } from "./response-frames.ts";
import { partOfResponse, type ResponsePart } from "./response-id.ts";
import { decideCalls } from "./approvals.ts";
import { decisionsOfInput, inputErrors, messagesOfInput } from "./response-input.ts";
import { addedContent, responsePlaces } from "./response-places.ts";
import { ResponseState } from "./response-state.ts";
import { ResponseWriter } from "./response-table.ts";
import { roundAfter } from "./rounds.ts";
import { LATE, runErrorResponse } from "./run-errors.ts";

const ResponseBody = Type.Object({
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  input: checkedField<string | readonly JsonObject[]>(Type.Union([Type.String(), Type.Array(FreeObject)]), inputErrors),
  instructions: Type.Optional(Type.String()),
  previous_response_id: Type.Optional(Type.String()),
  conversation: Type.Optional(Type.Unknown()),
  background: Type.Optional(Type.Boolean()),
  stream: Type.Optional(Type.Boolean()),
  tools: Type.Optional(Type.Array(FreeObject, { maxItems: 256 })),
  tool_choice: Type.Optional(Type.Unknown()),
  text: Type.Optional(FreeObject),
  reasoning: Type.Optional(FreeObject),
  metadata: Type.Optional(FreeObject),
  max_output_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  ...SETTING_FIELDS,
});
type ResponseBody = Static<typeof ResponseBody>;

/** Kept with an idempotency key. */
interface ResponseWork extends ResponsePart {
  readonly isStreamed: boolean;
  readonly isBackground: boolean;
}

export const responseOperations = {
  openAiCreateResponse: protocolOperation(
    {
      method: "POST",
      path: "/openai/v1/responses",
      ...RUN_CONTRACT,
      summary: "Create a response",
      body: ResponseBody,
    },
    {
      admit: ({ streams }, { principal }) => streams.room(principal.organizationId),
      run: (services, change, { body, headers }) => beginResponse(services, change, body, isRetriedRun(headers)),
      join: (services, caller, work) => answerResponse(services, caller, work as unknown as ResponseWork),
    },
  ),
};

async function beginResponse(
  services: ProtocolServices,
  change: Change,
  body: ResponseBody,
  isRetry: boolean,
): Promise<Outcome<Commit>> {
  const { stream = false, background = false, metadata = {}, previous_response_id: previousId } = body;
  const more = { isStreamed: stream, isBackground: background, afterRounds: 0 };
  const decided = decisionsOfInput(body.input);
  if (decided.length > 0) return decideCalls(services, change, decided, more);
  const placed = messagesOfInput(body.input);
  const messages = placed.map(({ message }) => message);
  const { asked, ...said } = askedConversation(
    messages,
    placed.map(({ place }) => place),
  );
  if (asked.kind === "results") {
    const { jobId, results } = asked;
    const stray = invalid(`/${results[0]?.field}`, "This result belongs to no run of this service that waits for it");
    if (jobId === null) return stray;
    const run = await readRun(services, change, jobId);
    if (!run.ok) return run.fault.kind === "not_found" ? stray : run;
    const { endsAtApprovals = false } = followedPart(run.value, { jobId, afterRounds: 0 });
    const callIds = results.map(({ callId }) => callId);
    const afterRounds = await roundAfter(services, change, jobId, callIds, endsAtApprovals);
    if (!afterRounds.ok) return afterRounds;
    const given = await giveResults(
      services,
      change,
      { jobId, results, nameOf: (id) => openAiCallId(jobId, id) },
      { ...more, afterRounds: afterRounds.value },
    );
    return !given.ok && given.fault.kind === "not_found" ? stray : given;
  }
  const previous = previousId === undefined ? ok(null) : await jobOfResponse(services, change, previousId);
  if (!previous.ok)
    return previous.fault.kind === "not_found"
      ? invalid("/previous_response_id", "There is no response with this id")
      : previous;
  if (messages.at(-1)?.role !== "user")
    return invalid("/input", "The last item must be a message of the user, or a result of a function");
  if (body.model === undefined && previous.value === null) return invalid("/model", "Missing required field: model");
  const model = body.model ?? previous.value?.agent.id ?? "";
  const agent = await agentOfName(services, change.principal, model, "model");
  if (!agent.ok) return agent;
  const agentId = agent.value.id;
  const conversation = conversationIdIn(body.conversation);
  const isNamed = body.conversation !== undefined && body.conversation !== null;
  if (isNamed && (conversation === null || conversation.length > CONVERSATION_ID))
    return invalid("/conversation", `conversation must be an id of 1 to ${CONVERSATION_ID} characters`);
  if (isNamed && previousId !== undefined)
    return invalid("/conversation", "Send either conversation or previous_response_id");
  const of = { by: change.principal, agentId, messages, place: previousId ?? conversation ?? "" };
  const conversationOf = conversationDigest(of);
  const digest = requestDigest(body, { conversation: conversationOf, instructions: said.instructions });
  const [first, places] = await Promise.all([
    firstAttemptOf(services, of, { digest, isRetry }),
    responsePlaces(services, of, { previous: previous.value, conversation, history: said.history }),
  ]);
  if (first !== null) return joinRun(change, { ...more, jobId: first.id, chatId: first.chatId });
  const { reasoning_effort: effort = body.reasoning?.["effort"], ...settings } = body;
  const kept = {
    model,
    previous: previousId ?? null,
    conversation,
    isBackground: background,
    decidesApprovals: decidesApprovals(body.tools ?? []),
  };
  const run = {
    protocol: "openai",
    agentId,
    agent: agent.value,
    key: null,
    tools: body.tool_choice === "none" ? [] : functionTools(body.tools ?? []),
    instructions: [body.instructions ?? "", said.instructions].filter((text) => text !== "").join("\n\n"),
    modelSettings: askedSettings(
      { ...settings, reasoning_effort: typeof effort === "string" ? effort : undefined },
      body.max_output_tokens,
    ),
    metadata: {
      ...metadata,
      [CONVERSATION_FIELD]: conversationOf,
      [REQUEST_FIELD]: digest,
      [RESPONSE_FIELD]: keptRequest(kept),
    },
    ...answerFormat(isJsonObject(body.text?.["format"]) ? body.text["format"] : undefined, "text/format"),
  } satisfies Omit<GivenRun, "chat" | "content" | "field">;
  if (!places.ok) return places;
  const { chats, isExisting } = places.value;
  const added = isExisting ? addedContent(said.history, asked) : ok(asked);
  if (!added.ok) return added;
  const { content, field } = added.value;
  let begun: Outcome<Commit> = notFound("chat");
  for (const chat of chats) {
    begun = await beginRun(services, change, { ...run, content, field, chat, onBusy: "reject" }, more);
    // Another request may have continued the chat meanwhile: this one goes on in a chat of its own.
    if (begun.ok || begun.fault.kind !== "chat_busy") return begun;
  }
  return begun;
}

/** Characters of the id of a conversation. */
const CONVERSATION_ID = 256;

const conversationIdIn = (given: unknown): string | null => {
  const id = isJsonObject(given) ? given["id"] : given;
  return typeof id === "string" && id !== "" ? id : null;
};

/** The job of a response that was not deleted. */
export async function jobOfResponse(
  services: ProtocolServices,
  caller: Pick<Caller, "principal">,
  id: string,
): Promise<Outcome<Job>> {
  const part = partOfResponse(id);
  const job = part === null ? notFound("job") : await readRun(services, caller, part.jobId);
  if (!job.ok) return job;
  const chat = await services.system.dispatch(chatRef(job.value.organizationId, job.value.chatId), {
    kind: "read_chat",
  });
  if (!chat.ok) return chat.fault.kind === "not_found" ? notFound("job") : chat;
  const deleted = chat.value.metadata[DELETED_FIELD];
  return Array.isArray(deleted) && deleted.includes(job.value.id) ? notFound("job") : job;
}

/** The field of a chat's metadata with the jobs whose responses were deleted. */
export const DELETED_FIELD = "openai_deleted";

async function answerResponse(
  services: ProtocolServices,
  caller: Caller,
  { jobId, afterRounds, isStreamed, isBackground }: ResponseWork,
): Promise<Outcome<JoinedAnswer>> {
  const part = { jobId, afterRounds };
  if (isStreamed) return streamResponse(services, caller, part, null);
  const job = await readRun(services, caller, jobId);
  if (!job.ok) return job;
  const state = new ResponseState(part, responseFacts(job.value, part));
  if (isBackground) {
    state.status = job.value.status === "queued" ? "queued" : "in_progress";
    return ok({ status: 200, body: state.view(), isFinal: false });
  }
  const leave = services.readers.enter(jobId);
  try {
    const followed = followedPart(job.value, part);
    const writer = new ResponseWriter(state, followed);
    const over = await awaitRun(services, caller, followed, (item) => void writer.take(item));
    if (!over.ok) return over;
    return ok(over.value ? { status: 200, body: state.view(), isFinal: true } : runErrorResponse(LATE));
  } finally {
    leave();
  }
}

/** Streams a response, from its start or after a sequence number. */
export async function streamResponse(
  services: ProtocolServices,
  caller: Caller,
  part: ResponsePart,
  after: number | null,
): Promise<Outcome<Response>> {
  const job = await readRun(services, caller, part.jobId);
  if (!job.ok) return job;
  const state = new ResponseState(part, responseFacts(job.value, part));
  const leave = services.readers.enter(part.jobId);
  const followed = followedPart(job.value, part);
  const frames = new ResponseFrames(state, after, followed);
  return followRun(services, caller, followed, frames, { onEnd: leave, job: job.value });
}

/** The operation that makes an id for a conversation; its chat is opened by its first response. */
export const conversationOperations = {
  openAiCreateConversation: protocolOperation(
    {
      method: "POST",
      path: "/openai/v1/conversations",
      scope: "chats:write",
      summary: "Create a conversation",
      body: Type.Object({
        metadata: Type.Optional(FreeObject),
        items: Type.Optional(Type.Array(FreeObject, { maxItems: 20 })),
      }),
      isBodyOptional: true,
      answers: { 200: FreeObject },
      isRead: true,
    },
    ({ clock }, _, { body }) => {
      if ((body.items ?? []).length > 0)
        return invalid("/items", "Send the first items as input of the conversation's first response");
      const id = `conv_${newId("cht").slice("cht_".length)}`;
      return ok({
        id,
        object: "conversation",
        created_at: Math.floor(clock.now() / 1_000),
        metadata: body.metadata ?? {},
      });
    },
  ),
};
