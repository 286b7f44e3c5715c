/** Traces that go on where the process does not: after a kill, and at another replica. */
import { expect, test } from "bun:test";
import { guardedFolder } from "../support/guarded-folder.ts";
import { type CollectedSpan, OtlpCollector } from "../support/otlp-collector.ts";
import { ReplicaProcesses } from "../support/replica-processes.ts";
import { eventually, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const FROM_OUTSIDE = { traceparent: `00-${TRACE}-b7ad6b7169203331-01`, tracestate: "vendor=value" };

const tracedBy = ({ url }: OtlpCollector) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: "20" });
/** Which process has told it. */
const processOf = ({ resource }: CollectedSpan): string => String(resource["service.instance.id"]);
const ours = (collector: OtlpCollector) => collector.spans.filter(({ traceId }) => traceId === TRACE);

async function execute(service: TroupeProcess, token: string, agentId: string, message: string): Promise<string> {
  const answer = await fetch(`${service.url}/api/v1/agents/${agentId}/execute`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...FROM_OUTSIDE },
    body: JSON.stringify({ message, stream: true }),
  });
  return answer.text().catch(() => "");
}

test("[OPS-9] a job whose process is killed continues in its trace", async () => {
  const folder = guardedFolder();
  const collector = new OtlpCollector();
  try {
    const first = await startTroupe(folder, { env: tracedBy(collector) });
    const { personal, agentId } = first.firstRun();
    const message = "/say one\n/call current_time\n/then\n/say two\n/slow 1500";
    void execute(first, personal, agentId, message);
    await eventually("the first step and its call are told", () =>
      ours(collector).some(({ name }) => name === "turn job.tool_finished"),
    );
    await first.end("SIGKILL");
    const before = new Set(ours(collector).map(({ spanId }) => spanId));
    const second = await startTroupe(folder, { env: tracedBy(collector) });
    const run = (): CollectedSpan | undefined => ours(collector).find(({ name }) => name === "invoke_agent");
    await eventually("the run of the second process is told", () => run() !== undefined);
    expect(await second.end()).toBe(0);

    const later = ours(collector).filter(({ spanId }) => !before.has(spanId));
    expect(new Set(later.map(processOf)).size).toBe(1);
    expect(later.map(processOf)).not.toContain(processOf(ours(collector)[0]!));
    const names = later.map(({ name }) => name);
    for (const name of ["turn job.recover", "invoke_agent", "chat echo", "turn job.step_finished"])
      expect(names).toContain(name);
    expect(run()).toMatchObject({ traceState: "vendor=value", links: [] });
    expect(run()!.attributes).toMatchObject({ "troupe.job.attempt": 2 });
    // It hangs on what the first process has told: the turn in which the job began.
    for (const name of ["turn job.recover", "invoke_agent"]) {
      const span = later.find((one) => one.name === name)!;
      expect(collector.pathOf(span)).toEqual([name, "turn chat.send_message", "POST /api/v1/agents/{id}/execute"]);
    }
  } finally {
    await collector.stop();
    await folder.remove();
  }
});

test("[OPS-9] a request that comes to one replica and is served by another is one trace", async () => {
  const collector = new OtlpCollector();
  const replicas = await ReplicaProcesses.start(2, () => tracedBy(collector));
  try {
    const { owner, other } = await replicas.sides();
    const told = await execute(other, replicas.token, replicas.agentId, "/say through another");
    expect(told).toContain("event: result");
    await eventually("the run is told", () => ours(collector).some(({ name }) => name === "invoke_agent"));
    await Promise.all([owner.end(), other.end()]);
    const route = "POST /api/v1/agents/{id}/execute";
    const requests = ours(collector).filter(({ name }) => name === route);
    const outer = requests.find(({ parentSpanId }) => parentSpanId === "b7ad6b7169203331")!;
    const inner = requests.find(({ parentSpanId }) => parentSpanId === outer.spanId)!;
    expect(requests).toHaveLength(2);
    expect(processOf(outer)).not.toBe(processOf(inner));
    expect(outer.attributes).toMatchObject({ "http.response.status_code": 200 });
    const run = ours(collector).find(({ name }) => name === "invoke_agent")!;
    expect(collector.pathOf(run)).toEqual(["invoke_agent", "turn chat.send_message", route, route]);
    expect(processOf(run)).toBe(processOf(inner));
    for (const span of ours(collector)) expect(collector.pathOf(span).at(-1)).toBe(route);
  } finally {
    await replicas.stop();
    await collector.stop();
  }
}, 300_000);
