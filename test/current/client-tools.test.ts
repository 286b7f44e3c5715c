/** An agent's own tools that its client runs, over HTTP: the record, the call, its result, and what is refused. */
import { beforeEach, expect, test } from "bun:test";
import { RESULT_BYTES } from "../../src/http/contract/limits.ts";
import { answered, type Job, type Json, refused } from "../support/current.ts";
import { sceneOfTest } from "../support/scene.ts";

const LOOKUP: Json = {
  kind: "client",
  name: "lookup",
  description: "The price of an article",
  input_schema: { type: "object", properties: { article: { type: "string" } }, required: ["article"] },
};

const { service, owner, client } = sceneOfTest();
beforeEach(() => {
  service.model.script = ({ entries }) =>
    entries.at(-1)!.role === "user"
      ? [{ use: { type: "tool_use", id: "c1", name: "lookup", input: { article: "pen" } } }]
      : [{ say: "7 EUR" }];
});

const agent = (fields: Json = {}): Promise<Response> =>
  client.call("POST", "/api/agents", { name: "Clerk", system_prompt: "x", tools: [LOOKUP], ...fields });
async function blocked(): Promise<Job> {
  const { id } = await answered<{ id: string }>(agent(), 201);
  const { job } = await client.send(await client.chat(id, owner.workspaceId), "hello");
  return client.reached(job.id, "blocked");
}
const results = (id: string, ...given: readonly Json[]): Promise<Response> =>
  client.call("POST", `/api/jobs/${id}/tool-results`, { results: given });

test("[JOB-17] a call is shown as waiting in the job and its streams, and the job continues with its result", async () => {
  const job = await blocked();
  const told = { id: "c1", name: "lookup", arguments: { article: "pen" } };
  const call = { ...told, expires_at: expect.any(String) as string };
  expect(job).toMatchObject({ blocked_reason: "tool_result_required", requested_tool_calls: [call] });
  expect(job.allowed_actions).toEqual(["cancel", "tool_results"]);
  const { events } = await client.get<{ events: { data: Json }[] }>(
    `/api/jobs/${job.id}/transcript-events?types=job.blocked`,
  );
  expect(events.map(({ data }) => data)).toEqual([{ reason: "tool_result_required", tool_calls: [told] }]);
  await refused(client.call("POST", `/api/jobs/${job.id}/resume`), 409, "invalid_state");
  const steer = client.call("POST", `/api/chats/${job.chat_id}/messages`, { content: "x", on_busy: "steer" });
  expect(await answered<{ message: string }>(steer, 409)).toMatchObject({
    code: "approval_pending",
    message: "The job waits for results of tools that its client runs",
  });
  const after = await answered<Job>(results(job.id, { tool_call_id: "c1", content: "7 EUR" }));
  expect(after["requested_tool_calls"]).toEqual([]);
  expect(await client.reached(job.id, "completed")).toMatchObject({ result: "7 EUR" });
  await refused(results(job.id, { tool_call_id: "c1", content: "8 EUR" }), 409, "invalid_state");
  const asked = service.model.calls.at(-1)!.entries.at(-1)!;
  expect(JSON.stringify(asked)).toContain("7 EUR");
});

test("[JOB-17] a result has content or an error, is limited in size, answers a waiting call, and comes from the job's own user", async () => {
  const { id } = await blocked();
  await refused(results(id, { tool_call_id: "c1" }), 400, "invalid_request");
  await refused(results(id, { tool_call_id: "c1", content: "a", error: "b" }), 400, "invalid_request");
  const one = { tool_call_id: "c1", content: "a" };
  await refused(results(id, one, one), 400, "invalid_request");
  const long = { ...one, content: "x".repeat(RESULT_BYTES + 1) };
  expect(await refused(results(id, long), 413, "payload_too_large")).toMatchObject({
    errors: [{ path: "/results/0/content" }],
  });
  await refused(results(id, { ...one, tool_call_id: "c2" }), 409, "invalid_state");
  const stranger = await service.found();
  const path = `/api/jobs/${id}/tool-results`;
  await refused(service.call(stranger, "POST", path, { results: [one] }), 404, "not_found");
  await answered(results(id, { tool_call_id: "c1", error: "No such article" }));
  await client.reached(id, "completed");
  expect(JSON.stringify(service.model.calls.at(-1)!.entries)).toContain('"is_error":true');
});

test("[RUN-12] an agent's own tools are listed for it, may need approval, and are refused where they cannot be used", async () => {
  const { id } = await answered<{ id: string }>(agent({ approval_tools: ["lookup"] }), 201);
  const names = async (query: string) =>
    (await client.get<{ tools: { name: string; availability: string }[] }>(`/api/tools${query}`)).tools
      .filter(({ availability }) => availability === "agent")
      .map(({ name }) => name);
  expect([await names(""), await names(`?agent_id=${id}`)]).toEqual([[], ["lookup"]]);
  expect(await refused(agent({ tools: [{ ...LOOKUP, name: "a b" }] }), 400, "invalid_request")).toEqual({
    errors: [{ path: "/tools/0/name", message: "Field tools.0.name must be 1 to 64 letters, digits, `_` and `-`" }],
  });
  const cases: readonly [Json, string][] = [
    [{ name: "create_task" }, "/tools/1/name"],
    [{ name: "a__b" }, "/tools/1/name"],
    [{}, "/tools/1/name"],
    [{ name: "x", input_schema: { type: "string" } }, "/tools/1/input_schema/type"],
    [
      { name: "x", input_schema: { type: "object", properties: { "a b": {} } } },
      "/tools/1/input_schema/properties/a b",
    ],
  ];
  for (const [fields, path] of cases) {
    const { errors } = await refused(agent({ tools: [LOOKUP, { ...LOOKUP, ...fields }] }), 400, "invalid_request");
    expect((errors as { path: string }[]).map((error) => error.path)).toEqual([path]);
  }
});
