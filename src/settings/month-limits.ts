/** The operator's limits of model usage per organization and month. */
import type { MonthLimits } from "../../actors/usage/schema.ts";
import type { Config } from "./config.ts";
import type { SettingsCheck } from "./setting-checks.ts";

export const monthLimitsOf = ({
  monthlyTokenBudget,
  monthlyCostBudget,
}: Pick<Config, "monthlyTokenBudget" | "monthlyCostBudget">): MonthLimits => ({
  monthlyTokens: monthlyTokenBudget ?? null,
  monthlyCost: monthlyCostBudget ?? null,
});

/** A limit of cost needs prices: without them nothing has a cost. */
export const pricesOfBudget: SettingsCheck = {
  reads: ["MONTHLY_COST_BUDGET", "MODEL_PRICES"],
  errors: ({ monthlyCostBudget, modelPrices }) =>
    monthlyCostBudget === undefined || modelPrices !== undefined
      ? []
      : [{ variable: "MODEL_PRICES", message: "is missing; MONTHLY_COST_BUDGET needs the prices of models" }],
};
