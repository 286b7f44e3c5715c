/**
 * Whether the agent, the workspace and, for a job, its chat are still there for this caller (GEN-5). Chats and jobs
 * need them to go on. Without them they can still be read, but no verb that would be refused is shown, and a refusal
 * says what is gone.
 */
import { type Chat, chatRef } from "../../actors/chat/schema.ts";
import { allowedChatActions as chatActions, type ChatAction } from "../../actors/chat/machine.ts";
import { type Fault, ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { DecidingPeople } from "../../actors/job/approval-rule.ts";
import { allowedJobActions, type JobAction, openApprovals } from "../../actors/job/machine.ts";
import type { Job } from "../../actors/job/schema.ts";
import { canUse, type Principal } from "../../actors/organization/principal.ts";
import { type Agent, organizationRef } from "../../actors/organization/schema.ts";
import { workspaceRef } from "../../actors/workspace/schema.ts";
import { lookUp } from "../log/look-up.ts";
import { maySomeDecide } from "../operations/deciding.ts";
import type { Services } from "../operations/services.ts";
import { permittedActions } from "./record.ts";
import { isDisabled } from "../work/prepared-work.ts";

/** What a chat or a job depends on. */
export interface Standing {
  /** Whether new work can begin in a chat or after a job. */
  readonly canBegin: boolean;
  /** What those who have approved open calls of a job are now (APR-8); absent: nobody has, or it is unknown. */
  readonly voters?: DecidingPeople;
}
export const STANDS: Standing = { canBegin: true };
/** Nothing new can begin: the agent, the chat or the workspace is gone. */
export const FALLEN: Standing = { canBegin: false };
const standing = (canBegin: boolean): Standing => (canBegin ? STANDS : FALLEN);

type StandingServices = Pick<Services, "system" | "agents" | "chats" | "directory" | "log">;

/** If the lookup fails temporarily, the agent counts as usable: the attempt itself will report the failure. */
async function canUseAgent({ agents }: StandingServices, by: Principal, agentId: string): Promise<boolean> {
  const agent = await agents.find(by, agentId);
  return agent.ok ? !isDisabled(agent.value) : agent.fault.kind !== "not_found";
}

/** As for agents: a workspace whose lookup fails temporarily counts as present. Jobs of former releases name none. */
async function hasWorkspace(
  { system }: StandingServices,
  { organizationId }: Principal,
  id: string | null,
): Promise<boolean> {
  if (id === null) return true;
  const workspace = await system.dispatch(workspaceRef(organizationId, id), { kind: "read_workspace" });
  return workspace.ok || workspace.fault.kind !== "not_found";
}

export const chatStanding = async (services: StandingServices, by: Principal, chat: Chat): Promise<Standing> =>
  standing((await canUseAgent(services, by, chat.agentId)) && (await hasWorkspace(services, by, chat.workspaceId)));

/** Whether the verb starts a new job: a blocked job itself continues. */
const isBeginning = (job: Job, action: JobAction): boolean =>
  action === "iterate" || (action === "resume" && job.status !== "blocked");
const beginsWork = (job: Job): boolean => allowedJobActions(job).some((action) => isBeginning(job, action));

/** The verbs that this caller's token allows and the job would not refuse. */
export const jobVerbs = (job: Job, by: Principal, { canBegin }: Standing): readonly string[] =>
  permittedActions(
    by,
    "jobs:write",
    allowedJobActions(job).filter(
      (action) =>
        (canBegin || !isBeginning(job, action)) &&
        (action !== "tool_results" || job.createdBy === by.userId) &&
        (action !== "approve" || maySomeDecide(job, by)),
    ),
  );

/** Whether this person may rename and delete the chat: its creator and owners may. */
export const ownsChat = ({ createdBy }: Chat, { role, userId }: Principal): boolean =>
  role === "owner" || createdBy === userId;

const OF_ITS_MAKER: ReadonlySet<ChatAction> = new Set(["update", "delete"]);

/** Verbs that need the chat's agent and workspace: a message, a summary by its model, a fork with it. */
const OF_ITS_AGENT: ReadonlySet<ChatAction> = new Set(["send_message", "compact", "fork"]);

export const chatVerbs = (chat: Chat, by: Principal, { canBegin }: Standing): readonly string[] =>
  permittedActions(
    by,
    "chats:write",
    chatActions(chat).filter((action) =>
      OF_ITS_AGENT.has(action) ? canBegin : !OF_ITS_MAKER.has(action) || ownsChat(chat, by),
    ),
  );

/**
 * The outcome; a refusal of new work because the agent, the workspace or the chat is gone becomes one about the record
 * in the request.
 */
export function aboutRecord<T>(
  { library }: Pick<Services, "library">,
  { status, verbs, agent }: { readonly status: string; readonly verbs: readonly string[]; readonly agent: AgentOf },
  outcome: Outcome<T>,
): Outcome<T> {
  if (outcome.ok) return outcome;
  const words = goneWords(library, agent, outcome.fault);
  return words === null ? outcome : refuse({ kind: "invalid_state", status, allowedActions: verbs, message: words });
}

/** The agent of a chat or a job, and the caller. */
interface AgentOf {
  readonly id: string;
  readonly name: string;
  readonly organizationId: string;
}

function goneWords(library: Services["library"], agent: AgentOf, fault: Fault): string | null {
  if (fault.kind === "invalid_state" && fault.status === "disabled")
    return `The operator of this service has disabled the agent ${agent.name}`;
  if (fault.kind !== "not_found") return null;
  if (fault.noun === "chat") return "The chat of this job was deleted";
  if (fault.noun === "workspace") return "The workspace of this conversation was deleted";
  if (fault.noun !== "agent") return null;
  return library.find(agent.organizationId, agent.id) === null
    ? `The agent ${agent.name} was deleted, or is no longer shared with you`
    : `The library agent ${agent.name} is not installed`;
}

/** The current standing of a job. */
export async function jobStanding(services: StandingServices, by: Principal, job: Job): Promise<Standing> {
  if (beginsWork(job)) return comingStanding(services, by, job);
  const voters = await votersOf(services, by, [job]);
  return voters === null ? STANDS : { ...STANDS, voters };
}

/** What those who have approved open calls of these jobs are now; null: nobody has, or it is unknown. */
async function votersOf(
  { system }: StandingServices,
  { organizationId }: Principal,
  jobs: readonly Job[],
): Promise<DecidingPeople | null> {
  const votes = jobs.flatMap((job) => openApprovals(job).flatMap((approval) => approval.votes ?? []));
  const userIds = [...new Set(votes.map(({ by }) => by))];
  if (userIds.length === 0) return null;
  const people = await system.dispatch(organizationRef(organizationId), { kind: "read_deciders", userIds });
  return people.ok ? people.value : null;
}

/** The standing of a job that is about to change. */
export async function comingStanding(services: StandingServices, by: Principal, job: Job): Promise<Standing> {
  const chat = await services.system.dispatch(chatRef(by.organizationId, job.chatId), { kind: "read_chat" });
  if (!chat.ok && chat.fault.kind === "not_found") return FALLEN;
  const isPlaced = await hasWorkspace(services, by, job.workspaceId);
  return standing(isPlaced && (await canUseAgent(services, by, job.agent.id)));
}

/** The same for a page of chats, with one lookup beside their workspaces. */
export async function chatStandings(
  services: StandingServices,
  by: Principal,
  chats: readonly Chat[],
): Promise<Outcome<(chat: Chat) => Standing>> {
  const usable = await usableAgents(
    services,
    by,
    chats.map(({ agentId }) => agentId),
  );
  if (!usable.ok) return usable;
  const places = await presentWorkspaces(services, by, chats);
  return ok(({ agentId, workspaceId }) => standing(usable.value.has(agentId) && places.has(workspaceId)));
}

/** The same for a page of jobs, with two lookups beside their workspaces. */
export async function jobStandings(
  services: StandingServices,
  by: Principal,
  jobs: readonly Job[],
): Promise<Outcome<(job: Job) => Standing>> {
  const asked = jobs.filter(beginsWork);
  const usable = await usableAgents(
    services,
    by,
    asked.map(({ agent }) => agent.id),
  );
  if (!usable.ok) return usable;
  const chatIds = [...new Set(asked.map(({ chatId }) => chatId))];
  const deleted = await lookUp(services.log, services.chats.deletedAmong(by.organizationId, chatIds));
  if (!deleted.ok) return deleted;
  const gone = new Set(deleted.value);
  const places = await presentWorkspaces(services, by, asked);
  const canBegin = ({ agent, chatId, workspaceId }: Job): boolean =>
    usable.value.has(agent.id) && !gone.has(chatId) && places.has(workspaceId);
  const voters = await votersOf(services, by, jobs);
  return ok((job) => ({
    canBegin: !beginsWork(job) || canBegin(job),
    ...(voters === null ? {} : { voters }),
  }));
}

/** The workspaces of a page's records that are not deleted. */
async function presentWorkspaces(
  services: StandingServices,
  by: Principal,
  records: readonly { readonly workspaceId: string | null }[],
): Promise<ReadonlySet<string | null>> {
  const ids = [...new Set(records.map(({ workspaceId }) => workspaceId))];
  const present = await Promise.all(ids.map((id) => hasWorkspace(services, by, id)));
  return new Set(ids.filter((_, at) => present[at]));
}

async function usableAgents(
  { directory, log }: StandingServices,
  by: Principal,
  ids: readonly string[],
): Promise<Outcome<ReadonlySet<string>>> {
  const found = await lookUp(log, directory.agentsAnywhere(by.organizationId, [...new Set(ids)]));
  if (!found.ok) return found;
  const isUsable = (agent: Agent): boolean => canUse(agent, by) && !isDisabled(agent);
  return ok(new Set(found.value.filter(isUsable).map(({ id }) => id)));
}
