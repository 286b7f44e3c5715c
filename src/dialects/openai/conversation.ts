/**
 * The place of a stateless request (DIA-5). A client sends the whole conversation each time, and no id of it. So each
 * job keeps a digest of the conversation that it answers, and one of its whole request:
 *
 *   the request's digest ──▶ a job that may be this request's first attempt: it is joined (DIA-2)
 *   the conversation's digest up to the user's message before ──▶ the job that answered that: its chat continues, if the
 *                                                  client repeats that answer and nothing came after it
 *   otherwise ──▶ a new chat, opened with the conversation that the client sends
 *
 * Continuing a chat keeps what the client never sees: the calls of the agent's tools, summaries, and the provider's
 * cache.
 */
import type { RepeatedJob } from "../../../actors/job/directory.ts";
import { isJsonObject, isoTime } from "../../../actors/schema.ts";
import { chatRef } from "../../../actors/chat/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { lookUp } from "../../log/look-up.ts";
import type { ProtocolServices } from "../runs/protocol.ts";
import { RESPONSE_FIELD } from "./response-facts.ts";
import { type CompletionMessage, textOf } from "./chat-messages.ts";

/** The field of a job's metadata with the digest of the conversation that it answers. */
export const CONVERSATION_FIELD = "openai_conversation";
/** The field of a job's metadata with the digest of its request. */
export const REQUEST_FIELD = "openai_request";
/** A retry comes within this time. */
const JOINED_RETRY_MS = 60 * 60 * 1_000;
/** Jobs of one conversation that are looked at, the newest first. */
const LOOKED_AT = 5;

/** The digest of the messages of users, agents and tools, up to and including the last one. */
export function conversationDigest({
  agentId,
  messages,
  place = "",
}: Pick<AskedCompletion, "agentId" | "messages" | "place">): string {
  const said = messages
    .filter(({ role }) => role !== "system" && role !== "developer")
    .map(({ role, content, tool_calls: calls, tool_call_id: id }) => [role, plain(content), calls ?? null, id ?? null]);
  return sha256Of([agentId, place, said]);
}

const sha256Of = (value: unknown): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify(value)).digest("base64url");

/** Fields of a body that are in the conversation's digest, or that say only how the answer is sent. */
const OUTSIDE_DIGEST: ReadonlySet<string> = new Set(["model", "messages", "input", "stream", "stream_options"]);

/** The digest of a request: the conversation, what the agent is told for it, and all other parameters. */
export function requestDigest(
  body: object,
  { conversation, instructions }: { readonly conversation: string; readonly instructions: string },
): string {
  const rest = Object.entries(body).filter(([name]) => !OUTSIDE_DIGEST.has(name));
  return sha256Of([conversation, instructions, rest.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

/** A text is the same as a list with just this text. */
function plain(content: CompletionMessage["content"]): unknown {
  if (content === undefined) return null;
  return Array.isArray(content) && content.every(({ type }) => type === "text") ? textOf({ content }) : content;
}

interface AskedCompletion {
  readonly by: Principal;
  readonly agentId: string;
  readonly messages: readonly CompletionMessage[];
  /** The conversation that the client names, and of which it sends only what is new. */
  readonly place?: string;
}

async function jobsOf(
  { jobs, log }: ProtocolServices,
  { by, agentId }: AskedCompletion,
  of: { readonly metadata: Readonly<Record<string, string>>; readonly createdAfter?: string },
): Promise<readonly RepeatedJob[]> {
  const found = jobs.repeated(by.organizationId, { createdBy: by.userId, agentId, ...of }, LOOKED_AT);
  const known = await lookUp(log, found);
  return known.ok ? known.value : [];
}

const hasFailed = ({ status }: RepeatedJob): boolean =>
  status === "failed" || status === "cancelled" || status === "cancelling";

/** Whether the run goes on although its client would still read: it has sent no answer, and no calls, to anybody. */
function isLost({ status, blockedReason, metadata }: RepeatedJob): boolean {
  const kept = metadata[RESPONSE_FIELD];
  const isBackground = isJsonObject(kept) && kept["background"] === true;
  const isWaiting = status === "blocked" && blockedReason === "approval_required";
  return !isBackground && (status === "queued" || status === "running" || isWaiting);
}

/**
 * The run of this request's first attempt: the client says that it retries, or the run has lost its client. Null: there
 * is none. A run that has failed is not joined, because a retry is meant to help against that.
 */
export async function firstAttemptOf(
  services: ProtocolServices,
  asked: AskedCompletion,
  /** `digest` is that of the request. */
  { digest, isRetry }: { readonly digest: string; readonly isRetry: boolean },
): Promise<RepeatedJob | null> {
  const { organizationId } = asked.by;
  // Without this, each new conversation would wait for the look-up.
  const mayRepeat = await services.recent.mayRepeat(organizationId, REQUEST_FIELD, digest);
  if (!isRetry && !mayRepeat) return null;
  const createdAfter = isoTime(services.clock.now() - JOINED_RETRY_MS);
  const isOne = (job: RepeatedJob): boolean =>
    isRetry ? !hasFailed(job) : isLost(job) && !services.readers.has(job.id);
  return (await jobsOf(services, asked, { metadata: { [REQUEST_FIELD]: digest }, createdAfter })).find(isOne) ?? null;
}

/** The chat that this request continues; null: there is none. */
export async function continuedChat(services: ProtocolServices, asked: AskedCompletion): Promise<string | null> {
  const { by, messages, agentId } = asked;
  const before = messages.slice(0, -1);
  const lastUser = before.findLastIndex(({ role }) => role === "user");
  if (lastUser < 0) return null;
  const answer = before
    .slice(lastUser + 1)
    .filter(({ role }) => role === "assistant")
    .map((message) => textOf(message).trim())
    .filter((text) => text !== "")
    .join("\n\n");
  const digest = conversationDigest({ agentId, messages: before.slice(0, lastUser + 1) });
  const candidates = await jobsOf(services, asked, { metadata: { [CONVERSATION_FIELD]: digest } });
  const job = candidates.find(({ status, result }) => status === "completed" && (result ?? "").trim() === answer);
  if (job === undefined) return null;
  const chat = await services.system.dispatch(chatRef(by.organizationId, job.chatId), { kind: "read_chat" });
  if (!chat.ok || chat.value.activeJobId !== null) return null;
  const of = { chatId: job.chatId, seenBy: by.userId };
  const latest = await lookUp(services.log, services.jobs.latest(by.organizationId, of, 1));
  return latest.ok && latest.value[0]?.id === job.id ? job.chatId : null;
}
