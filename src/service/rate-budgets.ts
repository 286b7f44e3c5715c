/** The budgets of RATE_BUDGETS: requests in a window, by organization; `*` is any other. */
import type { Config } from "../settings/config.ts";

export const rateBudgetsOf = ({ rateBudgets }: Pick<Config, "rateBudgets">): ReadonlyMap<string, number> =>
  new Map(
    rateBudgets.map((entry) => {
      const [organization = "", requests] = entry.split("=");
      return [organization, Number(requests)];
    }),
  );
