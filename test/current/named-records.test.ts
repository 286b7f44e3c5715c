/** Ids in bodies and queries that name nothing: the refusal says which field it is (ERR-6). */
import { beforeAll, describe, expect, test } from "bun:test";
import { answered, type Json, refused } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";

let agent: string;
let chat: string;

const { service, owner, client } = sceneOfFile();
beforeAll(async () => {
  agent = await idOf("/api/agents", { name: "Ada", system_prompt: "Be brief." });
  chat = await client.chat(agent, owner.workspaceId);
});

const none = (prefix: string): string => `${prefix}_${"0".repeat(21)}`;

async function idOf(path: string, body: Json): Promise<string> {
  return (await answered<{ id: string }>(client.call("POST", path, body), 201)).id;
}

/** The fields that the 404 names. */
async function missing(method: string, path: string, body?: Json): Promise<readonly Json[]> {
  const { errors } = await refused(client.call(method, path, body), 404, "not_found");
  return errors as readonly Json[];
}
const field = (name: string, noun: string) => ({ path: `/${name}`, message: `Field ${name}: no such ${noun}` });

describe("[ERR-6] an id that names nothing is 404 with its field", () => {
  test("in the body of a new chat", async () => {
    const body = { agent_id: agent, workspace_id: owner.workspaceId };
    for (const id of [none("agt"), "nobody"])
      expect(await missing("POST", "/api/chats", { ...body, agent_id: id })).toEqual([field("agent_id", "agent")]);
    expect(await missing("POST", "/api/chats", { ...body, workspace_id: none("wsp") })).toEqual([
      field("workspace_id", "workspace"),
    ]);
  });

  test("in the body of a mission, new or changed", async () => {
    const body = { title: "Report", goal: "Report.", agent_id: agent, workspace_id: owner.workspaceId };
    const path = `/api/missions/${await idOf("/api/missions", body)}`;
    const wrong = { agent_id: none("agt") };
    expect(await missing("POST", "/api/missions", { ...body, ...wrong })).toEqual([field("agent_id", "agent")]);
    expect(await missing("PATCH", path, wrong)).toEqual([field("agent_id", "agent")]);
    const elsewhere = { workspace_id: none("wsp") };
    expect(await missing("POST", "/api/missions", { ...body, ...elsewhere })).toEqual([
      field("workspace_id", "workspace"),
    ]);
    expect(await missing("PATCH", path, elsewhere)).toEqual([field("workspace_id", "workspace")]);
  });

  test("of a message, a mount, an approval and an agent in a query", async () => {
    const fork = { from_message_id: none("msg") };
    expect(await missing("POST", `/api/chats/${chat}/fork`, fork)).toEqual([field("from_message_id", "message")]);
    const clone = `/api/workspaces/${owner.workspaceId}/repos/clone`;
    expect(await missing("POST", clone, { repo_id: none("rep") })).toEqual([field("repo_id", "repository")]);
    expect(await missing("GET", `/api/tools?agent_id=${none("agt")}`)).toEqual([field("agent_id", "agent")]);
    expect(await missing("POST", `/api/jobs/${await blocked()}/approve`, { tool_call_id: "c9" })).toEqual([
      field("tool_call_id", "approval"),
    ]);
  });
});

async function blocked(): Promise<string> {
  service.model.script = () => [
    { use: { type: "tool_use", id: "c1", name: "create_task", input: { title: "Write" } } },
  ];
  const asks = { allowed_tools: ["create_task"], approval_tools: ["create_task"] };
  const asking = await idOf("/api/agents", { name: "Bob", system_prompt: "x", ...asks });
  const { job } = await client.send(await client.chat(asking, owner.workspaceId), "hello");
  return (await client.reached(job.id, "blocked")).id;
}

test("[ERR-6] an id in the path is 404 without a field, whatever the body names", async () => {
  const body = { agent_id: none("agt") };
  expect(await refused(client.call("PATCH", `/api/missions/${none("mis")}`, body), 404, "not_found")).toEqual({});
  const fork = { from_message_id: none("msg") };
  expect(await refused(client.call("POST", `/api/chats/${none("cht")}/fork`, fork), 404, "not_found")).toEqual({});
  expect(await refused(client.call("GET", `/api/agents/${none("agt")}`), 404, "not_found")).toEqual({});
});

test("[ERR-6] a filter by an id that does not exist finds nothing", async () => {
  expect(await client.get(`/api/chats?agent_id=${none("agt")}`)).toEqual({ chats: [] });
});
