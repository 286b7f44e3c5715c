/** What the organization has used, by agent, model or day, and its budget of this month (RUN-4). */
import { invalid, ok, type Outcome } from "../../../actors/fault.ts";
import { isoTime } from "../../../actors/schema.ts";
import { USAGE_GROUPS, type UsageGroup, type UsageReport, type UsageRequest } from "../../../actors/usage/directory.ts";
import type { Budgeted } from "../../../actors/usage/protocol.ts";
import { type Counts, dayOf, monthOf, usageRef } from "../../../actors/usage/schema.ts";
import { queryOf } from "../../http/exchange.ts";
import { lookUp } from "../../http/look-up.ts";
import type { Shown } from "../../http/operation.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Call, Surface } from "../../http/surface.ts";
import { timeOf, wordFilter } from "../filter.ts";
import type { CurrentParts } from "../parts.ts";
import { usageOperations, type UsageReportView } from "./operations.ts";

/** Groups of one report; the totals are of all. */
export const USAGE_ROWS = 1_000;

/** What each group is called in its row. */
const KEYS: Readonly<Record<UsageGroup, string>> = { agent: "agent_id", model: "model", day: "day" };

export const usageRoutes = (current: Surface, parts: CurrentParts) =>
  operationRoutes(current, usageOperations, { getUsage: (call) => readUsage(parts, call) });

async function readUsage(
  { system, usage, clock, log }: CurrentParts,
  { request, principal: { organizationId } }: Call,
): Promise<Outcome<Shown<typeof UsageReportView>>> {
  const asked = requestOf(queryOf(request.url), clock.now());
  if (!asked.ok) return asked;
  const budget = await system.dispatch(usageRef(organizationId), { kind: "read_budget" });
  if (!budget.ok) return budget;
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const report = await lookUp(log, usage.report(organizationId, asked.value));
  return report.ok ? ok(usageView(asked.value, report.value, budget.value)) : report;
}

/** From the first day of this month to today, unless the query says otherwise. */
function requestOf(query: URLSearchParams, now: number): Outcome<UsageRequest> {
  const groupBy = wordFilter(query, "group_by", USAGE_GROUPS);
  if (!groupBy.ok) return groupBy;
  const since = dayFilter(query, "since", `${monthOf(now)}-01`);
  if (!since.ok) return since;
  const until = dayFilter(query, "until", dayOf(now));
  if (!until.ok) return until;
  return ok({ groupBy: groupBy.value ?? "day", since: since.value, until: until.value, limit: USAGE_ROWS });
}

/** A day of UTC, or the day of a time. */
function dayFilter(query: URLSearchParams, name: string, fallback: string): Outcome<string> {
  const text = query.get(name);
  if (text === null || text === "") return ok(fallback);
  const time = timeOf(text);
  // JavaScript makes the 30th of February a day of March.
  if (time === null || (text.length === DAY_CHARACTERS && time.slice(0, DAY_CHARACTERS) !== text))
    return invalid(`/${name}`, `${name} must be a day, such as ${isoTime(0).slice(0, DAY_CHARACTERS)}, or a time`);
  return ok(time.slice(0, DAY_CHARACTERS));
}
const DAY_CHARACTERS = "2026-11-30".length;

const usageView = (
  { groupBy, since, until }: UsageRequest,
  { groups, totals }: UsageReport,
  budget: Budgeted,
): Shown<typeof UsageReportView> => ({
  group_by: groupBy,
  since,
  until,
  usage: groups.map(({ key, ...counts }) => ({ [KEYS[groupBy]]: key, ...countsView(counts) })),
  totals: countsView(totals),
  truncated: groups.length === USAGE_ROWS,
  budget: {
    monthly_tokens: budget.monthlyTokens,
    used_tokens: budget.usedTokens,
    resets_at: budget.resetsAt,
  },
});

const countsView = ({ inputTokens, outputTokens, jobs, toolCalls }: Counts) => ({
  input_tokens: inputTokens,
  output_tokens: outputTokens,
  jobs,
  tool_calls: toolCalls,
});
