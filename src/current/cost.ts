/** Tokens and their costs, in all views. */
import { invalid, ok, type Outcome } from "../../actors/fault.ts";
import type { Budget } from "../../actors/job/terms.ts";
import { type Costed, limitOf, unpricedTokens } from "../../actors/money.ts";
import { Nullable, Type } from "../../actors/schema.ts";
import { Count, Text } from "../http/contract/noun.ts";

export const CostField = Nullable(
  Text(
    "Exact cost of the tokens that have a price, in the `currency` of `GET /api/usage`; null if none has a price",
    "0.0105",
  ),
);
export const CurrencyField = Nullable(
  Text("Currency of all costs, by ISO 4217; null if the operator has set no prices", "USD"),
);
export const UnpricedField = Count("Tokens of models without a price; they are not in `cost`");

const OwnKeyField = Count("Tokens of calls with the organization's own key");

const EstimatedField = Count(
  "Tokens that are estimated because the provider did not report them; the other counts include them",
);

/** The tokens of model calls, and their cost. */
export const USAGE_FIELDS = {
  input_tokens: Count("Tokens sent to models"),
  output_tokens: Count("Tokens received from models"),
  cached_input_tokens: Count("Input tokens that the provider read from its cache; part of `input_tokens`"),
  cache_write_tokens: Count("Input tokens that the provider wrote to its cache; part of `input_tokens`"),
  cost: CostField,
  unpriced_tokens: UnpricedField,
  own_key_tokens: OwnKeyField,
  estimated_tokens: EstimatedField,
};

export const usageView = (used: Costed & { readonly inputTokens: number; readonly outputTokens: number }) => ({
  input_tokens: used.inputTokens,
  output_tokens: used.outputTokens,
  cached_input_tokens: used.cachedInputTokens ?? 0,
  cache_write_tokens: used.cacheWriteTokens ?? 0,
  cost: used.cost ?? null,
  unpriced_tokens: unpricedTokens(used),
  own_key_tokens: used.ownKeyTokens ?? 0,
  estimated_tokens: used.estimatedTokens ?? 0,
});

/** A cost limit in a body. */
export const GivenAmount = Type.String({
  description: "Maximum cost as decimal text, in the `currency` of `GET /api/usage`; the model must have a price",
  maxLength: 32,
  examples: ["2.50"],
});

/** A cost limit in a view. */
export const CostLimitField = Nullable(
  Text("Maximum cost, in the `currency` of `GET /api/usage`; null for no limit", "2.5"),
);

/** The value of a budget's `max_cost`. */
export function costLimitOf(text: string | null): Outcome<Pick<Budget, "maxCost">> {
  if (text === null) return ok({});
  const maxCost = limitOf(text);
  if (maxCost === null)
    return invalid(
      "/budget/max_cost",
      `budget.max_cost is ${JSON.stringify(text)}; it must be an amount above 0 as text, such as "2.50", with at most 12 decimals`,
    );
  return ok({ maxCost });
}
