/** Amounts for people: the exact one is in the title. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { service } from "../service.ts";

const SMALL_COST_DIGITS = 6;
const COST_DIGITS = 2;

/** `$1.05`; more digits below 1, because a call of a model costs so little. */
export function costWords(amount: string | null, currency: string | null): string {
  if (amount === null) return "–";
  const maximumFractionDigits = Number(amount) < 1 ? SMALL_COST_DIGITS : COST_DIGITS;
  if (currency === null) return Number(amount).toLocaleString(undefined, { maximumFractionDigits });
  try {
    return Number(amount).toLocaleString(undefined, { style: "currency", currency, maximumFractionDigits });
  } catch {
    return `${amount} ${currency}`;
  }
}

export function CostAmount({ amount, currency }: { readonly amount: string | null; readonly currency: string | null }) {
  return <span title={amount === null ? "No price is set" : amount}>{costWords(amount, currency)}</span>;
}

/** The currency of the service, read with the first amount that is shown without one. */
const ownCurrency = signal<string | null>(null);
let readingCurrency: Promise<void> | null = null;

/** Without an answer the amounts have no sign, and the next one that is shown asks again. */
const readCurrency = (): Promise<void> =>
  (readingCurrency ??= service.listModels().then(
    ({ currency }) => {
      ownCurrency.value = currency;
    },
    () => {
      readingCurrency = null;
    },
  ));

/** An amount in the currency of the service. */
export function Money({ amount }: { readonly amount: string | null }) {
  useEffect(() => {
    if (amount !== null) void readCurrency();
  }, [amount === null]);
  return <CostAmount amount={amount} currency={ownCurrency.value} />;
}

export const percent = (part: number, of: number): string => (of === 0 ? "–" : `${Math.round((100 * part) / of)} %`);

export const msWords = (ms: number | null): string => (ms === null ? "–" : `${ms.toLocaleString()} ms`);
