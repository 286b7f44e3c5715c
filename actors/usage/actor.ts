/**
 * The usage of an organization. The group that commits a job's use in the job also counts it here, so each token is
 * counted once, however often its job restarts, and never without its job. The budget is checked before a job is
 * created and before each model call. A call in flight may exceed it: its cost is known only when it is over.
 */
import { assert } from "../assert.ts";
import { ok } from "../fault.ts";
import type { ActorDefinition, RecordKey, Tx } from "../runtime/actor.ts";
import { addCosts, amountOf, moneyUnits, unpricedTokens } from "../money.ts";
import { isoTime } from "../schema.ts";
import type { Budgeted, UsageCommand, UsageProtocol } from "./protocol.ts";
import {
  addFirstTokens,
  USAGE_COUNTERS,
  type Counts,
  dayOf,
  dayUsageTable,
  type MonthLimits,
  type MonthUsage,
  monthEndMs,
  monthOf,
  monthUsageTable,
  NO_COUNTS,
  type SpentBudget,
  tokenBudgetTable,
} from "./schema.ts";

/** `service`: the limits of organizations that have none of their own. */
export function usageActor(service: MonthLimits): ActorDefinition<UsageProtocol> {
  return {
    kind: "usage",
    needs: (ref, command) => usageNeeds(ref.organizationId, command),
    handlers: {
      count_usage(tx, { agentId, model, counts }) {
        countDay(tx, { agentId, model, counts });
        countMonth(tx, counts);
        return ok(null);
      },

      check_budget(tx) {
        const limits = limitsOf(tx, service);
        const { monthlyTokens, monthlyCost } = limits;
        // Without a limit the month is not read, because its record changes whenever a job runs.
        const spent = monthlyTokens === null && monthlyCost === null ? null : spentOf(limits, monthOfNow(tx));
        return ok({ spent, limitsCost: monthlyCost !== null, retryAfterMs: monthEndMs(tx.now) - tx.now });
      },

      read_budget: (tx) => ok(monthBudget(tx, service)),

      set_budget(tx, { limit, costLimit }) {
        const limits = { ...(limit === undefined ? {} : { limit }), ...(costLimit === undefined ? {} : { costLimit }) };
        const { organizationId: id } = tx.self;
        const budget = tx.read(tokenBudgetTable, id);
        if (budget === null) tx.create(tokenBudgetTable, { limit: { kind: "service" }, ...limits, id });
        else tx.update(tokenBudgetTable, { ...budget, ...limits });
        return ok(monthBudget(tx, service));
      },
    },
  };
}

/** Only the turn knows the month and the day, so these records are loaded on demand. */
const usageNeeds = (id: string, { kind }: UsageCommand): readonly RecordKey[] =>
  kind === "count_usage" ? [] : [{ table: tokenBudgetTable.name, id }];

function countDay(
  tx: Tx,
  { agentId, model, counts }: { readonly agentId: string; readonly model: string; readonly counts: Counts },
): void {
  const day = dayOf(tx.now);
  const id = `${day}/${agentId}/${model}`;
  const present = tx.read(dayUsageTable, id);
  if (present === null) tx.create(dayUsageTable, { ...addUsage(NO_COUNTS, counts), id, day, agentId, model });
  else tx.update(dayUsageTable, { ...present, ...addUsage(present, counts) });
}

function countMonth(tx: Tx, counts: Counts): void {
  const id = monthOf(tx.now);
  const present = tx.read(monthUsageTable, id);
  if (present === null) tx.create(monthUsageTable, { ...addUsage(NO_COUNTS, counts), id });
  else tx.update(monthUsageTable, { ...present, ...addUsage(present, counts) });
}

/** The sum of both, capped at the largest exact integer: a spent budget stays spent. */
export function addUsage(a: Counts, b: Counts): Counts {
  assert(
    USAGE_COUNTERS.every((name) => a[name] >= 0 && b[name] >= 0),
    "counts are not negative",
  );
  return {
    ...USAGE_COUNTERS.reduce(
      (total, name) => ({ ...total, [name]: Math.min(a[name] + b[name], Number.MAX_SAFE_INTEGER) }),
      NO_COUNTS,
    ),
    ...addCosts(a, b),
    ...addFirstTokens(a, b),
  };
}

function limitsOf(tx: Tx, service: MonthLimits): MonthLimits {
  const own = tx.read(tokenBudgetTable, tx.self.organizationId);
  const { limit = { kind: "service" }, costLimit = { kind: "service" } } = own ?? {};
  return {
    monthlyTokens: limit.kind === "tokens" ? limit.tokens : limit.kind === "service" ? service.monthlyTokens : null,
    monthlyCost: costLimit.kind === "cost" ? costLimit.cost : costLimit.kind === "service" ? service.monthlyCost : null,
  };
}

const monthOfNow = (tx: Tx): Counts | MonthUsage => tx.read(monthUsageTable, monthOf(tx.now)) ?? NO_COUNTS;

function spentOf({ monthlyTokens, monthlyCost }: MonthLimits, used: Counts): SpentBudget | null {
  if (monthlyTokens !== null && used.inputTokens + used.outputTokens >= monthlyTokens) return "tokens";
  return monthlyCost !== null && moneyUnits(used.cost ?? "0") >= moneyUnits(monthlyCost) ? "cost" : null;
}

function monthBudget(tx: Tx, service: MonthLimits): Budgeted {
  const used = monthOfNow(tx);
  const { monthlyTokens, monthlyCost } = limitsOf(tx, service);
  return {
    monthlyTokens,
    usedTokens: used.inputTokens + used.outputTokens,
    monthlyCost: monthlyCost === null ? null : amountOf(moneyUnits(monthlyCost)),
    usedCost: used.cost ?? null,
    unpricedTokens: unpricedTokens(used),
    resetsAt: isoTime(monthEndMs(tx.now)),
  };
}
