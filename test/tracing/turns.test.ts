/** The spans of turns, flushes, messages, effects, alarms and runs, over the runtime in memory. */
import { expect, test } from "bun:test";
import { chatRef } from "../../actors/chat/schema.ts";
import { type Outcome, refuse } from "../../actors/fault.ts";
import { Slots } from "../../actors/job/run/slots.ts";
import { shardOf } from "../../actors/runtime/placement/placement.ts";
import { PLAIN_TERMS } from "../../actors/job/schema.ts";
import { GroupTrace } from "../../actors/runtime/turns/group-trace.ts";
import { carrierOf, carrying, type Tracing } from "../../actors/runtime/tracing.ts";
import type { FlushFault } from "../support/memory-store.ts";
import { until } from "../support/condition.ts";
import { FAKE_EPOCH_MS, FakeClock } from "../support/fake-clock.ts";
import { faultOf, idleEffect, ORG, startLedgers } from "../support/ledger-replica.ts";
import { ledgerRef } from "../support/ledger-actor.ts";
import { AGENT, CHAT, startJobs } from "../support/job-replica.ts";
import type { WebhookEvent } from "../../actors/webhook/schema.ts";
import { tracedExecution, tracedModels } from "../../src/wiring/traced.ts";
import { FakeModel, gate } from "../support/fake-model.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { spanNamed, spansOf, treeOf } from "../support/recorded-spans.ts";
import { World } from "../support/replica.ts";

/** Works in a span of its own, which stands for a request. */
async function asRequest<T>(tracing: Tracing, work: () => Promise<T>): Promise<T> {
  const span = tracing.begin("request", { parent: null, kind: "server" });
  try {
    return await span.within(work);
  } finally {
    span.end();
  }
}

const LEDGER = "troupe.actor.kind=ledger";
const turn = (command: string, error?: string): string =>
  `turn ledger.${command}${error === undefined ? "" : ` ! error.type=${error}`} ${LEDGER} troupe.command=${command} troupe.organization.id=${ORG}`;
const FLUSH = "flush troupe.flush.outcome=committed";

test("[OPS-9] a group that stores something is a span with its flush, one that only reads is not, and messages continue the trace", async () => {
  const spans = await spansOf(async (tracing) => {
    const replica = await startLedgers(new World(), { tracing });
    await asRequest(tracing, async () => {
      await replica.ask("a", { kind: "add_and_tell", by: 1, to: "b" });
      await replica.read("a");
      expect(faultOf(await replica.ask("a", { kind: "refuse_after_writing" }))).toBe("invalid_request");
    });
    // Outside of all spans nothing is told.
    await replica.add("a");
    await until("the message is taken", () => replica.stored("b") !== null);
    await replica.system.stop();
  });
  expect(treeOf(spans)).toEqual([
    "request server",
    `  ${turn("add_and_tell")}`,
    `    ${FLUSH}`,
    `    ${turn("add")}`,
    `      ${FLUSH}`,
  ]);
});

test("[OPS-9] an effect runs in the trace of the turn that intends it, and an alarm starts a new trace", async () => {
  const seen: (string | null)[] = [];
  const carried: (string | null)[] = [];
  const spans = await spansOf(async (tracing) => {
    const world = new World();
    const { run, recover } = idleEffect();
    const replica = await startLedgers(world, {
      tracing,
      effects: {
        count: {
          run: (effect, context) => {
            seen.push(tracing.current());
            carried.push(carrierOf(effect.intent));
            return run(effect, context);
          },
          recover,
        },
      },
    });
    await asRequest(tracing, async () => {
      await replica.ask("a", { kind: "add_with_effect", by: 1 });
      await replica.ask("b", { kind: "wake_at", dueAtMs: FAKE_EPOCH_MS + 1_000, by: 7 });
      await world.clock.advance(1_000);
    });
    await until("the alarm has fired", () => replica.stored("b")?.count === 7);
    replica.system.effects.close();
    await replica.system.stop();
  });
  expect(treeOf(spans)).toEqual([
    "alarm ledger.add",
    `  ${turn("add")}`,
    `    ${FLUSH}`,
    "request server",
    `  ${turn("add_with_effect")}`,
    `    ${FLUSH}`,
    `  ${turn("wake_at")}`,
    `    ${FLUSH}`,
  ]);
  const intending = spanNamed(spans, "turn ledger.add_with_effect");
  expect(seen).toEqual([`00-${intending.traceId}-${intending.spanId}-01`]);
  expect(carried).toEqual(seen);
  expect(spanNamed(spans, "alarm ledger.add").traceId).not.toBe(intending.traceId);
});

