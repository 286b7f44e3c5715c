/** The request of an HTTP tool's call, its retries and what the model reads, without a network. */
import { describe, expect, test } from "bun:test";
import type { HttpCall } from "../../actors/job/connections.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { ok } from "../../actors/fault.ts";
import type { Egress, EgressRequest, EgressResult } from "../../src/egress/egress.ts";
import { verifySignature } from "../../src/egress/webhook-verification.ts";
import { buildRequest } from "../../src/runner/tools/http-request.ts";
import { callHttp } from "../../src/runner/tools/http-tool.ts";
import { CpuBudget } from "../../src/sandbox/sandbox.ts";
import { Lanes } from "../../src/sandbox/lanes.ts";
import { DEAF_HOST, OPENED_AT } from "../support/fake-tools.ts";
import { testSandbox } from "../support/sandbox.ts";

const SCHEMA = (...names: string[]): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});
const HTTP: HttpCall = {
  method: "GET",
  url: "https://shop.test/v1/{shop}/articles?lang=en",
  headers: [],
  arguments: [],
  timeoutMs: 1_000,
  retry: { times: 2, pauseMs: 100 },
  repeatable: true,
  signingSecret: null,
};
const built = (http: Partial<HttpCall>, input: JsonObject, schema = SCHEMA(...Object.keys(input))) =>
  buildRequest({ ...HTTP, ...http }, schema, input);

describe("a request", () => {
  test("[RUN-13] has its arguments in the path, the query, headers and the body", () => {
    expect(built({}, { shop: "a b/c", q: "x&y=1", tags: ["1", 2], deep: { a: 1 }, none: null })).toEqual({
      url: "https://shop.test/v1/a%20b%2Fc/articles?lang=en&q=x%26y%3D1&tags=1&tags=2&deep=%7B%22a%22%3A1%7D",
      headers: {},
    });
    const url = "https://shop.test/{id}";
    const places = [
      { name: "article", place: "path", as: "id" },
      { name: "trace", place: "header", as: "X-Trace" },
      { name: "dry", place: "query" },
    ] as const;
    expect(
      built({ method: "POST", url, arguments: [...places] }, { article: 7, trace: "t", dry: true, price: 3 }),
    ).toEqual({
      url: "https://shop.test/7?dry=true",
      headers: { "x-trace": "t" },
      body: '{"price":3}',
    });
    const whole = [{ name: "list", place: "body" }] as const;
    expect(built({ method: "PUT", url: "https://shop.test/", arguments: [...whole] }, { list: [1, 2] })).toEqual({
      url: "https://shop.test/",
      headers: {},
      body: "[1,2]",
    });
  });

  test("[RUN-13] stays in the path of its tool, even if a proxy decodes it", () => {
    const refusal = "An argument must not turn a part of the address into `.` or `..`.";
    for (const [path, id] of [
      ["{id}/x", ".."],
      ["{id}", "."],
      ["%2e{id}/x", "."],
      ["%2E{id}", "%2e"],
      [".{id}", "."],
      ["%252e{id}/x", "."],
      ["a%2f{id}/x", ".."],
      ["a%2F{id}", "."],
      ["a\\{id}/x", ".."],
      ["a%5c{id}/x", ".."],
      ["{id}/x", "../admin"],
      ["{id}/x", "..%2fadmin"],
      ["{id}/x", "..\\admin"],
      ["{id}/x", "%252e%252e"],
      ["{id}/x", "..;a=b"],
      ["{id}/x", `%${"25".repeat(12)}41`],
    ] as const)
      expect([path, id, built({ url: `https://shop.test/v1/${path}` }, { id })]).toEqual([path, id, refusal]);
    for (const [id, sent] of [
      ["group/project", "group%2Fproject"],
      ["v1..v2", "v1..v2"],
      ["...", "..."],
      [".env", ".env"],
      ["100%", "100%25"],
      ["%41", "%2541"],
      ["a;b", "a%3Bb"],
    ] as const)
      expect(built({ url: "https://shop.test/v1/a-{id}/x" }, { id })).toMatchObject({
        url: `https://shop.test/v1/a-${sent}/x`,
      });
  });

  test("[RUN-13] has a body if the method allows one and the tool has arguments for it", () => {
    const url = "https://shop.test/{id}";
    expect(built({ method: "POST", url }, { id: 1 }, SCHEMA("id", "note"))).toMatchObject({ body: "{}" });
    expect(built({ method: "POST", url }, { id: 1 })).not.toHaveProperty("body");
    expect(built({ method: "DELETE", url }, { id: 1, why: "x" })).toMatchObject({ url: "https://shop.test/1?why=x" });
  });

  test("[RUN-13] is not sent if an argument would leave the path, or cannot be sent", () => {
    const url = "https://shop.test/v1/{a}{b}/x";
    const header = { arguments: [{ name: "h", place: "header" as const }], url: "https://shop.test/" };
    const cases: readonly [Partial<HttpCall>, JsonObject, string][] = [
      [{ url }, { a: ".", b: "." }, "`..`"],
      [{}, { shop: ".." }, "`..`"],
      [{}, { shop: "" }, "shop is part of the address"],
      [{}, { shop: { a: 1 } }, "shop is part of the address"],
      [{}, { q: 1 }, "shop is missing"],
      [header, { h: "a\r\nb: c" }, "printable ASCII"],
      [header, { h: "x".repeat(5_000) }, "4096"],
      [{ url: "https://shop.test/" }, { q: "x".repeat(9_000) }, "8192"],
      [{ url: "https://shop.test/", method: "POST" }, { q: "x".repeat(300_000) }, "262144"],
    ];
    for (const [http, input, words] of cases) expect(built(http, input)).toContain(words);
    // What only looks like a way out stays a name.
    expect(built({}, { shop: "%2e%2e." })).toMatchObject({ url: "https://shop.test/v1/%252e%252e./articles?lang=en" });
    expect(built({}, { shop: "$&" })).toMatchObject({ url: "https://shop.test/v1/%24%26/articles?lang=en" });
  });
});

