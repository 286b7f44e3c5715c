/** The operator's limits of organizations and their jobs, as the parts of the service take them. */
import type { ActorSettings } from "../../actors/troupe.ts";
import { DEFAULT_QUOTAS, quotaEntry, type QuotaLimits } from "../../actors/usage/quota.ts";
import type { Config } from "./settings.ts";
import { MIB } from "../../actors/units.ts";

/** The settings that the actors get. */
export const actorSettingsOf = ({ jobSteps, jobMinutes, monthlyTokenBudget, monthlyCostBudget, ...rest }: Config) =>
  ({
    monthlyTokens: monthlyTokenBudget ?? null,
    monthlyCost: monthlyCostBudget ?? null,
    hasMail: rest.smtpUrl !== undefined,
    jobLimits: { steps: jobSteps, runMs: jobMinutes * 60_000 },
    workspaceLimits: { fileBytes: rest.fileMib * MIB, workspaceBytes: rest.workspaceMib * MIB },
  }) satisfies ActorSettings;

/** The default quotas, of `agents=500,tasks=unlimited`: the limits of an organization without its own. */
export const quotasOf = ({ quotas }: { readonly quotas: readonly string[] }): QuotaLimits => ({
  ...DEFAULT_QUOTAS,
  ...Object.fromEntries(quotas.flatMap((entry) => [quotaEntry(entry) ?? []])),
});

/** The budgets of RATE_BUDGETS: requests in a window, by organization; `*` is any other. */
export const rateBudgetsOf = ({ rateBudgets }: Pick<Config, "rateBudgets">): ReadonlyMap<string, number> =>
  new Map(
    rateBudgets.map((entry) => {
      const [organization = "", requests] = entry.split("=");
      return [organization, Number(requests)];
    }),
  );
