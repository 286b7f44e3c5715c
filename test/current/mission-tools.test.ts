/** What the agent of a mission's job can do with its mission (RUN-2). */
import { beforeAll, expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { answered, type Job, type Json } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

let agent: string;

const { service, owner, client } = sceneOfFile();
beforeAll(async () => void (agent = await createAgent(service, owner)));

interface Mission {
  readonly id: string;
  readonly tasks: readonly { readonly id: string; readonly title: string; readonly status: string }[];
}
const use = (id: string, name: string, input: Json) => ({
  use: { type: "tool_use" as const, id, name, input: input as never },
});

test("[RUN-2] a run reads its mission, adds a task to it and finishes one, without an entry in allowed_tools", async () => {
  const body = { title: "Report", goal: "Write it", agent_id: agent };
  const { id } = await answered<Mission>(client.call("POST", "/api/missions", body), 201);
  const task = await answered<{ id: string }>(
    client.call("POST", `/api/missions/${id}/tasks`, { title: "Ask Ada" }),
    201,
  );
  const before = service.model.calls.length;
  service.model.script = (call) => {
    const results = call.entries.filter(({ role }) => role === "assistant").length;
    if (results > 0) return [{ say: "done" }];
    return [
      use("a", "read_mission", {}),
      use("b", "add_mission_task", { title: "Ask Grace", depends_on: [task.id] }),
      use("c", "finish_mission_task", { task_id: task.id }),
      use("d", "finish_mission_task", { task_id: "mtk_none" }),
    ];
  };
  const { job } = await answered<{ job: Job }>(client.call("POST", `/api/missions/${id}/run`), 202);
  await client.reached(job.id, "completed");
  const names = service.model.calls[before]!.tools.map(({ name }) => name);
  for (const name of ["read_mission", "add_mission_task", "finish_mission_task"]) expect(names).toContain(name);
  const mission = await client.get<Mission>(`/api/missions/${id}`);
  expect(mission.tasks.map(({ title, status }) => [title, status])).toEqual([
    ["Ask Ada", "completed"],
    ["Ask Grace", "pending"],
  ]);
  const results = JSON.stringify(service.model.calls.at(-1)?.entries);
  expect(results).toContain("Write it");
  expect(results).toContain("mission_task");
});

test("[RUN-2] no other job has the tools of a mission", async () => {
  service.model.script = () => [{ say: "done" }];
  const before = service.model.calls.length;
  const chat = await client.chat(agent, owner.workspaceId);
  await client.send(chat, "hello");
  await until("the model is called", () => service.model.calls.length > before);
  expect(service.model.calls[before]!.tools.map(({ name }) => name)).not.toContain("read_mission");
});
