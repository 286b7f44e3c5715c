/** What an organization's usage can be asked, and what it answers. */
import type { CostLimit, Counts, SpentBudget, TokenLimit } from "./schema.ts";

export type UsageCommand =
  /** Adds what was used; to be a member of the group that commits the use. */
  | { readonly kind: "count_usage"; readonly agentId: string; readonly model: string; readonly counts: Counts }
  /** Whether a model call may begin now. */
  | { readonly kind: "check_budget" }
  | { readonly kind: "read_budget" }
  /** A limit that is absent stays. */
  | { readonly kind: "set_budget"; readonly limit?: TokenLimit; readonly costLimit?: CostLimit };

/** The budget of the present month. */
export interface Budgeted {
  /** Tokens that may be used, in and out together; null without a limit. */
  readonly monthlyTokens: number | null;
  readonly usedTokens: number;
  /** What the month may cost, as an amount of `actors/money.ts`; null without a limit. */
  readonly monthlyCost: string | null;
  /** What those with a price have cost; null: none has one. */
  readonly usedCost: string | null;
  /** Tokens without a price: no limit of cost knows them. */
  readonly unpricedTokens: number;
  /** ISO 8601: when the next month begins. */
  readonly resetsAt: string;
}

export interface UsageReplies {
  count_usage: null;
  /** `spent`: null while there is some left. `limitsCost`: whether the month has a limit of cost. `retryAfterMs`: to its end. */
  check_budget: { readonly spent: SpentBudget | null; readonly limitsCost: boolean; readonly retryAfterMs: number };
  read_budget: Budgeted;
  set_budget: Budgeted;
}

export interface UsageProtocol {
  readonly command: UsageCommand;
  readonly replies: UsageReplies;
}
