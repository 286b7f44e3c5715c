/** Updates that change nothing: no version, no time, no event. */
import { expect, test } from "bun:test";
import { library } from "../../src/wiring/library.ts";
import { CURRENT_OPERATIONS } from "../../src/current/operations.ts";
import { answered, type Json } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { sceneOfTest } from "../support/scene.ts";

const { service, owner, client } = sceneOfTest();

const made = async (path: string, body: Json): Promise<Json> => answered(client.call("POST", path, body), 201);
const agent = () => made("/api/agents", { name: "Ada", system_prompt: "Be brief.", tags: ["a", "b"] });
const mission = async () =>
  made("/api/missions", {
    title: "M",
    goal: "g",
    agent_id: (await agent())["id"],
    schedule: { type: "cron", value: "0 9 * * 1-5", timezone: "Europe/London" },
  });

interface Case {
  readonly path: string;
  /** What the record has already, and none of it. */
  readonly same: readonly Json[];
  readonly other: Json;
}

const CASES: Readonly<Record<string, () => Promise<Case>>> = {
  updateAgent: async () => ({
    path: `/api/agents/${String((await agent())["id"])}`,
    same: [{}, { name: "Ada" }, { tags: ["a", "b"], description: null, approval_tools: [] }],
    other: { tags: ["b", "a"] },
  }),
  setAgentInstallState: async () => {
    const path = `/api/agents/${library.of(owner.organizationId)[0]!.id}/install-state`;
    await answered(client.call("PATCH", path, { action: "install" }));
    return {
      path,
      same: [{ action: "install" }, { install_state: "installed" }, { action: "restore" }],
      other: { action: "uninstall" },
    };
  },
  updateChatOptions: async () => ({
    path: `/api/chats/${await client.chat(String((await agent())["id"]), owner.workspaceId, { title: "T" })}/options`,
    same: [{}, { title: "T", pinned: false }, { options: { model: null, tools: null } }],
    other: { pinned: true },
  }),
  updateChat: async () => ({
    path: `/api/chats/${await client.chat(String((await agent())["id"]), owner.workspaceId, { title: "T", metadata: { a: 1 } })}`,
    same: [{}, { title: "T", pinned: false }, { metadata: { a: 1 } }],
    other: { metadata: { a: 2 } },
  }),
  updateMember: async () => ({
    path: `/api/members/${(await service.join(owner.organizationId)).userId}`,
    same: [{ role: "member" }],
    other: { role: "owner" },
  }),
  updateMission: async () => ({
    path: `/api/missions/${String((await mission())["id"])}`,
    same: [{}, { title: "M", status: "pending" }, { schedule: { value: "0 9 * * 1-5" } }],
    other: { schedule: { value: "0 10 * * 1-5" } },
  }),
  updateMissionTask: async () => {
    const tasks = `/api/missions/${String((await mission())["id"])}/tasks`;
    const { id } = await made(tasks, { title: "T" });
    return { path: `${tasks}/${String(id)}`, same: [{}, { title: "T", status: "pending" }], other: { title: "U" } };
  },
  updateTask: async () => {
    const { task } = await answered<{ task: Json }>(client.call("POST", "/api/v1/tasks", { title: "T" }));
    return {
      path: `/api/tasks/${String(task["id"])}`,
      same: [{}, { title: "T", status: "pending", assigned_to: null }],
      other: { status: "in_progress" },
    };
  },
  updateWorkspace: async () => ({
    path: `/api/workspaces/${String((await made("/api/workspaces", { name: "W" }))["id"])}`,
    same: [{}, { name: "W", description: null }],
    other: { name: "X" },
  }),
};

test("[GEN-8] this test covers every PATCH", () => {
  const patches = CURRENT_OPERATIONS.flatMap(({ operations }) =>
    Object.entries(operations).flatMap(([id, { contract }]) => (contract.method === "PATCH" ? [id] : [])),
  );
  // A message has no version; its test is below.
  expect(patches.toSorted()).toEqual([...Object.keys(CASES), "updateMessage"].toSorted());
});

test("[GEN-8] [CHAT-12] updateMessage that changes nothing leaves no event", async () => {
  const chat = await client.chat(String((await agent())["id"]), owner.workspaceId);
  const { message, job } = await client.send(chat, "hello");
  await client.reached(job.id, "completed");
  const head = async () => (await client.get<{ last_sequence: number }>("/api/events?limit=100")).last_sequence;
  const pin = (pinned: boolean) =>
    answered<Json>(client.call("PATCH", `/api/chats/${chat}/messages/${String(message["id"])}`, { pinned }));
  const before = await head();
  expect(await pin(false)).toMatchObject({ pinned: false });
  expect(await head()).toBe(before);
  expect(await pin(true)).toMatchObject({ pinned: true });
  expect(await head()).toBe(before + 1);
  expect(await pin(true)).toMatchObject({ pinned: true });
  expect(await head()).toBe(before + 1);
});

test.each(Object.keys(CASES))("[GEN-8] %s that changes nothing leaves no version, no time and no event", async (id) => {
  const { path, same, other } = await CASES[id]!();
  const head = async () => (await client.get<{ last_sequence: number }>("/api/events?limit=100")).last_sequence;
  const before = await answered(
    client.call("PATCH", path, {}).then(async (answer) => (answer.ok ? answer : client.call("PATCH", path, same[0]))),
  );
  const sequence = await head();
  for (const body of same) {
    const after = await answered(client.call("PATCH", path, body));
    expect([after["version"], after["updated_at"]]).toEqual([before["version"], before["updated_at"]]);
  }
  expect(await head()).toBe(sequence);
  const changed = await answered(client.call("PATCH", path, other));
  expect(changed["version"]).toBe(Number(before["version"]) + 1);
  expect(await head()).toBe(sequence + 1);
});

/** The requests that the feed tells of after this number. */
const told = async (after: number): Promise<string[]> =>
  (
    await client.get<{ events: { source: string; type: string }[] }>(`/api/events?after=${after}&limit=100`)
  ).events.flatMap(({ source, type }) => (source === "api_mutation" ? [type] : []));

test("[HOOK-12] a second cancel and a second start of the same work leave no event", async () => {
  const { hold, open } = gate();
  service.model.script = () => [{ say: "half" }, { hold }];
  const path = `/api/missions/${String((await mission())["id"])}/tasks`;
  const { id } = await made(path, { title: "T" });
  const before = (await client.get<{ last_sequence: number }>("/api/events?limit=100")).last_sequence;
  const start = (status: 200 | 202) =>
    answered<{ job: { id: string } }>(client.call("POST", `${path}/${String(id)}/start-work`), status);
  const { job } = await start(202);
  await start(200);
  await client.reached(job.id, "running");
  await answered(client.decide(job.id, "cancel", undefined, "?wait=20"));
  for (const wait of ["", "?wait=20"]) await answered(client.decide(job.id, "cancel", undefined, wait));
  open();
  expect(await told(before)).toEqual(["mission_task.started", "job.cancelled"]);
});
