/** The operator's limits of model usage per organization and month. */
import type { MonthLimits } from "../../actors/usage/schema.ts";
import type { Config } from "./config.ts";
import type { SettingsCheck } from "./setting-checks.ts";

export const MONTHLY_TOKENS_SETTING = {
  env: "MONTHLY_TOKEN_BUDGET",
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  allowed: "a whole number of tokens, at least 1",
};

export const MONTHLY_COST_SETTING = {
  env: "MONTHLY_COST_BUDGET",
  format: "amount",
  allowed: "an amount above 0 in the currency of MODEL_PRICES, such as 250.00",
};

export const monthLimitsOf = ({
  monthlyTokenBudget,
  monthlyCostBudget,
}: Pick<Config, "monthlyTokenBudget" | "monthlyCostBudget">): MonthLimits => ({
  monthlyTokens: monthlyTokenBudget ?? null,
  monthlyCost: monthlyCostBudget ?? null,
});

/** A limit of cost needs prices: without them nothing has a cost. */
export const pricesOfBudget: SettingsCheck = {
  reads: [MONTHLY_COST_SETTING.env, "MODEL_PRICES"],
  errors: ({ monthlyCostBudget, modelPrices }) =>
    monthlyCostBudget === undefined || modelPrices !== undefined
      ? []
      : [{ variable: "MODEL_PRICES", message: "is missing; MONTHLY_COST_BUDGET needs the prices of models" }],
};
