/**
 * The approval rules of an agent (APR-1): which of its calls run, wait for a person, or are denied. The first rule that
 * matches a call decides; without one, the agent's `approvalTools` do.
 *
 *   call ─▶ rule 0 ─▶ rule 1 ─▶ … ─▶ the agent's default
 *             └─ allow, ask or deny
 */
import { type JsonObject, OneOf, type Static, Type } from "../schema.ts";

/**
 * How the first job of a lineage began, and `delegation` for a job that another job has begun. All jobs of a lineage
 * have the origin of the first one.
 */
export const JOB_ORIGINS = [
  "api",
  "v1",
  "mcp",
  "a2a",
  "acp",
  "ag-ui",
  "ai-sdk",
  "openai",
  "mission",
  "delegation",
] as const;
export type JobOrigin = (typeof JOB_ORIGINS)[number];

/** Where a job comes from; absent in jobs of earlier versions. */
export const Provenance = Type.Object({
  origin: OneOf(JOB_ORIGINS),
  /** The agents whose jobs have delegated it, outermost first. */
  delegators: Type.Optional(Type.Array(Type.String())),
});
export type Provenance = Static<typeof Provenance>;

export const RULE_OUTCOMES = ["allow", "ask", "deny"] as const;
export type RuleOutcome = (typeof RULE_OUTCOMES)[number];

export const MAX_RULES = 32;
/** Bytes of the conditions of all rules as JSON: each call that they are about is checked by all of them. */
export const RULES_BYTES = 64 * 1024;

const Ids = (description: string, examples: readonly string[][]) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 64, description, examples }));

/** All conditions must hold. */
export const RuleConditions = Type.Object(
  {
    arguments: Type.Optional(
      Type.Unsafe<JsonObject>({
        ...Type.Record(Type.String(), Type.Unknown()),
        description:
          "JSON Schema of the arguments. A rule with `allow` matches only if the call has every field that the schema names",
        examples: [{ properties: { amount: { minimum: 0, maximum: 500 } } }],
      }),
    ),
    caller: Ids("Users: the job acts for one of them", [["usr_1"]]),
    agent: Ids("Agents: one of them runs the job, or has delegated its work", [["agt_1"]]),
    origin: Type.Optional(
      Type.Array(OneOf(JOB_ORIGINS), {
        minItems: 1,
        maxItems: JOB_ORIGINS.length,
        description: "How the work began; `delegation` if another job has begun it",
        examples: [["mission"]],
      }),
    ),
  },
  { $id: "ApprovalRuleConditions", description: "When a rule matches; without conditions always" },
);
export type RuleConditions = Static<typeof RuleConditions>;

export const NAMED_DECIDERS = ["anyone", "starter", "agent_owner", "owners"] as const;
/** The rule for the name of a group of members. */
export const GROUP_NAME = {
  pattern: "^[a-z0-9][a-z0-9_-]{0,63}$",
  form: "1 to 64 lower-case letters, digits, `_` and `-`",
};
/** Who decides: any member who sees the job, the person for whom it acts, the agent's creator, owners, or a group. */
export const Deciders = Type.Union(
  [
    OneOf(NAMED_DECIDERS),
    Type.Object(
      { group: Type.String({ ...GROUP_NAME, description: "Name of the group", examples: ["finance"] }) },
      { $id: "DecidingGroup", description: "The members of a group" },
    ),
  ],
  {
    description:
      "Who decides: `anyone` is every member who sees the job, `starter` the person for whom it acts, `agent_owner` the creator of the agent, `owners` those of the organization; or the members of a group",
  },
);
export type Deciders = Static<typeof Deciders>;

/** A member of the organization, as far as decisions need it. */
export interface DecidingPerson {
  readonly isOwner: boolean;
  readonly groups: readonly string[];
}
/** Members by their user ids; somebody who is not in it is no member. */
export type DecidingPeople = Readonly<Record<string, DecidingPerson | undefined>>;

/** What happens to a call, or to its job, when nobody has decided in time. No value lets the call run. */
export const ON_EXPIRY = ["deny", "cancel", "keep", "escalate"] as const;
/** In seconds. People need at least this long to decide. */
export const SHORTEST_EXPIRY = 60;
export const LONGEST_EXPIRY = 30 * 24 * 60 * 60;
/** People whose approval one call can need. */
export const MOST_DECIDERS = 8;

export const RuleExpiry = Type.Object({
  afterSeconds: Type.Integer({ minimum: SHORTEST_EXPIRY, maximum: LONGEST_EXPIRY }),
  onExpiry: OneOf(ON_EXPIRY),
  /** For `escalate`: who decides from then on. */
  escalateTo: Type.Optional(Deciders),
});
export type RuleExpiry = Static<typeof RuleExpiry>;

/** Who decides about a call that waits (APR-7). */
export const ApprovalPolicy = Type.Object(
  {
    of: Deciders,
    count: Type.Integer({ minimum: 1, maximum: MOST_DECIDERS, description: "How many people must approve" }),
    notStarter: Type.Boolean({ description: "Whether the person for whom the job acts may not decide" }),
    services: Type.Boolean({ description: "Whether tokens of services may decide" }),
  },
  { $id: "CallDeciders", description: "Who decides about a call, as a rule says it" },
);
export type ApprovalPolicy = Static<typeof ApprovalPolicy>;

