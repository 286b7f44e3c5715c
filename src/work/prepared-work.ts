/**
 * How work begins: one way for executions, messages, delegations, missions and MCP tools. No HTTP here.
 *
 *   prepareWork(services, request)   finds the agent, checks its model and the budget; creates nothing
 *        │
 *        ├─ refused ──▶ the fault that the caller answers
 *        ▼
 *   PreparedWork                     the agent's snapshot, kept by the job (AGT-3)
 *        │ message(terms), firstMessage(terms)
 *        ▼
 *   a member of a turn group         committed by the caller, together with whatever belongs to it
 *
 * The terms are data, and a member may also follow from earlier replies of its group:
 *
 *   const work = await prepareWork(services, { by, agent: agentId });
 *   if (!work.ok) return work;
 *   await system.dispatchGroup([
 *     ask(parentRef, noteTheChild),
 *     ([parent]) => work.value.firstMessage({ chatId, jobId, opening, content, sender, terms: termsOf(parent) }),
 *   ]);
 *
 * Choose one of the two members:
 *
 * - `message` is a user's message: into an existing chat, or into a new one that it opens. If the chat is busy,
 *   `onBusy` decides; `src/work/sending.ts` commits the effect on the running job.
 * - `firstMessage` opens a chat whose id and job id derive from a key (`keyedId`), so that a retry after a
 *   crash joins the first attempt instead of starting over. A new chat is never busy.
 *
 * Priority, budget, deadline, review, lineage, mission, metadata and request id are `JobTerms`; start from
 * `PLAIN_TERMS`. `prepareWork` only reads, so callers may repeat it after a passing fault.
 */
import type { ChatCommand, ChatOpening, SentMessage } from "../../actors/chat/protocol.ts";
import { chatRef } from "../../actors/chat/schema.ts";
import { invalid, ok, type Outcome, refuse } from "../../actors/fault.ts";
import { ID_LENGTH } from "../../actors/ids.ts";
import { isCostKnown } from "../../actors/job/budget.ts";
import { type ModelInfo, type ModelPort, ownKeyWords } from "../../actors/job/ports.ts";
import type { AgentSnapshot, Job } from "../../actors/job/schema.ts";
import type { Budget } from "../../actors/job/terms.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import { type Agent, organizationRef } from "../../actors/organization/schema.ts";
import { type Ask, toNew } from "../../actors/runtime/turns/members.ts";
import { ask, type TroupeSystem } from "../../actors/troupe.ts";
import { workspaceRef } from "../../actors/workspace/schema.ts";
import { type InputBlock, inputNeeded, isAttachment, type ModelInput } from "../../actors/upload/terms.ts";
import type { AgentFinder } from "./agent-finder.ts";
import { agentSnapshot } from "./agent-snapshot.ts";
import { costKnown, refuseUnpriced, withinBudget } from "./budget.ts";
import { errorAt } from "./content-blocks.ts";

export interface WorkServices {
  readonly system: TroupeSystem;
  readonly agents: Pick<AgentFinder, "find">;
  readonly models: Pick<ModelPort, "describe" | "inputOf" | "hasPrice">;
}

/** For whom the work is done: the job acts with the permissions of this user (AUTH-7). */
export type Requester = Pick<Principal, "organizationId" | "userId">;

export interface WorkRequest {
  readonly by: Requester;
  /** The agent's id, or the agent itself if the caller has just found it for this user. */
  readonly agent: string | Agent;
  /** The chat's model, which replaces the agent's; absent or null: the agent's own. */
  readonly model?: string | null;
  /** The workspace of the chat in which the work is done; absent if the caller has just found it. */
  readonly workspaceId?: string;
  /** The message's blocks: a model that cannot read them is refused. */
  readonly blocks?: readonly InputBlock[] | undefined;
  /** The content's field in the request, for that refusal. */
  readonly field?: string;
  /** False only for a message that steers a running job, and so begins no job. */
  readonly checksBudget?: boolean;
  /** The job's budget, if the caller sets it or it comes from another job. */
  readonly budget?: Budget | null;
  /** The name of the cost limit in a refusal, if the caller has not sent it. */
  readonly budgetName?: string;
}

/** What a command of a chat says of a message, beside who sends it to which agent. */
type TermsOf<K extends ChatCommand["kind"]> = Omit<
  Extract<ChatCommand, { readonly kind: K }>,
  "kind" | "open" | "agent" | "userId"
>;

/** A user's message and the job that answers it. */
export interface MessageTerms extends TermsOf<"send_message"> {
  readonly chatId: string;
  /** Opens the chat with this message; null if the chat exists. */
  readonly opening: ChatOpening | null;
}

/** The first message of a chat that is opened once, with ids derived from a key. */
export interface FirstMessageTerms extends TermsOf<"send_once"> {
  readonly chatId: string;
  readonly opening: ChatOpening;
}

/** Work that may begin: the user may use its agent, its model is available, and the budget has room. */
export class PreparedWork {
  readonly agent: AgentSnapshot;
  readonly model: ModelInfo;
  private readonly by: Requester;

  constructor({
    agent,
    model,
    by,
  }: {
    readonly agent: AgentSnapshot;
    readonly model: ModelInfo;
    readonly by: Requester;
  }) {
    this.agent = agent;
    this.model = model;
    this.by = by;
  }

