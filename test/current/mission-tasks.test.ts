/** The tasks of missions over HTTP (MIS-7). */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { answered, type Job, refused } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { MissionClient, type Task } from "../support/mission-client.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

let missions: MissionClient;

const { service, owner } = sceneOfFile();
beforeAll(async () => void (missions = await MissionClient.of(service, owner)));
beforeEach(() => void (service.model.script = () => [{ say: "done" }]));

test("[MIS-7] a task is added, read, changed, worked on and completed", async () => {
  const { id } = await missions.create();
  const task = await missions.addTask(id, { title: "Ask Ada", priority: "high" });
  expect(task).toMatchObject({ mission_id: id, status: "pending", position: 0, depends_on: [], job_id: null });
  const path = `/api/missions/${id}/tasks/${task.id}`;
  expect(await missions.client.get(path)).toEqual(task);
  expect(await answered<Task>(missions.client.call("PATCH", path, { description: "About the report" }))).toMatchObject({
    version: 2,
  });
  const { hold, open } = gate();
  service.model.script = () => [{ hold }, { say: "asked" }];
  const started = await answered<{ job: Job; task: Task }>(missions.client.call("POST", `${path}/start-work`), 202);
  expect(started).toMatchObject({
    task: { status: "in_progress", job_id: started.job.id },
    job: { mission_task_id: task.id, priority: "high" },
  });
  const again = await answered<{ job: Job }>(missions.client.call("POST", `${path}/start-work`), 200);
  expect(again.job.id).toBe(started.job.id);
  open();
  await missions.becomes(id, ({ tasks }) => tasks[0]?.status === "completed");
  await refused(missions.client.call("POST", `${path}/start-work`), 409, "invalid_state");
});

test("[MIS-7] [V1-7] an empty `assigned_to` leaves a task unassigned, as it does with other tasks", async () => {
  const { id } = await missions.create();
  expect(await missions.addTask(id, { title: "Help", assigned_to: "" })).toMatchObject({ assigned_to: null });
  const task = await missions.addTask(id, { title: "Help", assigned_to: "agt_somebody" });
  const change = { assigned_to: "" };
  const path = `/api/missions/${id}/tasks/${task.id}`;
  expect(await answered<Task>(missions.client.call("PATCH", path, change))).toMatchObject({ assigned_to: null });
  const refusal = await refused(
    missions.client.call("PATCH", path, { assigned_to: "x".repeat(257) }),
    400,
    "invalid_request",
  );
  expect(refusal).toMatchObject({ errors: [{ path: "/assigned_to" }] });
});

test("[MIS-7] a task that depends on itself or in a circle is refused", async () => {
  const { id } = await missions.create();
  const [a, b] = [await missions.addTask(id, { title: "A" }), await missions.addTask(id, { title: "B" })];
  const depends = (task: Task, on: Task): Promise<Response> =>
    missions.client.call("PATCH", `/api/missions/${id}/tasks/${task.id}`, { depends_on: [on.id] });
  expect(await refused(depends(a, a), 400, "invalid_request")).toEqual({
    errors: [{ path: "/depends_on/0", message: "A task cannot depend on itself" }],
  });
  await answered(depends(a, b));
  expect(await refused(depends(b, a), 400, "invalid_request")).toMatchObject({ errors: [{ path: "/depends_on/0" }] });
  const refusal = await refused(
    missions.client.call("POST", `/api/missions/${id}/tasks/${a.id}/start-work`),
    409,
    "invalid_state",
  );
  expect(refusal).toEqual({ status: "pending", allowed_actions: ["start", "cancel", "update"] });
});

test("[MIS-7] work on a task is done by the agent that it is assigned to", async () => {
  const helper = await createAgent(service, owner);
  const { id } = await missions.create();
  const { id: task } = await missions.addTask(id, { title: "Help", assigned_to: helper });
  const { job } = await answered<{ job: Job }>(
    missions.client.call("POST", `/api/missions/${id}/tasks/${task}/start-work`),
    202,
  );
  expect(job["agent_id"]).toBe(helper);
});

test("[MIS-7] [GEN-5] a task that somebody has started by hand is worked on by a new job, not by one that has ended", async () => {
  const { id } = await missions.create();
  const { id: task } = await missions.addTask(id, { title: "Ask Ada" });
  const path = `/api/missions/${id}/tasks/${task}`;
  const startWork = (): Promise<Response> => missions.client.call("POST", `${path}/start-work`);
  const byHand = () => answered<Task>(missions.client.call("PATCH", path, { status: "in_progress" }));
  const { hold, open } = gate();
  service.model.script = () => [{ hold }, { say: "asked" }];
  const { job: first } = await answered<{ job: Job }>(startWork(), 202);
  await answered(missions.client.call("POST", `/api/jobs/${first.id}/cancel?wait=20`));
  await missions.becomes(id, ({ tasks }) => tasks[0]?.status === "pending");
  const refusal = await refused(missions.client.call("PATCH", path, { status: "completed" }), 409, "invalid_state");
  expect(refusal).toEqual({ status: "pending", allowed_actions: ["start", "cancel", "update", "start_work"] });
  expect(await byHand()).toMatchObject({
    job_id: null,
    allowed_actions: ["pause", "complete", "cancel", "update", "start_work"],
  });
  const { job: second, task: worked } = await answered<{ job: Job; task: Task }>(startWork(), 202);
  expect(second.id).not.toBe(first.id);
  expect(worked).toMatchObject({
    status: "in_progress",
    job_id: second.id,
    allowed_actions: ["pause", "complete", "cancel", "update"],
  });
  open();
  await missions.becomes(id, ({ tasks }) => tasks[0]?.status === "completed");
});
