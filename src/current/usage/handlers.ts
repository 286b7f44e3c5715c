/** The organization's usage by agent, model or day, and its budget of this month (RUN-4). */
import { mapped } from "../../../actors/fault.ts";
import { type UsageGroup, type UsageReport, type UsageRequest } from "../../../actors/usage/directory.ts";
import type { QuotaState } from "../../../actors/usage/quota.ts";
import type { Budgeted } from "../../../actors/usage/protocol.ts";
import { type Counts, dayOf, monthOf, usageRef } from "../../../actors/usage/schema.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Handlers, Shown } from "../../http/contract/operation.ts";
import type { Services } from "../../operations/services.ts";
import { costView } from "../cost.ts";
import { inOrder } from "../time-range.ts";
import type { usageOperations } from "./operations.ts";
import { type UsageReportView } from "./operations.ts";

/** Groups per report; the totals include all groups. */
export const USAGE_ROWS = 1_000;

/** The key of each group in its row. */
const KEYS: Readonly<Record<UsageGroup, string>> = { agent: "agent_id", model: "model", day: "day" };

export const usageHandlers: Handlers<typeof usageOperations.operations, Services> = {
  /** Defaults to the time from the first day of this month to today. */
  async getUsage(
    { system, usage, quotas, models, clock, log },
    { principal: { organizationId, userId, role } },
    { query },
  ) {
    const now = clock.now();
    const [monthBegin, today] = [`${monthOf(now)}-01`, dayOf(now)];
    const ordered = inOrder(
      { name: "since", value: query.since, default: monthBegin },
      { name: "until", value: query.until, default: today },
    );
    if (!ordered.ok) return ordered;
    const { group_by: groupBy, since = monthBegin, until = today } = query;
    // Owners are responsible for all usage, and receive the events of everybody's work too (HOOK-10).
    const seenBy = role === "owner" ? null : userId;
    const request = { groupBy, since, until, limit: USAGE_ROWS, seenBy };
    const budget = await system.dispatch(usageRef(organizationId), { kind: "read_budget" });
    if (!budget.ok) return budget;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const reports = Promise.all([usage.report(organizationId, request), quotas.report(organizationId)]);
    const found = await lookUp(log, reports);
    return mapped(found, ([report, states]) =>
      usageView(request, report, { budget: budget.value, quotas: states, currency: models.currency ?? null }),
    );
  },
};

const usageView = (
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
  budget: {
    monthly_tokens: budget.monthlyTokens,
    used_tokens: budget.usedTokens,
    monthly_cost: budget.monthlyCost,
    used_cost: budget.usedCost,
    unpriced_tokens: budget.unpricedTokens,
    resets_at: budget.resetsAt,
  },
  quotas,
});

const countsView = (counts: Counts) => ({
  input_tokens: counts.inputTokens,
  output_tokens: counts.outputTokens,
  jobs: counts.jobs,
  tool_calls: counts.toolCalls,
  ...costView(counts),
});
