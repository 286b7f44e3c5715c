/** The operator's price table. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/settings/config.ts";
import { parsePrices, priceErrors, pricesOf, PriceTable } from "../../src/settings/prices.ts";

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
