/**
 * The usage of an organization (RUN-4), for each day, agent and model, and for each month; and its limits for a month.
 * Days and months are in UTC.
 */
import type { Costed } from "../money.ts";
import { soleRefTo, table } from "../runtime/actor.ts";
import { CostFields, isoTime, RecordBase, type Static, Type } from "../schema.ts";

/** The counters. */
export const USAGE_COUNTERS = ["inputTokens", "outputTokens", "jobs", "toolCalls"] as const;
const Counts = {
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  /** Started jobs. */
  jobs: Type.Integer(),
  /** Tool calls with a result. */
  toolCalls: Type.Integer(),
};
/** Answers whose first token was timed, and their times together, in ms; absent: none. */
const FIRST_TOKENS = ["firstTokens", "firstTokenMs"] as const;
const FirstTokenFields = { firstTokens: Type.Optional(Type.Integer()), firstTokenMs: Type.Optional(Type.Integer()) };
type FirstTokenTimes = Partial<Readonly<Record<(typeof FIRST_TOKENS)[number], number>>>;

/** The sum of both. */
export const addFirstTokens = (a: FirstTokenTimes, b: FirstTokenTimes): FirstTokenTimes =>
  Object.fromEntries(
    FIRST_TOKENS.map(
      (name) => [name, Math.min((a[name] ?? 0) + (b[name] ?? 0), Number.MAX_SAFE_INTEGER)] as const,
    ).filter(([, sum]) => sum > 0),
  );

export type Counts = Readonly<Record<(typeof USAGE_COUNTERS)[number], number>> & Costed & FirstTokenTimes;
export const NO_COUNTS: Counts = { inputTokens: 0, outputTokens: 0, jobs: 0, toolCalls: 0 };

/** The use of one model by one agent on one day. */
export const DayUsage = Type.Object({
  ...RecordBase,
  ...Counts,
  ...CostFields,
  ...FirstTokenFields,
  /** `2026-11-30` */
  day: Type.String(),
  agentId: Type.String(),
  /** `provider:name` */
  model: Type.String(),
});
export type DayUsage = Static<typeof DayUsage>;

/** The total use of one month; its id is the month, `2026-11`. */
export const MonthUsage = Type.Object({ ...RecordBase, ...Counts, ...CostFields, ...FirstTokenFields });
export type MonthUsage = Static<typeof MonthUsage>;

/** The limit of tokens in a month: the service's default, unlimited, or a number. */
export const TokenLimit = Type.Union([
  Type.Object({ kind: Type.Literal("service") }),
  Type.Object({ kind: Type.Literal("unlimited") }),
  Type.Object({ kind: Type.Literal("tokens"), tokens: Type.Integer({ minimum: 1 }) }),
]);
export type TokenLimit = Static<typeof TokenLimit>;

/** The limit of cost in a month, in the currency of the price table. */
export const CostLimit = Type.Union([
  Type.Object({ kind: Type.Literal("service") }),
  Type.Object({ kind: Type.Literal("unlimited") }),
  Type.Object({ kind: Type.Literal("cost"), cost: Type.String() }),
]);
export type CostLimit = Static<typeof CostLimit>;

/** The operator's default limits of an organization in a month; null: unlimited. */
export interface MonthLimits {
  readonly monthlyTokens: number | null;
  readonly monthlyCost: string | null;
}

/** The limit of the month that is reached. */
export type SpentBudget = "tokens" | "cost";
const SPENT: Readonly<Record<SpentBudget, string>> = {
  tokens: "The organization has used up its token budget for this month",
  cost: "The organization has used up its cost budget for this month",
};
export const spentWords = (of: SpentBudget): string => SPENT[of];

/** The organization's own limits, by its id; without a record, the service's defaults apply. */
export const TokenBudget = Type.Object({
  ...RecordBase,
  limit: TokenLimit,
  /** Absent: the service's default. */
  costLimit: Type.Optional(CostLimit),
});
export type TokenBudget = Static<typeof TokenBudget>;

export const dayUsageTable = table<DayUsage>("day_usage");
export const monthUsageTable = table<MonthUsage>("month_usage");
export const tokenBudgetTable = table<TokenBudget>("token_budget");

/** One for each organization; its id differs from the organization's, which names the organization's own actor. */
export const usageRef = soleRefTo("usage");

export const dayOf = (ms: number): string => isoTime(ms).slice(0, 10);
export const monthOf = (ms: number): string => isoTime(ms).slice(0, 7);

/** When the month of this time ends. */
export function monthEndMs(ms: number): number {
  const [year = 0, month = 0] = monthOf(ms).split("-").map(Number);
  return Date.UTC(year, month, 1);
}
