/** The service as a process with a collector beside it: what it tells of a request, and of what comes of it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { type CollectedSpan, OtlpCollector } from "../support/otlp-collector.ts";
import { eventually, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";

let folder: GuardedFolder;
let collector: OtlpCollector;
let service: TroupeProcess;
/** What the receiver of webhooks got. */
const delivered: { readonly type: string; readonly trace: string; readonly state: string | null }[] = [];
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async ({ headers }) => {
    const type = headers.get("service-event-type") ?? "";
    delivered.push({ type, trace: headers.get("traceparent") ?? "", state: headers.get("tracestate") });
    return new Response(null, { status: 204 });
  },
});

const call = (method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${service.firstRun().personal}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

beforeAll(async () => {
  folder = guardedFolder();
  collector = new OtlpCollector();
  service = await startTroupe(folder, {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=collector%20secret",
      OTEL_BSP_SCHEDULE_DELAY: "20",
      OTEL_SERVICE_NAME: "troupe-test",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,service.name=other",
      EGRESS_ALLOW: "127.0.0.1",
      ADMIN_PORT: "0",
    },
  });
});
afterAll(async () => {
  await receiver.stop(true);
  await collector.stop();
  await folder.remove();
});

test("[OPS-9] a request, its turns, flushes, model calls, tool calls and webhooks are one tree of spans", async () => {
  const url = `http://127.0.0.1:${receiver.port}/hooks`;
  const set = await call("PUT", "/api/messaging-integration", { name: "receiver", url, enabled: true });
  expect(set.status).toBe(201);
  const message =
    '/say private words\n/call current_time {"timezone": "Europe/Berlin"}\n/then\n/say more private words';
  const answer = await call(
    "POST",
    `/api/v1/agents/${service.firstRun().agentId}/execute`,
    { message, stream: true },
    { traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: "vendor=value" },
  );
  expect(await answer.text()).toContain("event: result");
  await eventually("the end of the job is delivered", () => delivered.some(({ type }) => type === "job.completed"));
  await eventually("its attempt is told", () => collector.named("webhook job.completed").length === 1);

  const spans = collector.spans.filter(({ traceId }) => traceId === TRACE);
  const one = (name: string): CollectedSpan => {
    const [span] = spans.filter((candidate) => candidate.name === name);
    if (span === undefined) throw new Error(`no span ${name} in ${spans.map((s) => s.name).join(", ")}`);
    return span;
  };
  const request = one("POST /api/v1/agents/{id}/execute");
  expect(request).toMatchObject({ kind: 2, parentSpanId: CALLER, traceState: "vendor=value", isError: false });
  expect(request.attributes).toMatchObject({
    "http.request.method": "POST",
    "http.route": "/api/v1/agents/{id}/execute",
    "http.response.status_code": 200,
    "troupe.request.id": answer.headers.get("x-request-id")!,
  });
  // Everything hangs together, and ends in the request.
  for (const span of spans) expect(collector.pathOf(span).at(-1)).toBe(request.name);
  const beginning = spans.find(
    ({ parentSpanId, name }) => parentSpanId === request.spanId && name.startsWith("turn chat."),
  )!;
  const agent = one("invoke_agent");
  expect(agent.parentSpanId).toBe(beginning.spanId);
  expect(agent.attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.id": service.firstRun().agentId,
    "gen_ai.conversation.id": expect.stringMatching(/^cht_/),
    "troupe.job.id": expect.stringMatching(/^job_/),
    "troupe.organization.id": expect.stringMatching(/^org_/),
    "troupe.job.attempt": 1,
  });
  const calls = spans.filter(({ name }) => name === "chat echo");
  expect(calls.map(({ parentSpanId, kind }) => [parentSpanId, kind])).toEqual([
    [agent.spanId, 3],
    [agent.spanId, 3],
  ]);
  expect(calls.map(({ attributes }) => attributes["gen_ai.response.finish_reasons"])).toEqual([["tool_use"], ["stop"]]);
  expect(calls[0]!.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "demo",
    "gen_ai.request.model": "echo",
    "gen_ai.usage.input_tokens": expect.any(Number),
    "gen_ai.usage.output_tokens": expect.any(Number),
  });
  expect(calls[0]!.attributes["gen_ai.response.time_to_first_chunk"] as number).toBeGreaterThan(0);
  const tool = one("execute_tool current_time");
  expect(tool.parentSpanId).toBe(agent.spanId);
  expect(tool.attributes).toMatchObject({ "gen_ai.tool.name": "current_time", "gen_ai.tool.call.id": "demo_call_1" });
  // Each turn that stores something has its flush.
  const turns = spans.filter(({ name }) => name.startsWith("turn "));
  expect(turns.map(({ name }) => name)).toContain("turn job.step_finished");
  const flushes = spans.filter(({ name }) => name === "flush");
  for (const turn of turns) expect(flushes.filter(({ parentSpanId }) => parentSpanId === turn.spanId).length).toBe(1);
  for (const flush of flushes) expect(flush.attributes).toEqual({ "troupe.flush.outcome": "committed" });
  // A message between actors goes on with the trace, and so does the receiver.
  const webhook = one("webhook job.completed");
  expect(collector.pathOf(webhook).slice(1, 3)).toEqual(["turn webhook.take_event", "turn job.step_finished"]);
  expect(webhook.attributes).toMatchObject({ "http.response.status_code": 204, "troupe.webhook.attempt": 1 });
  const got = delivered.find(({ type }) => type === "job.completed")!;
  expect(got).toMatchObject({ trace: `00-${TRACE}-${webhook.spanId}-01`, state: "vendor=value" });
  for (const span of spans) expect(span.endNs >= span.startNs).toBe(true);
});

