/** The tasks of a mission (MIS-7). */
import { expect, test } from "bun:test";
import { MISSION_TASKS } from "../../../actors/mission/schema.ts";
import { gate } from "../../support/fake-model.ts";
import { type MissionWorld, startMissions, unwrap, USER } from "../../support/mission-replica.ts";

async function withMission(): Promise<MissionWorld> {
  const world = await startMissions();
  unwrap(await world.create());
  return world;
}
const change = (world: MissionWorld, taskId: string, changes: object) =>
  world.ask({ kind: "update_task", by: USER, taskId, changes, version: null });

test("[MIS-7] a task is pending, has its position, and is completed by the end of its job", async () => {
  const world = await withMission();
  const task = await world.addTask("Ask Ada");
  expect(task).toMatchObject({ status: "pending", position: 0, jobId: null, version: 1 });
  const { hold, open } = gate();
  world.model.script = () => [{ hold }, { say: "asked" }];
  const started = unwrap(await world.startTask(task.id));
  expect(started.task).toMatchObject({ status: "in_progress", version: 2 });
  expect(world.jobs()[0]).toMatchObject({
    id: started.task.jobId,
    missionTaskId: task.id,
    title: expect.stringContaining("Work on one task"),
  });
  // Once more: the same job.
  expect(unwrap(await world.startTask(task.id, "again"))).toMatchObject({
    content: null,
    task: { jobId: started.task.jobId },
  });
  expect(world.jobs()).toHaveLength(1);
  open();
  await world.settled();
  expect(world.mission().tasks).toMatchObject([{ status: "completed", completedAt: expect.any(String) }]);
  expect(world.emitted().filter((type) => type.startsWith("mission_task."))).toEqual([
    "mission_task.started",
    "mission_task.completed",
  ]);
});

test("[MIS-7] a task is pending again when its job has failed, and may be started once more", async () => {
  const world = await withMission();
  const task = await world.addTask("Ask Ada");
  world.model.script = () => [{ fail: { code: "provider_error", message: "down" } }];
  unwrap(await world.startTask(task.id));
  await world.settled();
  expect(world.mission().tasks).toMatchObject([{ status: "pending" }]);
  world.model.script = () => [{ say: "asked" }];
  unwrap(await world.startTask(task.id, "again"));
  await world.settled();
  expect(world.mission().tasks).toMatchObject([{ status: "completed" }]);
});

test("[MIS-7] a task waits for its dependencies", async () => {
  const world = await withMission();
  const first = await world.addTask("First");
  const second = await world.addTask("Second", [first.id]);
  expect(await world.startTask(second.id)).toMatchObject({
    ok: false,
    fault: {
      kind: "invalid_state",
      status: "pending",
      message: `The task depends on ${first.id}, which must be completed first`,
    },
  });
  unwrap(await change(world, first.id, { status: "in_progress" }));
  unwrap(await change(world, first.id, { status: "completed" }));
  expect(unwrap(await world.startTask(second.id)).task.status).toBe("in_progress");
});

test("[MIS-7] a task cannot depend on itself, on a task of another mission, or in a circle", async () => {
  const world = await withMission();
  const [a, b, c] = [await world.addTask("A"), await world.addTask("B"), await world.addTask("C")];
  const refusal = (path: string, message: string) => ({
    ok: false,
    fault: { kind: "invalid_request", errors: [{ path, message }] },
  });
  expect(await change(world, a.id, { dependsOn: [a.id] })).toEqual(
    refusal("/depends_on/0", "A task cannot depend on itself") as never,
  );
  expect(await change(world, a.id, { dependsOn: ["mtk_none"] })).toEqual(
    refusal("/depends_on/0", "`mtk_none` is not a task of this mission") as never,
  );
  unwrap(await change(world, b.id, { dependsOn: [a.id] }));
  unwrap(await change(world, c.id, { dependsOn: [b.id] }));
  expect(await change(world, a.id, { dependsOn: [c.id] })).toEqual(
    refusal("/depends_on/0", `This would be a circle: ${[a.id, c.id, b.id, a.id].join(" → ")}`) as never,
  );
});

test("[MIS-7] a status changes like those of v1 tasks, and a job stops when its task is taken away", async () => {
  const world = await withMission();
  const task = await world.addTask("Ask Ada");
  expect(await change(world, task.id, { status: "completed" })).toMatchObject({
    ok: false,
    fault: { kind: "invalid_state", status: "pending", allowedActions: ["start", "cancel", "update", "start_work"] },
  });
  const { hold } = gate();
  world.model.script = () => [{ hold }];
  unwrap(await world.startTask(task.id));
  unwrap(await change(world, task.id, { status: "cancelled" }));
  await world.settled();
  expect(world.jobs().map(({ status }) => status)).toEqual(["cancelled"]);
  expect(world.mission().tasks).toMatchObject([{ status: "cancelled" }]);
});

test("[MIS-7] tasks can be moved in their list, and their number is limited", async () => {
  const world = await withMission();
  const tasks = [await world.addTask("A"), await world.addTask("B"), await world.addTask("C")];
  unwrap(await change(world, tasks[2]!.id, { position: 0 }));
  expect(world.mission().tasks.map(({ title, position }) => [title, position])).toEqual([
    ["C", 0],
    ["A", 1],
    ["B", 2],
  ]);
  for (let i = 3; i < MISSION_TASKS; i++) await world.addTask(`Task ${i}`);
  const settings = {
    title: "One more",
    description: null,
    priority: "medium",
    assignedTo: null,
    dependsOn: [],
  } as const;
  expect(await world.ask({ kind: "add_task", by: USER, settings: { ...settings, dependsOn: [] } })).toMatchObject({
    ok: false,
    fault: { kind: "invalid_request" },
  });
});

test("[MIS-7] the end of a former job of a task changes nothing while another job works on it", async () => {
  const world = await withMission();
  const task = await world.addTask("Ask Ada");
  const { hold, open } = gate();
  world.model.script = () => [{ hold }, { say: "asked" }];
  const former = unwrap(await world.startTask(task.id)).task.jobId ?? "";
  unwrap(await change(world, task.id, { status: "pending" }));
  const present = unwrap(await world.startTask(task.id, "again")).task.jobId;
  expect(present).not.toBe(former);
  const end = { kind: "job_ended", taskId: task.id, status: "cancelled", result: null, error: null } as const;
  unwrap(await world.ask({ ...end, jobId: former }));
  expect(world.mission().tasks).toMatchObject([{ status: "in_progress", jobId: present }]);
  open();
  await world.settled();
  expect(world.mission().tasks).toMatchObject([{ status: "completed", jobId: present }]);
});
