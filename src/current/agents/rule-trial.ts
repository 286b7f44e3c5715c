/** What rules would have decided about the newest calls of an agent (APR-11): nothing is stored, and nothing is called. */
import { notFound, ok, type Outcome } from "../../../actors/fault.ts";
import { type ApprovalRule, CallDecision, ruleFactsOf } from "../../../actors/job/approval-rule.ts";
import { judgeCall } from "../../../actors/job/rules/judging.ts";
import type { Job } from "../../../actors/job/schema.ts";
import { namesTool } from "../../../actors/job/terms.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Agent } from "../../../actors/organization/schema.ts";
import type { ListHead } from "../../../actors/page.ts";
import type { StoredEvent } from "../../../actors/runtime/store.ts";
import { type JsonObject, Nullable, textOrEmpty, Timestamp, Type } from "../../../actors/schema.ts";
import { Count, Id, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { lookUp } from "../../log/look-up.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { agentParams } from "../path-ids.ts";
import { infoOf } from "../usable-settings.ts";
import { ApprovalRulesBody, ruleOfBody } from "./rule-schema.ts";
import { usableRules } from "./usable-rules.ts";

/** The newest calls that are judged, of at most so many jobs, and in how many pages those of one job are read. */
const TRIED_CALLS = 100;
const TRIED_JOBS = 100;
const TRIED_PAGES = 10;
/** Checks of conditions that take longer in all are in doubt. */
const RULE_TRIAL_MS = 20_000;

const TriedCall = noun("TriedCall", "A call of the agent, and what the rules would have decided about it", {
  job_id: Id("job", "The job that made it"),
  tool_call_id: Text("The call", "call_1"),
  tool_name: Text("The tool", "refund"),
  at: Timestamp,
  was: Type.Union([CallDecision, Type.Null()], { description: "What decided then; null without rules" }),
  decision: CallDecision,
  refusal: Nullable(Type.String({ description: "Why the call would not have been made; null otherwise" })),
});

export const trialOperations = {
  tryApprovalRules: operation(
    {
      method: "POST",
      path: "/api/agents/{id}/approval-rules/dry-run",
      isRead: true,
      scope: "jobs:read",
      summary: "Try approval rules on earlier calls",
      description:
        "What the rules would have decided about the newest 100 calls of the agent in jobs that the caller sees. Nothing is stored. Without `approval_rules` those of the agent are tried.",
      params: agentParams,
      body: Type.Object(
        { approval_rules: Type.Optional(ApprovalRulesBody) },
        // oxlint-disable-next-line unicorn/no-thenable -- the word of the interface
        { examples: [{ approval_rules: [{ tool: "refund", then: "ask" }] }] },
      ),
      answers: {
        200: noun("RuleTrial", "What rules would have decided", {
          calls: Type.Array(TriedCall, { description: "The newest calls first" }),
          touched: Count("Number of calls that a rule, or a doubt about a rule, would have decided"),
        }),
      },
    },
    async (services, { principal, signal }, { params: { id }, body }) => {
      const agent = await services.agents.find(principal, id);
      if (!agent.ok) return agent;
      if (agent.value.organizationId !== principal.organizationId) return notFound("agent");
      const given = body.approval_rules?.map(ruleOfBody);
      const rules = given ?? agent.value.approvalRules ?? [];
      const after = { ...agent.value, approvalRules: rules };
      const usable = await usableRules(services, principal, after, given === undefined ? {} : { approvalRules: given });
      if (!usable.ok) return usable;
      const found = await newestCalls(services, principal, id);
      if (!found.ok) return found;
      const schemas = await schemasOf(services, principal, agent.value);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(RULE_TRIAL_MS)]);
      const calls: Shown<typeof TriedCall>[] = [];
      for (const call of found.value)
        calls.push(await judgedAgain(services, { call, agent: agent.value, rules, schemas, signal: limit }));
      return ok({ calls, touched: calls.filter(({ decision }) => decision.by !== "default").length });
    },
  ),
};

interface FoundCall {
  readonly job: Job;
  readonly at: string;
  readonly data: JsonObject;
}

async function newestCalls(
  { jobs, log, readCommitted }: Services,
  { organizationId, userId }: Principal,
  agentId: string,
): Promise<Outcome<readonly FoundCall[]>> {
  const page = { limit: TRIED_JOBS, after: null };
  const list = await readCommitted(organizationId, () =>
    jobs.listJobs(organizationId, { seenBy: userId, agentId }, page),
  );
  if (!list.ok) return list;
  const calls: FoundCall[] = [];
  for (const job of list.value.records) {
    const found = await newestCallsOf({ jobs, log }, job, TRIED_CALLS - calls.length);
    if (!found.ok) return found;
    calls.push(...found.value);
    if (calls.length >= TRIED_CALLS) break;
  }
  return ok(calls);
}

/** At most `limit` calls of one job, newest first. A page may be short, because its bytes are bounded. */
async function newestCallsOf(
  { jobs, log }: Pick<Services, "jobs" | "log">,
  job: Job,
  limit: number,
): Promise<Outcome<readonly FoundCall[]>> {
  const of = { organizationId: job.organizationId, jobId: job.id };
  const calls: FoundCall[] = [];
  let before: number | null = null;
  for (let read = 0; read < TRIED_PAGES && calls.length < limit; read++) {
    const page: Outcome<ListHead<StoredEvent>> = await lookUp(
      log,
      jobs.newestToolCalls(of, { before, limit: limit - calls.length }),
    );
    if (!page.ok) return page;
    calls.push(...page.value.records.map(({ at, data }) => ({ job, at, data })));
    before = page.value.last;
    if (!page.value.hasMore || before === null) break;
  }
  return ok(calls);
}

/** The schemas of the tools that the agent has now. */
async function schemasOf(
  services: Services,
  by: Principal,
  { tools = [], mcpServers }: Agent,
): Promise<ReadonlyMap<string, JsonObject>> {
  const listed = await services.mcpCatalogue.toolsOf(by, mcpServers);
  const all = [...services.tools, ...tools.map(infoOf), ...listed.flatMap((server) => server.tools)];
  return new Map(all.map(({ name, inputSchema }) => [name, inputSchema]));
}

interface RuleTrialOf {
  readonly call: FoundCall;
  readonly agent: Agent;
  readonly rules: readonly ApprovalRule[];
  readonly schemas: ReadonlyMap<string, JsonObject>;
  readonly signal: AbortSignal;
}

async function judgedAgain(
  { ruleChecks: checks }: Services,
  { call: { job, at, data }, agent, rules, schemas, signal }: RuleTrialOf,
): Promise<Shown<typeof TriedCall>> {
  const name = textOrEmpty(data["name"]);
  const call = { name, input: (data["input"] ?? {}) as JsonObject, schema: schemas.get(name) ?? null };
  const verdict = await judgeCall(rules, call, ruleFactsOf(job), { checks, signal });
  const outcome = namesTool(agent.approvalTools, name) ? ("ask" as const) : ("allow" as const);
  return {
    job_id: job.id,
    tool_call_id: textOrEmpty(data["id"]),
    tool_name: name,
    at,
    was: (data["decision"] as CallDecision | undefined) ?? null,
    decision: verdict?.decision ?? { by: "default", outcome },
    refusal: verdict?.refusal ?? null,
  };
}
