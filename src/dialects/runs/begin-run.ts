/**
 * Begins a run for a client of a foreign protocol, by the same work as every other caller (`src/work/prepared-work.ts`):
 * scopes, limits, budgets, events and the ledger are the same.
 *
 * `key` is the protocol's own id of the message. The ids of the job and of the message derive from it, so a retry is the
 * same run (DIA-2), whenever it comes.
 */
import { assert } from "../../../actors/assert.ts";
import type { ChatOpening, FoundMessage, KeyedMessage, SentMessage } from "../../../actors/chat/protocol.ts";
import { type Chat, chatRef, type OnBusy, preview } from "../../../actors/chat/schema.ts";
import { isLonger, oneLine } from "../../../actors/cut-text.ts";
import { type Fault, invalid, isPassing, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import { jobRef, PLAIN_TERMS } from "../../../actors/job/schema.ts";
import { type CallSettings, mergedSettings } from "../../../actors/job/model-settings.ts";
import type { AgentTool } from "../../../actors/job/connections.ts";
import type { JobOrigin } from "../../../actors/job/approval-rule.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { type Agent, organizationRef } from "../../../actors/organization/schema.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { Ask, MemberStep } from "../../../actors/runtime/turns/members.ts";
import { ask } from "../../../actors/troupe.ts";
import type { Change, Commit } from "../../http/commit/commit.ts";
import { withinMetadata } from "../../http/contract/limits.ts";
import { saidContent } from "../../operations/said-content.ts";
import type { Services } from "../../operations/services.ts";
import { usableOwnTools } from "../../operations/usable-own-tools.ts";
import { usableSchema } from "../../operations/usable-schema.ts";
import { usesOf } from "../../work/attaching.ts";
import type { GivenContent } from "../../work/content-blocks.ts";
import { forkStep } from "../../work/forking.ts";
import { keyedId, prepareWork, type WorkRequest } from "../../work/prepared-work.ts";
import { clientTools, type GivenTool, usableGivenTools } from "./client-tools.ts";
import {
  CONTENT_DIGEST_FIELD,
  contentDigest,
  findKeyedRun,
  findMessage,
  type FoundRun,
  keyedMessage,
} from "./keyed-run.ts";
import { type GivenPast, pastMessages } from "./past-messages.ts";
import { answerRun, answersBefore, type RunAnswer } from "./run-answers.ts";

/** Where the run takes place. */
export type GivenChat =
  /** A new chat; its conversation up to here took place at the client. */
  | {
      readonly kind: "new";
      readonly history?: readonly GivenPast[];
    }
  /** The client has chosen this name: the chat is opened with the first message, and continued by the next ones. */
  | {
      readonly kind: "named";
      readonly name: string;
      readonly history?: readonly GivenPast[];
      /** Whether the name is one chat for all agents; absent: each agent has its own. */
      readonly isOfAnyAgent?: boolean;
    }
  | { readonly kind: "existing"; readonly chatId: string }
  /** A new chat with the conversation of this one up to and including this message. */
  | { readonly kind: "branch"; readonly chatId: string; readonly messageId: string };

export interface GivenRun {
  /** The name of the protocol. It keeps the keys of protocols apart, and must never change. */
  readonly protocol: JobOrigin;
  readonly agentId: string;
  /** The agent, if it was just found for this user; absent: it is looked up. */
  readonly agent?: Agent;
  readonly chat: GivenChat;
  readonly content: GivenContent;
  /** The content's field in the body, for refusals. */
  readonly field: string;
  /** What its chat has just said of the message; absent: it is asked. */
  readonly place?: FoundMessage | undefined;
  /** The protocol's id of this message, unique for its sender in the chat; null: it has none. */
  readonly key: string | null;
  /** What the message does in a busy chat; absent: it waits. */
  readonly onBusy?: OnBusy;
  readonly tools?: readonly GivenTool[];
  /** The tools' field in the body. */
  readonly toolsField?: string;
  /** Appended to the agent's prompt, for this run. */
  readonly instructions?: string;
  /** The instructions' field in the body. */
  readonly instructionsField?: string;
  readonly modelSettings?: CallSettings;
  readonly outputSchema?: JsonObject;
  readonly schemaField?: string;
  readonly metadata?: JsonObject;
  /** The same message begins another run after one that has failed. */
  readonly repeatsFailed?: true;
  /** A member of the commit that begins the run, for addresses that get its states; absent: there are none. */
  readonly pushes?: (jobId: string) => MemberStep;
  /** Answers to the run that the chat waits for, given with the message; a missing one refuses it. Absent: it waits. */
  readonly answers?: readonly RunAnswer[];
}

/** The begun run, and what else the protocol's answer needs: it is kept with an idempotency key. */
export interface BegunRun {
  readonly jobId: string;
  readonly chatId: string;
}

/** Characters of a client's instructions: as many as an agent's own prompt may have. */
const RUN_INSTRUCTIONS = 65_536;
/** Characters of the first message that become the title of its chat. */
const RUN_TITLE_CHARACTERS = 80;

/** Commits the message with its job. `more` is kept beside the ids, for the handler's `join`. */
export async function beginRun(
  services: Services,
  change: Change,
  run: GivenRun,
  more: JsonObject = {},
): Promise<Outcome<Commit>> {
  let begun = await beginRunAt(services, change, run, more);
  // The chat was opened between the look-up and the commit.
  if (isOpenAlready(begun)) begun = await beginRunAt(services, change, { ...run, place: undefined }, more);
  return isGone(begun) && run.chat.kind === "named" ? NAME_OF_DELETED : begun;
}

const isOpenAlready = (begun: Outcome<Commit>): boolean => !begun.ok && begun.fault.kind === "version_conflict";
const isGone = (begun: Outcome<Commit>): boolean =>
  !begun.ok && begun.fault.kind === "not_found" && begun.fault.noun === "chat";

/** A chat that the client has not begun. */
const NEW_PLACE: FoundMessage = { chat: null, isSent: false };

/**
 * Begins the run of what seems to be the first message of its chat, without a look-up (DIA-27). Null: it is refused, so
 * the message has to be looked up: it may have a run. A message with files is always looked up, because they would be
 * fetched first.
 */
export async function beginFirstRun(
  services: Services,
  change: Change,
  run: GivenRun,
  more: JsonObject = {},
): Promise<Outcome<Commit> | null> {
  const { content } = run;
  if (typeof content !== "string" && content.some(({ type }) => type !== "text")) return null;
  const begun = await beginRunAt(services, change, { ...run, place: NEW_PLACE }, more);
  return begun.ok || isPassing(begun.fault) ? begun : null;
}

async function beginRunAt(
  services: Services,
  change: Change,
  run: GivenRun,
  more: JsonObject,
): Promise<Outcome<Commit>> {
  const { principal: by, requestId } = change;
  const chatId = runChatId(by, run);
  // A branch is two members of a group, of which only the first one's reply is at hand: so its job has a known id.
  const key = run.key ?? (run.chat.kind === "branch" ? requestId : null);
  let keyed = key === null ? undefined : keyedMessage(by, { ...run, key, chatId });
  // The checks that need no record of the place are made while it is read.
  const [before, checked] = await Promise.all([
    readPlace(services, by, run, { chatId, keyed }),
    checkRunParts(services, by, run),
  ]);
  const { found, chat } = before;
  if (found !== null) {
    if (!found.ok) return found;
    const { job, keyed: ids } = found.value;
    keyed = ids;
    if (job !== null)
      return answerRun(services, change, { job, answers: run.answers ?? [] }, { ...more, chatId, jobId: job.id });
  }
  const answers = run.answers === undefined ? ok([]) : await answersBefore(services, change, chat, run.answers);
  if (!answers.ok) return answers;
  const { agent, tools } = checked;
  if (!agent.ok) return agent;
  const given = await placeOf(services, by, run, chat);
  if (!given.ok) return given;
  if (!tools.ok) return tools;
  const said = await saidContent(services, change, run.content, run.field);
  if (!said.ok) return said;
  const { text: content, blocks } = said.value;
  const { field } = run;
  const { opening, ...request } = given.value;
  const work = await prepareWork(services, { by, agent: agent.value, blocks, field, ...request });
  if (!work.ok) return work;
  const past = opening === null ? ok([]) : await pastMessages(services, change, historyOf(run.chat));
  if (!past.ok) return past;
  const { outputSchema, onBusy = "queue", instructions = "" } = run;
  const digest = run.key === null ? {} : { [CONTENT_DIGEST_FIELD]: contentDigest(run.content) };
  const metadata = { ...run.metadata, ...digest };
  const modelSettings = settingsOfModel(services, request.model ?? agent.value.model, run.modelSettings);
  const message = work.value.extended({ tools: tools.value, instructions }).message({
    chatId,
    opening: opening === null ? null : { ...opening, history: past.value },
    content,
    blocks,
    onBusy,
    terms: {
      ...PLAIN_TERMS,
      provenance: { origin: run.protocol },
      requestId,
      metadata,
      ...(modelSettings === undefined ? {} : { modelSettings }),
      ...(outputSchema === undefined ? {} : { outputSchema }),
      ...(run.pushes === undefined ? {} : { isPushed: true as const }),
    },
    metadata,
    keyed,
  });
  const uses = usesOf(by, blocks, field);
  if (run.chat.kind === "branch" && keyed !== undefined) {
    const fork = await branchStep(services, by, chatId, run.chat);
    if (!fork.ok) return fork;
    return change.begin([fork.value, message, ...uses], () => ({ ...more, chatId, jobId: keyed.jobId }));
  }
  // A message that came at the same time, and was first, has brought the answers too.
  const answering = answers.value.map(
    (step) => (replies: readonly unknown[]) =>
      (replies[0] as SentMessage).job === null ? null : typeof step === "function" ? step(replies) : step,
  );
  const pushes = run.pushes === undefined || keyed === undefined ? [] : [run.pushes(keyed.jobId)];
  return change.begin([message, ...answering, ...uses, ...pushes], ({ message: { jobId } }) => {
    assert(jobId !== null, "a message has a job of its own, or one that it steers");
    return { ...more, chatId, jobId };
  });
}

/** The id of a chat comes from its name, so a deleted one is not replaced: a retry of an old message would be in it. */
const NAME_OF_DELETED = refuse({
  kind: "invalid_state",
  status: "deleted",
  allowedActions: [],
  message: "The chat that this client began under this id was deleted: begin a chat with another id",
});

/** The member that opens the new chat of a branch. */
async function branchStep(
  services: Services,
  by: Principal,
  chatId: string,
  { chatId: sourceId, messageId: from }: Extract<GivenChat, { readonly kind: "branch" }>,
): Promise<Outcome<Ask<Chat>>> {
  const { organizationId, userId } = by;
  const source = await services.system.dispatch(chatRef(organizationId, sourceId), { kind: "read_chat" });
  if (!source.ok) return source;
  const { agentId: id, agentName: name, options } = source.value;
  const { title } = options;
  return forkStep(services, { source: source.value, chatId, from, isEdit: false, agent: { id, name }, title, userId });
}

/** The settings without those that the model does not take: most clients send theirs with every request. */
function settingsOfModel(
  { models }: Pick<Services, "models">,
  model: string | null,
  settings: CallSettings = {},
): CallSettings | undefined {
  const given = Object.entries(settings);
  if (given.length === 0) return undefined;
  const refused = new Set<string>(
    (models.settingProblems?.(model, mergedSettings(null, settings)) ?? []).map(({ setting }) => setting),
  );
  const taken = given.filter(([name]) => !refused.has(name));
  return taken.length === 0 ? undefined : (Object.fromEntries(taken) as CallSettings);
}

/** Joins a run that exists: commits nothing. */
export const joinRun = (change: Change, begun: BegunRun & JsonObject): Promise<Outcome<Commit>> =>
  change.begin([ask(jobRef(change.principal.organizationId, begun.jobId), { kind: "read_job" })], () => begun);

/** The id of the chat that a client names. */
export const namedChatId = (
  by: Pick<Principal, "organizationId" | "userId">,
  { protocol, agentId, name }: { readonly protocol: string; readonly agentId: string; readonly name: string },
): string => keyedId("cht", { purpose: protocol, key: JSON.stringify([by.organizationId, by.userId, agentId, name]) });

function runChatId(by: Principal, { protocol, agentId, chat, key }: GivenRun): string {
  if (chat.kind === "existing") return chat.chatId;
  if (chat.kind === "named")
    return namedChatId(by, { protocol, agentId: chat.isOfAnyAgent === true ? "" : agentId, name: chat.name });
  if (chat.kind === "branch" || key === null) return newId("cht");
  return namedChatId(by, { protocol: `${protocol} message`, agentId, name: key });
}

const historyOf = (chat: GivenChat): readonly GivenPast[] =>
  chat.kind === "new" || chat.kind === "named" ? (chat.history ?? []) : [];

/** What the database may have to be asked for before a run begins, in one question (DIA-27). */
async function readPlace(
  services: Services,
  by: Principal,
  run: GivenRun,
  { chatId, keyed }: { readonly chatId: string; readonly keyed: KeyedMessage | undefined },
): Promise<{ readonly found: FoundRun | null; readonly chat: Outcome<Chat> }> {
  const { system } = services;
  const { organizationId } = by;
  const { chat, protocol, content, key, repeatsFailed = false } = run;
  if (keyed === undefined) {
    if (chat.kind === "new") return { found: null, chat: NO_CHAT };
    return { found: null, chat: await system.dispatch(chatRef(organizationId, chatId), { kind: "read_chat" }) };
  }
  const [place, source] = await Promise.all([
    run.place === undefined ? findMessage(services, by, { chatId, messageId: keyed.messageId }) : ok(run.place),
    chat.kind === "branch" ? system.dispatch(chatRef(organizationId, chat.chatId), { kind: "read_chat" }) : null,
  ]);
  if (!place.ok) return { found: place, chat: place };
  const { isSent, chat: here } = place.value;
  const read = source ?? (here === null ? NO_CHAT : ok(here));
  if (key === null) return { found: null, chat: read };
  // A message and its run are one commit: without the one there is no other.
  const found = isSent
    ? await findKeyedRun(services, by, { protocol, content, repeatsFailed, key, chatId })
    : ok({ keyed, job: null });
  return { found, chat: read };
}

/** The agent, and the client's tools as it gets them; refuses parts of the run that cannot be used. */
async function checkRunParts(
  services: Services,
  by: Principal,
  run: GivenRun,
): Promise<{ readonly agent: Outcome<Agent>; readonly tools: Outcome<AgentTool[]> }> {
  const agent = run.agent === undefined ? await services.agents.find(by, run.agentId) : ok(run.agent);
  if (!agent.ok) return { agent, tools: agent };
  const bounded = boundedRunParts(run);
  if (!bounded.ok) return { agent, tools: bounded };
  const tools = clientTools(services, agent.value, run.tools ?? []);
  const usable = await usableRunParts(services, by.organizationId, run, tools);
  return { agent, tools: usable.ok ? ok(tools) : usable };
}

/** The chat's settings for the work in it, and how it is opened; null if it exists. */
async function placeOf(
  { system }: Pick<Services, "system">,
  { organizationId }: Principal,
  { chat, content }: GivenRun,
  found: Outcome<Chat>,
): Promise<Outcome<Pick<WorkRequest, "model" | "workspaceId"> & { readonly opening: ChatOpening | null }>> {
  if (found.ok) return ok({ model: found.value.options.model, workspaceId: found.value.workspaceId, opening: null });
  if (found.fault.kind !== "not_found" || chat.kind === "existing" || chat.kind === "branch") return found;
  const organization = await system.dispatch(organizationRef(organizationId), { kind: "read_organization" });
  if (!organization.ok) return organization;
  return ok({ opening: { workspaceId: organization.value.defaultWorkspaceId, title: runTitle(content) } });
}

const NO_CHAT = refuse({ kind: "not_found", noun: "chat" } satisfies Fault);

/** The text of the message as a title; its files have no names of their own. */
function runTitle(content: GivenContent): string {
  const text =
    typeof content === "string"
      ? content
      : content.map((block) => (block.type === "text" ? block.text : (block.name ?? block.type))).join(" ");
  return preview(oneLine(text, RUN_TITLE_CHARACTERS), RUN_TITLE_CHARACTERS);
}

/** Refuses what the job would keep of the request if it is too long. */
function boundedRunParts(run: GivenRun): Outcome<null> {
  const {
    tools = [],
    toolsField = "tools",
    instructions = "",
    instructionsField = "instructions",
    metadata = {},
  } = run;
  if (isLonger(instructions, RUN_INSTRUCTIONS))
    return invalid(
      `/${instructionsField}`,
      `${instructionsField} has more than ${RUN_INSTRUCTIONS} characters of instructions for the agent`,
    );
  const fits = withinMetadata(metadata);
  return fits.ok ? usableGivenTools(tools, toolsField) : fits;
}

/** Whether the client's tools and schema can be used; refusals name their places in the body. */
async function usableRunParts(
  services: Services,
  organizationId: string,
  run: GivenRun,
  tools: readonly AgentTool[],
): Promise<Outcome<null>> {
  const { outputSchema: schema, schemaField = "output_schema", toolsField = "tools" } = run;
  const answer = await usableSchema(services, organizationId, { schema, path: `/${schemaField}` });
  if (!answer.ok) return answer;
  const own = await usableOwnTools(services, organizationId, tools);
  if (own.ok || own.fault.kind !== "invalid_request" || toolsField === "tools") return own;
  const errors = own.fault.errors.map(({ path, message }) => ({
    path: path.replace(/^\/tools/, `/${toolsField}`),
    message,
  }));
  return refuse({ kind: "invalid_request", errors });
}
