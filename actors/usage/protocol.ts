/** The commands and replies of an organization's usage actor. */
import type { CostLimit, Counts, SpentBudget, TokenLimit } from "./schema.ts";

export type UsageCommand =
  /** Adds usage; a member of the group that commits the use. */
  | { readonly kind: "count_usage"; readonly agentId: string; readonly model: string; readonly counts: Counts }
  /** Whether a model call may begin now. */
  | { readonly kind: "check_budget" }
  | { readonly kind: "read_budget" }
  /** An absent limit stays unchanged. */
  | { readonly kind: "set_budget"; readonly limit?: TokenLimit; readonly costLimit?: CostLimit };

/** The budget of the current month. */
export interface Budgeted {
  /** The limit of tokens, input and output together; null without a limit. */
  readonly monthlyTokens: number | null;
  readonly usedTokens: number;
  /** The limit of cost, as an amount of `actors/money.ts`; null without a limit. */
  readonly monthlyCost: string | null;
  /** The cost of tokens that have a price; null: none has one. */
  readonly usedCost: string | null;
  /** Tokens without a price, which no cost limit covers. */
  readonly unpricedTokens: number;
  /** ISO 8601: when the next month begins. */
  readonly resetsAt: string;
}

export interface UsageReplies {
  count_usage: null;
  /**
   * `spent`: null while some is left. `limitsCost`: whether the month has a cost limit. `retryAfterMs`: until the month
   * ends.
   */
  check_budget: { readonly spent: SpentBudget | null; readonly limitsCost: boolean; readonly retryAfterMs: number };
  read_budget: Budgeted;
  set_budget: Budgeted;
}

export interface UsageProtocol {
  readonly command: UsageCommand;
  readonly replies: UsageReplies;
}
