import { beforeAll, expect, test } from "bun:test";
import type { ToolContext } from "../../actors/job/ports.ts";
import type { TaskInput } from "../../actors/organization/protocol.ts";
import { actorTaskService } from "../../src/wiring/task-service.ts";
import type { TaskService } from "../../src/runner/tools/service.ts";
import { OPENED_AT } from "../support/fake-tools.ts";
import { personOfFile, serviceOfFile } from "../support/scene.ts";
import type { Founded } from "../support/service.ts";

let tasks: TaskService;

const service = serviceOfFile();
const acme = personOfFile(() => service.found());
beforeAll(() => void (tasks = actorTaskService(service.system, service.directory)));

const contextOf = (founded: Founded, agentId = "agt_1"): ToolContext =>
  ({ organizationId: founded.organizationId, userId: founded.userId, agentId }) as ToolContext;

const input = (title: string): TaskInput => ({
  title,
  description: null,
  priority: "medium",
  assignedTo: null,
  workspaceId: acme.workspaceId,
});

async function taken<T>(outcome: Promise<{ ok: true; value: T } | { ok: false; fault: object }>): Promise<T> {
  const settled = await outcome;
  if (!settled.ok) throw new Error(JSON.stringify(settled.fault));
  return settled.value;
}

test("[JOB-7] the same key makes the same task, once, also at the same time", async () => {
  const make = (key: string, title = "Report") =>
    taken(tasks.createTask(contextOf(acme), input(title), { key, openedAt: OPENED_AT }));
  const [first, ...again] = await Promise.all([make("job:1:a"), make("job:1:a"), make("job:1:a", "Other words")]);
  expect(again.map((task) => task.id)).toEqual([first.id, first.id]);
  expect((await make("job:1:b")).id).not.toBe(first.id);
  expect(first).toMatchObject({ title: "Report", createdBy: "agt_1" });
  const listed = await taken(tasks.listTasks(contextOf(acme), { status: null, assignedTo: null, limit: 100 }));
  expect(listed.map((task) => task.title)).toEqual(["Report", "Report"]);
});

test("[GEN-2] the id of a task that a tool makes has the form of all tasks' ids", async () => {
  const { id } = await taken(tasks.createTask(contextOf(acme), input("Form"), { key: "job:2:a", openedAt: OPENED_AT }));
  expect(id).toMatch(new RegExp(`^task-${Date.parse(OPENED_AT)}-[0-9a-z]{12}$`));
});

test("[RUN-2] tasks and agents are those of the tool's organization, filtered as asked", async () => {
  const other = await service.found("Other");
  expect(await taken(tasks.listTasks(contextOf(other), { status: null, assignedTo: null, limit: 100 }))).toEqual([]);
  await taken(
    tasks.createTask(
      contextOf(other),
      { ...input("Theirs"), assignedTo: "usr_x", workspaceId: null },
      { key: "k", openedAt: OPENED_AT },
    ),
  );
  const count = async (filter: Parameters<TaskService["listTasks"]>[1]): Promise<number> =>
    (await taken(tasks.listTasks(contextOf(other), filter))).length;
  expect(await count({ status: "pending", assignedTo: "usr_x", limit: 1 })).toBe(1);
  expect(await count({ status: "completed", assignedTo: null, limit: 1 })).toBe(0);
  expect(await count({ status: null, assignedTo: "usr_y", limit: 1 })).toBe(0);

  await service.call(other, "POST", "/api/v1/agents", { name: "Ada", systemPrompt: "You answer." });
  expect((await taken(tasks.listAgents(contextOf(other)))).map((agent) => agent.name)).toEqual(["Ada"]);
  expect(await taken(tasks.listAgents(contextOf(acme)))).toEqual([]);
});
