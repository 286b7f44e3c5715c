/**
 * Exact amounts of money: decimal text, such as `0.0105`, with at most twelve digits after the point. Sums are computed
 * on integers in units of the last digit, so the sum of a million calls is exact; floating point would not be.
 */

const DIGITS = 12;
const ONE = 10n ** BigInt(DIGITS);
const AMOUNT = /^(\d{1,30})(?:\.(\d{1,12}))?$/;

/** The amount in units of 10⁻¹². Throws if the text is not an amount. */
export function moneyUnits(amount: string): bigint {
  const [, whole, fraction = ""] = AMOUNT.exec(amount) ?? [];
  if (whole === undefined) throw new Error(`no amount: ${amount}`);
  return BigInt(whole) * ONE + BigInt(fraction.padEnd(DIGITS, "0"));
}

/** Syntax of a limit: at most twelve digits before the point. */
const MONEY_LIMIT = /^\d{1,12}(\.\d{1,12})?$/;

/** The amount in its shortest text; null if it is not an amount above 0. */
export const limitOf = (text: string): string | null =>
  MONEY_LIMIT.test(text) && moneyUnits(text) > 0n ? amountOf(moneyUnits(text)) : null;

/** The shortest text of this many units. */
export function amountOf(units: bigint): string {
  const fraction = String(units % ONE)
    .padStart(DIGITS, "0")
    .replace(/0+$/, "");
  return fraction === "" ? String(units / ONE) : `${units / ONE}.${fraction}`;
}

/** What is known of tokens beside their number. */
export interface Costed {
  /** Input tokens that the provider read from its cache. */
  readonly cachedInputTokens?: number;
  /** Input tokens that the provider wrote to its cache. */
  readonly cacheWriteTokens?: number;
  /** The cost of the tokens whose models have a price; absent: none has one. */
  readonly cost?: string;
  /** Tokens, input and output together, that `cost` covers. */
  readonly pricedTokens?: number;
  /** Tokens, input and output together, of calls with the organization's own key (RUN-5). */
  readonly ownKeyTokens?: number;
  /** Tokens, input and output together, that their provider has not counted: an estimate of ours. */
  readonly estimatedTokens?: number;
}

/** Counts of some of the tokens; absent: none. */
const COUNTED_PARTS = ["cachedInputTokens", "cacheWriteTokens", "ownKeyTokens", "estimatedTokens"] as const;
type CountedParts = Partial<Record<(typeof COUNTED_PARTS)[number], number>>;

/** The sum of both; without a cost if neither has one. */
export function addCosts(a: Costed, b: Costed): Costed {
  const parts: CountedParts = {};
  for (const name of COUNTED_PARTS) {
    const sum = addCounts(a[name], b[name]);
    if (sum > 0) parts[name] = sum;
  }
  if (a.cost === undefined && b.cost === undefined) return parts;
  return {
    cost: amountOf(moneyUnits(a.cost ?? "0") + moneyUnits(b.cost ?? "0")),
    pricedTokens: addCounts(a.pricedTokens, b.pricedTokens),
    ...parts,
  };
}

const addCounts = (a = 0, b = 0): number => Math.min(a + b, Number.MAX_SAFE_INTEGER);

/** The fields of `Costed` alone. */
export const costFields = (used: Costed): Costed => addCosts(used, {});

/** Tokens without a price: used, but in no cost. */
export const unpricedTokens = (
  used: Costed & { readonly inputTokens: number; readonly outputTokens: number },
): number => Math.max(0, used.inputTokens + used.outputTokens - (used.pricedTokens ?? 0));