test("[OPS-9] an approval continues the job's trace, and is linked to it", async () => {
  const tools = { allowed_tools: ["create_task"], approval_tools: ["create_task"] };
  const made = await call("POST", "/api/agents", { name: "Careful", system_prompt: "Be brief.", ...tools });
  const agent = (await made.json()) as { id: string };
  const trace = "2".repeat(32);
  const message = '/call create_task {"title": "private title"}';
  const answer = await call(
    "POST",
    `/api/v1/agents/${agent.id}/execute`,
    { message, stream: true },
    { traceparent: `00-${trace}-${CALLER}-01` },
  );
  const runs = () => collector.named("invoke_agent").filter(({ traceId }) => traceId === trace);
  await eventually("the first run is told", () => runs().length === 1);
  const jobId = String(runs()[0]!.attributes["troupe.job.id"]);
  const approving = "3".repeat(32);
  await eventually("the job waits", async () => {
    const job = (await (await call("GET", `/api/jobs/${jobId}`)).json()) as { status: string };
    return job.status === "blocked";
  });
  const approved = await call(
    "POST",
    `/api/jobs/${jobId}/approve`,
    {},
    { traceparent: `00-${approving}-${CALLER}-01` },
  );
  expect(approved.status).toBe(200);
  await answer.text();
  await eventually("the second run is told", () => runs().length === 2);
  const [first, second] = runs();
  expect(second!.parentSpanId).toBe(first!.parentSpanId);
  expect(second!.links).toMatchObject([{ traceId: approving }]);
  expect(collector.named("execute_tool create_task").map(({ traceId }) => traceId)).toEqual([trace]);
});

test("[OPS-9] spans name their process by the standard variables, and contain no secrets and no messages", async () => {
  expect(collector.spans[0]!.resource).toMatchObject({
    "service.name": "troupe-test",
    "deployment.environment.name": "test",
    "service.version": expect.any(String),
    "service.instance.id": expect.any(String),
  });
  const [first] = collector.requests;
  expect(first).toMatchObject({
    path: "/v1/traces",
    headers: { "content-type": "application/x-protobuf", "x-collector-key": "collector secret" },
  });
  const all = collector.requests.map(({ text }) => text).join("");
  for (const secret of [
    "private words",
    service.firstRun().personal,
    "pat_",
    "Bearer",
    "Europe/Berlin",
    "hooks",
    "private title",
  ])
    expect(all).not.toContain(secret);
  expect(service.output).not.toContain("collector secret");
});

test("[OPS-9] an invalid traceparent starts a new trace", async () => {
  const hostile = [
    "",
    "garbage",
    `00-${"0".repeat(32)}-${CALLER}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `ff-${TRACE}-${CALLER}-01`,
    `00-${TRACE.toUpperCase()}-${CALLER}-01`,
    `00-${TRACE}-${CALLER}-01, 00-${TRACE}-${CALLER}-01`,
    `00-${TRACE}-${CALLER}-01-${"x".repeat(4_000)}`,
  ];
  const ids = await Promise.all(
    hostile.map(async (traceparent) => {
      const answer = await call("GET", "/api/agents", undefined, { traceparent, tracestate: "=,,=\u00e4" });
      return answer.headers.get("x-request-id")!;
    }),
  );
  const spanOf = (id: string) =>
    collector.named("GET /api/agents").find(({ attributes }) => attributes["troupe.request.id"] === id);
  await eventually("all are told", () => ids.every((id) => spanOf(id) !== undefined));
  for (const id of ids) expect(spanOf(id)).toMatchObject({ parentSpanId: "", traceState: "" });
  expect(ids.map((id) => spanOf(id)!.traceId)).not.toContain(TRACE);
});

test("[OPS-9] log lines name their trace, and a caller's decision not to sample is respected", async () => {
  const line = () => service.log.find(({ msg, requestId }) => msg === "request" && requestId === "not-sampled");
  await call("GET", "/api/agents", undefined, {
    traceparent: `00-${"1".repeat(32)}-${CALLER}-00`,
    "x-request-id": "not-sampled",
  });
  await eventually("the line is there", () => line() !== undefined);
  expect(line()).toMatchObject({ trace_id: "1".repeat(32) });
  expect(service.log.find(({ msg }) => msg === "serving")).not.toHaveProperty("trace_id");
  const answer = await call("GET", "/api/chats/chat_none");
  const id = answer.headers.get("x-request-id")!;
  const spanOf = () => collector.spans.find(({ attributes }) => attributes["troupe.request.id"] === id);
  await eventually("a later request is told", () => spanOf() !== undefined);
  expect(spanOf()).toMatchObject({ name: "GET /api/chats/{id}", isError: false });
  expect(spanOf()!.attributes).toMatchObject({ "http.response.status_code": 404, "troupe.refusal": "not_found" });
  expect(collector.spans.some(({ traceId }) => traceId === "1".repeat(32))).toBe(false);
});

test("[OPS-9] the outcomes of spans are counted, and the last ones are sent at the end of the process", async () => {
  const metrics = String(service.log.find(({ metrics: at }) => at !== undefined)!["metrics"]);
  const text = await (await fetch(metrics)).text();
  const count = Number(/^troupe_trace_spans_total\{outcome="exported"\} (\d+)$/m.exec(text)?.[1]);
  expect(count).toBeGreaterThan(10);
  expect(count).toBeLessThanOrEqual(collector.spans.length);
  const answer = await call("GET", "/api/agents");
  const id = answer.headers.get("x-request-id");
  expect(await service.end()).toBe(0);
  expect(collector.spans.some(({ attributes }) => attributes["troupe.request.id"] === id)).toBe(true);
});
