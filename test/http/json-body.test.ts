import { describe, expect, test } from "bun:test";
import { refuse } from "../../actors/fault.ts";
import { JSON_BODY_BYTES, JSON_DEPTH, parseJsonObject, RequestBody } from "../../src/http/json-body.ts";

const badJson = (message: string) => refuse({ kind: "invalid_json", message });
const MALFORMED = badJson("Invalid JSON in request body");

const post = (
  body: string | ReadableStream | null,
  headers: Record<string, string> = { "content-type": "application/json" },
) => new Request("http://localhost/", { method: "POST", body, headers });
const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;

describe("parsing", () => {
  test.each(["", "{", "{'a':1}", '{"a":1,}', "nul", '{"a":"\n"}', '{"a":"\\x"}', '{"a":1}{"b":2}'])(
    "[ERR-3] %p is malformed",
    (text) => {
      expect(parseJsonObject(text)).toEqual(MALFORMED);
    },
  );

  test.each(["[]", "1", '"text"', "null", "true"])("[ERR-5] %p is JSON but no object", (text) => {
    expect(parseJsonObject(text)).toEqual(badJson("Request body must be a JSON object"));
  });

  test("[ERR-5] 64 levels are parsed, 65 and 100,000 are refused, and brackets in strings count for nothing", () => {
    const TOO_DEEP = badJson("JSON in request body is nested deeper than 64 levels");
    expect(parseJsonObject(nested(JSON_DEPTH)).ok).toBe(true);
    expect(parseJsonObject(nested(JSON_DEPTH + 1))).toEqual(TOO_DEEP);
    expect(parseJsonObject(nested(100_000))).toEqual(TOO_DEEP);
    expect(parseJsonObject(`{"a":${"[".repeat(64)}${"]".repeat(64)}}`)).toEqual(TOO_DEEP);
    const text = "[{".repeat(100);
    expect(parseJsonObject(`{"a":"${text}\\\\\\"${text}","b":[]}`)).toEqual({
      ok: true,
      value: { a: `${text}\\"${text}`, b: [] },
    });
    expect(parseJsonObject(`{"a":"${"[".repeat(100)}`)).toEqual(MALFORMED);
  });

  test("[ERR-5] a NUL anywhere is refused, an escaped backslash before u0000 is none", () => {
    const NUL = badJson("NUL characters are not allowed in request body");
    expect(parseJsonObject('{"a":{"b":["x\\u0000"]}}')).toEqual(NUL);
    expect(parseJsonObject('{"a\\u0000":null}')).toEqual(NUL);
    expect(parseJsonObject('{"a":"\\\\u0000","b":null}')).toEqual({ ok: true, value: { a: "\\u0000", b: null } });
  });

  test("[ERR-5] lone surrogates become U+FFFD, pairs stay", () => {
    expect(parseJsonObject('{"a":"\\ud800x","b":["\\uD83D\\uDE00"],"\\udc00":1}')).toEqual({
      ok: true,
      value: { a: "\ufffdx", b: ["😀"], "\ufffd": 1 },
    });
  });

  test("[ERR-5] a key named __proto__ changes no prototype", () => {
    const parsed = parseJsonObject('{"__proto__":{"admin":true},"a":"\\ud800"}');
    expect(parsed.ok && (parsed.value as { admin?: boolean }).admin).toBeUndefined();
  });
});

describe("reading", () => {
  test.each(["text/plain", "application/jsonp", "application/x-www-form-urlencoded", ""])(
    "[ERR-5] a body of type %p is refused",
    async (type) => {
      const outcome = await new RequestBody(
        post("{}", type === "" ? { "content-type": "" } : { "content-type": type }),
      ).object();
      expect(outcome).toEqual(refuse({ kind: "unsupported_media_type", expected: "application/json" }));
    },
  );

  test("[ERR-5] parameters and case of the type do not matter; a coding does", async () => {
    expect((await new RequestBody(post("{}", { "content-type": "Application/JSON; charset=utf-8" })).object()).ok).toBe(
      true,
    );
    const gzip = { "content-type": "application/json", "content-encoding": "gzip" };
    const expected = "application/json without a Content-Encoding";
    expect(await new RequestBody(post("{}", gzip)).object()).toEqual(
      refuse({ kind: "unsupported_media_type", expected }),
    );
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
    expect((await new RequestBody(chunked(fill(JSON_BODY_BYTES))).object()).ok).toBe(true);
    const tooLarge = refuse({ kind: "payload_too_large", limitBytes: JSON_BODY_BYTES });
    expect(await new RequestBody(chunked(fill(JSON_BODY_BYTES + 1))).object()).toEqual(tooLarge);
  });

  test("[ERR-3] no body at all is malformed JSON", async () => {
    expect(await new RequestBody(post(null)).object()).toEqual(MALFORMED);
  });
});