const SECRET = `whsec_${Buffer.from("a signing secret of this test").toString("base64")}`;
const answer = (status: number, text = "", headers: Record<string, string> = {}): EgressResult => {
  const body = new TextEncoder().encode(text);
  return {
    kind: "response",
    status,
    headers: new Headers({ "content-type": "application/json", ...headers }),
    finalUrl: "https://shop.test/",
    pieces: [body],
    body,
    truncated: false,
  };
};

/** Calls a tool whose host answers so, one after the other; the pauses are noted, and nobody waits for them. */
async function called(http: Partial<HttpCall>, ...answers: readonly EgressResult[]) {
  const requests: EgressRequest[] = [];
  const pauses: number[] = [];
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    after: (ms: number, run: () => void) => (pauses.push(ms), run(), () => {}),
  };
  const egress = {
    request: (request: EgressRequest) => Promise.resolve((requests.push(request), answers[requests.length - 1]!)),
  } as unknown as Egress;
  const result = await callHttp(
    {
      egress,
      sandbox: testSandbox,
      secrets: { read: () => Promise.resolve(ok(SECRET)) },
      gate: new Lanes(4, 4),
      clock,
    },
    { name: "lookup", http: { ...HTTP, url: "https://shop.test/", ...http }, inputSchema: SCHEMA() },
    {
      input: {},
      run: {
        context: { organizationId: "org_1", userId: "usr_1", agentId: "agt_1", jobId: "job_1", missionId: null },
        idempotencyKey: "job_1:1:c1",
        openedAt: OPENED_AT,
        host: DEAF_HOST,
        signal: new AbortController().signal,
        pauses: { clock, chance: { fraction: () => 1 } },
        budget: new CpuBudget(),
      },
    },
  );
  return { result, requests, pauses };
}

test("[RUN-13] an unknown argument never takes the place of one that the tool names", () => {
  const places = [
    { name: "order", place: "path", as: "id" },
    { name: "amount", place: "query", as: "sum" },
  ] as const;
  const url = "https://shop.test/{id}/pay?mode=safe";
  const of = (method: "GET" | "POST", stray: JsonObject) =>
    built({ method, url, arguments: [...places] }, { order: 1, amount: 2, ...stray }, SCHEMA("order", "amount"));
  for (const name of ["id", "sum", "SUM", "sum[]", "sum[0]", "s%75m", "Order", "amount ", "mode", "Mode", "ｓｕｍ"])
    for (const method of ["GET", "POST"] as const)
      expect([name, of(method, { [name]: 9 })]).toEqual([name, expect.stringContaining(name)]);
  expect(of("GET", { page: 9 })).toMatchObject({ url: "https://shop.test/1/pay?mode=safe&sum=2&page=9" });
});

test("[RUN-13] a given null is sent where JSON allows it", () => {
  const http = { method: "PATCH", url: "https://shop.test/" } as const;
  expect(built(http, { note: null, deep: { a: null }, list: [null] }).valueOf()).toMatchObject({
    body: '{"note":null,"deep":{"a":null},"list":[null]}',
  });
  const whole = { ...http, arguments: [{ name: "all", place: "body" as const }] };
  expect(built(whole, { all: null })).toMatchObject({ body: "null" });
  const elsewhere = [
    { name: "q", place: "query" as const },
    { name: "h", place: "header" as const },
  ];
  expect(built({ ...http, arguments: elsewhere }, { q: null, h: null, a: 1 })).toEqual({
    url: "https://shop.test/",
    headers: {},
    body: '{"a":1}',
  });
});

