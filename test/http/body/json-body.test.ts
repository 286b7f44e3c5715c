import { describe, expect, test } from "bun:test";
import { MAX_JSON_DEPTH } from "../../../actors/clean-text.ts";
import { refuse } from "../../../actors/fault.ts";
import {
  decodeBody,
  JSON_BODY_BYTES,
  parseJsonObject,
  readBytes,
  typeFault,
} from "../../../src/http/body/json-body.ts";

const badJson = (message: string) => refuse({ kind: "invalid_json", message });
const malformedAt = (place: string) =>
  refuse({ kind: "invalid_json", message: "Invalid JSON in request body", place: ` at ${place}` });

const JSON_TYPE = { "content-type": "application/json" };
const post = (body: string | ReadableStream | null, headers: Record<string, string> = JSON_TYPE) =>
  new Request("http://localhost/", { method: "POST", body, headers });
/** The JSON object of a request. */
async function object(request: Request) {
  const fault = typeFault(request);
  if (fault !== null) return refuse(fault);
  const bytes = await readBytes(request);
  const text = bytes.ok ? decodeBody(bytes.value) : bytes;
  return text.ok ? parseJsonObject(text.value) : text;
}
const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;

describe("parsing", () => {
  test.each([
    ["", "position 0 (line 1, column 1)"],
    ["{", "position 1 (line 1, column 2)"],
    ["{'a':1}", "position 1 (line 1, column 2)"],
    ['{"a":1,}', "position 7 (line 1, column 8)"],
    ["nul", "position 0 (line 1, column 1)"],
    ['{"a":"\n"}', "position 5 (line 1, column 6)"],
    ['{"a":"\\x"}', "position 5 (line 1, column 6)"],
    ['{"a":1}{"b":2}', "position 7 (line 1, column 8)"],
    ['{\n  "a": 1,\n  "b": ]\n}', "position 19 (line 3, column 8)"],
    ['{"a":1 /* one */}', "position 7 (line 1, column 8)"],
  ])("[ERR-3] %p is malformed at %s", (text, place) => {
    expect(parseJsonObject(text)).toEqual(malformedAt(place));
  });

  test("[ERR-3] unmatched brackets are refused, however many", () => {
    const outcome = parseJsonObject(`{"a":${"[},".repeat(200_000)}`);
    expect(outcome.ok || outcome.fault.kind).toBe("invalid_json");
  });

  test.each(["[]", '[{"a":1}]', "1", '"text"', "null", "true"])("[ERR-5] %p is JSON but not an object", (text) => {
    const errors = [{ path: "", message: "Request body must be a JSON object" }];
    expect(parseJsonObject(text)).toEqual(refuse({ kind: "invalid_request", errors }));
  });

  test("[ERR-5] 64 levels are parsed, 65 and 100,000 are refused, and brackets in strings do not count", () => {
    const TOO_DEEP = badJson("JSON in request body is nested deeper than 64 levels");
    expect(parseJsonObject(nested(MAX_JSON_DEPTH)).ok).toBe(true);
    expect(parseJsonObject(nested(MAX_JSON_DEPTH + 1))).toEqual(TOO_DEEP);
    expect(parseJsonObject(nested(100_000))).toEqual(TOO_DEEP);
    expect(parseJsonObject(`{"a":${"[".repeat(64)}${"]".repeat(64)}}`)).toEqual(TOO_DEEP);
    const text = "[{".repeat(100);
    expect(parseJsonObject(`{"a":"${text}\\\\\\"${text}","b":[]}`)).toEqual({
      ok: true,
      value: { a: `${text}\\"${text}`, b: [] },
    });
    expect(parseJsonObject(`{"a":"${"[".repeat(100)}`)).toEqual(malformedAt("position 5 (line 1, column 6)"));
  });

  test("[ERR-5] a NUL anywhere is refused, and an escaped backslash before u0000 is not a NUL", () => {
    const NUL = badJson("NUL characters are not allowed in request body");
    expect(parseJsonObject('{"a":{"b":["x\\u0000"]}}')).toEqual(NUL);
    expect(parseJsonObject('{"a\\u0000":null}')).toEqual(NUL);
    expect(parseJsonObject('{"a":"\\\\u0000","b":null}')).toEqual({ ok: true, value: { a: "\\u0000", b: null } });
  });

  test("[ERR-5] a lone surrogate anywhere is refused, pairs stay", () => {
    const LONE = badJson("Lone surrogates are not allowed in request body");
    for (const text of ['{"a":"\\ud800x"}', '{"a":[{"b":"x\\uDC00"}]}', '{"\\udc00":1}', '{"a":"\\ude00\\ud83d"}'])
      expect(parseJsonObject(text)).toEqual(LONE);
    expect(parseJsonObject('{"b":["\\uD83D\\uDE00"]}')).toEqual({ ok: true, value: { b: ["😀"] } });
  });

  test("[ERR-5] a key named __proto__ changes no prototype", () => {
    const parsed = parseJsonObject('{"__proto__":{"admin":true},"a":"\\ud83d\\ude00"}');
    expect(parsed.ok && (parsed.value as { admin?: boolean }).admin).toBeUndefined();
  });
});

