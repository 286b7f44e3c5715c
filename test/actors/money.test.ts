/** Amounts of money are exact. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { addCosts, amountOf, costFields, moneyUnits, unpricedTokens } from "../../actors/money.ts";

test("[OPS-8] an amount is written as the shortest text of its units, and read back from it", () => {
  const texts = ["0", "1", "0.1", "0.000000000001", "123456789012345678901.5", "10"];
  expect(texts.map((text) => amountOf(moneyUnits(text)))).toEqual(texts);
  expect(["1.00", "0.10", "007"].map((text) => amountOf(moneyUnits(text)))).toEqual(["1", "0.1", "7"]);
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (units) => moneyUnits(amountOf(units)) === units));
  for (const text of ["", "-1", "1.", ".5", "1e3", "1,5", "0.0000000000001", "NaN"])
    expect(() => moneyUnits(text)).toThrow("no amount");
});

test("[OPS-8] a sum of many costs is exact, where floating point is not", () => {
  let total = {};
  for (let i = 0; i < 1_000; i++) total = addCosts(total, { cost: "0.1", pricedTokens: 3 });
  expect(total).toEqual({ cost: "100", pricedTokens: 3_000 });
});

test("[RUN-33] cached and written tokens are summed, and entries without any are left out", () => {
  const one = { cachedInputTokens: 3, cacheWriteTokens: 1 };
  expect(addCosts(one, { cachedInputTokens: 4 })).toEqual({ cachedInputTokens: 7, cacheWriteTokens: 1 });
  expect(costFields({ ...one, cost: "1", pricedTokens: 9 })).toEqual({ ...one, cost: "1", pricedTokens: 9 });
  expect(addCosts({ cachedInputTokens: 0 }, {})).toEqual({});
  const most = { cachedInputTokens: Number.MAX_SAFE_INTEGER };
  expect(addCosts(most, one)).toEqual({ ...most, cacheWriteTokens: 1 });
});

test("[OPS-8] a model without a price adds no cost, and is counted", () => {
  expect(addCosts({}, {})).toEqual({});
  expect(addCosts({ cost: "2", pricedTokens: 5 }, {})).toEqual({ cost: "2", pricedTokens: 5 });
  expect(costFields({})).toEqual({});
  expect(unpricedTokens({ inputTokens: 6, outputTokens: 4 })).toBe(10);
  expect(unpricedTokens({ inputTokens: 6, outputTokens: 4, cost: "1", pricedTokens: 7 })).toBe(3);
});
