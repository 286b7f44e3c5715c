/** What tokens have cost, wherever it is shown. */
import { type Costed, unpricedTokens } from "../../actors/money.ts";
import { Nullable } from "../../actors/schema.ts";
import { Count, Text } from "../http/contract/noun.ts";

export const CostField = Nullable(
  Text("The exact price of the tokens that have one, in `currency` of `GET /api/usage`; null where none has", "0.0105"),
);
export const UnpricedField = Count("Tokens of models for which the operator has set no price; `cost` is without them");

export const costView = (used: Costed & { readonly inputTokens: number; readonly outputTokens: number }) => ({
  cost: used.cost ?? null,
  unpriced_tokens: unpricedTokens(used),
});
