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
 * for tokens that the cache keeps for an hour; without it they have the price of `cache_write`. An entry with a
 * `service_tier`, such as "flex", is for the calls in this tier; those in a tier without an entry have the price of the
 * others.
 */
import type { CallUsage } from "../../actors/job/schema.ts";
import { amountOf, moneyUnits } from "../../actors/money.ts";
import { didYouMeanWord } from "../../actors/near-name.ts";

const MILLION = 1_000_000n;
/** A price per million tokens. With more digits, the price of one token would be below the precision of amounts. */
const PRICE = /^\d{1,9}(\.\d{1,6})?$/;
const CURRENCY = /^[A-Z]{3}$/;
const MODEL = /^[^\s:]+:\S+$/;
const TIER = /^[a-z0-9_-]{1,64}$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const MOST_PRICES = 10_000;

/** Prices of one token, in units of `actors/money.ts`. */
interface TokenPrices {
  readonly input: bigint;
  readonly output: bigint;
  readonly cachedInput: bigint;
  readonly cacheWrite: bigint;
  readonly hourWrite: bigint;
}

interface Price extends TokenPrices {
  /** `provider:name` */
  readonly model: string;
  /** The first day of the price. */
  readonly from: string;
  /** Absent: for all tiers without a price of their own. */
  readonly tier?: string;
}

/** What has prices: a model, or a tier of it. */
const pricedName = ({ model, tier }: Pick<Price, "model" | "tier">): string =>
  tier === undefined ? model : `${model} ${tier}`;
const modelOfPriced = (name: string): string => name.split(" ", 1)[0] ?? "";

export class PriceTable {
  /** ISO 4217, such as `USD`. */
  readonly currency: string;
  /** Prices by `pricedName`, the newest first. */
  private readonly prices: ReadonlyMap<string, readonly Price[]>;

  constructor(currency: string, prices: ReadonlyMap<string, readonly Price[]>) {
    this.currency = currency;
    this.prices = prices;
  }

  /** These prices, and those of the other table for the models that have none here. */
  over(other: PriceTable | null): PriceTable {
    const left = [...(other?.prices ?? [])].filter(([name]) => !this.prices.has(modelOfPriced(name)));
    return new PriceTable(this.currency, new Map([...left, ...this.prices]));
  }

  /** Whether the model has a price on this UTC day. */
  has(model: string, day: string): boolean {
    return this.prices.get(model)?.some(({ from }) => from <= day) === true;
  }

  /** The exact cost of these tokens of the model (`provider:name`) on this UTC day; null if it has no price then. */
  cost(model: string, day: string, used: CallUsage): string | null {
    const priceOf = (name: string) => this.prices.get(name)?.find(({ from }) => from <= day);
    const price = priceOf(pricedName({ model, tier: used.serviceTier ?? "" })) ?? priceOf(model);
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
  if (!isCurrency(currency)) errors.push('has no currency; it must be three capitals, such as "USD"');
  if (!Array.isArray(prices) || prices.length > MOST_PRICES)
    return [...errors, `must have a list \`prices\` of at most ${MOST_PRICES} entries`];
  const parsed: Price[] = [];
  for (const [index, entry] of (prices as unknown[]).entries()) {
    const price = parseEntry(entry);
    if (typeof price === "string") errors.push(`has an invalid entry prices[${index}]: ${price}`);
    else if (parsed.some((other) => isSamePrice(other, price)))
      errors.push(`has two prices for ${pricedName(price)} from ${price.from}`);
    else parsed.push(price);
  }
  return errors.length > 0 ? errors : priceTable(currency as string, parsed);
}

export const isCurrency = (value: unknown): value is string => typeof value === "string" && CURRENCY.test(value);

/** Whether both are for the same calls. */
export const isSamePrice = (one: Price, other: Price): boolean =>
  pricedName(one) === pricedName(other) && one.from === other.from;

/** A table of valid prices, of which no two are for the same calls. */
export function priceTable(currency: string, prices: readonly Price[]): PriceTable {
  const newest = prices.toSorted((a, b) => (a.from < b.from ? 1 : -1));
  return new PriceTable(currency, Map.groupBy(newest, pricedName));
}

const wrongField = (name: string, value: unknown, must: string): string =>
  `${name} ${JSON.stringify(value) ?? "missing"}; it must be ${must}`;

/** An entry of a table, or its error as `input "3,00"; it must be …`. */
export function parseEntry(entry: unknown): Price | string {
  if (typeof entry !== "object" || entry === null) return "it must be an object";
  const { model, from, service_tier: tier, ...prices } = entry as Readonly<Record<string, unknown>>;
  if (typeof model !== "string" || !MODEL.test(model)) return wrongField("model", model, 'like "provider:name"');
  if (typeof from !== "string" || !DAY.test(from) || Number.isNaN(Date.parse(from)))
    return wrongField("from", from, 'a day such as "2026-01-01"');
  if (tier !== undefined && (typeof tier !== "string" || !TIER.test(tier)))
    return wrongField("service_tier", tier, 'the provider\'s name of a tier, such as "flex"');
  const parsed = parseTokenPrices(prices);
  return typeof parsed === "string" ? parsed : { model, from, ...(tier === undefined ? {} : { tier }), ...parsed };
}

/** The prices of a model, or the error of the first wrong one. */
function parseTokenPrices(prices: Readonly<Record<string, unknown>>): TokenPrices | string {
  const given = {
    input: prices["input"],
    output: prices["output"],
    cached_input: prices["cached_input"] ?? prices["input"],
    cache_write: prices["cache_write"] ?? prices["input"],
    cache_write_1h: prices["cache_write_1h"] ?? prices["cache_write"] ?? prices["input"],
  };
  // Nobody would notice a misspelled one of these: another price would count.
  const unknown = Object.keys(prices).find((name) => /cache|service|tier/.test(name) && !(name in given));
  if (unknown !== undefined)
    return `an unknown field ${unknown}${didYouMeanWord(unknown, [...Object.keys(given), "service_tier"])}`;
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
