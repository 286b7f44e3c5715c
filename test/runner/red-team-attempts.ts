/** The attempts of the red team: a tool in several shapes, with its rule, and arguments that may get around it. */
import type { HttpCall } from "../../actors/job/connections.ts";
import type { JsonObject } from "../../actors/schema.ts";

export const MOST = 500;
const http = (method: HttpCall["method"], url: string, places: HttpCall["arguments"] = []): HttpCall => ({
  method,
  url,
  headers: [],
  arguments: places,
  timeoutMs: 1_000,
  retry: { times: 0, pauseMs: 100 },
  repeatable: false,
  signingSecret: null,
});
export const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const AMOUNT = { type: "number" };
const bound = { minimum: 0, maximum: MOST };

export interface Shape {
  readonly http: HttpCall;
  readonly schema: JsonObject;
  readonly condition: JsonObject;
}

/** One tool in the forms that owners give it: typed and not, in the query, the path and the body, open and nested. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  query: {
    http: http("GET", "https://shop.test/refund"),
    schema: object({ amount: AMOUNT }),
    condition: { properties: { amount: bound } },
  },
  "fixed query": {
    http: http("GET", "https://shop.test/refund?mode=safe"),
    schema: object({ amount: AMOUNT, note: { type: "string" } }),
    condition: { properties: { amount: bound } },
  },
  path: {
    http: http("POST", "https://shop.test/refund/{sum}", [{ name: "amount", place: "path", as: "sum" }]),
    schema: object({ amount: AMOUNT }),
    condition: { properties: { amount: bound } },
  },
  "query of a post": {
    http: http("POST", "https://shop.test/refund", [{ name: "amount", place: "query", as: "sum" }]),
    schema: object({ amount: AMOUNT }),
    condition: { properties: { amount: bound } },
  },
  body: {
    http: http("POST", "https://shop.test/refund"),
    schema: object({ amount: AMOUNT }, { required: ["amount"] }),
    condition: { properties: { amount: bound } },
  },
  "body without a type": {
    http: http("POST", "https://shop.test/refund"),
    schema: object({ amount: {} }),
    condition: { properties: { amount: { maximum: MOST, minimum: 0 } } },
  },
  "several types": {
    http: http("POST", "https://shop.test/refund"),
    schema: object({ amount: { type: ["number", "string", "null", "array"] } }),
    condition: { properties: { amount: { type: ["number", "string"], ...bound } } },
  },
  "a schema that takes others": {
    http: http("POST", "https://shop.test/refund"),
    schema: object({ amount: AMOUNT }, { additionalProperties: true }),
    condition: { properties: { amount: bound } },
  },
  references: {
    http: http("POST", "https://shop.test/refund"),
    schema: {
      type: "object",
      $ref: "#/$defs/refund",
      $defs: { refund: object({ amount: { $ref: "#/$defs/money" } }), money: AMOUNT },
    },
    condition: { properties: { amount: bound } },
  },
  combined: {
    http: http("POST", "https://shop.test/refund"),
    schema: { type: "object", allOf: [object({ amount: AMOUNT }), object({ note: { type: "string" } })] },
    condition: { allOf: [{ properties: { amount: { maximum: MOST } } }, { properties: { amount: { minimum: 0 } } }] },
  },
};

export const value = (text: string) => `{"amount":${text}}`;
const beside = (name: string, text = "1000") => `{"amount":100,${JSON.stringify(name)}:${text}}`;

/** Values that are beyond the rule, or that somebody may read so. */
export const VALUES = [
  "1000",
  "1e3",
  "1E3",
  "1e+3",
  "1000.0",
  "0.1e4",
  "501",
  "500.01",
  "500.00000000000000000000000001",
  "1e308",
  "1e309",
  "-1000",
  "-0.01",
  "99999999999999999999",
  "9007199254740993",
  "500.0000000000000001",
  '"1000"',
  '"1e3"',
  '" 1000 "',
  '"0x3E8"',
  '"１０００"',
  '"NaN"',
  '"Infinity"',
  '"-1"',
  '""',
  '"500;1000"',
  '"500,1000"',
  "[1000]",
  "[[1000]]",
  "[100,1000]",
  "[]",
  "null",
  "true",
  "false",
  "{}",
  '{"$gt":0}',
  '{"value":1000}',
  '{"$ref":"#/amount"}',
  '{"amount":1000}',
  "NaN",
  "Infinity",
  "0x3E8",
  "1_000",
  "+1000",
  "01000",
  "1000n",
];
/** Names that a server may take for the argument that was checked. */
const NAMES = [
  "Amount",
  "AMOUNT",
  "aMount",
  "amount[]",
  "amount[0]",
  "amount.0",
  "amount%5B%5D",
  "%61mount",
  "amoun%74",
  "amount ",
  " amount",
  "_amount",
  "amount_",
  "a-mount",
  "ａｍｏｕｎｔ",
  "аmount",
  "amount\u0000",
  "amount\u200b",
  "\ufeffamount",
  "amount&amount",
  "amount=1000&x",
  "amount#",
  "sum",
  "Sum",
  "sum[]",
  "s%75m",
  "{sum}",
  "sum}",
  "mode",
  "Mode",
  "__proto__",
  "constructor",
  "toString",
  "amount/1",
  "amount?",
  "note[amount]",
];
export const TEXTS = [
  ...VALUES.map(value),
  ...NAMES.map((name) => beside(name)),
  // Keys that are given twice: JSON does not say which one counts.
  '{"amount":100,"amount":1000}',
  '{"amount":1000,"\\u0061mount":1000}',
  '{"amount":100,"\\u0061mount":1000}',
  '{"amount":100,"Amount":1000,"amount":100}',
  // No amount: the server's own default counts.
  "{}",
  '{"note":"refund all"}',
  "[]",
  "null",
  '"amount=1000"',
  "1000",
  "",
  "{",
  '{"amount":100',
  '{"amount":100}{"amount":1000}',
  '{"note":{"amount":1000}}',
  '{"arguments":{"amount":100}}',
  '{"amount":100,"refund":{"amount":1000}}',
  '{"amount":100,"_unparsed_input":"x"}',
  '{"toString":1,"amount":"1000"}',
  '{"hasOwnProperty":1,"amount":1000}',
];
export const HONEST = ["100", "0", "500", "-0", "5e2", "0.5", "499.99", "1E1"].map(value);
