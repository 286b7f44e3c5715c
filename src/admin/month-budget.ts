/** `admin org budget`: how much of models an organization may use in a month. */
import { limitOf } from "../../actors/money.ts";
import type { Budgeted } from "../../actors/usage/protocol.ts";
import type { CostLimit, TokenLimit } from "../../actors/usage/schema.ts";
import type { AdminArguments } from "../service/admin-door.ts";
import { AdminRefused, integer } from "./arguments.ts";

/** Reads `--tokens` and `--cost`; null if the command only shows the budget. */
export function givenMonthLimits(
  given: AdminArguments,
): { readonly limit?: TokenLimit; readonly costLimit?: CostLimit } | null {
  const { tokens, cost } = given.options;
  if (tokens === undefined && cost === undefined) return null;
  return {
    ...(tokens === undefined ? {} : { limit: limitWord(tokens) ?? tokensOf(given) }),
    ...(cost === undefined ? {} : { costLimit: limitWord(cost) ?? givenCost(cost) }),
  };
}

function limitWord(text: string): { readonly kind: "unlimited" | "service" } | null {
  if (text === "unlimited") return { kind: "unlimited" };
  return text === "default" ? { kind: "service" } : null;
}

const tokensOf = (given: AdminArguments): TokenLimit => ({
  kind: "tokens",
  tokens: integer(given, "tokens", { fallback: 1, min: 1, max: Number.MAX_SAFE_INTEGER }),
});

function givenCost(text: string): CostLimit {
  const cost = limitOf(text);
  if (cost === null) throw new AdminRefused("--cost must be an amount above 0 such as 250.00, unlimited or default");
  return { kind: "cost", cost };
}

export function budgetWords(name: string, budget: Budgeted): string {
  const { monthlyTokens, usedTokens, monthlyCost, usedCost, unpricedTokens, resetsAt } = budget;
  const tokens = `${name} may use ${monthlyTokens ?? "any number of"} model tokens a month, at a cost of ${monthlyCost ?? "any amount"}.`;
  const unpriced = unpricedTokens === 0 ? "" : ` (not counting ${unpricedTokens} tokens that have no price)`;
  return `${tokens} It has used ${usedTokens}, at a cost of ${usedCost ?? 0}${unpriced}; the month ends at ${resetsAt}.`;
}