  /** The member that sends a user's message; its reply names the job, or the running one that it steers or interrupts. */
  message({ chatId, opening: open, keyed, ...message }: MessageTerms): Ask<SentMessage> {
    const { organizationId, userId } = this.by;
    const { agent, model } = this;
    const ids = keyed === undefined ? {} : { keyed };
    // Its own provider options are for this model, also when another one becomes the default.
    const hasOptions = (message.terms.modelSettings?.providerOptions ?? null) !== null;
    const chosenFor = hasOptions ? { settingsModel: `${model.provider}:${model.name}` } : {};
    const terms = { ...chosenFor, ...message.terms };
    const command = { kind: "send_message", open, agent, userId, ...message, terms, ...ids } as const;
    const member = ask(chatRef(organizationId, chatId), command);
    return open === null ? member : toNew(member);
  }

  /** The same work with these tools of the client and these instructions, beside the agent's own (DIA-3). */
  extended({ tools, instructions }: Pick<AgentSnapshot, "tools"> & { readonly instructions: string }): PreparedWork {
    const { agent, model, by } = this;
    const systemPrompt = [agent.systemPrompt, instructions].filter((text) => text !== "").join("\n\n");
    const all = [...(agent.tools ?? []), ...(tools ?? [])];
    const own = all.length === 0 ? {} : { tools: all };
    return new PreparedWork({ agent: { ...agent, systemPrompt, ...own }, model, by });
  }

  /** The member that opens the chat and begins its job; its reply is null if an earlier attempt has done so. */
  firstMessage({ chatId, jobId, opening: open, content, blocks, sender, terms }: FirstMessageTerms): Ask<Job | null> {
    const { organizationId, userId } = this.by;
    const { agent } = this;
    const command = { kind: "send_once", open, agent, content, blocks, userId, sender, jobId, terms } as const;
    return toNew(ask(chatRef(organizationId, chatId), command));
  }
}

/** Whether the operator has disabled the agent (AGT-7). */
export const isDisabled = ({ disabledAt }: Agent): boolean => disabledAt !== undefined && disabledAt !== null;
const DISABLED = refuse({
  kind: "invalid_state",
  status: "disabled",
  allowedActions: [],
  message: "The operator of this service has disabled the agent",
});

/**
 * Finds the agent and the workspace, checks the model and then the budgets (RUN-4, RUN-20). The first failed check
 * refuses.
 */
export async function prepareWork(
  { system, agents, models }: WorkServices,
  {
    by,
    agent: asked,
    model: override,
    workspaceId,
    blocks = [],
    field = "content",
    checksBudget = true,
    budget = null,
    budgetName,
  }: WorkRequest,
): Promise<Outcome<PreparedWork>> {
  const agent = typeof asked === "string" ? await agents.find(by, asked) : ok(asked);
  if (!agent.ok) return agent;
  if (isDisabled(agent.value)) return DISABLED;
  const place = workspaceId === undefined ? ok(null) : await checkWorkspace(system, by.organizationId, workspaceId);
  if (!place.ok) return place;
  const model = models.describe(override ?? agent.value.model);
  if (!model.ok) return model;
  const keyed = await withKey(system, by.organizationId, model.value);
  if (!keyed.ok) return keyed;
  const read = readable(models.inputOf(override ?? agent.value.model), model.value, { blocks, field });
  if (!read.ok) return read;
  const countable = costKnown(models, model.value, budget, budgetName);
  if (!countable.ok) return countable;
  const allowed = checksBudget ? await withinBudget(system, by.organizationId) : ok({ limitsCost: false });
  if (!allowed.ok) return allowed;
  if (allowed.value.limitsCost && !isCostKnown(models, model.value)) return refuseUnpriced(model.value);
  return ok(new PreparedWork({ agent: agentSnapshot(agent.value, by.organizationId), model: model.value, by }));
}

/** Refuses a workspace that is deleted: nothing runs without one (MIS-12, CHAT-14). */
const checkWorkspace = (system: TroupeSystem, organizationId: string, id: string): Promise<Outcome<unknown>> =>
  system.dispatch(workspaceRef(organizationId, id), { kind: "read_workspace" });

/** Refuses a model that needs a key of the organization, if there is none (RUN-5). */
async function withKey(system: TroupeSystem, organizationId: string, model: ModelInfo): Promise<Outcome<unknown>> {
  if (model.isOwnKeyOnly !== true) return ok(null);
  const { provider } = model;
  const key = await system.dispatch(organizationRef(organizationId), { kind: "read_provider_key", provider });
  if (!key.ok || key.value !== null) return key;
  return refuse({ kind: "provider_error", message: ownKeyWords(`${model.provider}:${model.name}`) });
}

const INPUT_WORDS = { text: "text", image: "images", file: "PDF documents" } as const;

/** Refuses content that the model cannot read, naming the first such block. */
export function readable(
  input: readonly ModelInput[],
  { provider, name }: ModelInfo,
  { blocks, field }: { readonly blocks: readonly InputBlock[]; readonly field: string },
): Outcome<null> {
  for (const [at, block] of blocks.entries()) {
    if (!isAttachment(block) || input.includes(inputNeeded(block))) continue;
    const { path, message } = errorAt(
      [field, at],
      `cannot be sent: the model ${provider}:${name} does not read ${INPUT_WORDS[inputNeeded(block)]}. GET /api/models says what each reads`,
    );
    return invalid(path, message);
  }
  return ok(null);
}

/**
 * The id for this key: each attempt of the same work names the same chat and the same job. `purpose` keeps the keys of
 * different callers apart (`delegation`, `mission`); it must never change, because retries after an upgrade compute the
 * id again.
 */
export function keyedId(
  prefix: "job" | "cht" | "msg" | "mtk",
  { purpose, key }: { readonly purpose: string; readonly key: string },
): string {
  const digest = new Bun.CryptoHasher("sha256").update(`${purpose}\n${prefix}\n${key}`).digest("base64url");
  return `${prefix}_${digest.slice(0, ID_LENGTH)}`;
}
