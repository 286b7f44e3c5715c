/**
 * Checks the approval rules of an agent against its tools when either is saved (APR-3). A rule that silently stopped to
 * match would let calls through, so each rule names a tool that the agent has, and fields that its schema names.
 */
import { type InputError, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { conditionFlaws, conditionFor, namedFields } from "../../../actors/job/rules/condition.ts";
import {
  type ApprovalRule,
  coversTool,
  policyOfRule,
  RULES_BYTES,
  serverOfTool,
} from "../../../actors/job/approval-rule.ts";
import { namesField } from "../../../actors/job/rules/tool-fields.ts";
import { didYouMean, didYouMeanWord } from "../../../actors/near-name.ts";
import type { AgentInput } from "../../../actors/organization/protocol.ts";
import { type Agent, organizationRef } from "../../../actors/organization/schema.ts";
import type { ToolInfo } from "../../operations/tool-catalogue.ts";
import type { Services } from "../../operations/services.ts";
import { infoOf } from "../usable-settings.ts";

type RuleServices = Pick<Services, "tools" | "mcpCatalogue" | "argumentChecks" | "system">;
/** The agent as it will be. */
type RuledAgent = Pick<AgentInput, "approvalRules" | "mcpServers" | "tools">;

/** Whether a change can leave a rule without its tool. */
export const touchesRules = (changes: Partial<AgentInput>): boolean =>
  changes.approvalRules !== undefined || changes.tools !== undefined || changes.mcpServers !== undefined;

export async function usableRules(
  services: RuleServices,
  by: { readonly organizationId: string; readonly userId: string },
  { approvalRules: rules = [], mcpServers = [], tools: own = [] }: RuledAgent,
  given: Partial<AgentInput>,
): Promise<Outcome<null>> {
  if (rules.length === 0) return ok(null);
  const groups = await services.system.dispatch(organizationRef(by.organizationId), { kind: "list_groups" });
  if (!groups.ok) return groups;
  const named = groups.value.map(({ name }) => name);
  const flaws =
    given.approvalRules === undefined
      ? []
      : [...deciderFlaws(rules, named), ...(await ruleFlaws(services, by.organizationId, rules))];
  if (flaws.length > 0) return refuse({ kind: "invalid_request", errors: flaws });
  const asked = mcpServers.filter(({ name }) => rules.some(({ tool }) => mayBeOf(tool, name)));
  const listed = await services.mcpCatalogue.toolsOf(by, asked);
  const unread = new Set(
    listed.filter(({ problem, leftOut }) => problem !== null || leftOut > 0).map(({ server }) => server),
  );
  const known = [...services.tools, ...own.map(infoOf), ...listed.flatMap(({ tools }) => tools)];
  const servers = mcpServers.map(({ name }) => name);
  const errors = rules.flatMap((rule, at) => {
    const wrong = toolFlaw(rule, { known, servers, unread }) ?? fieldFlaw(rule, { known, unread });
    return wrong === null ? [] : [placed(wrong, at, given)];
  });
  return errors.length === 0 ? ok(null) : refuse({ kind: "invalid_request", errors });
}

/** The agent after the changes; the rules that they do not name stay. */
export const ruledAfter = (agent: Agent | null, changes: Partial<AgentInput>): RuledAgent => ({ ...agent, ...changes });

/** An error in a rule that the request does not have is one of the field that would leave it behind. */
function placed({ path, message }: InputError, at: number, given: Partial<AgentInput>): InputError {
  if (given.approvalRules !== undefined) return { path: `/approval_rules/${at}${path}`, message };
  const field = given.tools === undefined ? "mcp_servers" : "tools";
  return {
    path: `/${field}`,
    message: `${message}. approval_rules.${at} is about it: change the rules in the same request`,
  };
}

async function ruleFlaws(
  { argumentChecks }: RuleServices,
  organizationId: string,
  rules: readonly ApprovalRule[],
): Promise<readonly InputError[]> {
  const size = Buffer.byteLength(JSON.stringify(rules));
  if (size > RULES_BYTES)
    return [
      {
        path: "/approval_rules",
        message: `Field approval_rules has ${size} bytes as JSON; at most ${RULES_BYTES} are allowed`,
      },
    ];
  const found: InputError[] = [];
  for (const [at, { when, then }] of rules.entries()) {
    const condition = when?.arguments;
    if (condition === undefined) continue;
    const own = conditionFlaws(condition);
    const flaws = own.length > 0 ? own : await argumentChecks.flawsOf(organizationId, conditionFor(then, condition));
    const field = `approval_rules.${at}.when.arguments`;
    for (const { path, message } of flaws)
      found.push({
        path: `/approval_rules/${at}/when/arguments${path}`,
        message: `Field ${field}${path.replaceAll("/", ".")} ${message}`,
      });
  }
  return found;
}

/** Errors in what rules say about people: combinations that nobody meets, or that have no effect. */
function deciderFlaws(rules: readonly ApprovalRule[], groups: readonly string[]): InputError[] {
  return rules.flatMap((rule, at) => {
    const flaw = (field: string, message: string): InputError[] => [{ path: `/approval_rules/${at}${field}`, message }];
    const { then: outcome, of, count = 1, notStarter = false, expiry } = rule;
    const hasPolicy = policyOfRule(rule) !== undefined || expiry !== undefined;
    if (outcome !== "ask" && hasPolicy)
      return flaw("/then", "Only a rule with `then: ask` says who decides, and until when");
    const isOne = of === "starter" || of === "agent_owner";
    if (isOne && count > 1) return flaw("/count", `\`of: ${of}\` is one person, so count cannot be ${count}`);
    if (of === "starter" && notStarter)
      return flaw("/not_starter", "`of: starter` and not_starter leave nobody who decides");
    const { onExpiry, escalateTo } = expiry ?? {};
    if ((onExpiry === "escalate") !== (escalateTo !== undefined))
      return flaw("/expiry/escalate_to", "`on_expiry: escalate` and escalate_to belong together");
    const isOneThen = escalateTo === "starter" || escalateTo === "agent_owner";
    if (isOneThen && count > 1)
      return flaw("/expiry/escalate_to", `\`${escalateTo}\` is one person, and count is ${count}`);
    if (escalateTo === "starter" && notStarter)
      return flaw("/expiry/escalate_to", "escalate_to `starter` and not_starter leave nobody who decides");
    const unknown = [of, escalateTo].find((who) => typeof who === "object" && !groups.includes(who.group));
    if (typeof unknown !== "object") return [];
    const place = unknown === of ? "/of/group" : "/expiry/escalate_to/group";
    return flaw(place, `There is no group \`${unknown.group}\`${didYouMean(unknown.group, groups)}`);
  });
}

interface KnownTools {
  readonly known: readonly ToolInfo[];
  readonly servers: readonly string[];
  /** Servers whose tools are not all known now. */
  readonly unread: ReadonlySet<string>;
}

const beginningOf = (tool: string): string => (tool.endsWith("*") ? tool.slice(0, -1) : tool);

/** Whether the rule can be about a tool of this server. */
const mayBeOf = (tool: string, server: string): boolean =>
  tool.endsWith("*")
    ? `${server}__`.startsWith(beginningOf(tool)) || tool.startsWith(`${server}__`)
    : tool.startsWith(`${server}__`);

/** A rule about a tool that the agent does not have, or about none at all. */
function toolFlaw({ tool }: ApprovalRule, { known, servers, unread }: KnownTools): InputError | null {
  if (known.some(({ name }) => coversTool(tool, name))) return null;
  if (servers.some((server) => mayBeOf(tool, server) && (tool.endsWith("*") || unread.has(server)))) return null;
  const server = serverOfTool(tool);
  const names = known.map(({ name }) => name);
  const message =
    server !== null && !servers.includes(server)
      ? `The agent has no MCP server \`${server}\`, so it has no tool \`${tool}\`${didYouMeanWord(tool, names)}`
      : `The agent has no tool \`${tool}\`${didYouMeanWord(tool, names)}`;
  return { path: "/tool", message };
}

/** A condition about a field that none of the tools has which the rule is about. */
function fieldFlaw(
  { tool, when }: ApprovalRule,
  { known, unread }: Pick<KnownTools, "known" | "unread">,
): InputError | null {
  const condition = when?.arguments;
  if (condition === undefined || [...unread].some((server) => mayBeOf(tool, server))) return null;
  const covered = known.filter(({ name }) => coversTool(tool, name));
  if (covered.length === 0) return null;
  for (const field of namedFields(condition)) {
    if (covered.some(({ inputSchema }) => namesField(inputSchema, field))) continue;
    const name = field.join(".");
    const which = covered.length === 1 ? `The tool \`${covered[0]?.name}\`` : `No tool that \`${tool}\` names`;
    const has = covered.length === 1 ? "has no argument" : "has an argument";
    return { path: "/when/arguments", message: `${which} ${has} \`${name}\`` };
  }
  return null;
}