export const ApprovalRule = Type.Object({
  name: Type.Optional(Type.String({ pattern: "\\S", maxLength: 100 })),
  /** The name of a tool; with `*` at its end, all tools that begin so. */
  tool: Type.String({
    pattern: "^(?:[A-Za-z0-9_-]{1,100}\\*?|\\*)$",
    form: "the name of a tool, or the beginning of names with `*` at its end",
    description: "Name of a tool, or the beginning of names and `*`, such as `refund__*`",
    examples: ["refund"],
  }),
  when: Type.Optional(RuleConditions),
  // oxlint-disable-next-line unicorn/no-thenable -- the word of the interface
  then: OneOf(RULE_OUTCOMES, { description: "What happens to the call" }),
  ...Type.Partial(ApprovalPolicy).properties,
  expiry: Type.Optional(RuleExpiry),
});
export type ApprovalRule = Static<typeof ApprovalRule>;

/** What decided about a call, if its agent has rules: a rule by its place, the agent's default, or a doubt about a rule. */
export const CallDecision = Type.Object(
  {
    by: OneOf(["rule", "default", "doubt"] as const, {
      description:
        "What decided; `doubt`: a rule about the tool could not be applied, so the call waits for a person or is denied",
    }),
    outcome: OneOf(RULE_OUTCOMES, { description: "Whether the call is made, waits for a person, or is denied" }),
    rule: Type.Optional(Type.Integer({ minimum: 0, description: "Place of the rule in the agent's list, from 0" })),
    name: Type.Optional(Type.String({ description: "Name of the rule" })),
  },
  { $id: "CallDecision", description: "What decided whether a tool call is made, before any person did" },
);
export type CallDecision = Static<typeof CallDecision>;

/** Who decides by this rule; undefined: as without rules, any member who sees the job. */
export function policyOfRule({ of, count, notStarter, services }: ApprovalRule): ApprovalPolicy | undefined {
  if (of === undefined && count === undefined && notStarter === undefined && services === undefined) return undefined;
  return { of: of ?? "anyone", count: count ?? 1, notStarter: notStarter ?? false, services: services ?? false };
}
/** For a call that waits because of a rule to deny: only owners let it run. */
export const OWNERS_DECIDE: ApprovalPolicy = { of: "owners", count: 1, notStarter: false, services: false };

const OF_SERVER = "__";
const isToolPattern = (tool: string): boolean => tool.endsWith("*");

/** Whether a rule about `tool` is about the tool with this name. */
export const coversTool = (tool: string, name: string): boolean =>
  isToolPattern(tool) ? name.startsWith(tool.slice(0, -1)) : tool === name;

/** The MCP server whose tool it is; null for other tools. */
export const serverOfTool = (name: string): string | null => {
  const at = name.indexOf(OF_SERVER);
  return at > 0 ? name.slice(0, at) : null;
};

/**
 * A rule about a single tool of this tool's MCP server, which the server does not list any more; null if there is none.
 * The tool may be that one under a new name.
 */
export function ruleLeftBehind(
  rules: readonly ApprovalRule[],
  name: string,
  listed: readonly string[],
): ApprovalRule | null {
  const server = serverOfTool(name);
  if (server === null) return null;
  const isLeft = ({ tool }: ApprovalRule): boolean =>
    !isToolPattern(tool) && serverOfTool(tool) === server && !listed.includes(tool);
  return rules.find(isLeft) ?? null;
}

/** The facts about a job that rules can ask for. */
export interface RuleFacts {
  readonly organizationId: string;
  readonly userId: string;
  readonly agentId: string;
  /** Absent for jobs of earlier versions. */
  readonly provenance?: Provenance | undefined;
}

/** The facts about a job; its agent is the one with which it began. */
export const ruleFactsOf = ({
  organizationId,
  createdBy: userId,
  agent,
  provenance,
}: Pick<RuleFacts, "organizationId" | "provenance"> & {
  readonly createdBy: string;
  readonly agent: { readonly id: string };
}): RuleFacts => ({ organizationId, userId, agentId: agent.id, provenance });

/** Whether the conditions about caller, agent and origin hold. If it is not known, a rule decides against the call. */
export function meetsFacts(
  { when = {}, then }: Pick<ApprovalRule, "when" | "then">,
  { userId, agentId, provenance }: RuleFacts,
): boolean {
  const { caller, agent, origin } = when;
  if (caller !== undefined && !caller.includes(userId)) return false;
  const agents = [agentId, ...(provenance?.delegators ?? [])];
  if (agent !== undefined && !agents.some((id) => agent.includes(id)))
    return provenance === undefined && then !== "allow";
  if (origin === undefined) return true;
  if (provenance === undefined) return then !== "allow";
  const isDelegated = (provenance.delegators ?? []).length > 0;
  return origin.includes(provenance.origin) || (isDelegated && origin.includes("delegation"));
}

/** The rule in words, for the model and for people. */
export const ruleWords = ({ name }: Pick<ApprovalRule, "name">, at: number): string =>
  name === undefined ? `rule ${at}` : `rule ${at} (${name})`;
