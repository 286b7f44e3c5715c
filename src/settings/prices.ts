/**
 * The operator's price table (`MODEL_PRICES`): a JSON file. A price applies from the beginning of its day, in UTC,
 * until the model's next price.
 *
 *   { "currency": "USD",
 *     "prices": [{ "model": "anthropic:claude-x", "from": "2026-01-01", "input": "3.00", "output": "15.00",
 *                  "cached_input": "0.30", "cache_write": "3.75" }] }
 *
 * Prices are per million tokens, as text, because JSON numbers are not exact. Tokens that the provider reads from its
 * cache or writes to it have the price of `input` where `cached_input` or `cache_write` is missing. `cache_write_1h` is
 * for tokens that the cache keeps for an hour; without it they have the price of `cache_write`.
 */
import { readFileSync } from "node:fs";
import type { CallUsage } from "../../actors/job/schema.ts";
import { amountOf, moneyUnits } from "../../actors/money.ts";
import { didYouMeanWord } from "../../actors/near-name.ts";
import type { SettingsCheck } from "./settings.ts";

const MILLION = 1_000_000n;
/** A price per million tokens. With more digits, the price of one token would be below the precision of amounts. */
const PRICE = /^\d{1,9}(\.\d{1,6})?$/;
const CURRENCY = /^[A-Z]{3}$/;
const MODEL = /^[^\s:]+:\S+$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const MOST_PRICES = 10_000;

/** Prices of one token, in units of `actors/money.ts`. */
export interface TokenPrices {
  readonly input: bigint;
  readonly output: bigint;
  readonly cachedInput: bigint;
  readonly cacheWrite: bigint;
  readonly hourWrite: bigint;
}

interface Price extends TokenPrices {
  /** The first day of the price. */
  readonly from: string;
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
  cost(model: string, day: string, used: CallUsage): string | null {
    const price = this.prices.get(model)?.find(({ from }) => from <= day);
    return price === undefined ? null : amountOf(costUnits(price, used));
  }
}

function costUnits(
  price: TokenPrices,
  { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0, hourWriteTokens = 0 }: CallUsage,
): bigint {
  return (
    BigInt(inputTokens - cachedInputTokens - cacheWriteTokens) * price.input +
    BigInt(cachedInputTokens) * price.cachedInput +
    BigInt(cacheWriteTokens - hourWriteTokens) * price.cacheWrite +
    BigInt(hourWriteTokens) * price.hourWrite +
    BigInt(outputTokens) * price.output
  );
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
    const parsed = parseEntry(entry);
    if (typeof parsed === "string") {
      errors.push(`has an invalid entry prices[${index}]: ${parsed}`);
      continue;
    }
    const { model, from } = parsed;
    const known = table.get(model) ?? [];
    if (known.some((price) => price.from === from)) {
      errors.push(`has two prices for ${model} from ${from}`);
      continue;
    }
    known.push(parsed);
    table.set(
      model,
      known.toSorted((a, b) => (a.from < b.from ? 1 : -1)),
    );
  }
  return errors.length > 0 ? errors : new PriceTable(currency as string, table);
}

const wrongField = (name: string, value: unknown, must: string): string =>
  `${name} ${JSON.stringify(value) ?? "missing"}; it must be ${must}`;

/** An entry of the table, or its error as `input "3,00"; it must be …`. */
function parseEntry(entry: unknown): (Price & { readonly model: string }) | string {
  if (typeof entry !== "object" || entry === null) return "it must be an object";
  const { model, from, ...prices } = entry as Readonly<Record<string, unknown>>;
  if (typeof model !== "string" || !MODEL.test(model)) return wrongField("model", model, 'like "provider:name"');
  if (typeof from !== "string" || !DAY.test(from) || Number.isNaN(Date.parse(from)))
    return wrongField("from", from, 'a day such as "2026-01-01"');
  const parsed = parseTokenPrices(prices);
  return typeof parsed === "string" ? parsed : { model, from, ...parsed };
}

/** The prices of a model, or the error of the first wrong one. */
export function parseTokenPrices(prices: Readonly<Record<string, unknown>>): TokenPrices | string {
  const given = {
    input: prices["input"],
    output: prices["output"],
    cached_input: prices["cached_input"] ?? prices["input"],
    cache_write: prices["cache_write"] ?? prices["input"],
    cache_write_1h: prices["cache_write_1h"] ?? prices["cache_write"] ?? prices["input"],
  };
  // Nobody would notice a misspelled price of cached tokens: they would have the price of the input.
  const unknown = Object.keys(prices).find((name) => name.includes("cache") && !(name in given));
  if (unknown !== undefined) return `an unknown price ${unknown}${didYouMeanWord(unknown, Object.keys(given))}`;
  for (const [name, price] of Object.entries(given))
    if (typeof price !== "string" || !PRICE.test(price))
      return wrongField(name, price, 'the price of a million tokens as text, such as "3.00", with at most 6 decimals');
  const units = (name: keyof typeof given): bigint => moneyUnits(String(given[name])) / MILLION;
  return {
    input: units("input"),
    output: units("output"),
    cachedInput: units("cached_input"),
    cacheWrite: units("cache_write"),
    hourWrite: units("cache_write_1h"),
  };
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
