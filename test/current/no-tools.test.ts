/** Agents and chats without tools, and models that take none. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import { createModels } from "../../src/runner/models.ts";
import { answered, type Json } from "../support/current.ts";
import { NO_MODELS } from "../support/model-calls.ts";
import { sceneOfFile } from "../support/scene.ts";
import { framesOf, startStreamServer } from "../support/stream-server.ts";

const provider = startStreamServer();
const says = (content: string): string[] => framesOf({ choices: [{ delta: { content }, finish_reason: "stop" }] });
/** The names of the tools of the newest request. */
const toolsSent = (): string[] =>
  ((provider.bodies.at(-1) as { tools?: { function: { name: string } }[] }).tools ?? []).map(
    (one) => one.function.name,
  );

const { owner, client } = sceneOfFile({
  models: createModels({
    ...NO_MODELS,
    model: "openai-compatible:m",
    models: ["openai-compatible:small", "openai-compatible:set"],
    withoutTools: ["openai-compatible:set"],
    openaiBaseUrl: provider.baseUrl,
  }),
});
afterAll(() => provider.stop());
beforeEach(() => {
  provider.answer = says("ok");
  provider.refusal = () => null;
});

const agentWith = async (fields: Json): Promise<Json> =>
  answered<Json>(client.call("POST", "/api/agents", { name: "A", system_prompt: "Be brief.", ...fields }), 201);
async function ends(agent: Json, status = "completed", options?: Json): Promise<Json> {
  const chat = await client.chat(agent["id"] as string, owner.workspaceId, options === undefined ? {} : { options });
  const { job } = await client.send(chat, "hi");
  return (await client.reached(job.id, status)) as unknown as Json;
}
const OWN = { kind: "client", name: "price", description: "A price", input_schema: { type: "object" } };

test("[RUN-2] an empty list of allowed tools means no tool of the service, and null the tools that only read", async () => {
  const agent = await agentWith({ allowed_tools: [] });
  expect(agent).toMatchObject({ allowed_tools: [], has_no_tools: true });
  await ends(agent);
  expect(toolsSent()).toEqual([]);
  const path = `/api/agents/${agent["id"] as string}`;
  const patched = await answered<Json>(client.call("PATCH", path, { allowed_tools: null }));
  expect(patched).toMatchObject({ allowed_tools: [], has_no_tools: false });
  await ends(patched);
  expect(toolsSent()).toContain("current_time");
  await answered(client.call("PATCH", path, { allowed_tools: [] }));
  await answered(client.call("PATCH", path, { description: "Another" }));
  await ends(agent);
  expect(toolsSent()).toEqual([]);
});

test("[RUN-2] an agent without a list has the tools that only read, and its own tools are never part of the list", async () => {
  await ends(await agentWith({}));
  expect(toolsSent()).toContain("list_tasks");
  await ends(await agentWith({ allowed_tools: [], tools: [OWN] }));
  expect(toolsSent()).toEqual(["price"]);
});

test("[RUN-2] an empty list of a chat means no tools at all", async () => {
  await ends(await agentWith({ allowed_tools: ["create_task"], tools: [OWN] }), "completed", { tools: [] });
  expect(toolsSent()).toEqual([]);
});

test("[RUN-2] a tool that was not offered is refused, even if it only reads", async () => {
  const call = { index: 0, id: "c", function: { name: "current_time", arguments: "{}" } };
  const calls = framesOf({ choices: [{ delta: { tool_calls: [call] }, finish_reason: "tool_calls" }] });
  const count = provider.bodies.length;
  provider.answerTo = () => (provider.bodies.length === count + 1 ? calls : says("ok"));
  await ends(await agentWith({ allowed_tools: [] }));
  provider.answerTo = () => provider.answer;
  expect(JSON.stringify(provider.bodies.at(-1))).toContain("not allowed to use current_time");
});

test("[RUN-24] a model without tool support is called again without tools, its job reports it once, and the next job calls it without tools at once", async () => {
  provider.refusal = (body) => ("tools" in (body as object) ? "small does not support tools" : null);
  const agent = await agentWith({ model: "openai-compatible:small" });
  const before = provider.bodies.length;
  for (const requests of [2, 3]) {
    const job = await ends(agent);
    expect(job["warnings"]).toMatchObject([{ code: "model_without_tools" }]);
    expect(provider.bodies.length - before).toBe(requests);
  }
  const needs = await ends(
    await agentWith({ model: "openai-compatible:small", allowed_tools: ["create_task"] }),
    "failed",
  );
  expect(needs["error"]).toMatchObject({
    code: "provider_rejected",
    message: expect.stringContaining("does not support tools"),
  });
});

test("[RUN-24] the setting says so without a refusal", async () => {
  const before = provider.bodies.length;
  const job = await ends(await agentWith({ model: "openai-compatible:set" }));
  expect([job["warnings"], provider.bodies.length - before, toolsSent()]).toMatchObject([[{}], 1, []]);
});
