/** The operator's price table. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/settings/config.ts";
import { priceErrors, pricesOf } from "../../src/settings/prices.ts";
import { parsePrices, PriceTable } from "../../src/settings/price-table.ts";

const folder = mkdtempSync(join(tmpdir(), "troupe-prices-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const price = (more: object = {}) => ({ model: "a:b", from: "2026-01-01", input: "3.00", output: "15", ...more });
const parse = (prices: unknown, more: object = {}) => parsePrices(JSON.stringify({ currency: "USD", prices, ...more }));
const used = { inputTokens: 1_000, outputTokens: 500 };

test("[OPS-8] a call costs what its model costs on its day, and nothing is known before the first price", () => {
  const table = parse([price(), price({ from: "2026-12-01", input: "0.000001", output: "0" })]);
  if (!(table instanceof PriceTable)) throw new Error(table.join("; "));
  expect(table.currency).toBe("USD");
  const costs = ["2025-12-31", "2026-01-01", "2026-11-30", "2026-12-01", "2030-01-01"];
  expect(costs.map((day) => table.cost("a:b", day, used))).toEqual([
    null,
    "0.0105",
    "0.0105",
    "0.000000001",
    "0.000000001",
  ]);
  expect(table.cost("a:other", "2026-06-01", used)).toBeNull();
});

/** Anthropic's prices of a model, in dollars for a million tokens: what was used, and what it costs by hand. */
const WITH_CACHE = {
  input: "3.00",
  output: "15.00",
  cached_input: "0.30",
  cache_write: "3.75",
  cache_write_1h: "6.00",
};
const BY_HAND = [
  // 1,000,000 × 3.00
  ["3", { inputTokens: 1_000_000, outputTokens: 0 }],
  // 1,000,000 × 0.30
  ["0.3", { inputTokens: 1_000_000, outputTokens: 0, cachedInputTokens: 1_000_000 }],
  // 1,000,000 × 3.75
  ["3.75", { inputTokens: 1_000_000, outputTokens: 0, cacheWriteTokens: 1_000_000 }],
  // 1,000,000 × 6.00
  ["6", { inputTokens: 1_000_000, outputTokens: 0, cacheWriteTokens: 1_000_000, hourWriteTokens: 1_000_000 }],
  // 1,000 × 3.00 + 9,000 × 0.30 = 0.003 + 0.0027
  ["0.0057", { inputTokens: 10_000, outputTokens: 0, cachedInputTokens: 9_000 }],
  // 100 × 3.00 + 9,000 × 0.30 + 900 × 3.75 + 500 × 15.00 = 0.0003 + 0.0027 + 0.003375 + 0.0075
  ["0.013875", { inputTokens: 10_000, outputTokens: 500, cachedInputTokens: 9_000, cacheWriteTokens: 900 }],
  // The same, but 300 of the 900 written tokens stay for an hour: 600 × 3.75 + 300 × 6.00 = 0.00225 + 0.0018
  [
    "0.01455",
    { inputTokens: 10_000, outputTokens: 500, cachedInputTokens: 9_000, cacheWriteTokens: 900, hourWriteTokens: 300 },
  ],
  // 1 × 0.30
  ["0.0000003", { inputTokens: 1, outputTokens: 0, cachedInputTokens: 1 }],
] as const;

test.each(BY_HAND)(
  "[OPS-8] cached and written tokens have their own prices; the cost equals one computed by hand: %s",
  (cost, tokens) => {
    const table = parse([price(WITH_CACHE)]);
    expect(table instanceof PriceTable && table.cost("a:b", "2026-06-01", tokens)).toBe(cost);
  },
);

test("[OPS-8] without prices of their own, cached and written tokens have that of the input, and of shorter writes", () => {
  const tokens = BY_HAND[6][1];
  const costOf = (more: object) => {
    const table = parse([price(more)]);
    return table instanceof PriceTable && table.cost("a:b", "2026-06-01", tokens);
  };
  // 10,000 × 3.00 + 500 × 15
  expect(costOf({})).toBe("0.0375");
  // 100 × 3.00 + 9,000 × 3.00 + 900 × 3.75 + 500 × 15
  expect(costOf({ cache_write: "3.75" })).toBe("0.038175");
  // 9,000 × 0.30 + 1,000 × 3.00 + 500 × 15
  expect(costOf({ cached_input: "0.30" })).toBe("0.0132");
});

