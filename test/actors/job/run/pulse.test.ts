/** The signs of life of a run: bounded, and stored as they are said. */
import { describe, expect, test } from "bun:test";
import type { ToolHost } from "../../../../actors/job/ports.ts";
import { RUN_HEARTBEAT_MS, LINE_CHARACTERS, LOG_LINES, PROGRESS_MS } from "../../../../actors/job/run/pulse.ts";
import { jobRef } from "../../../../actors/job/schema.ts";
import { gate } from "../../../support/fake-model.ts";
import { AGENT, type JobReplica, ORG, startJobs } from "../../../support/job-replica.ts";
import { settle } from "../../../support/fake-clock.ts";
import { until } from "../../../support/condition.ts";
import { inWorld } from "../../../support/replica.ts";

const states = (replica: JobReplica, jobId: string): unknown[] =>
  replica.events(jobId).flatMap(({ type, data }) => (type === "runner.status" ? [data["state"]] : []));

async function start() {
  const { world, replica } = await inWorld(startJobs);
  return { world, replica };
}

/** A job whose one tool call does `work` and then waits for the gate. */
async function working(work: (host: ToolHost) => void) {
  const { world, replica } = await start();
  const held = gate();
  replica.model.script = (call) =>
    call.entries.length === 1 ? [{ use: { type: "tool_use", id: "c1", name: "look", input: {} } }] : [{ say: "Done." }];
  replica.tools.script = async ({ host }) => {
    work(host);
    await held.hold;
    return { content: "seen", isError: false };
  };
  const jobId = await replica.send("go");
  await until("the tool is called", () => replica.tools.calls.length === 1);
  await settle();
  return { world, replica, jobId, held };
}

describe("runner.status", () => {
  test("[SSE-8] the runner's state is reported when it changes: queued, running, waiting, starting, stopped", async () => {
    const { replica } = await start();
    replica.model.script = (call) =>
      call.entries.length === 1
        ? [{ use: { type: "tool_use", id: "c1", name: "send", input: {} } }]
        : [{ say: "Done." }];
    const jobId = await replica.send("go", undefined, { agent: { ...AGENT, approvalTools: ["send"] } });
    await replica.ended(jobId);
    expect(states(replica, jobId)).toEqual(["queued", "running", "waiting"]);
    const approve = { kind: "approve", by: "usr_1", decision: "approve", approvalId: null, toolCallId: null } as const;
    await replica.system.dispatch(jobRef(ORG, jobId), { ...approve, arguments: null, comment: null });
    await until("the job is over", () => replica.job(jobId).status === "completed");
    expect(states(replica, jobId)).toEqual(["queued", "running", "waiting", "starting", "running", "stopped"]);
  });

  test("[SSE-8] during a call there is one heartbeat per interval, and none after the end", async () => {
    const { world, replica, jobId, held } = await working(() => {});
    const begun = replica.job(jobId).heartbeatAt;
    const before = replica.events(jobId).length;
    await world.clock.advance(RUN_HEARTBEAT_MS - 1);
    expect(replica.events(jobId).length).toBe(before);
    await world.clock.advance(1);
    await world.clock.advance(2 * RUN_HEARTBEAT_MS);
    expect(replica.events(jobId).length).toBe(before + 3);
    const { heartbeatAt } = replica.job(jobId);
    expect(Date.parse(heartbeatAt!) - Date.parse(begun!)).toBe(3 * RUN_HEARTBEAT_MS);
    expect(replica.events(jobId).at(-1)?.data).toMatchObject({ state: "running", attempt: 1, heartbeatAt });
    held.open();
    await replica.ended(jobId);
    const { length } = replica.events(jobId);
    await world.clock.advance(5 * RUN_HEARTBEAT_MS);
    expect(replica.events(jobId).length).toBe(length);
  });

  test("[JOB-5] progress is in the record: at most one report per interval, the newest, from 0 to 100", async () => {
    let host!: ToolHost;
    const { world, replica, jobId, held } = await working((h) => (host = h));
    for (let percent = 0; percent <= 50; percent++) host.progress({ percent, label: "reading" });
    await settle();
    expect(replica.job(jobId).progress).toEqual({ percent: 0, label: "reading" });
    await world.clock.advance(PROGRESS_MS);
    expect(replica.job(jobId).progress).toEqual({ percent: 50, label: "reading" });
    host.progress({ percent: 500, label: "x".repeat(LINE_CHARACTERS + 1) });
    await world.clock.advance(PROGRESS_MS);
    expect(replica.job(jobId).progress).toEqual({ percent: 100, label: "x".repeat(LINE_CHARACTERS) });
    expect(states(replica, jobId).length).toBe(5);
    held.open();
    expect((await replica.ended(jobId)).progress.percent).toBe(100);
    host.progress({ percent: 1, label: "too late" });
    await world.clock.advance(PROGRESS_MS);
    expect(replica.job(jobId).progress.percent).toBe(100);
  });

  test("[SSE-8] a tool's lines are events, up to a limit in a run", async () => {
    const { replica, jobId, held } = await working((host) => {
      for (let i = 0; i <= LOG_LINES; i++) host.log("info", `line ${i} ${"x".repeat(LINE_CHARACTERS)}`);
    });
    held.open();
    await replica.ended(jobId);
    const lines = replica.events(jobId).filter((event) => event.type === "log");
    expect(lines.length).toBe(LOG_LINES);
    expect(String(lines[0]?.data["message"])).toStartWith("line 0 x");
    expect(String(lines[0]?.data["message"]).length).toBe(LINE_CHARACTERS);
  });
});
