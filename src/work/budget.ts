/** Whether the organization may begin something that costs tokens (RUN-4). */
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { usageRef } from "../../actors/usage/schema.ts";

/** Refuses `budget_exceeded` until the month ends. What runs then goes on to its next model call only. */
export async function withinBudget(system: TroupeSystem, organizationId: string): Promise<Outcome<null>> {
  const budget = await system.dispatch(usageRef(organizationId), { kind: "check_budget" });
  if (!budget.ok) return budget;
  const { isSpent, retryAfterMs } = budget.value;
  return isSpent ? refuse({ kind: "budget_exceeded", retryAfterMs }) : ok(null);
}
