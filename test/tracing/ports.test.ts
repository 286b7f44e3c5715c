/** Ports whose calls are spans (`src/wiring/traced.ts`): what each tells of how its call went. */
import { systemClock } from "../../src/wiring/clock.ts";
import { type ModelOutcome, type ModelPort, withCalls } from "../../actors/job/ports.ts";
import { refuse } from "../../actors/fault.ts";
import type { Tracing } from "../../actors/runtime/tracing.ts";
import type { AttemptResult, Prepared } from "../../actors/webhook/protocol.ts";
import { endRequestSpan, requestSpan } from "../../src/http/request/request-span.ts";
import { withAttachedContent } from "../../src/runner/attached-content.ts";
import { withProviderKeys } from "../../src/runner/provider-keys.ts";
import { withRepositoryModel } from "../../src/runner/repository-model.ts";
import { ASK_PATH, PeerClient } from "../../src/peers/peer-client.ts";
import { PeerKey } from "../../src/peers/peer-key.ts";
import { openPeerServer } from "../../src/peers/peer-server.ts";
import { meteredModels } from "../../src/wiring/metered.ts";
import { Meters } from "../../src/metrics/meters.ts";
import { tracedModels, tracedSender } from "../../src/wiring/traced.ts";
import { FakeModel, USAGE } from "../support/fake-model.ts";
import { modelCall } from "../support/model-calls.ts";
import { spanNamed, spansOf } from "../support/recorded-spans.ts";
import { describe, expect, test } from "bun:test";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const NEVER = new AbortController().signal;

describe("models", () => {
  const CALL = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "fake",
    "gen_ai.request.model": "fake",
    "gen_ai.request.stream": true,
    "troupe.organization.id": "org_a",
    "troupe.job.id": "job_a",
    "troupe.model.purpose": "step",
  };
  const TOKENS = { "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3 };

  /** One call that ends so; the first text comes after 250 ms. */
  async function told(
    outcome: ModelOutcome | Error,
    more: Partial<Parameters<ModelPort["call"]>[0]> = {},
    model = new FakeModel(),
  ) {
    const seen: (string | null)[] = [];
    const texts: string[] = [];
    const spans = await spansOf(async (real) => {
      let ms = 1_000;
      const tracing: Tracing = Object.assign(Object.create(real) as Tracing, { now: () => ms });
      const models = withCalls(model, async (_, onText) => {
        seen.push(real.current());
        onText("");
        ms += 250;
        onText("one ");
        ms += 1_000;
        onText("two");
        if (outcome instanceof Error) throw outcome;
        return outcome;
      });
      const call = tracedModels(models, tracing).call(modelCall("hi", more), (text) => texts.push(text), NEVER);
      await (outcome instanceof Error ? expect(call).rejects.toThrow(outcome.message) : call);
    });
    expect(texts).toEqual(["", "one ", "two"]);
    const [span, ...others] = spans;
    expect(others).toEqual([]);
    expect(seen).toEqual([`00-${span!.traceId}-${span!.spanId}-01`]);
    return span!;
  }
  const finished: ModelOutcome = { kind: "finished", blocks: [], usage: USAGE, finishReason: "length" };

  test("[OPS-9] a call reports its model, its tokens, its end and the time to its first text", async () => {
    const span = await told(finished);
    expect(span).toMatchObject({ name: "chat fake", kind: 3, isError: false });
    expect(span.attributes).toEqual({
      ...CALL,
      ...TOKENS,
      "gen_ai.response.finish_reasons": ["length"],
      "gen_ai.response.time_to_first_chunk": 0.25,
    });
    const usage = { ...USAGE, cachedInputTokens: 4, cacheWriteTokens: 2 };
    expect((await told({ ...finished, usage })).attributes).toMatchObject({
      ...TOKENS,
      "gen_ai.usage.cache_read.input_tokens": 4,
      "gen_ai.usage.cache_creation.input_tokens": 2,
    });
    expect((await told(finished, { purpose: "summary" })).attributes["troupe.model.purpose"]).toBe("summary");
  });

  test("[OPS-9] a failed call reports the error and its tokens, an aborted one neither, and a bug ends the span", async () => {
    const error = { code: "provider_stalled", message: "private" } as const;
    const failed = await told({ kind: "failed", error, partialText: "private", usage: USAGE });
    expect(failed.isError).toBe(true);
    expect(failed.attributes).toEqual({
      ...CALL,
      ...TOKENS,
      "gen_ai.response.time_to_first_chunk": 0.25,
      "error.type": "provider_stalled",
    });
    const aborted = await told({ kind: "aborted", partialText: "private" });
    expect(aborted.isError).toBe(false);
    expect(aborted.attributes).toEqual({
      ...CALL,
      "gen_ai.response.time_to_first_chunk": 0.25,
      "troupe.aborted": true,
    });
    expect((await told(new Error("a bug"))).attributes).toEqual(CALL);
  });

  test("[OPS-9] a model that cannot be used has no name", async () => {
    const model = new FakeModel();
    model.info = refuse({ kind: "provider_error", message: "gone" });
    const span = await told(finished, {}, model);
    expect(span.name).toBe("chat");
    const { "gen_ai.provider.name": _provider, "gen_ai.request.model": _model, ...rest } = CALL;
    expect(span.attributes).toMatchObject(rest);
    expect(Object.keys(span.attributes)).not.toContain("gen_ai.provider.name");
  });

  test("[OPS-9] [RUN-20] wrappers that count, trace or complete calls keep all other properties of the models", async () => {
    const priced = withCalls(new FakeModel(), () => Promise.reject(new Error("not called")));
    const models: ModelPort = { ...priced, currency: "EUR", hasPrice: (model) => model === "fake:dear" };
    const read = () => Promise.resolve(refuse({ kind: "not_found", resource: "secret" } as never));
    const contents = { read: () => Promise.resolve(null) };
    await spansOf((tracing) => {
      for (const over of [
        tracedModels(models, tracing),
        meteredModels(models, new Meters()),
        withProviderKeys(models, { read } as never),
        withAttachedContent(models, { contents } as never),
        withRepositoryModel(models),
      ]) {
        expect(over.currency).toBe("EUR");
        expect([over.hasPrice?.("fake:dear"), over.hasPrice?.("fake:free")]).toEqual([true, false]);
        expect([over.describe(null), over.windowOf(null), over.inputOf(null), over.allowed()]).toEqual([
          models.describe(null),
          models.windowOf(null),
          models.inputOf(null),
          models.allowed(),
        ]);
      }
      expect(withRepositoryModel(priced).hasPrice?.("troupe:git")).toBe(true);
    });
  });
});

