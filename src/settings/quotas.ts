/** The operator's default quotas of organizations, from the environment: `agents=500,tasks=unlimited`. */
import { DEFAULT_QUOTAS, quotaEntry, type QuotaLimits, QUOTAS } from "../../actors/usage/quota.ts";

export const QUOTAS_SETTING = {
  env: "QUOTAS",
  default: [] as string[],
  allowed: `entries name=number or name=unlimited, separated by commas; names are ${QUOTAS.join(", ")} (secrets: at most 64)`,
};

/** The limits of an organization without its own. */
export const quotasOf = ({ quotas }: { readonly quotas: readonly string[] }): QuotaLimits => ({
  ...DEFAULT_QUOTAS,
  ...Object.fromEntries(quotas.flatMap((entry) => [quotaEntry(entry) ?? []])),
});
