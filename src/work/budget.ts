/**
 * Whether work that costs tokens and money may begin (RUN-4, RUN-20). A limit of cost needs models with a known cost: a
 * model without a price is refused; a free one has the price 0. The demo model costs nothing.
 */
import { invalid, ok, type Outcome, refuse } from "../../actors/fault.ts";
import { isCostKnown } from "../../actors/job/budget.ts";
import type { ModelInfo, ModelPort } from "../../actors/job/ports.ts";
import type { Budget } from "../../actors/job/terms.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { usageRef } from "../../actors/usage/schema.ts";

/** Refuses `budget_exceeded` until the month ends. Running jobs continue only up to their next model call. */
export async function withinBudget(
  system: TroupeSystem,
  organizationId: string,
): Promise<Outcome<{ readonly limitsCost: boolean }>> {
  const budget = await system.dispatch(usageRef(organizationId), { kind: "check_budget" });
  if (!budget.ok) return budget;
  const { spent, retryAfterMs } = budget.value;
  return spent === null ? ok(budget.value) : refuse({ kind: "budget_exceeded", of: spent, retryAfterMs });
}

type Prices = Pick<ModelPort, "hasPrice">;

const modelLabel = ({ provider, name }: ModelInfo): string => `${provider}:${name}`;

/** Refuses a budget of cost for a model with an unknown cost; `name` is the budget's name in the refusal. */
export function costKnown(
  prices: Prices,
  model: ModelInfo,
  budget: Pick<Budget, "maxCost"> | null,
  name = "budget.max_cost",
): Outcome<null> {
  if ((budget?.maxCost ?? null) === null || isCostKnown(prices, model)) return ok(null);
  return invalid("/budget/max_cost", `${name} needs a model with a price; ${modelLabel(model)} has none`);
}

/** The refusal of a model without a price while the month has a limit of cost. */
export const refuseUnpriced = (model: ModelInfo): Outcome<never> =>
  refuse({
    kind: "provider_error",
    message: `The organization has a cost budget, and the model ${modelLabel(model)} has no price`,
  });