describe("webhooks", () => {
  const FACTS = {
    "http.request.method": "POST",
    "troupe.organization.id": "org_a",
    "troupe.event.id": "evt_1",
    "troupe.event.type": "job.completed",
    "troupe.webhook.attempt": 2,
  };

  async function told(result: Exclude<AttemptResult, { kind: "interrupted" }> | null, trace?: string) {
    const event = {
      id: "evt_1",
      type: "job.completed",
      organizationId: "org_a",
      ...(trace === undefined ? {} : { trace }),
    };
    const prepared = { attempt: { attempt: 2 }, event, destination: {} } as unknown as Prepared;
    const headers: object[] = [];
    const spans = await spansOf(async (tracing) => {
      const send = () => {
        headers.push(tracing.headers());
        return Promise.resolve(result);
      };
      const around = tracing.begin("around", { parent: null });
      expect(await around.within(() => tracedSender({ send }, tracing).send(prepared, NEVER))).toBe(result);
      around.end();
    });
    const span = spanNamed(spans, "webhook job.completed");
    expect(span.kind).toBe(3);
    expect(headers).toEqual([{ traceparent: `00-${span.traceId}-${span.spanId}-01` }]);
    return { ...span, isInEvent: span.traceId === TRACE && span.parentSpanId === "b7ad6b7169203331" };
  }

  test("[OPS-9] an attempt belongs to the trace of its event, and reports its end", async () => {
    const delivered = await told({ kind: "delivered", httpStatus: 202, durationMs: 1 }, PARENT);
    expect(delivered).toMatchObject({ isError: false, isInEvent: true });
    expect(delivered.attributes).toEqual({ ...FACTS, "http.response.status_code": 202 });

    const answered = { httpStatus: 503, durationMs: 1, isTransient: true, retryAfterMs: null } as const;
    const failed = await told({ kind: "failed", error: "http_error", ...answered });
    expect(failed).toMatchObject({ isError: true, isInEvent: false });
    expect(failed.attributes).toEqual({ ...FACTS, "http.response.status_code": 503, "error.type": "http_error" });

    const interrupted = await told(null);
    expect(interrupted.isError).toBe(false);
    expect(interrupted.attributes).toEqual({ ...FACTS, "troupe.aborted": true });
  });
});

