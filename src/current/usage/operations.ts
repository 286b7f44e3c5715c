/** The organization's usage by agent, model or day, the costliest jobs of a day, and the budget of this month (RUN-4). */
import { mapOutcome } from "../../../actors/fault.ts";
import type { UsedJob } from "../../../actors/job/directory.ts";
import { JOB_STATUSES } from "../../../actors/job/schema.ts";
import { Nullable, OneOf, timeOf, Timestamp, Type } from "../../../actors/schema.ts";
import { USAGE_GROUPS, type UsageGroup, type UsageReport, type UsageRequest } from "../../../actors/usage/directory.ts";
import type { Budgeted } from "../../../actors/usage/protocol.ts";
import { QUOTAS, type QuotaState } from "../../../actors/usage/quota.ts";
import { type Counts, dayOf, monthOf, usageRef } from "../../../actors/usage/schema.ts";
import { bad, good, idFilter, inOrder, textField, withDefault } from "../../http/contract/field.ts";
import { Count, fieldsFrom, Id, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { operation } from "../../operations/operation.ts";
import { CostField, CostLimitField, CurrencyField, UnpricedField, USAGE_FIELDS, usageView } from "../cost.ts";
import { MetricsView, metricsView, ShownJobId } from "../jobs/view.ts";
import { LIMIT } from "../paging.ts";

const DAY_CHARACTERS = "2026-11-30".length;

/** A day in UTC, or the day of a time. */
const dayField = (description: string, example: string) =>
  textField<string>({ type: "string", description, examples: [example] }, (text, name) => {
    const day = timeOf(text)?.slice(0, DAY_CHARACTERS);
    return day === undefined ? bad(`${name} must be a day, such as 1970-01-01, or a time`) : good(day);
  });

const Day = Text("A day in UTC", "2026-11-30");

const COUNTS = {
  ...USAGE_FIELDS,
  jobs: Count("Jobs that used them"),
  tool_calls: Count("Number of tool calls"),
  time_to_first_token_ms: Nullable(
    Count("Average time from a call of a model to the first token of its answer; null if none was measured"),
  ),
};

const CostlyJobView = noun("CostlyJob", "A job and what it has used", {
  id: ShownJobId,
  title: Text("The title", "The release notes"),
  status: OneOf(JOB_STATUSES),
  agent_id: Id("agt", "The agent that does the work"),
  model: Nullable(Text("The model; null if the job has not started", "demo:echo")),
  metrics: MetricsView,
  created_at: Timestamp,
});

const UsageBudget = noun("UsageBudget", "The organization's budget for this month, and its usage", {
  monthly_tokens: Nullable(Type.Integer({ description: "Null for no limit" })),
  used_tokens: Count("Tokens used"),
  monthly_cost: CostLimitField,
  used_cost: CostField,
  unpriced_tokens: UnpricedField,
  resets_at: Timestamp,
});

export const UsageReportView = noun("UsageReport", "What an organization has used", {
  group_by: OneOf(USAGE_GROUPS),
  currency: CurrencyField,
  since: Day,
  until: Day,
  usage: Type.Array(
    noun("UsageRow", "Usage of one agent, model or day; only the field that the report is grouped by is present", {
      agent_id: Type.Optional(
        Nullable(Id("agt", "The agent; null is the sum of other people's private agents, unless you are an owner")),
      ),
      model: Type.Optional(Text("The model", "demo:echo")),
      day: Type.Optional(Day),
      ...COUNTS,
    }),
  ),
  totals: noun("UsageTotals", "Usage of all rows together", COUNTS),
  truncated: Type.Boolean({ description: "Whether rows were left out; the totals include them" }),
  budget: UsageBudget,
  quotas: Type.Array(
    noun("Quota", "A quota of the organization, and its usage", {
      quota: OneOf(QUOTAS, { description: "What the quota limits", examples: ["agents"] }),
      limit: Nullable(Type.Integer({ description: "Null for no limit", examples: [10_000] })),
      used: Count("Current usage; slightly too high at most, during many concurrent changes"),
    }),
    { description: "All quotas; a change beyond a quota is refused with `quota_exceeded`" },
  ),
});

export const usageOperations = {
  getUsage: operation(
    {
      method: "GET",
      path: "/api/usage",
      scope: "jobs:read",
      summary: "Read usage by agent, model or day",
      query: {
        group_by: withDefault(OneOf(USAGE_GROUPS, { description: "What the rows are grouped by" }), "day"),
        since: dayField("A day or a time; the first of this month by default", "2026-11-01"),
        until: dayField("A day or a time; today by default", "2026-11-30"),
        agent_id: idFilter(Id("agt", "Only the usage of this agent")),
        model: idFilter(Text("Only the usage of this model, by `provider:name`", "demo:echo")),
      },
      answers: { 200: UsageReportView },
    } /** Defaults to the time from the first day of this month to today. */,
    async (
      { system, usage, quotas, models, clock, readCommitted },
      { principal: { organizationId, userId, role } },
      { query },
    ) => {
      const now = clock.now();
      const [monthBegin, today] = [`${monthOf(now)}-01`, dayOf(now)];
      const ordered = inOrder(
        { name: "since", value: query.since, default: monthBegin },
        { name: "until", value: query.until, default: today },
      );
      if (!ordered.ok) return ordered;
      const { group_by: groupBy, since = monthBegin, until = today, agent_id: agentId, model } = query;
      // Owners are responsible for all usage, and receive the events of everybody's work too (HOOK-10).
      const seenBy = role === "owner" ? null : userId;
      const request = { groupBy, since, until, agentId, model, limit: USAGE_ROWS, seenBy };
      const budget = await system.dispatch(usageRef(organizationId), { kind: "read_budget" });
      if (!budget.ok) return budget;
      const found = await readCommitted(organizationId, () =>
        Promise.all([usage.report(organizationId, request), quotas.report(organizationId)]),
      );
      return mapOutcome(found, ([report, states]) =>
        usageReportView(request, report, { budget: budget.value, quotas: states, currency: models.currency ?? null }),
      );
    },
  ),

  getCostliestJobs: operation(
    {
      method: "GET",
      path: "/api/usage/jobs",
      scope: "jobs:read",
      summary: "Read the costliest jobs of a day",
      description: "The jobs that were created on the day and that you may see: highest cost first, then most tokens.",
      query: {
        day: dayField("A day in UTC or a time; today by default", "2026-11-30"),
        limit: LIMIT,
      },
      answers: {
        200: noun("CostliestJobs", "The costliest jobs of a day", {
          day: Day,
          currency: CurrencyField,
          jobs: Type.Array(CostlyJobView),
        }),
      },
    },
    async ({ jobs, models, clock, readCommitted }, { principal: { organizationId, userId } }, { query }) => {
      const { day = dayOf(clock.now()), limit } = query;
      const found = await readCommitted(organizationId, () =>
        jobs.costliest(organizationId, { day, seenBy: userId }, limit),
      );
      return mapOutcome(found, (list) => ({ day, currency: models.currency ?? null, jobs: list.map(costlyJobView) }));
    },
  ),
};

const costlyFields = fieldsFrom(CostlyJobView);

const costlyJobView = ({ runner, ...job }: UsedJob): Shown<typeof CostlyJobView> => ({
  ...costlyFields(job),
  model: runner === null ? null : `${runner.provider}:${runner.name}`,
  metrics: metricsView(job.metrics),
});

/** Groups per report; the totals include all groups. */
export const USAGE_ROWS = 1_000;

/** The key of each group in its row. */
const KEYS: Readonly<Record<UsageGroup, string>> = { agent: "agent_id", model: "model", day: "day" };

const budgetFields: (budget: Budgeted) => Shown<typeof UsageBudget> = fieldsFrom(UsageBudget);

const usageReportView = (
  { groupBy, since, until }: UsageRequest,
  { groups, totals }: UsageReport,
  {
    budget,
    quotas,
    currency,
  }: { readonly budget: Budgeted; readonly quotas: readonly QuotaState[]; readonly currency: string | null },
): Shown<typeof UsageReportView> => ({
  group_by: groupBy,
  currency,
  since,
  until,
  usage: groups.map(({ key, ...counts }) => ({ [KEYS[groupBy]]: key, ...countsView(counts) })),
  totals: countsView(totals),
  truncated: groups.length === USAGE_ROWS,
  budget: budgetFields(budget),
  quotas,
});

const countsView = (counts: Counts) => ({
  ...usageView(counts),
  jobs: counts.jobs,
  tool_calls: counts.toolCalls,
  time_to_first_token_ms: firstTokenAverage(counts),
});

const firstTokenAverage = ({ firstTokens = 0, firstTokenMs = 0 }: Counts): number | null =>
  firstTokens === 0 ? null : Math.round(firstTokenMs / firstTokens);
