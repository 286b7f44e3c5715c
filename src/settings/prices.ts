/**
 * The operator's price table (`MODEL_PRICES`): a JSON file. A price applies from the beginning of its day, in UTC,
 * until the model's next price.
 *
 *   { "currency": "USD",
 *     "prices": [{ "model": "anthropic:claude-x", "from": "2026-01-01", "input": "3.00", "output": "15.00" }] }
 *
 * `input` and `output` are prices per million tokens, as text, because JSON numbers are not exact.
 */
import { readFileSync } from "node:fs";
import { amountOf, moneyUnits } from "../../actors/money.ts";
import type { SettingsCheck } from "./settings.ts";

const MILLION = 1_000_000n;
/** A price per million tokens. With more digits, the price of one token would be below the precision of amounts. */
const PRICE = /^\d{1,9}(\.\d{1,6})?$/;
const CURRENCY = /^[A-Z]{3}$/;
const MODEL = /^[^\s:]+:\S+$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const MOST_PRICES = 10_000;

interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

interface Price {
  /** The first day of the price. */
  readonly from: string;
  /** Price of one token, in units of `actors/money.ts`. */
  readonly input: bigint;
  readonly output: bigint;
}

export class PriceTable {
  /** ISO 4217, such as `USD`. */
  readonly currency: string;
  /** Prices of each model, the newest first. */
  private readonly prices: ReadonlyMap<string, readonly Price[]>;

  constructor(currency: string, prices: ReadonlyMap<string, readonly Price[]>) {
    this.currency = currency;
    this.prices = prices;
  }

  /** Whether the model has a price on this UTC day. */
  has(model: string, day: string): boolean {
    return this.prices.get(model)?.some(({ from }) => from <= day) === true;
  }

  /** The exact cost of these tokens of the model (`provider:name`) on this UTC day; null if it has no price then. */
  cost(model: string, day: string, { inputTokens, outputTokens }: Tokens): string | null {
    const price = this.prices.get(model)?.find(({ from }) => from <= day);
    if (price === undefined) return null;
    return amountOf(BigInt(inputTokens) * price.input + BigInt(outputTokens) * price.output);
  }
}

/** Parses a table, or answers all errors with their places. */
export function parsePrices(text: string): PriceTable | readonly string[] {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return ["is not JSON"];
  }
  const { currency, prices } = (file ?? {}) as { readonly currency?: unknown; readonly prices?: unknown };
  const errors: string[] = [];
  if (typeof currency !== "string" || !CURRENCY.test(currency))
    errors.push('has no currency; it must be three capitals, such as "USD"');
  if (!Array.isArray(prices) || prices.length > MOST_PRICES)
    return [...errors, `must have a list \`prices\` of at most ${MOST_PRICES} entries`];
  const table = new Map<string, Price[]>();
  for (const [index, entry] of (prices as unknown[]).entries()) {
    const wrong = faultIn(entry);
    if (wrong !== null) {
      errors.push(`has an invalid entry prices[${index}]: ${wrong}`);
      continue;
    }
    const { model, from, input, output } = entry as Record<"model" | "from" | "input" | "output", string>;
    const known = table.get(model) ?? [];
    if (known.some((price) => price.from === from)) {
      errors.push(`has two prices for ${model} from ${from}`);
      continue;
    }
    known.push({ from, input: moneyUnits(input) / MILLION, output: moneyUnits(output) / MILLION });
    table.set(
      model,
      known.toSorted((a, b) => (a.from < b.from ? 1 : -1)),
    );
  }
  return errors.length > 0 ? errors : new PriceTable(currency as string, table);
}

/** The error of an entry, as `input "3,00"; it must be …`, or null. */
function faultIn(entry: unknown): string | null {
  if (typeof entry !== "object" || entry === null) return "it must be an object";
  const { model, from, input, output } = entry as Readonly<Record<string, unknown>>;
  const is = (name: string, value: unknown, must: string): string =>
    `${name} ${JSON.stringify(value) ?? "missing"}; it must be ${must}`;
  if (typeof model !== "string" || !MODEL.test(model)) return is("model", model, 'like "provider:name"');
  if (typeof from !== "string" || !DAY.test(from) || Number.isNaN(Date.parse(from)))
    return is("from", from, 'a day such as "2026-01-01"');
  for (const [name, price] of Object.entries({ input, output })) {
    if (typeof price !== "string" || !PRICE.test(price))
      return is(name, price, 'the price of a million tokens as text, such as "3.00", with at most 6 decimals');
  }
  return null;
}

const MOST_ERRORS = 10;

/** The table of MODEL_PRICES; null without one. Throws if it is invalid, which `priceErrors` reports earlier. */
export function pricesOf({ modelPrices }: { readonly modelPrices?: string }): PriceTable | null {
  if (modelPrices === undefined) return null;
  const table = parsePrices(readFileSync(modelPrices, "utf8"));
  if (table instanceof PriceTable) return table;
  throw new Error(`MODEL_PRICES: ${modelPrices} ${table.join("; ")}`);
}

export const priceErrors: SettingsCheck = {
  reads: ["MODEL_PRICES"],
  errors({ modelPrices }) {
    if (modelPrices === undefined) return [];
    const error = (what: string) => ({ variable: "MODEL_PRICES", message: `names ${modelPrices}, which ${what}` });
    try {
      const table = parsePrices(readFileSync(modelPrices, "utf8"));
      return table instanceof PriceTable ? [] : table.slice(0, MOST_ERRORS).map(error);
    } catch (cause) {
      return [error(`cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)];
    }
  },
};