for (const [type, bytes, text] of [
  ["text/plain; charset=iso-8859-1", [0x47, 0x72, 0xf6, 0xdf, 0x65], "Größe"],
  ['text/csv; header=present; charset="windows-1252"', [0x35, 0x80], "5€"],
  ["application/json; charset=utf-16le", [0x22, 0, 0xfc, 0, 0x22, 0], '"ü"'],
  ["text/plain;charset=Shift_JIS", [0x93, 0xfa, 0x96, 0x7b], "日本"],
  ["text/plain; charset=utf-8", [0xef, 0xbb, 0xbf, 0x61], "a"],
  ["text/plain; charset=nonsense", [0xc3, 0xbc], "ü"],
  ["text/plain", [0xc3, 0xbc], "ü"],
  [
    "application/xml",
    [...Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>\u00fc</a>', "latin1")],
    '<?xml version="1.0" encoding="ISO-8859-1"?><a>ü</a>',
  ],
] as const) {
  test(`[RUN-13] an answer is decoded by its charset: ${type}`, async () => {
    const body = Uint8Array.from(bytes);
    const given = { ...answer(200, "", { "content-type": type }), body, pieces: [body] } as EgressResult;
    expect((await called({}, given)).result).toEqual({ content: text, isError: false });
  });
}

describe("a call", () => {
  test("[RUN-13] is repeated after temporary failures, with pauses and the same key", async () => {
    const { result, requests, pauses } = await called(
      {},
      answer(503),
      { kind: "failed", error: "timeout" },
      answer(200, '{"a":1}'),
    );
    expect(result).toEqual({ content: '{"a":1}', isError: false });
    expect(pauses).toEqual([100, 200]);
    expect(requests.map(({ headers }) => headers?.["idempotency-key"])).toEqual(Array(3).fill("job_1:1:c1"));
  });

  test("[RUN-13] that may not be repeated is sent again only if nothing has happened", async () => {
    const tries = async (repeatable: boolean, first: EgressResult) =>
      (await called({ repeatable }, first, answer(204))).requests.length;
    const failed = (error: "connection_refused" | "timeout" | "tls_error") => ({ kind: "failed", error }) as const;
    for (const first of [answer(429), failed("connection_refused")]) expect(await tries(false, first)).toBe(2);
    for (const first of [answer(503), failed("timeout")])
      expect([await tries(false, first), await tries(true, first)]).toEqual([1, 2]);
    for (const first of [answer(404), answer(400), failed("tls_error")]) expect(await tries(true, first)).toBe(1);
  });

  test("[RUN-13] waits as long as the host asks, and not at all if that is too long", async () => {
    expect((await called({}, answer(429, "", { "retry-after": "7" }), answer(200))).pauses).toEqual([7_000]);
    const { result, pauses } = await called({}, answer(429, "", { "retry-after": "3600" }));
    expect(pauses).toEqual([]);
    expect(result).toEqual({ content: "The host answered 429, without any content.", isError: true });
    expect((await called({ retry: { times: 0, pauseMs: 100 } }, answer(503, "busy"))).result.content).toBe(
      "The host answered 503.\n\nbusy",
    );
  });

  test("[RUN-13] is signed as a webhook is, and shows no secret that the host echoes", async () => {
    const { result, requests } = await called(
      { method: "POST", signingSecret: "SIGN" },
      answer(200, `{"you":"${SECRET}"}`),
    );
    const { headers = {}, body = "" } = requests[0]!;
    expect(verifySignature({ headers, body: String(body) }, [SECRET], 0).kind).toBe("valid");
    expect(headers["webhook-id"]).toBe("job_1:1:c1");
    expect(result.content).toBe('{"you":"[hidden]"}');
  });

  test("[RUN-13] reports unreadable answers to the model, and follows no redirect", async () => {
    const words = async (result: EgressResult) => (await called({ retry: { times: 0, pauseMs: 100 } }, result)).result;
    expect(await words(answer(200))).toEqual({
      content: "The host answered 200, without any content.",
      isError: false,
    });
    expect((await words(answer(200, "x", { "content-type": "image/png" }))).content).toContain("is not text (1 bytes)");
    expect((await words(answer(200, "x", { "content-encoding": "gzip" }))).content).toContain("compressed");
    expect(await words(answer(302, "", { location: "https://x.test" }))).toMatchObject({ isError: true });
    expect(
      (
        await words(answer(200, "<p>Hi <b>you</b></p><script>x</script>", { "content-type": "text/html" }))
      ).content.trim(),
    ).toBe("Hi you");
    expect((await words({ kind: "failed", error: "blocked_address" })).content).toContain("no address on the public");
  });
});
