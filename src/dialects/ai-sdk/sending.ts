/** What a request of a chat client begins or continues: each is one commit, and the same once more is the same run. */
import type { FoundMessage } from "../../../actors/chat/protocol.ts";
import { invalid, notFound, type Outcome } from "../../../actors/fault.ts";
import { isTerminal } from "../../../actors/job/machine.ts";
import type { Change, Commit } from "../../http/commit/commit.ts";
import { saidContent } from "../../operations/said-content.ts";
import type { Services } from "../../operations/services.ts";
import { beginFirstRun, beginRun, type GivenRun, joinRun } from "../runs/begin-run.ts";
import { latestRun, readRun } from "../runs/followed-run.ts";
import { keyedMessage } from "../runs/keyed-run.ts";
import { answerRun } from "../runs/run-answers.ts";
import { beginBranch, branchIds } from "./branch-run.ts";
import { AI_SDK, findUiChats, findUiMessage, type UiChatName, type UiChats } from "./chat-branch.ts";
import type { UiRequest } from "./given-messages.ts";

type RequestOf<K extends UiRequest["kind"]> = Extract<UiRequest, { readonly kind: K }>;

/** Metadata of a run: the client's id of its message, and the run whose answer it writes again. */
const MESSAGE_FIELD = "ai_sdk_message_id";
const AGAIN_FIELD = "ai_sdk_regenerates";

export async function beginUiRun(
  services: Services,
  change: Change,
  name: UiChatName,
  request: UiRequest,
): Promise<Outcome<Commit>> {
  if (request.kind === "answers") return takeUiAnswers(services, change, name, request);
  const { principal: by } = change;
  if (request.kind === "message" && request.isFirst) {
    const chat = { kind: "named", name: name.name } as const;
    const begun = await beginFirstRun(services, change, { ...uiRun(name, request), chat });
    if (begun !== null) return begun;
  }
  const place =
    request.kind === "message" ? await findUiMessage(services, by, { ...name, key: request.messageId }) : null;
  if (place?.ok === false) return place;
  const chats = await findUiChats(services, by, name, place?.value ?? null);
  if (!chats.ok) return chats;
  if (request.kind === "message")
    return request.isEdit && chats.value !== null
      ? editUiMessage(services, change, chats.value, request)
      : sendUiMessage(services, change, { ...name, chats: chats.value, place: place?.value }, request);
  return chats.value === null ? notFound("chat") : writeAgain(services, change, chats.value, request);
}

/** The next message of the chat. */
function sendUiMessage(
  services: Services,
  change: Change,
  { chats, ...known }: UiChatName & { readonly chats: UiChats | null; readonly place: FoundMessage | undefined },
  request: RequestOf<"message">,
): Promise<Outcome<Commit>> {
  const chat =
    chats === null
      ? ({ kind: "named", name: known.name } as const)
      : ({ kind: "existing", chatId: chats.current.id } as const);
  // A branch has not been asked yet.
  const place = chats === null || chats.current.id === chats.first.id ? known.place : undefined;
  return beginRun(services, change, { ...uiRun(known, request), chat, place });
}

function uiRun({ agentId }: UiChatName, { messageId: key, content, field, answers }: RequestOf<"message">) {
  const metadata = { [MESSAGE_FIELD]: key };
  return { protocol: AI_SDK, agentId, content, field, key, metadata, answers } satisfies Omit<GivenRun, "chat">;
}

/** The message in place of an earlier one: the chat continues in a fork without that one and all that follows it. */
async function editUiMessage(
  services: Services,
  change: Change,
  chats: UiChats,
  { messageId, content, field, afterJobId }: RequestOf<"message">,
): Promise<Outcome<Commit>> {
  const { principal: by } = change;
  const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify(content)).digest("hex");
  const branch = { chats, messageId, reason: ["edit", afterJobId ?? "", messageId, digest] };
  const joined = await joinRun(change, branchRun(branchIds(by, branch)));
  if (joined.ok || joined.fault.kind !== "not_found") return joined;
  // The first message has no answer before it: any run of it says where the conversation begins.
  const first = keyedMessage(by, { protocol: AI_SDK, chatId: chats.first.id, key: messageId }).jobId;
  const job = await readRun(services, change, afterJobId ?? first);
  if (!job.ok)
    return job.fault.kind === "not_found" ? invalid("/messageId", "messageId is not a message of this chat") : job;
  const said = await saidContent(services, change, content, field);
  if (!said.ok) return said;
  const { text, blocks } = said.value;
  const side = afterJobId === null ? "before" : "after";
  const metadata = { [MESSAGE_FIELD]: messageId };
  return beginBranch(services, change, { ...branch, job: job.value, side }, { content: text, blocks, field, metadata });
}

/** The answer of a run once more: the chat continues in a fork, with the run's own message at its end. */
async function writeAgain(
  services: Services,
  change: Change,
  chats: UiChats,
  { jobId }: RequestOf<"regenerate">,
): Promise<Outcome<Commit>> {
  const { principal: by } = change;
  const found = jobId === null ? await latestRun(services, by, chats.current) : await readRun(services, change, jobId);
  if (!found.ok) return found;
  const job = found.value;
  if (job === null) return notFound("message");
  // A retry without an id finds the run that its first attempt has begun.
  if (jobId === null && AGAIN_FIELD in job.metadata && !isTerminal(job.status))
    return joinRun(change, { chatId: job.chatId, jobId: job.id });
  const sent = job.metadata[MESSAGE_FIELD];
  const messageId = typeof sent === "string" ? sent : job.inputMessageId;
  const branch = { chats, messageId, reason: ["again", job.id] };
  const joined = await joinRun(change, branchRun(branchIds(by, branch)));
  if (joined.ok || joined.fault.kind !== "not_found") return joined;
  const metadata = { [MESSAGE_FIELD]: messageId, [AGAIN_FIELD]: job.id };
  const message = { content: job.input, blocks: job.inputBlocks, field: "messages", metadata };
  return beginBranch(services, change, { ...branch, job, side: "before" }, message);
}

const branchRun = ({ chatId, jobId }: { readonly chatId: string; readonly jobId: string }) => ({ chatId, jobId });

/** Decisions and results for a run that waits. The stream that follows continues the client's message. */
async function takeUiAnswers(
  services: Services,
  change: Change,
  { agentId }: UiChatName,
  { jobId, answers, known, field }: RequestOf<"answers">,
): Promise<Outcome<Commit>> {
  const job = await readRun(services, change, jobId);
  const isOwn = job.ok && job.value.agent.id === agentId;
  if (!job.ok && job.fault.kind !== "not_found") return job;
  if (!job.ok || !isOwn) return invalid(`/${field}/id`, "The last message does not belong to a run of this agent");
  const { chatId } = job.value;
  return answerRun(
    services,
    change,
    { job: job.value, answers },
    { chatId, jobId, known: { ...known, answered: [...known.answered] } },
  );
}
