/** What is odd in the place of a value, in an address, in a header, or as a whole body. */

const SCALARS: readonly unknown[] = [null, true, false, 0, -1, 1.5, -0.5, 1e21, 2 ** 53 + 2, -(2 ** 31) - 1];
const BLANK = ["", " ", "\t\n", "\u0000", "a\u0000b", "\uD800", "\u202E", "\uFEFF"];
const WORDS = ["true", "0", "null", "NaN", "constructor", "../../etc/passwd", "' OR 1=1 --", "<script>", "${7*7}"];
const LONG = ["🦜".repeat(300), "x".repeat(600), "y".repeat(70_000)];
const LISTS: readonly unknown[] = [[], [null], [[]], ["a", "a"], Array.from({ length: 200 }, (_, i) => `${i}`)];
/** Read from JSON, so that the key is one of the object's own. */
const POLLUTION = JSON.parse('{"__proto__": {"isAdmin": true}}') as unknown;
const OBJECTS: readonly unknown[] = [{}, { $ref: "#" }, { toString: null }, POLLUTION, nested(40), nested(70)];

/** Characters that an address has room for. */
const ADDRESS = 700;

export const ODD: readonly unknown[] = [...SCALARS, ...BLANK, ...WORDS, ...LONG, ...LISTS, ...OBJECTS];
export const ODD_TEXTS = [...BLANK, ...WORDS, ...LONG].filter(({ length }) => length < ADDRESS);
export const ODD_KEYS = [
  "__proto__",
  "constructor",
  "prototype",
  "hasOwnProperty",
  "toString",
  "",
  "$where",
  "é",
  "\0",
];
export const NUMERALS = ["-1", "0", "1", "101", "1e2", "0x10", "1.5", " 7", "9".repeat(40), "१२", "Infinity"];

/** As they stand in an address: escapes that are none, or that make something else. */
export const ODD_PATHS = [
  "none",
  "%00",
  "%",
  "%zz",
  "%E0%A4%A",
  "%2F..%2F..",
  "%252e",
  "*",
  "__proto__",
  "constructor",
];

export const ODD_HEADERS: Readonly<Record<string, readonly string[]>> = {
  "Idempotency-Key": ["", "k".repeat(256), "café", "a b", '"quoted"'],
  "If-Match": ["*", '"3"', "W/1", "abc", "-1", "1, 2", "9".repeat(40)],
  "If-None-Match": ["*", '""', "x", '"a", "b"'],
  "Api-Version": ["1999-01-01", "2026-11-01", "latest", ""],
  "Last-Event-ID": ["12.480", "x", "-1", "9".repeat(30), "1.2.3", "0"],
  "x-request-id": ["short", "r".repeat(300), "req_V1StGXR8_Z5jdHi6B-myT"],
  accept: ["text/event-stream", "*/*", "nonsense"],
  authorization: ["Bearer", "Bearer pat_x", "Basic YTpi", "bearer  x"],
};

const NO_JSON = ["", " ", "{", '{"a":}', '{"a":NaN}', '{"a":1}{"b":2}', "a=1&b=2", "\uFEFF{}", '{"a":"\\u0000"}'];
const NO_OBJECT = ["[]", "null", "1", '"x"'];
const DEEP = ["[".repeat(100_000), `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`];
const LARGE = `{"a":"${"x".repeat(1_200_000)}"}`;
/** UTF-16, and UTF-8 that is cut. */
const BYTES = [
  new Uint8Array([0xff, 0xfe, 0x7b, 0x7d]),
  new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
];
export const RAW_BODIES: readonly (string | Uint8Array<ArrayBuffer>)[] = [
  ...NO_JSON,
  ...NO_OBJECT,
  ...DEEP,
  ...BYTES,
  LARGE,
];

/** None of them says that the body is JSON as it stands. */
export const ODD_TYPES: readonly Readonly<Record<string, string>>[] = [
  { "content-type": "text/plain" },
  { "content-type": "application/x-www-form-urlencoded" },
  { "content-type": "multipart/form-data" },
  { "content-type": "" },
  { "content-type": "json" },
  { "content-type": "application/json", "content-encoding": "gzip" },
];

function nested(depth: number): unknown {
  let value: unknown = "deep";
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { value };
  return value;
}
