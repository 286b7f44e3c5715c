/**
 * Agents: create, read, update and soft-delete, with the visibility rules of V1-1; and library agents (AGT-2), which
 * come with the service. A library agent has no record until it is installed. Its id is fixed for each organization,
 * and its record has this organization's settings.
 */
import { assert } from "../assert.ts";
import { hasAll } from "../changes.ts";
import { chatRef, chatTable, newChat } from "../chat/schema.ts";
import { type Fault, notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { canChange, canUse, hidesWork, isSuspended, type Principal, settingRefusal, SUSPENDED } from "./principal.ts";
import type { Actor, LibraryDefinition, MissionsIntent, OrganizationProtocol } from "./protocol.ts";
import { type Agent, agentTable, organizationTable } from "./schema.ts";

/** The kind of the effect that notifies missions that their agent or workspace is gone, or available again. */
export const TELL_MISSIONS = "tell_missions";

/** The default settings of an agent. */
const AGENT_DEFAULTS = {
  description: null,
  model: null,
  allowedTools: [],
  hasNoTools: false,
  approvalTools: [],
  mcpServers: [],
  maxSteps: null,
  tags: [],
} satisfies Partial<Agent>;

export const agentCommandHandlers = {
  /** Also opens the agent's first chat in the default workspace (V1-6). */
  create_agent(tx, { by, input }) {
    const organization = tx.read(organizationTable, tx.self.id);
    assert(organization !== null, "a principal's organization exists");
    const agent = tx.create(agentTable, {
      ...AGENT_DEFAULTS,
      ...input,
      id: tx.id("agt"),
      status: "active",
      source: "private",
      installState: "installed",
      createdBy: by.userId,
    });
    const chatId = tx.id("cht");
    const workspaceId = organization.defaultWorkspaceId;
    const chat = newChat({ id: chatId, agent, workspaceId, createdBy: by.userId, title: agent.name });
    tx.birth(chatRef(tx.self.id, chatId), chatTable, chat);
    return ok({ agent, chatId, workspaceId });
  },

  read_agent(tx, { by, agentId }) {
    // Schedules, tools and other organizations begin work without a request, so the check is here.
    if (isSuspended(tx)) return SUSPENDED;
    const agent = tx.read(agentTable, agentId);
    if (agent === null || !canUse(agent, by)) return notFound("agent");
    tx.holdsUntil(Number.POSITIVE_INFINITY);
    return ok(agent);
  },

  hides_work(tx, { by, agentId }) {
    const agent = tx.read(agentTable, agentId);
    return ok(agent !== null && hidesWork(agent, by));
  },

  read_library_agent(tx, { agentId }) {
    const agent = tx.read(agentTable, agentId);
    return ok(agent?.source === "library" ? agent : null);
  },

  update_agent(tx, { by, agentId, changes, version }) {
    const agent = changeable(tx, by, agentId);
    if (!agent.ok) return agent;
    const refused = settingRefusal(agent.value, by);
    if (refused !== null) return refuse(refused);
    const notTheirs = unlessMayRule(agent.value, changes, by);
    if (notTheirs !== null) return notTheirs;
    const conflict = version !== undefined && version !== null && version !== agent.value.version;
    if (conflict) return refuse({ kind: "version_conflict", version: agent.value.version });
    if (changes.visibility === "private" && !mayHide(agent.value, by)) return refuse(NOT_HIDDEN);
    // A change of nothing leaves no trace: no version and no time.
    return ok(hasAll(agent.value, changes) ? agent.value : tx.update(agentTable, { ...agent.value, ...changes }));
  },

  archive_agent(tx, { by, agentId }) {
    const agent = changeable(tx, by, agentId);
    if (!agent.ok) return agent;
    if (agent.value.source === "library")
      return libraryState(agent.value, "A library agent cannot be deleted; uninstall it");
    sendMissionsEffect(tx, { agentId, isGone: true });
    return ok(tx.update(agentTable, { ...agent.value, status: "archived" }));
  },

  set_disabled(tx, { agentId, isDisabled }) {
    const agent = tx.read(agentTable, agentId);
    if (agent === null || agent.status === "archived") return notFound("agent");
    const { disabledAt = null } = agent;
    if (isDisabled === (disabledAt !== null)) return ok(agent);
    return ok(tx.update(agentTable, { ...agent, disabledAt: isDisabled ? isoTime(tx.now) : null }));
  },

  set_install_state(tx, { by, agentId, action, definition }) {
    const agent = tx.read(agentTable, agentId);
    if (agent !== null && agent.source !== "library") {
      return canUse(agent, by) ? refuse({ kind: "not_a_library_agent" }) : notFound("agent");
    }
    if (definition === null) return notFound("agent");
    return install(tx, by, { agent, agentId, action, definition });
  },

  missions_told(tx, { effectId, again }) {
    tx.settle(effectId);
    if (again !== null) sendMissionsEffect(tx, again);
    return ok(null);
  },

  workspace_deleted(tx, { workspaceId }) {
    sendMissionsEffect(tx, { workspaceId });
    return ok(null);
  },
} satisfies Partial<Handlers<OrganizationProtocol>>;

/** Notifies missions after this commit: there may be many, also in other organizations. */
function sendMissionsEffect(tx: Tx, intent: MissionsIntent): void {
  tx.effect(tx.self, TELL_MISSIONS, intent);
}

function changeable(tx: Tx, by: Actor, agentId: string): Outcome<Agent> {
  const agent = tx.read(agentTable, agentId);
  return agent !== null && canChange(agent, by) ? ok(agent) : notFound("agent");
}

/** A private agent disappears for everybody but its creator, so only its creator may make it private (AGT-4). */
const mayHide = (agent: Agent, by: Actor): boolean => agent.source === "private" && agent.createdBy === by.userId;
const NOT_HIDDEN: Fault = { kind: "forbidden", message: "Only its creator may make an agent private" };

/**
 * Refuses members who would change the rules of somebody else's agent, or what its rules are about: whoever may loosen
 * a rule needs nobody's approval (APR-6).
 */
function unlessMayRule(
  agent: Agent,
  changes: Partial<Agent>,
  { userId, role }: Pick<Principal, "userId" | "role">,
): Outcome<never> | null {
  if (role === "owner" || agent.createdBy === userId) return null;
  const hasRules = (agent.approvalRules ?? []).length > 0;
  const isTouched = hasRules && (changes.tools !== undefined || changes.mcpServers !== undefined);
  if (!isTouched && (changes.approvalRules === undefined || hasAll(agent, { approvalRules: changes.approvalRules })))
    return null;
  const message =
    "Only its creator and owners change the approval rules of an agent, and the tools of one that has rules";
  return refuse({ kind: "forbidden", message });
}

const libraryState = (agent: Agent, message: string): Outcome<never> =>
  refuse({ kind: "invalid_state", status: agent.installState, allowedActions: ["uninstall"], message });

/** Install applies the library's defaults; restore brings back the settings from before the uninstall. */
function install(
  tx: Tx,
  by: Actor,
  of: {
    readonly agent: Agent | null;
    readonly agentId: string;
    readonly action: "install" | "uninstall" | "restore";
    readonly definition: LibraryDefinition;
  },
): Outcome<Agent> {
  const { agent, agentId, action, definition } = of;
  if (agent === null) {
    if (action !== "install") return refuseUninstalled(action);
    return ok(
      tx.create(agentTable, {
        ...AGENT_DEFAULTS,
        ...definition,
        id: agentId,
        visibility: "organization",
        status: "active",
        source: "library",
        installState: "installed",
        createdBy: by.userId,
      }),
    );
  }
  if (action === "restore" && agent.installState !== "uninstalled") return ok(agent);
  const settings = action === "install" ? { ...AGENT_DEFAULTS, ...definition } : {};
  const changes =
    action === "uninstall"
      ? ({ status: "archived", installState: "uninstalled" } as const)
      : ({ ...settings, status: "active", installState: "installed" } as const);
  if (hasAll<Agent>(agent, changes)) return ok(agent);
  sendMissionsEffect(tx, { agentId, isGone: action === "uninstall" });
  return ok(tx.update(agentTable, { ...agent, ...changes }));
}

const refuseUninstalled = (action: string): Outcome<never> =>
  refuse({
    kind: "invalid_state",
    status: "available",
    allowedActions: ["install"],
    message: `An agent that was never installed cannot be ${action === "restore" ? "restored" : "uninstalled"}`,
  });
