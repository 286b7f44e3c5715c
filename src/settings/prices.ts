/** The prices in effect (OPS-8): those of `MODEL_PRICES`, and those in the file of `MODEL_PROVIDERS`. */
import { readFileSync } from "node:fs";
import { parsePrices, PriceTable } from "./price-table.ts";
import type { Config, SettingsCheck } from "./settings.ts";

const MOST_ERRORS = 10;

/**
 * The prices of MODEL_PRICES, then those of MODEL_PROVIDERS; null without any. Throws if they are invalid, which
 * `priceErrors` reports earlier.
 */
export function pricesOf({
  modelPrices,
  provided,
}: Pick<Partial<Config>, "modelPrices" | "provided">): PriceTable | null {
  const other = provided?.prices ?? null;
  if (modelPrices === undefined) return other;
  const table = parsePrices(readFileSync(modelPrices, "utf8"));
  if (table instanceof PriceTable) return table.over(other);
  throw new Error(`MODEL_PRICES: ${modelPrices} ${table.join("; ")}`);
}

export const priceErrors: SettingsCheck = {
  reads: ["MODEL_PRICES", "MODEL_PROVIDERS"],
  errors({ modelPrices, provided }) {
    if (modelPrices === undefined) return [];
    const error = (what: string) => ({ variable: "MODEL_PRICES", message: `names ${modelPrices}, which ${what}` });
    try {
      const table = parsePrices(readFileSync(modelPrices, "utf8"));
      if (!(table instanceof PriceTable)) return table.slice(0, MOST_ERRORS).map(error);
      const other = provided?.prices?.currency ?? table.currency;
      return other === table.currency
        ? []
        : [error(`has prices in ${table.currency}, and MODEL_PROVIDERS in ${other}`)];
    } catch (cause) {
      return [error(`cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)];
    }
  },
};
