/** Every fault of a provider, over real sockets and in every way in which a model is called: what the caller gets of it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { ModelOutcome } from "../../actors/job/ports.ts";
import { maskWords, MAX_PROVIDER_WORDS } from "../../src/runner/mask.ts";
import type { RunnerLog } from "../../src/log/port.ts";
import { createModels } from "../../src/runner/models.ts";
import { faultDetails, MAX_PROVIDER_WAIT_MS, ProviderAnswer, providerFault } from "../../src/runner/provider-faults.ts";
import { MAX_OUTPUT_CHARS } from "../../src/runner/stream-call.ts";
import type { FakeAnswer, FakeEnd, FakeProvider } from "../support/fake-provider.ts";
import { fakeTimers } from "../support/fake-timers.ts";
import { modelCall, NO_MODELS, ORIGIN, run } from "../support/model-calls.ts";
import { KEY, modelsBy, WAYS } from "../support/model-ways.ts";

const unhandled: unknown[] = [];
const noteUnhandled = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", noteUnhandled));
afterAll(() => void process.off("unhandledRejection", noteUnhandled));

for (const way of WAYS) {
  describe(`faults of ${way.name}`, () => {
    let fake: FakeProvider;
    beforeEach(async () => {
      fake = await way.start();
    });
    afterEach(async () => {
      await fake.stop();
    });

    const models = (timers = fakeTimers(), log?: RunnerLog) => modelsBy(way, fake.baseUrl, { timers, log });

    test("[ERR-4] a failure is one log line that names the call's job and organization", async () => {
      const lines: object[] = [];
      const log = { warn: (fields: object) => void lines.push(fields), error: () => {} };
      fake.answer({ kind: "status", status: 500, headers: {}, body: "" });
      await run(models(fakeTimers(), log), modelCall("hi"));
      expect(lines).toEqual([expect.objectContaining({ ...ORIGIN, code: "provider_error", status: 500 })]);
    });

    async function failure(answer: FakeAnswer): Promise<Extract<ModelOutcome, { kind: "failed" }>> {
      fake.answer(answer);
      const { outcome, pieces } = await run(models(), modelCall("hi"));
      if (outcome.kind !== "failed") throw new Error(`The call is ${outcome.kind}`);
      expect(pieces.join("")).toBe(outcome.partialText);
      expectHarmless(outcome.error.message);
      return outcome;
    }

    const status = (code: number, message: string, headers = {}): FakeAnswer => ({
      kind: "status",
      status: code,
      headers,
      body: JSON.stringify({ type: "error", error: { type: "some_error", message } }),
    });

    const statuses: readonly (readonly [number, string, RegExp])[] = [
      [400, "context_length_exceeded", /It said: prompt is too long: 9 tokens > 8$/],
      [404, "context_length_exceeded", /It said: prompt is too long/],
      [413, "context_length_exceeded", /It said: prompt is too long/],
      [401, "provider_unauthorized", /An operator must check the key/],
      [403, "context_length_exceeded", /It said: prompt is too long/],
      [429, "provider_rate_limited", /rate limit is reached/],
      [500, "provider_error", /\(HTTP 500\)/],
      [529, "provider_error", /\(HTTP 529\)/],
      [302, "provider_error", /\(HTTP 302\)/],
    ];
    for (const [code, expected, words] of statuses) {
      test(`[RUN-1] HTTP ${code} is ${expected}`, async () => {
        const { error } = await failure(
          status(code, "prompt is too long: 9 tokens > 8", { location: "http://127.0.0.1:1/" }),
        );
        expect(error).toEqual({ code: expected as never, message: expect.stringMatching(words) });
        expect(fake.requests).toHaveLength(1);
      });
    }

    test("[RUN-1] Retry-After is passed on, in seconds or as a date", async () => {
      expect((await failure(status(429, "slow down", { "retry-after": "7" }))).error.retryAfterMs).toBe(7_000);
      const inAMinute = new Date(Date.now() + 60_000).toUTCString();
      const { retryAfterMs = 0 } = (await failure(status(503, "busy", { "retry-after": inAMinute }))).error;
      expect(retryAfterMs).toBeGreaterThan(30_000);
      expect(retryAfterMs).toBeLessThanOrEqual(60_000);
    });

    test("[RUN-1] a body of plain text is quoted and masked, and a page is not quoted", async () => {
      const { error } = await failure({ kind: "status", status: 500, body: `Traceback at /srv/app.py, key ${KEY}` });
      expect(error.message).toBe(
        "The model provider answered with an error (HTTP 500). It said: Traceback at [hidden], key [hidden]",
      );
      const page = await failure({ kind: "status", status: 502, body: "<html><h1>Bad gateway</h1></html>" });
      expect(page.error.message).toBe("The model provider answered with an error (HTTP 502).");
    });

    test("[RUN-1] keys, addresses and paths in the provider's message are hidden", async () => {
      const { error } = await failure(status(400, `No model at ${fake.baseUrl}/chat for ${KEY}, see /etc/models.json`));
      expect(error.message).toBe(
        "The model provider refused the request. It said: No model at [hidden] for [hidden], see [hidden]",
      );
    });

    // As LM Studio reports it; only servers of this format do.
    if (way.format === "chat completions")
      test("[RUN-1] a too long prompt is recognized in a stream", async () => {
        const words =
          "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length";
        const body = `event: error\ndata: ${JSON.stringify({ error: { message: words } })}\n\n`;
        expect((await failure({ kind: "body", body })).error.code).toBe("context_length_exceeded");
      });

    test("[RUN-1] a page with 200 is not accepted as model output", async () => {
      expect(await failure({ kind: "html" })).toMatchObject({ error: { code: "provider_error" }, partialText: "" });
    });

    const ends: readonly (readonly [FakeEnd, string])[] = [
      ["cut", "provider_unreachable"],
      ["close", "provider_unreachable"],
      ["reset", "provider_unreachable"],
      ["bad_frame", "provider_error"],
      ["error_frame", "provider_error"],
    ];
    for (const [end, expected] of ends) {
      test(`[RUN-1] a stream that ends by ${end} after some text has failed with ${expected}`, async () => {
        const seen = Promise.withResolvers<void>();
        // The fault comes when the caller has the text, so that what was streamed is known.
        async function* text(): AsyncGenerator<string> {
          yield "half an ";
          yield "answer";
          await seen.promise;
        }
        fake.answer({ kind: "stream", text: text(), end });
        let streamed = "";
        const outcome = await models().call(
          modelCall("hi"),
          (piece) => {
            streamed += piece;
            if (streamed === "half an answer") seen.resolve();
          },
          new AbortController().signal,
        );
        expect(outcome).toMatchObject({ kind: "failed", error: { code: expected }, partialText: "half an answer" });
        if (outcome.kind === "failed") expectHarmless(outcome.error.message);
      });

      test(`[RUN-1] a stream that ends by ${end} before any text has failed`, async () => {
        const { error } = await failure({ kind: "stream", end });
        expect(error.code).toBeOneOf(["provider_unreachable", "provider_error"]);
      });
    }

    test("[RUN-3] a silent stream fails at the limit, and its request is closed", async () => {
      fake.answer({ kind: "stream", text: ["half"], end: "stall" });
      const timers = fakeTimers();
      const seen = Promise.withResolvers<void>();
      const call = models(timers).call(modelCall("hi"), () => seen.resolve(), new AbortController().signal);
      await seen.promise;
      timers.advance(60_000);
      expect(await call).toMatchObject({ kind: "failed", error: { code: "provider_stalled" }, partialText: "half" });
      await fake.requests[0]?.closed;
      expect(timers.pending()).toBe(0);
    });

    test("[RUN-3] an aborted call is aborted, and its request is closed", async () => {
      fake.answer({ kind: "stream", text: ["half"], end: "stall" });
      const controller = new AbortController();
      const timers = fakeTimers();
      const { outcome, pieces } = await new Promise<Awaited<ReturnType<typeof run>>>((resolve, reject) => {
        const handed: string[] = [];
        models(timers)
          .call(
            modelCall("hi"),
            (piece) => {
              handed.push(piece);
              controller.abort();
            },
            controller.signal,
          )
          .then((answer) => resolve({ outcome: answer, pieces: handed }), reject);
      });
      expect(outcome).toMatchObject({ kind: "aborted", partialText: pieces.join("") });
      await fake.requests[0]?.closed;
      expect(timers.pending()).toBe(0);
    });

    test("[RUN-3] a call that is aborted before its answer begins is aborted", async () => {
      fake.answer({ kind: "stream", end: "stall" });
      const controller = new AbortController();
      const coming = fake.nextRequest();
      const call = run(models(), modelCall("hi"), controller.signal);
      const request = await coming;
      controller.abort();
      expect((await call).outcome).toMatchObject({ kind: "aborted", partialText: "" });
      await request.closed;
      expect((await run(models(), modelCall("hi"), controller.signal)).outcome).toEqual({
        kind: "aborted",
        partialText: "",
      });
      expect(fake.requests).toHaveLength(1);
    });

    test("[RUN-3] an answer without an end is cut off at the limit", async () => {
      const piece = "x".repeat(64 * 1024);
      fake.answer({ kind: "stream", text: Array.from({ length: MAX_OUTPUT_CHARS / piece.length + 1 }, () => piece) });
      const outcome = await models().call(modelCall("hi"), () => {}, new AbortController().signal);
      expect(outcome).toMatchObject({
        kind: "failed",
        error: { code: "provider_error", message: expect.stringMatching(/longer than/) },
      });
    });

    test("[RUN-1] a receiver that throws fails the call and nothing else", async () => {
      fake.answer({ kind: "stream", text: ["a", "b"] });
      const receiver = (): never => {
        throw new Error("secret of the service");
      };
      const outcome = await models().call(modelCall("hi"), receiver, new AbortController().signal);
      expect(outcome).toMatchObject({ kind: "failed", error: { code: "internal_error" } });
      expect(JSON.stringify(outcome)).not.toContain("secret");
    });

    test("[RUN-1] a provider that does not exist is provider_unreachable", async () => {
      await fake.stop();
      const { outcome } = await run(models(), modelCall("hi"));
      expect(outcome).toMatchObject({ kind: "failed", error: { code: "provider_unreachable" }, partialText: "" });
      if (outcome.kind === "failed") expectHarmless(outcome.error.message);
    });
  });
}

test("[RUN-1] a host that does not resolve is provider_unreachable", async () => {
  const settings = { ...NO_MODELS, model: "openai:m", openaiBaseUrl: "http://no-such-host.invalid/v1" };
  const { outcome } = await run(createModels(settings), modelCall("hi"));
  expect(outcome).toMatchObject({
    kind: "failed",
    error: { code: "provider_unreachable", message: expect.not.stringContaining("invalid") },
  });
});

/** Bodies of errors as providers send them, with what a user reads. */
const BODIES: readonly (readonly [about: string, status: number, body: unknown, code: string, said: string])[] = [
  [
    "OpenAI",
    400,
    { error: { message: "Bad schema", type: "invalid_request_error" } },
    "provider_rejected",
    "Bad schema",
  ],
  ["Gemini's list", 400, [{ error: { code: 400, message: "No such voice" } }], "provider_rejected", "No such voice"],
  ["Gemini's key", 400, [{ error: { message: "API key not valid." } }], "provider_unauthorized", "API key not valid."],
  ["FastAPI's text", 422, { detail: "Model is loading" }, "provider_rejected", "Model is loading"],
  [
    "FastAPI's list",
    422,
    { detail: [{ loc: ["body"], msg: "Field required" }] },
    "provider_rejected",
    "Field required",
  ],
  ["Cloudflare's list", 400, { errors: [{ code: 1, message: "No route" }] }, "provider_rejected", "No route"],
  ["an error within an error", 500, { error: { error: { message: "Deep" } } }, "provider_error", "Deep"],
  ["text for an error", 404, { error: "model 'x' not found" }, "provider_rejected", "model 'x' not found"],
  ["plain text", 503, "upstream connect error\nat 10.0.0.1", "provider_error", "upstream connect error"],
  [
    "an unknown key",
    401,
    { error: { message: "Incorrect API key provided" } },
    "provider_unauthorized",
    "Incorrect API key provided",
  ],
  [
    "a key without rights",
    403,
    { error: { type: "permission_error", message: "Your API key has no access" } },
    "provider_unauthorized",
    "Your API key has no access",
  ],
  [
    "a country",
    403,
    { error: { code: "unsupported_country", message: "Country not supported" } },
    "provider_rejected",
    "Country not supported",
  ],
  [
    "a moderation",
    403,
    { error: { message: "Input was flagged", code: 403 } },
    "provider_rejected",
    "Input was flagged",
  ],
  ["credits", 402, { error: { message: "Insufficient credits" } }, "provider_rejected", "Insufficient credits"],
];
for (const [about, status, body, code, said] of BODIES)
  test(`[RUN-26] the provider's reason reaches the user and the log: ${about}`, () => {
    const answer = new ProviderAnswer(status, {}, typeof body === "string" ? body : JSON.stringify(body));
    const fault = providerFault(answer, [], 0);
    expect(fault.code).toBe(code as never);
    expect(fault.message.split(" It said: ")[1]).toBe(said);
    expect(faultDetails(answer, [])).toMatchObject({ status, said });
  });

