/** The unused part of a job's own budget. A resume with a new budget counts from there. */
import { amountOf, moneyUnits, unpricedTokens } from "../money.ts";
import type { ModelInfo, ModelPort } from "./ports.ts";
import type { Job } from "./schema.ts";
import type { Budget } from "./terms.ts";

type BudgetedJob = Pick<
  Job,
  "metrics" | "budget" | "budgetFrom" | "budgetFromStep" | "budgetFromCost" | "budgetFromUnpriced" | "step" | "runner"
>;

/** The parts of a budget that a job can use up. */
const BUDGET_PARTS = ["maxSteps", "maxTokens", "maxCost"] as const;
export type BudgetPart = (typeof BUDGET_PARTS)[number];

const usedTokens = ({ metrics, budgetFrom }: BudgetedJob): number =>
  metrics.inputTokens + metrics.outputTokens - budgetFrom;

const usedCost = ({ metrics, budgetFromCost = "0" }: BudgetedJob): bigint =>
  moneyUnits(metrics.cost ?? "0") - moneyUnits(budgetFromCost);

/**
 * Whether the job has used tokens without a price. Their cost is unknown, so a cost budget counts as spent. The demo
 * model costs nothing.
 */
export const hasUnknownCost = ({ metrics, budgetFromUnpriced = 0, runner }: BudgetedJob): boolean =>
  runner?.demo !== true && unpricedTokens(metrics) > budgetFromUnpriced;

/** Whether the price of the model's calls is known. The demo model costs nothing. */
export const isCostKnown = ({ hasPrice }: Pick<ModelPort, "hasPrice">, { demo, provider, name }: ModelInfo): boolean =>
  demo || hasPrice?.(`${provider}:${name}`) === true;

/** The parts of its budget that the job has used up. */
export const spentParts = (job: BudgetedJob): BudgetPart[] => BUDGET_PARTS.filter((part) => isSpent[part](job));
/** One of them; null: every part has some left. */
export const spentPart = (job: BudgetedJob): BudgetPart | null => spentParts(job)[0] ?? null;

const isSpent: Readonly<Record<BudgetPart, (job: BudgetedJob) => boolean>> = {
  maxSteps: ({ budget: { maxSteps }, step, budgetFromStep = 0 }) =>
    maxSteps !== null && step - budgetFromStep >= maxSteps,
  maxTokens: (job) => job.budget.maxTokens !== null && usedTokens(job) >= job.budget.maxTokens,
  maxCost: (job) => {
    const { maxCost = null } = job.budget;
    return maxCost !== null && (usedCost(job) >= moneyUnits(maxCost) || hasUnknownCost(job));
  },
};

/** The smallest budget: a child of a job whose budget is spent makes one step. */
const LEAST_TOKENS = 1;
const LEAST_UNITS = 1n;

/** The budget for a job that this one starts. The new job has its own steps and deadline. */
export function budgetLeft(job: BudgetedJob): Pick<Budget, "maxTokens" | "maxCost"> {
  const { maxTokens, maxCost = null } = job.budget;
  const left = maxCost === null ? null : moneyUnits(maxCost) - usedCost(job);
  return {
    maxTokens: maxTokens === null ? null : Math.max(LEAST_TOKENS, maxTokens - usedTokens(job)),
    ...(left === null ? {} : { maxCost: amountOf(left < LEAST_UNITS ? LEAST_UNITS : left) }),
  };
}

/** The fields of a job that gets this budget now; parts that the budget does not name keep their values. */
export function budgetFromHere(
  { metrics, step, budget: before }: BudgetedJob,
  { maxTokens, maxCost, maxSteps, deadlineAt }: Budget,
): Pick<Job, "budget" | "budgetFrom" | "budgetFromStep" | "budgetFromCost" | "budgetFromUnpriced"> {
  return {
    budget: {
      maxTokens: maxTokens ?? before.maxTokens,
      maxCost: maxCost ?? before.maxCost ?? null,
      maxSteps: maxSteps ?? before.maxSteps,
      deadlineAt: deadlineAt ?? before.deadlineAt,
    },
    budgetFrom: metrics.inputTokens + metrics.outputTokens,
    budgetFromStep: step,
    budgetFromCost: metrics.cost ?? "0",
    budgetFromUnpriced: unpricedTokens(metrics),
  };
}
