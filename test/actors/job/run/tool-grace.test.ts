/** Tools that do not listen when they are told to stop. */
import { callsLeft } from "../../../../actors/job/open-calls.ts";
import { expect, test } from "bun:test";
import { jobRef } from "../../../../actors/job/schema.ts";
import { TOOL_GRACE_MS } from "../../../../actors/job/run/calls.ts";
import { until } from "../../../support/condition.ts";
import { gate } from "../../../support/fake-model.ts";
import { disagreements, ORG, startJobs } from "../../../support/job-replica.ts";
import { inWorld } from "../../../support/replica.ts";

test("[JOB-3] a tool that ignores its abort delays a cancel only for its grace period, and its later result is dropped", async () => {
  const { world, replica } = await inWorld(startJobs);
  const late = gate();
  replica.model.script = () => [
    { use: { type: "tool_use", id: "c1", name: "look", input: {} } },
    { use: { type: "tool_use", id: "c2", name: "send", input: {} } },
  ];
  replica.tools.script = async ({ name }) => {
    if (name === "send") await late.hold;
    return { content: `${name} done`, isError: false };
  };
  const jobId = await replica.send("go");
  await until("one call is over", () => callsLeft(replica.job(jobId)).length === 1 && replica.tools.calls.length === 2);
  const cancel = await replica.system.dispatch(jobRef(ORG, jobId), { kind: "cancel" });
  expect(cancel.ok && cancel.value.status).toBe("cancelling");
  await world.clock.advance(TOOL_GRACE_MS - 1);
  expect(replica.job(jobId).status).toBe("cancelling");
  await world.clock.advance(1);
  expect(await replica.ended(jobId)).toMatchObject({
    status: "cancelled",
    stop: { toolCallsAborted: 1, seq: replica.job(jobId).lastSeq },
    metrics: { toolCalls: 1 },
  });
  late.open();
  await world.clock.advance(TOOL_GRACE_MS);
  expect(await replica.transcript(jobId)).toEqual(["use c1", "use c2", "result c1"]);
  expect(await disagreements(replica)).toEqual([]);
  expect(replica.bugs).toEqual([]);
});

test("[JOB-9] a tool that ignores its abort does not delay a job whose deadline has passed", async () => {
  const { world, replica } = await inWorld(startJobs);
  replica.model.script = () => [{ use: { type: "tool_use", id: "c1", name: "send", input: {} } }];
  replica.tools.script = () => gate().hold.then(() => ({ content: "never", isError: false }));
  const jobId = await replica.send("go");
  await until("the tool is called", () => replica.tools.calls.length === 1);
  await world.clock.advance(Date.parse(replica.job(jobId).deadlineAt!) - world.clock.now() + TOOL_GRACE_MS);
  expect(await replica.ended(jobId)).toMatchObject({ status: "failed", error: { code: "timeout" } });
});