test("[RUN-26] a 403 without a message is about the key, and one of a firewall is not", () => {
  const codeOf = (body: string) => providerFault(new ProviderAnswer(403, {}, body), [], 0).code;
  expect([codeOf(""), codeOf("{}"), codeOf("<html>Blocked</html>")]).toEqual([
    "provider_unauthorized",
    "provider_unauthorized",
    "provider_rejected",
  ]);
});

test("[RUN-1] Retry-After is limited, and ignored if it cannot be read", () => {
  const wait = (value: string): number | undefined =>
    providerFault({ statusCode: 429, responseHeaders: { "retry-after": value } }, [], 0).retryAfterMs;
  expect([wait("0.5"), wait("-3"), wait("99999999999"), wait("soon"), wait("")]).toEqual([
    500,
    0,
    MAX_PROVIDER_WAIT_MS,
    undefined,
    undefined,
  ]);
});

describe("masking", () => {
  const hidden = [
    "https://api.example.com/v1?key=abc",
    "10.0.0.7:8080",
    "[::1]:80",
    "gpu-7.internal",
    "localhost:11434",
    "node3:50051",
    "sk-ant-api03-abcdef",
    "Bearer abc.def.ghi",
    "AIzaSyD-1234567890",
    "eyJhbGciOiJIUzI1NiJ9.e30.x",
    "0123456789abcdef0123456789abcdef",
    "/usr/lib/python3/site.py",
    "C:\\srv\\models",
    "~/models/x.gguf",
    "ops@corp.example",
  ];
  for (const secret of hidden) {
    test(`[RUN-5] hides ${secret}`, () => expect(maskWords(`see ${secret} now`, [])).toBe("see [hidden] now"));
  }

  const harmless = [
    "model claude-sonnet-4-5-20250929 does not exist",
    "qwen2.5:7b needs 12.5 GiB",
    "messages.0.content: field required",
    "input/output tokens 5 > 4",
  ];
  for (const words of harmless) {
    test(`[RUN-5] leaves "${words}"`, () => expect(maskWords(words, [])).toBe(words));
  }

  test("[RUN-5] keeps only the first line, shortened, and never half a character", () => {
    expect(maskWords("first\n    at Object.<anonymous> (x.ts:1)", [])).toBe("first");
    const long = maskWords("😀 ".repeat(300), []);
    expect(Array.from(long).length).toBeLessThanOrEqual(MAX_PROVIDER_WORDS);
    expect(long.isWellFormed() && long.endsWith("…")).toBe(true);
  });
});

test("[RUN-1] none of these failures leaves an unhandled rejection", async () => {
  Bun.gc(true);
  for (let turn = 0; turn < 5; turn += 1)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  expect(unhandled).toEqual([]);
});

function expectHarmless(message: string): void {
  expect(message).not.toMatch(/https?:|127\.0\.0\.1|internal:|sk-|\/v1|node_modules|\bat \w+\(|Error:/);
  expect(message.length).toBeLessThan(400);
}
