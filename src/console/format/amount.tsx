/** Amounts for people: the exact one is in the title. */

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

export const percent = (part: number, of: number): string => (of === 0 ? "–" : `${Math.round((100 * part) / of)} %`);

export const msWords = (ms: number | null): string => (ms === null ? "–" : `${ms.toLocaleString()} ms`);
