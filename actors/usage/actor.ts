/**
 * The usage of an organization. What a job uses is counted by the group that commits it in the job, so
 * each token is counted once, however often its job is begun again, and never without its job. The
 * budget is looked at before a job is made and before each model call. A call in flight may pass it:
 * what it costs is known only when it is over.
 */
import { ok } from "../fault.ts";
import type { ActorDefinition, RecordKey, Tx } from "../runtime/actor.ts";
import { addCosts } from "../money.ts";
import { isoTime } from "../schema.ts";
import type { Budgeted, UsageCommand, UsageProtocol } from "./protocol.ts";
import {
  COUNTS,
  type Counts,
  dayOf,
  dayUsageTable,
  monthEndMs,
  monthOf,
  monthUsageTable,
  NO_COUNTS,
  tokenBudgetTable,
} from "./schema.ts";

/** `serviceTokens`: what an organization without a limit of its own may use in a month; null: any number. */
export function usageActor(serviceTokens: number | null): ActorDefinition<UsageProtocol> {
  return {
    kind: "usage",
    needs: (ref, command) => needs(ref.organizationId, command),
    handlers: {
      count_usage(tx, { agentId, model, counts }) {
        countDay(tx, { agentId, model, counts });
        countMonth(tx, counts);
        return ok(null);
      },

      check_budget(tx) {
        const monthlyTokens = limitOf(tx, serviceTokens);
        // Without a limit the month is not read: it is about to change whenever a job runs.
        const isSpent = monthlyTokens !== null && usedTokens(tx) >= monthlyTokens;
        return ok({ isSpent, retryAfterMs: monthEndMs(tx.now) - tx.now });
      },

      read_budget: (tx) => ok(budgeted(tx, serviceTokens)),

      set_budget(tx, { limit }) {
        const { organizationId: id } = tx.self;
        const budget = tx.read(tokenBudgetTable, id);
        if (budget === null) tx.create(tokenBudgetTable, { id, limit });
        else tx.update(tokenBudgetTable, { ...budget, limit });
        return ok(budgeted(tx, serviceTokens));
      },
    },
  };
}

/** The month and the day are known to the turn only; they are loaded when it asks. */
const needs = (id: string, { kind }: UsageCommand): readonly RecordKey[] =>
  kind === "count_usage" ? [] : [{ table: tokenBudgetTable.name, id }];

function countDay(
  tx: Tx,
  { agentId, model, counts }: { readonly agentId: string; readonly model: string; readonly counts: Counts },
): void {
  const day = dayOf(tx.now);
  const id = `${day}/${agentId}/${model}`;
  const present = tx.read(dayUsageTable, id);
  if (present === null) tx.create(dayUsageTable, { ...sum(NO_COUNTS, counts), id, day, agentId, model });
  else tx.update(dayUsageTable, { ...present, ...sum(present, counts) });
}

function countMonth(tx: Tx, counts: Counts): void {
  const id = monthOf(tx.now);
  const present = tx.read(monthUsageTable, id);
  if (present === null) tx.create(monthUsageTable, { ...sum(NO_COUNTS, counts), id });
  else tx.update(monthUsageTable, { ...present, ...sum(present, counts) });
}

/** Both together, up to the largest number that is still exact: a budget that is spent stays spent. */
export const sum = (a: Counts, b: Counts): Counts => ({
  ...COUNTS.reduce(
    (total, name) => ({ ...total, [name]: Math.min(a[name] + b[name], Number.MAX_SAFE_INTEGER) }),
    NO_COUNTS,
  ),
  ...addCosts(a, b),
});

function limitOf(tx: Tx, serviceTokens: number | null): number | null {
  const limit = tx.read(tokenBudgetTable, tx.self.organizationId)?.limit ?? { kind: "service" };
  switch (limit.kind) {
    case "service":
      return serviceTokens;
    case "unlimited":
      return null;
    case "tokens":
      return limit.tokens;
  }
}

function usedTokens(tx: Tx): number {
  const { inputTokens, outputTokens } = tx.read(monthUsageTable, monthOf(tx.now)) ?? NO_COUNTS;
  return inputTokens + outputTokens;
}

const budgeted = (tx: Tx, serviceTokens: number | null): Budgeted => ({
  monthlyTokens: limitOf(tx, serviceTokens),
  usedTokens: usedTokens(tx),
  usedCost: tx.read(monthUsageTable, monthOf(tx.now))?.cost ?? null,
  resetsAt: isoTime(monthEndMs(tx.now)),
});