describe("reading", () => {
  test.each(["text/plain", "application/jsonp", "application/x-www-form-urlencoded", ""])(
    "[ERR-5] a body of type %p is refused",
    async (type) => {
      const outcome = await object(post("{}", { "content-type": type }));
      expect(outcome).toEqual(refuse({ kind: "unsupported_media_type", expected: "application/json" }));
    },
  );

  test("[ERR-5] parameters and case of the type do not matter; a coding does", async () => {
    for (const type of ["Application/JSON; charset=utf-8", 'application/json;charset="UTF8"', "application/json; v=1"])
      expect((await object(post("{}", { "content-type": type }))).ok).toBe(true);
    const gzip = { "content-type": "application/json", "content-encoding": "gzip" };
    const expected = "application/json without a Content-Encoding";
    expect(await object(post("{}", gzip))).toEqual(refuse({ kind: "unsupported_media_type", expected }));
  });

  test.each(["iso-8859-1", "utf-16", '"windows-1252"'])("[ERR-5] a body in %s is refused", async (charset) => {
    const outcome = await object(post("{}", { "content-type": `application/json; charset=${charset}` }));
    expect(outcome).toEqual(refuse({ kind: "unsupported_media_type", expected: "application/json in UTF-8" }));
  });

  test("[ERR-5] bytes that are not UTF-8 are refused, with and without a length", async () => {
    const broken = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xe4, 0x20]), Buffer.from('"}')]);
    const whole = new Request("http://localhost/", { method: "POST", body: broken, headers: JSON_TYPE });
    whole.headers.set("content-length", String(broken.length));
    const chunked = post(new Response(broken).body!.pipeThrough(new TransformStream()));
    for (const request of [whole, chunked])
      expect(await object(request)).toEqual(badJson("Request body must be UTF-8"));
  });

  test("[ERR-5] a character that is split over two chunks stays whole", async () => {
    const bytes = Buffer.from('{"a":"€"}');
    const parts = [bytes.subarray(0, 7), bytes.subarray(7)];
    const body = new ReadableStream({
      pull: (controller) => {
        const part = parts.shift();
        if (part === undefined) controller.close();
        else controller.enqueue(part);
      },
    });
    expect(await object(post(body))).toEqual({ ok: true, value: { a: "€" } });
  });

  test("[ERR-5] a body without a length is read up to the limit and no further", async () => {
    const fill = (bytes: number): string => `{"a":"${"x".repeat(bytes - 8)}"}`;
    const chunked = (text: string) => {
      let taken = 0;
      const body = new ReadableStream({
        pull(controller) {
          if (taken >= text.length) return controller.close();
          controller.enqueue(Buffer.from(text.slice(taken, (taken += 65_536))));
        },
      });
      return post(body);
    };
    expect((await object(chunked(fill(JSON_BODY_BYTES)))).ok).toBe(true);
    const tooLarge = refuse({ kind: "payload_too_large", limitBytes: JSON_BODY_BYTES });
    expect(await object(chunked(fill(JSON_BODY_BYTES + 1)))).toEqual(tooLarge);
  });

  test("[ERR-3] no body at all is malformed JSON", async () => {
    expect(await object(post(null))).toEqual(malformedAt("position 0 (line 1, column 1)"));
  });
});
