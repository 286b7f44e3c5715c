/** `/metrics` of the whole service, as Prometheus would ask for it. */
import { beforeAll, expect, test } from "bun:test";
import { firstRunOfFile } from "../support/first-run-copy.ts";
import { eventually, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

let service: TroupeProcess;
let metricsUrl = "";

const { folder, first } = firstRunOfFile();
beforeAll(async () => {
  service = await startTroupe(folder, { env: { ADMIN_PORT: "0" } });
  metricsUrl = String(service.log.find(({ metrics }) => metrics !== undefined)?.["metrics"]);
});

async function metrics(): Promise<ReadonlyMap<string, number>> {
  const answer = await fetch(metricsUrl);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  const lines = (await answer.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
}

const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(service.url + path, {
    ...init,
    headers: { authorization: `Bearer ${first.personal}`, "content-type": "application/json" },
  });

test("[OPS-1] a job, its model call and its commits are in the metrics", async () => {
  const executed = await ask(`/api/v1/agents/${first.agentId}/execute`, {
    method: "POST",
    body: JSON.stringify({ message: "Hello" }),
  });
  expect(executed.status).toBe(200);
  await executed.text();
  expect((await ask("/api/agents/agt_nobody")).status).toBe(404);
  const told = await metrics();
  const value = (name: string): number => told.get(name) ?? Number.NaN;
  expect(value('troupe_model_calls_total{model="demo:echo",outcome="finished"}')).toBe(1);
  expect(value('troupe_model_first_token_seconds_count{model="demo:echo"}')).toBe(1);
  expect(value('troupe_model_tokens_total{model="demo:echo",direction="output"}')).toBeGreaterThan(0);
  expect(value('troupe_http_refusals_total{kind="not_found"}')).toBe(1);
  const executions = [...told].filter(([name]) =>
    /^troupe_http_requests_total\{operation="v1\w+",status="200"\}$/.test(name),
  );
  expect(executions.map(([, count]) => count)).toEqual([1]);
  expect(value('troupe_flushes_total{outcome="answered"}')).toBeGreaterThan(0);
  expect(value("troupe_flush_groups_count")).toBe(value('troupe_flushes_total{outcome="answered"}'));
  expect(value('troupe_actors_live{kind="job"}')).toBeGreaterThan(0);
  expect(value('troupe_jobs{status="running"}')).toBe(0);
  expect(value("troupe_ready")).toBe(1);
  expect(value("troupe_lease_age_seconds")).toBeGreaterThanOrEqual(0);
  expect(value("process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
  expect(value("troupe_disk_free_bytes")).toBeGreaterThan(0);
});

test("[OPS-1] an open stream is counted while it is open", async () => {
  const { workspaces } = (await (await ask("/api/workspaces")).json()) as { workspaces: readonly { id: string }[] };
  const wanted = { agent_id: first.agentId, workspace_id: workspaces[0]?.id };
  const made = await ask("/api/chats", { method: "POST", body: JSON.stringify(wanted) });
  const { id } = (await made.json()) as { id: string };
  const aborting = new AbortController();
  const stream = await ask(`/api/chats/${id}/events`, { signal: aborting.signal });
  expect(stream.status).toBe(200);
  await eventually("the stream is counted", async () => (await metrics()).get("troupe_streams_open") === 1);
  expect((await metrics()).get("troupe_streams_behind")).toBe(0);
  aborting.abort();
  await eventually("nothing is open", async () => (await metrics()).get("troupe_streams_open") === 0);
});

test("[OPS-1] the administration port is bound to this machine and answers nothing else", async () => {
  expect(new URL(metricsUrl).hostname).toBe("127.0.0.1");
  expect((await fetch(new URL("/api/agents", metricsUrl))).status).toBe(404);
  expect((await fetch(metricsUrl, { method: "POST" })).status).toBe(405);
  expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
});
