/** What is left of a job's own budget. A resume with a new budget counts from there. */
import type { Job } from "./schema.ts";

type Budgeted = Pick<Job, "metrics" | "budget" | "budgetFrom" | "budgetFromStep" | "step">;

/** Whether the job has used up the tokens of its budget. */
export const hasSpentTokens = ({ metrics, budget: { maxTokens }, budgetFrom }: Budgeted): boolean =>
  maxTokens !== null && metrics.inputTokens + metrics.outputTokens - budgetFrom >= maxTokens;

/** Whether the job has made all steps of its budget. */
export const hasSpentSteps = ({ budget: { maxSteps }, step, budgetFromStep = 0 }: Budgeted): boolean =>
  maxSteps !== null && step - budgetFromStep >= maxSteps;
