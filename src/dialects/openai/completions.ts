/** `POST /chat/completions`: one turn of an agent, for a client that keeps the conversation itself. */
import { invalid, ok, type Outcome } from "../../../actors/fault.ts";
import { FreeObject, Type, type Static } from "../../../actors/schema.ts";
import type { Change, Commit, JoinedAnswer } from "../../http/commit/commit.ts";
import { checkedField } from "../../http/contract/body-schema.ts";
import type { Caller } from "../../http/request/caller.ts";
import { beginRun, type GivenRun, joinRun } from "../runs/begin-run.ts";
import { giveResults } from "../runs/client-results.ts";
import { followRun } from "../runs/followed-run.ts";
import { type ProtocolServices, protocolOperation } from "../runs/protocol.ts";
import { openAiCallId } from "./call-id.ts";
import { askedConversation, type CompletionMessage, messageErrors } from "./chat-messages.ts";
import { completedChat } from "./completion.ts";
import { CompletionFrames } from "./completion-frames.ts";
import {
  continuedChat,
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
  askedSettings,
  functionTools,
  isRetriedRun,
} from "./parameters.ts";

const ChatCompletionBody = Type.Object({
  model: Type.String({ minLength: 1, maxLength: 512 }),
  messages: checkedField<readonly CompletionMessage[]>(Type.Array(FreeObject), messageErrors),
  stream: Type.Optional(Type.Boolean()),
  stream_options: Type.Optional(FreeObject),
  tools: Type.Optional(Type.Array(FreeObject, { maxItems: 128 })),
  tool_choice: Type.Optional(Type.Unknown()),
  response_format: Type.Optional(FreeObject),
  n: Type.Optional(Type.Integer()),
  metadata: Type.Optional(FreeObject),
  max_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  max_completion_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  ...SETTING_FIELDS,
});
type ChatCompletionBody = Static<typeof ChatCompletionBody>;

/** What a completion's answer needs besides its run; kept with an idempotency key. */
interface CompletionWork {
  readonly jobId: string;
  readonly afterCalls?: readonly string[];
  readonly model: string;
  readonly created: number;
  readonly isStreamed: boolean;
  readonly hasUsage: boolean;
}

export const completionOperations = {
  openAiCreateChatCompletion: protocolOperation(
    {
      method: "POST",
      path: "/openai/v1/chat/completions",
      ...RUN_CONTRACT,
      summary: "Create a chat completion",
      body: ChatCompletionBody,
    },
    {
      admit: ({ streams }, { principal }) => streams.room(principal.organizationId),
      run: (services, change, { body, headers }) => beginCompletion(services, change, body, isRetriedRun(headers)),
      join: (services, caller, work) => answerCompletion(services, caller, work as unknown as CompletionWork),
    },
  ),
};

async function beginCompletion(
  services: ProtocolServices,
  change: Change,
  body: ChatCompletionBody,
  isRetry: boolean,
): Promise<Outcome<Commit>> {
  if (body.n !== undefined && body.n !== 1) return invalid("/n", "n must be 1: an agent gives one answer");
  const { model, messages, stream = false, stream_options: options, metadata = {} } = body;
  const more = {
    model,
    created: Math.floor(services.clock.now() / 1_000),
    isStreamed: stream,
    hasUsage: options?.["include_usage"] === true,
  };
  const { asked, ...conversation } = askedConversation(messages);
  if (asked.kind === "results") {
    const { jobId, results } = asked;
    if (jobId === null)
      return invalid(`/${results[0]?.field}`, "The results belong to no run of this service that waits for them");
    const given = await giveResults(
      services,
      change,
      { jobId, results, nameOf: (id) => openAiCallId(jobId, id) },
      more,
    );
    return !given.ok && given.fault.kind === "not_found"
      ? invalid(`/${results[0]?.field}`, "This result belongs to no run")
      : given;
  }
  const agent = await agentOfName(services, change.principal, model, "model");
  if (!agent.ok) return agent;
  const agentId = agent.value.id;
  const of = { by: change.principal, agentId, messages };
  const { instructions } = conversation;
  const conversationOf = conversationDigest(of);
  const digest = requestDigest(body, { conversation: conversationOf, instructions });
  const [retried, chatId] = await Promise.all([
    firstAttemptOf(services, of, { digest, isRetry }),
    continuedChat(services, of),
  ]);
  if (retried !== null) return joinRun(change, { ...more, jobId: retried.id, chatId: retried.chatId });
  const run = {
    protocol: "openai",
    agentId,
    agent: agent.value,
    content: asked.content,
    field: asked.field,
    key: null,
    tools: body.tool_choice === "none" ? [] : functionTools(body.tools ?? []),
    instructions,
    instructionsField: "messages",
    modelSettings: askedSettings(body, body.max_completion_tokens ?? body.max_tokens),
    metadata: { ...metadata, [CONVERSATION_FIELD]: conversationOf, [REQUEST_FIELD]: digest },
    ...answerFormat(body.response_format, "response_format"),
  } satisfies Omit<GivenRun, "chat">;
  if (chatId !== null) {
    const begun = await beginRun(
      services,
      change,
      { ...run, chat: { kind: "existing", chatId }, onBusy: "reject" },
      more,
    );
    // Another request may have continued the chat meanwhile: this one goes on in a chat of its own.
    if (begun.ok || begun.fault.kind !== "chat_busy") return begun;
  }
  const chat = { kind: "new", history: conversation.history } as const;
  return beginRun(services, change, { ...run, chat }, more);
}

async function answerCompletion(
  services: ProtocolServices,
  caller: Caller,
  { jobId, afterCalls = [], isStreamed, hasUsage, ...facts }: CompletionWork,
): Promise<Outcome<JoinedAnswer>> {
  const part = { jobId, afterCalls };
  const leave = services.readers.enter(jobId);
  if (isStreamed) {
    const frames = new CompletionFrames({ jobId, ...facts }, { hasUsage });
    return followRun(services, caller, part, frames, { onEnd: leave });
  }
  try {
    const answer = await completedChat(services, caller, part, facts);
    return answer.ok && !(answer.value instanceof Response)
      ? ok({ status: 200, body: answer.value, isFinal: true })
      : (answer as Outcome<Response>);
  } finally {
    leave();
  }
}
