/** Arguments that a person gives a call, against the schema of its tool (JOB-8), and what readers are told of calls. */
import { beforeEach, describe, expect, test } from "bun:test";
import { answered, Client, type Job, type Json, refused } from "../support/current.ts";
import { StreamReader } from "../support/event-streams.ts";
import { sceneOfTest } from "../support/scene.ts";
import { checkArguments } from "../../src/sandbox/jobs/arguments.ts";

const { service, owner, client } = sceneOfTest();
beforeEach(() => {
  service.model.script = (call) =>
    call.entries.at(-1)?.role === "user"
      ? [{ use: { type: "tool_use", id: "c1", name: "create_task", input: { title: "Write" } } }]
      : [{ say: "done" }];
});

async function waiting(fields: Json = { approval_tools: ["create_task"] }): Promise<Job> {
  const id = await client.agent({ system_prompt: "x", allowed_tools: ["create_task"], ...fields });
  const { job } = await client.send(await client.chat(id, owner.workspaceId), "hello");
  return client.reached(job.id, fields["approval_tools"] === undefined ? "completed" : "blocked");
}

describe("edited arguments", () => {
  test("[JOB-8] that do not fit the tool's schema are 400 with their fields, and the approval stays open", async () => {
    const { id } = await waiting();
    const edit = (given: Json, more: Json = {}) => client.decide(id, "approve", { arguments: given, ...more });
    const errorsOf = async (given: Json) =>
      ((await refused(edit(given), 400, "invalid_request"))["errors"] as { path: string }[]).map(({ path }) => path);
    expect(await errorsOf({})).toEqual(["/arguments/title"]);
    expect(await errorsOf({ title: 5, priority: "soon" })).toEqual(["/arguments/title", "/arguments/priority"]);
    expect(await client.job(id)).toMatchObject({ status: "blocked", approvals: [{ decision: null }] });
    const decided = await answered<Job>(edit({ title: "Rewritten" }, { tool_call_id: "c1" }));
    expect(decided.approvals[0]).toMatchObject({ decision: "approve", arguments: { title: "Rewritten" } });
    await client.reached(id, "completed");
    const { tasks } = await client.get<{ tasks: Json[] }>("/api/tasks");
    expect(tasks.map(({ title }) => title)).toEqual(["Rewritten"]);
  });

  test("[JOB-8] of a denial are refused as a whole, whether they fit or not, and the approval stays open", async () => {
    const { id } = await waiting();
    for (const given of [{}, { title: 5 }, { title: "Rewritten" }]) {
      const deny = client.decide(id, "approve", { decision: "deny", arguments: given });
      const { errors } = await refused(deny, 400, "invalid_request");
      expect(errors).toEqual([{ path: "/arguments", message: "arguments cannot be given with a denial" }]);
    }
    expect(await client.job(id)).toMatchObject({ status: "blocked", approvals: [{ decision: null }] });
  });

  test("[JOB-8] of somebody else are refused as theirs, not by their fields", async () => {
    const { id } = await waiting({ approval_tools: ["create_task"], visibility: "organization" });
    const colleague = new Client(service, await service.join(owner.organizationId));
    await refused(colleague.decide(id, "approve", { arguments: { title: 5 } }), 403, "forbidden");
    await answered(colleague.decide(id, "approve"));
  });

  test("[JOB-8] a schema that cannot be used refuses nothing; draft 7 is read as draft 7", async () => {
    const errors = (schema: Json, given: Json) =>
      checkArguments({}, new TextEncoder().encode(JSON.stringify({ schema, given })));
    expect(await errors({ type: "object", properties: { a: { type: 7 } } }, { a: 1 })).toEqual([]);
    expect(await errors({ $ref: "#/nowhere" }, {})).toEqual([]);
    const tuple = { type: "object", properties: { at: { type: "array", items: [{ type: "number" }] } } };
    const seventh = { $schema: "http://json-schema.org/draft-07/schema#", ...tuple };
    expect((await errors(seventh, { at: ["x"] })).map(({ path }) => path)).toEqual(["/at/0"]);
    expect(await errors({ type: "object", additionalProperties: false }, { b: 1 })).toEqual([
      { path: "/b", message: "Unknown field: arguments.b" },
    ]);
  });
});

test("[SSE-13] readers with jobs:read see the arguments and results of tools, others only that they were called", async () => {
  const job = await waiting({});
  const told = async (scopes: readonly string[]) => {
    const { token } = await service.tokenFor(owner, { scopes });
    const url = `${service.url}/api/chats/${job.chat_id}/events?wait=end&replay=all`;
    const stream = await StreamReader.open(url, { authorization: `Bearer ${token}` });
    await stream.ended;
    return stream.frames.filter(({ event }) => event.startsWith("tool.")).map(({ data }) => data);
  };
  const [started, ended] = await told(["chats:read", "jobs:read"]);
  expect(started).toMatchObject({ name: "create_task", arguments: { title: "Write" } });
  expect(ended).toMatchObject({ result: expect.stringContaining("Write") as string, is_truncated: false });
  for (const data of await told(["chats:read"])) {
    expect(data["call_id"]).toBe("c1");
    for (const field of ["arguments", "result", "is_truncated"]) expect(data).not.toHaveProperty(field);
  }
  expect((await told(["*"]))[0]).toHaveProperty("arguments");
});