describe("requests", () => {
  const answered = {
    method: "POST",
    requestId: "req_1",
    organizationId: "org_a",
    operation: "sendMessage",
    route: "/api/chats/{id}/messages",
    refusedAs: null,
    status: 202,
  };
  const FACTS = {
    "http.request.method": "POST",
    "http.route": "/api/chats/{id}/messages",
    "http.response.status_code": 202,
    "troupe.request.id": "req_1",
    "troupe.organization.id": "org_a",
    "troupe.operation": "sendMessage",
  };
  async function told(more: Partial<Parameters<typeof endRequestSpan>[1]>, headers: Record<string, string> = {}) {
    const spans = await spansOf((tracing) => {
      const request = new Request("http://service/api/chats/cht_private/messages?q=private", {
        method: "POST",
        headers,
      });
      endRequestSpan(requestSpan(tracing, request), { ...answered, ...more });
    });
    expect(spans).toHaveLength(1);
    return spans[0]!;
  }

  test("[OPS-9] a request reports its route, its operation and its answer; only a fault of the server is an error", async () => {
    const done = await told({}, { traceparent: PARENT, tracestate: "a=b" });
    expect(done).toMatchObject({
      name: "POST /api/chats/{id}/messages",
      kind: 2,
      isError: false,
      traceId: TRACE,
      parentSpanId: "b7ad6b7169203331",
      traceState: "a=b",
    });
    expect(done.attributes).toEqual(FACTS);

    const refused = await told({ status: 409, refusedAs: "invalid_state" });
    expect([refused.isError, refused.parentSpanId]).toEqual([false, ""]);
    expect(refused.attributes).toEqual({
      ...FACTS,
      "http.response.status_code": 409,
      "troupe.refusal": "invalid_state",
    });
    expect((await told({ status: 499 })).isError).toBe(false);

    const away = await told({ status: 503, refusedAs: "unavailable" });
    expect([away.isError, away.attributes["error.type"]]).toEqual([true, "unavailable"]);
    expect((await told({ status: 500 })).attributes["error.type"]).toBe("500");

    const nowhere = await told({ status: 404, route: null, operation: null, organizationId: null });
    expect(nowhere).toMatchObject({ name: "POST" });
    expect(nowhere.attributes).toEqual({
      "http.request.method": "POST",
      "http.response.status_code": 404,
      "troupe.request.id": "req_1",
    });
  });
});

test("[OPS-9] [REP-5] a call to another replica, and a forwarded request, continue the trace", async () => {
  const key = (id: string) => new PeerKey([new Uint8Array(32).fill(1)], id, () => 1_000_000);
  const asked: (string | null)[] = [];
  const handed: (string | null)[] = [];
  let expected = "";
  await spansOf(async (tracing) => {
    const answer = (): Promise<object> => {
      asked.push(tracing.current());
      return Promise.resolve({ ok: true });
    };
    const server = openPeerServer({
      self: "rpl_2",
      key: key("rpl_2"),
      hostname: "127.0.0.1",
      port: 0,
      maxRequestBodyBytes: 1_000,
      questions: () => ({ answer }) as never,
      clock: systemClock,
      onLook: () => Promise.resolve(),
      onRead: () => Promise.resolve(),
      serve: () => (request) => {
        handed.push(tracing.received(request.headers));
        return Promise.resolve(new Response("done"));
      },
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
      tracing,
    });
    const client = new PeerClient(key("rpl_1"), tracing);
    const owner = { id: "rpl_2", url: `http://127.0.0.1:${server.port}` };
    const span = tracing.begin("request", { parent: `${PARENT} a=b` });
    expected = span.carrier;
    await span.within(async () => {
      expect(await client.ask(owner, ASK_PATH, "{}")).toEqual({ ok: true });
      const request = new Request("http://client/api/x", { headers: { traceparent: PARENT } });
      const passed = { request, target: "/api/x", body: null, requestId: "r", client: "10.0.0.1", signal: NEVER };
      expect(await (await client.pass(owner, passed)).text()).toBe("done");
    });
    // A question outside of all traces is answered outside of all.
    await client.ask(owner, ASK_PATH, "{}");
    span.end();
    await server.stop();
  });
  expect(expected).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01 a=b$`));
  expect(asked).toEqual([expected, null]);
  expect(handed).toEqual([expected]);
});
