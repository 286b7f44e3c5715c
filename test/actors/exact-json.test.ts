/** JSON whose numbers keep their value. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  canonicalNumber,
  isExactNumber,
  MAX_NUMBER_DIGITS,
  NumberLimitError,
  parseExact,
  parseStored,
} from "../../actors/exact-json.ts";

const kept = (text: string): string => JSON.stringify(parseExact(text));

describe("[GEN-18] a number", () => {
  test.each([
    ["9007199254740993", "9007199254740993"],
    ["2512292042121000001", "2512292042121000001"],
    ["-9223372036854775808", "-9223372036854775808"],
    ["123456789012345678901234567890", "123456789012345678901234567890"],
    ["0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"],
    ["100000000000000000000000", "100000000000000000000000"],
    ["12345678901234567890e100", "1.234567890123456789e+119"],
    // Equal numbers may have another spelling.
    ["1E5", "100000"],
    ["-0", "0"],
    ["9007199254740993.0", "9007199254740993"],
    ["1.50", "1.5"],
    ["5e-324", "5e-324"],
  ])("[GEN-18] keeps its value: %s", (source, text) => {
    expect(kept(`{"a":[${source}]}`)).toBe(`{"a":[${text}]}`);
    expect(JSON.stringify(parseStored(kept(`[${source}]`)))).toBe(`[${text}]`);
  });

  test.each([
    ["1e400", "is out of range: 1e400; numbers have the range of a double"],
    ["-1E+999", "is out of range: -1E+999; numbers have the range of a double"],
    ["1e-400", "is out of range: 1e-400; numbers have the range of a double"],
    ["1".repeat(MAX_NUMBER_DIGITS + 1), `has ${MAX_NUMBER_DIGITS + 1} digits`],
  ])("[GEN-18] that cannot be kept is refused with its place: %s", (source, words) => {
    const refused = expect(() => parseExact(`{"a/b":[1,{"c":${source}}]}`));
    refused.toThrow(NumberLimitError);
    refused.toThrow(`The number at /a~1b/1/c ${words}`);
  });

  test("[GEN-18] has at most 1,000 digits, and no limit within texts", () => {
    const most = `0.${"1".repeat(MAX_NUMBER_DIGITS)}`;
    expect(kept(`[${most}]`)).toBe(`[${most}]`);
    expect(parseExact('{"a":"1e400 9007199254740993","1e999":1}')).toEqual({ a: "1e400 9007199254740993", "1e999": 1 });
  });

  test("[GEN-18] that a later field replaces is not refused", () => {
    expect(parseExact('{"a":1e400,"a":2}')).toEqual({ a: 2 });
  });

  test("[GEN-18] of up to 15 digits is a JavaScript number, and every double keeps its value", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = JSON.stringify(value);
        const read = parseExact(`[${text}]`) as [unknown];
        // -0 is 0.
        expect(read[0] === value || (isExactNumber(read[0]) && Number(read[0].rawJSON) === value)).toBe(true);
        expect(JSON.stringify(parseStored(JSON.stringify(read)))).toBe(JSON.stringify(read));
      }),
    );
  });

  test("[GEN-18] of any digits keeps them through serialization and parsing", () => {
    const digits = fc.stringMatching(/^[1-9]\d{15,60}$/);
    fc.assert(
      fc.property(digits, fc.integer({ min: -80, max: 80 }), fc.boolean(), (whole, power, isNegative) => {
        const source = `${isNegative ? "-" : ""}${whole}e${power}`;
        const text = kept(`[${source}]`).slice(1, -1);
        expect(canonicalNumber(text)).toBe(canonicalNumber(source));
        expect(kept(`[${text}]`)).toBe(`[${text}]`);
      }),
    );
  });
});