test.each<[fault: FlushFault | "fenced", flush: string, group: string]>([
  [{ kind: "abort", code: "23505" }, "broken", "bug"],
  [{ kind: "abort", code: "53100" }, "unavailable", "unavailable"],
  [{ kind: "lost_reply" }, "unknown", "outcome_unknown"],
  ["fenced", "fenced", "unavailable"],
])("[OPS-9] a commit that ends by %j is reported as %s, and its group as %s", async (fault, flush, group) => {
  const spans = await spansOf(async (tracing) => {
    const replica = await startLedgers(new World(), { tracing });
    await replica.add("a");
    if (fault === "fenced") replica.world.database.shards[shardOf(ORG)]!.epoch++;
    else replica.store.failNext(fault);
    await asRequest(tracing, () => replica.add("a")).catch(() => {});
    await replica.system.stop();
  });
  expect(treeOf(spans)).toEqual([
    "request server",
    `  ${turn("add", group)}`,
    `    flush ! error.type=${flush} troupe.flush.outcome=${flush}`,
  ]);
});

test("[OPS-9] a group that runs again has a flush for each attempt, and one span", async () => {
  const spans = await spansOf(async (tracing) => {
    const replica = await startLedgers(new World(), { tracing });
    await replica.add("a");
    const gate = replica.store.holdNext();
    replica.store.failNext({ kind: "abort", code: "23505" }, { kind: "abort", code: "23505" });
    // The second has read what the first wrote, which breaks: it is evicted with it, and runs again.
    const first = replica.add("b", 1);
    await gate.reached;
    const broken = replica.add("a", 1).catch(() => "broken");
    const again = asRequest(tracing, () => replica.add("a", 2));
    gate.open();
    await Promise.all([first.catch(() => {}), broken, again.catch(() => {})]);
    await replica.system.stop();
  });
  const flushes = spans.filter(({ name }) => name === "flush");
  const group = spanNamed(spans, "turn ledger.add");
  expect(new Set(flushes.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([group.spanId]));
  expect(flushes.map(({ attributes }) => attributes["troupe.flush.outcome"])).toEqual(["evicted", "committed"]);
});

test("[OPS-9] the flush belongs to no trace, because it works for all", async () => {
  const within: (string | null)[] = [];
  await spansOf(async (tracing) => {
    const replica = await startLedgers(new World(), { tracing });
    const flush = replica.store.flush.bind(replica.store);
    replica.store.flush = (batch) => {
      within.push(tracing.current());
      return flush(batch);
    };
    await asRequest(tracing, () => replica.add("a"));
    await replica.system.stop();
  });
  expect(within).toEqual([null]);
});

test("[OPS-9] the span of a group begins with its dispatch, and is named by its first member", async () => {
  const MINUTE_NS = 60_000_000_000n;
  const spans = await spansOf((real) => {
    const tracing: Tracing = Object.assign(Object.create(real) as Tracing, { now: () => real.now() - 60_000 });
    const group = (steps: Parameters<typeof GroupTrace.of>[1]): void => {
      const trace = GroupTrace.of(tracing, steps)!;
      trace.within(() => {});
      trace.answered(null);
    };
    expect(GroupTrace.of(tracing, [])).toBeNull();
    expect(GroupTrace.of(null, [])).toBeNull();
    const request = real.begin("request", { parent: null });
    request.within(() => {
      group([() => null]);
      group([{ ref: { kind: "chat", organizationId: ORG, id: "cht_1" }, command: { kind: "send" } }]);
      group([{ ref: { kind: "job", organizationId: ORG, id: "job_1" }, command: { kind: "read" } }]);
      group([{ ref: ledgerRef(ORG, "a"), command: { kind: "add" } }]);
      // Nothing has asked for it, so it is none.
      GroupTrace.of(tracing, [() => null])!.failed();
    });
    request.end();
  });
  const of = (kind: string, command: string, more = "") =>
    `  turn ${kind}.${command} troupe.actor.kind=${kind}${more} troupe.command=${command} troupe.organization.id=${ORG}`;
  expect(treeOf(spans)).toEqual([
    "request",
    "  turn",
    of("chat", "send", " troupe.chat.id=cht_1"),
    "  turn job.read troupe.actor.kind=job troupe.command=read troupe.job.id=job_1 troupe.organization.id=org_a",
    of("ledger", "add"),
  ]);
  const durations = spans.filter(({ name }) => name !== "request").map(({ startNs, endNs }) => endNs - startNs);
  expect(durations.every((ns) => ns >= MINUTE_NS && ns < MINUTE_NS + MINUTE_NS / 2n)).toBe(true);
});

test("[OPS-9] a run is reported span by span, each with its ids and outcomes and without any messages", async () => {
  const told: string[] = [];
  const spans = await spansOf(async (tracing) => {
    const replica = await startJobs(new World(), {
      tracing,
      execution: (services) =>
        tracedExecution(tracing)({ ...services, models: tracedModels(services.models, tracing) }),
    });
    const { model, tools } = replica;
    tools.script = ({ name }) => ({ content: `private ${name}`, isError: name === "send" });
    model.script = () =>
      model.calls.length === 1
        ? [
            { say: "private thoughts" },
            { use: { type: "tool_use", id: "call:1", name: "look", input: { secret: "private" } } },
            { use: { type: "tool_use", id: "call:2", name: "send", input: {} } },
            { use: { type: "tool_use", id: "call:3", name: "made_up_private", input: {} } },
          ]
        : [{ say: "private answer" }];
    const id = await asRequest(tracing, () => replica.send("private question", undefined, { agent: AGENT }));
    expect(await replica.ended(id)).toMatchObject({ status: "completed" });
    await replica.system.effects.drained();
    for (const { trace } of replica.world.database.rows<WebhookEvent>("webhook_event")) told.push(String(trace));
    await replica.system.stop();
  });
  // A later attempt to deliver finds the trace in the row of its event.
  const { traceId } = spanNamed(spans, "request");
  expect(told.length).toBeGreaterThan(1);
  expect(told.filter((trace) => !trace.startsWith(`00-${traceId}-`))).toEqual([]);
  const tree = treeOf(spans);
  expect(tree.join("\n")).not.toContain("private");
  const shown = tree.map((line) => line.replace(/ gen_ai\.response\.time_to_first_chunk=[\d.e-]+/, ""));
  const { of, call, tool } = LINES;
  expect(shown).toEqual([
    "request server",
    `  ${of("chat", "send_message", " troupe.chat.id=cht_1")}`,
    `    ${FLUSH}`,
    `    invoke_agent gen_ai.agent.id=agt_1 gen_ai.conversation.id=cht_1 gen_ai.operation.name=invoke_agent troupe.job.attempt=1 troupe.job.id=job troupe.organization.id=${ORG}`,
    `      ${call("stop")}`,
    `      ${call("tool_use")}`,
    `      ${tool("look", "call:1")}`,
    `      ${tool("send", "call:2", " ! error.type=tool_error")}`,
    // A name that a model has made up is one of very many.
    `      ${tool("unknown", "call:3")}`,
    `      ${of("job", "step_finished")}`,
    `        ${FLUSH}`,
    `      ${of("job", "step_finished")}`,
    `        ${FLUSH}`,
    `        ${of("webhook", "take_event")}`,
    `          ${FLUSH}`,
    ...["1", "2", "3"].flatMap(() => [`      ${of("job", "tool_finished")}`, `        ${FLUSH}`]),
    `    ${of("job", "run_started")}`,
    `      ${FLUSH}`,
    `      ${of("webhook", "take_event")}`,
    `        ${FLUSH}`,
    `    ${of("webhook", "take_event")}`,
    `      ${FLUSH}`,
  ]);
});

test("[OPS-9] a job that compacts belongs to the trace of its request, also where the turn of another begins it", async () => {
  const spans = await spansOf(async (tracing) => {
    const replica = await startJobs(new World(), {
      tracing,
      execution: (services) => tracedExecution(tracing)(services),
    });
    const { hold, open } = gate();
    replica.model.script = ({ purpose }) => [{ hold: purpose === "summary" ? Promise.resolve() : hold }, { say: "a" }];
    const first = await replica.send("question", undefined, { agent: AGENT });
    const compacting = await asRequest(tracing, () =>
      replica.system.dispatch(chatRef(ORG, CHAT), {
        kind: "compact_chat",
        agent: AGENT,
        instructions: "",
        userId: "usr_1",
        terms: PLAIN_TERMS,
      }),
    );
    if (!compacting.ok) throw new Error(compacting.fault.kind);
    open();
    await replica.ended(first);
    await replica.ended(compacting.value.job.id);
    await replica.system.stop();
  });
  const request = spanNamed(spans, "request");
  // The first run belongs to no request.
  const runs = spans.filter(({ name }) => name === "invoke_agent").map(({ traceId }) => traceId === request.traceId);
  expect(runs).toEqual([false, true]);
});

test("[OPS-9] a run whose row does not have its job's trace continues that of its cause", async () => {
  const seen: (string | null)[] = [];
  const cause = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  const spans = await spansOf(async (tracing) => {
    const group = (): Promise<Outcome<never>> => {
      seen.push(tracing.current());
      return Promise.resolve(refuse({ kind: "not_found", resource: "job" } as never));
    };
    const services = {
      slots: new Slots(),
      clock: new FakeClock(),
      models: new FakeModel(),
      tools: new FakeTools(),
      transcripts: { parts: () => Promise.resolve([]) },
      group,
    };
    const handler = tracedExecution(tracing)(services as never);
    const intent = carrying({ attempt: 1, priority: "normal", since: "2026-11-01T12:00:00.000Z" }, cause);
    const effect = { id: "eff_1", organizationId: ORG, actorKind: "job", actorId: "job_1", kind: "run", intent };
    const context = {
      signal: AbortSignal.abort(),
      epoch: 1,
      isOver: () => seen.length > 1,
      isHandedOver: () => false,
      mayAct: () => false,
    };
    await handler.run(effect, context);
    // What is made of it after a crash belongs to the same trace.
    await handler.recover(effect, context);
  });
  expect(seen).toHaveLength(2);
  expect(seen.at(-1)).toBe(cause);
  expect(spanNamed(spans, "invoke_agent")).toMatchObject({
    traceId: "a".repeat(32),
    parentSpanId: "b".repeat(16),
    links: [],
  });
});

const LINES = {
  of: (kind: string, command: string, chat = ""): string =>
    `turn ${kind}.${command} troupe.actor.kind=${kind}${chat} troupe.command=${command}${kind === "job" ? " troupe.job.id=job" : ""} troupe.organization.id=${ORG}`,
  call: (end: string): string =>
    `chat fake client gen_ai.operation.name=chat gen_ai.provider.name=fake gen_ai.request.model=fake gen_ai.request.stream=true gen_ai.response.finish_reasons=${end} gen_ai.usage.input_tokens=7 gen_ai.usage.output_tokens=3 troupe.job.id=job troupe.model.purpose=step troupe.organization.id=${ORG}`,
  tool: (name: string, id: string, error = ""): string =>
    `execute_tool ${name}${error} gen_ai.agent.id=agt_1 gen_ai.operation.name=execute_tool gen_ai.tool.call.id=${id} gen_ai.tool.name=${name} gen_ai.tool.type=function troupe.job.id=job troupe.organization.id=${ORG}`,
};
