/** The operator's default quotas of organizations, from the environment: `agents=500,tasks=unlimited`. */
import { DEFAULT_QUOTAS, quotaEntry, type QuotaLimits } from "../../actors/usage/quota.ts";

/** The limits of an organization without its own. */
export const quotasOf = ({ quotas }: { readonly quotas: readonly string[] }): QuotaLimits => ({
  ...DEFAULT_QUOTAS,
  ...Object.fromEntries(quotas.flatMap((entry) => [quotaEntry(entry) ?? []])),
});