test("[OPS-8] a service tier has prices of its own, and one without them those of the model, as by hand", () => {
  const flex = { service_tier: "flex", input: "1.50", output: "7.50", cached_input: "0.15" };
  const table = parse([price(WITH_CACHE), price(flex), price({ ...flex, from: "2026-12-01", input: "1.60" })]);
  if (!(table instanceof PriceTable)) throw new Error(table.join("; "));
  const tokens = { inputTokens: 10_000, outputTokens: 500, cachedInputTokens: 9_000 };
  const costOf = (serviceTier: string, day = "2026-06-01") => table.cost("a:b", day, { ...tokens, serviceTier });
  // 1,000 × 1.50 + 9,000 × 0.15 + 500 × 7.50 = 0.0015 + 0.00135 + 0.00375
  expect(costOf("flex")).toBe("0.0066");
  // 1,000 × 1.60 = 0.0016
  expect(costOf("flex", "2026-12-01")).toBe("0.0067");
  // 1,000 × 3.00 + 9,000 × 0.30 + 500 × 15.00 = 0.003 + 0.0027 + 0.0075
  for (const other of ["default", "priority"]) expect(costOf(other)).toBe("0.0132");
  const other = parse([price(), price({ service_tier: "priority" }), price({ ...flex, model: "a:c" })]);
  const both = other instanceof PriceTable ? table.over(other) : null;
  // The prices of a model come from one table.
  expect(both?.cost("a:b", "2026-06-01", { ...tokens, serviceTier: "priority" })).toBe("0.0132");
  expect(both?.has("a:c", "2026-06-01")).toBe(false);
  expect(parse([price(flex), price(flex), price({ service_teir: "x" }), price({ service_tier: "" })])).toEqual([
    "has two prices for a:b flex from 2026-01-01",
    "has an invalid entry prices[2]: an unknown field service_teir; did you mean `service_tier`?",
    expect.stringContaining('service_tier ""; it must be'),
  ]);
});

test("[OPS-8] a misspelled price of cached tokens is refused: it would be the price of the input", () => {
  expect(parse([price({ cache_read: "0.30" }), price({ cached_inptu: "0.30" }), price({ cache_write: 3 })])).toEqual([
    "has an invalid entry prices[0]: an unknown field cache_read; did you mean `cache_write`?",
    "has an invalid entry prices[1]: an unknown field cached_inptu; did you mean `cached_input`?",
    expect.stringContaining("prices[2]: cache_write 3; it must be"),
  ]);
});

test.each([
  ["no JSON", "is not JSON"],
  [JSON.stringify({ prices: [] }), 'has no currency; it must be three capitals, such as "USD"'],
  [JSON.stringify({ currency: "USD" }), "must have a list `prices` of at most 10000 entries"],
  [JSON.stringify(null), "has no currency"],
])("[OPS-8] a table %p says what is wrong", (text, words) => {
  expect(parsePrices(text)).toEqual(expect.arrayContaining([expect.stringContaining(words)]));
});

test("[OPS-8] every entry that is wrong is named with its place", () => {
  const wrong = [
    null,
    price({ model: "b" }),
    price({ from: "2026-13-01" }),
    price({ input: 3 }),
    price({ output: "3,00" }),
    price({ output: "0.0000001" }),
    price(),
    price(),
  ];
  const errors = parse(wrong);
  expect(Array.isArray(errors) ? errors.map((error) => error.slice(0, 42)) : []).toEqual([
    "has an invalid entry prices[0]: it must be",
    'has an invalid entry prices[1]: model "b";',
    'has an invalid entry prices[2]: from "2026',
    "has an invalid entry prices[3]: input 3; i",
    'has an invalid entry prices[4]: output "3,',
    'has an invalid entry prices[5]: output "0.',
    "has two prices for a:b from 2026-01-01",
  ]);
});

test("[OPS-8] the file is checked with the other settings", () => {
  const path = join(folder, "prices.json");
  const read = () => readConfig({ MODEL_PRICES: path }, [priceErrors]);
  expect(read()).toMatchObject({ ok: false, errors: [{ variable: "MODEL_PRICES" }] });
  writeFileSync(path, "[]");
  expect(read()).toMatchObject({ ok: false });
  writeFileSync(path, JSON.stringify({ currency: "EUR", prices: [price()] }));
  const good = read();
  expect(good.ok && pricesOf(good.config)?.currency).toBe("EUR");
  expect(pricesOf({})).toBeNull();
});
