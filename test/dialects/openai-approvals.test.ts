/** Approvals in the words of Responses, by OpenAI's own client and by OpenAI's agents, unmodified. */
import { Agent, hostedMcpTool, OpenAIProvider, Runner } from "@openai/agents";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import OpenAI from "openai";
import { ApprovalScene, use } from "../support/approval-scene.ts";

let scene: ApprovalScene;
let openai: OpenAI;
beforeAll(async () => {
  scene = await ApprovalScene.start();
  openai = new OpenAI({ apiKey: scene.owner.token, baseURL: `${scene.service.url}/openai/v1`, maxRetries: 0 });
});
afterAll(() => scene.service.stop());
beforeEach(() => {
  scene.reset();
  scene.tools.clients.clear();
});

const OWN = { type: "mcp", server_label: "troupe", require_approval: "always" } as const;
type Response = OpenAI.Responses.Response;
// Its own promise is a lazy one, which `expect` does not take.
const create = async (input: OpenAI.Responses.ResponseInput | string, fields: object = {}, by = openai) =>
  (await by.responses.create({ model: scene.agent, input, tools: [OWN], ...fields })) as Response;
const requestsIn = ({ output }: Response) =>
  output.flatMap((item) => (item.type === "mcp_approval_request" ? [item] : []));
const decision = (id: string, approve: boolean, reason?: string) =>
  ({
    type: "mcp_approval_response",
    approval_request_id: id,
    approve,
    ...(reason === undefined ? {} : { reason }),
  }) as const;
const kinds = ({ output }: Response) => output.map(({ type }) => type);

test("[DIA-25] a call that needs approval ends the response, and the client's decision begins the next one", async () => {
  scene.calling(["c0", "look"], ["c1", "send"]);
  const first = await create("go");
  expect([first.status, kinds(first)]).toEqual(["completed", ["message", "mcp_call", "mcp_approval_request"]]);
  const [asked] = requestsIn(first);
  expect(asked).toMatchObject({ server_label: "troupe", name: "send", arguments: '{"to":"c1"}' });
  expect(scene.tools.calls.map(({ name }) => name)).toEqual(["look"]);
  const early = create("And?", { previous_response_id: first.id });
  await expect(early).rejects.toThrow(`waits for decisions. Send them first, without a message: ${asked!.id}`);
  const second = await create([decision(asked!.id, true)], { previous_response_id: first.id });
  expect(second).toMatchObject({ status: "completed", output_text: "Done.", previous_response_id: first.id });
  expect(second.output[0]).toMatchObject({
    type: "mcp_call",
    name: "send",
    approval_request_id: asked!.id,
    output: "send done",
    status: "completed",
  });
  // The same decision once more is the same response; both can be read again.
  expect(await create([decision(asked!.id, true)])).toMatchObject({ id: second.id, output: second.output });
  expect((await openai.responses.retrieve(first.id)).output).toEqual(first.output);
  expect((await openai.responses.retrieve(second.id)).output).toEqual(second.output);
  expect(scene.tools.calls.map(({ name }) => name)).toEqual(["look", "send"]);
});

test("[DIA-25] a stream ends with the request, continues after its numbers, and a denial reaches the model", async () => {
  scene.calling(["c1", "send"], ["c2", "send"]);
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of await openai.responses.create({
    model: scene.agent,
    input: "go",
    tools: [OWN],
    stream: true,
  }))
    events.push(event);
  const end = events.at(-1)!;
  expect(end.type).toBe("response.completed");
  const response = (end as OpenAI.Responses.ResponseCompletedEvent).response;
  const asked = requestsIn(response);
  expect(asked.length).toBe(2);
  for (const from of [0, 3, events.length - 2]) {
    const after = events[from]!.sequence_number;
    const rest: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of await openai.responses.retrieve(response.id, { stream: true, starting_after: after }))
      rest.push(event);
    expect(rest.at(-1)).toEqual(end);
    expect(rest.every(({ sequence_number: number }) => number > after)).toBe(true);
  }
  await expect(create([decision(asked[0]!.id, true)])).rejects.toThrow(
    `all of its decisions; missing: ${asked[1]!.id}`,
  );
  const done = await create([decision(asked[0]!.id, true), decision(asked[1]!.id, false, "Not now")]);
  expect(done.output_text).toBe("Done.");
  expect(done.output.flatMap((item) => (item.type === "mcp_call" ? [String(item.status)] : [])).toSorted()).toEqual([
    "completed",
    "failed",
  ]);
  expect(JSON.stringify(scene.service.model.calls.at(-1)!.entries)).toContain("Not now");
  expect(scene.tools.calls.length).toBe(1);
});

test("[DIA-25] a function of the client in the same step is asked for after the decision", async () => {
  scene.tools.clients.add("price");
  const lookup = { type: "function", name: "price", strict: false, parameters: { type: "object" } } as const;
  scene.service.model.script = (call) =>
    call.entries.length === 1 ? [use("c1", "send"), use("c2", "price")] : [{ say: "7 EUR." }];
  const first = await create("go", { tools: [OWN, lookup] });
  expect(kinds(first)).toEqual(["mcp_approval_request"]);
  const second = await create([decision(requestsIn(first)[0]!.id, true)]);
  const call = second.output.find((item) => item.type === "function_call");
  expect([second.status, call?.name]).toEqual(["completed", "price"]);
  const third = await create([{ type: "function_call_output", call_id: call!.call_id, output: "7" }]);
  expect(third).toMatchObject({ output_text: "7 EUR.", previous_response_id: second.id });
  expect(second.previous_response_id).toBe(first.id);
  const shown = [...first.output, ...second.output, ...third.output];
  expect(shown.filter((item) => item.type === "mcp_call").length).toBe(1);
});

test("[DIA-25] decisions need jobs:write, and belong to a call that waits", async () => {
  scene.calling(["c1", "send"]);
  const [asked] = requestsIn(await create("go"));
  const limited = await scene.service.tokenFor(scene.owner, { scopes: ["agents:read", "chats:read", "chats:write"] });
  const theirs = new OpenAI({ apiKey: limited.token, baseURL: `${scene.service.url}/openai/v1`, maxRetries: 0 });
  const tried = create([decision(asked!.id, true)], {}, theirs);
  await expect(tried).rejects.toThrow(/jobs:write/);
  await expect(create([decision("mcpr_nothing", true)])).rejects.toThrow(/belongs to no call/);
  await expect(create([{ ...decision(asked!.id, true), approve: "yes" as never }])).rejects.toThrow(/approve must be/);
  // Decided by a person meanwhile: the decision is left out.
  const [job] = (await scene.client.get<{ jobs: { id: string }[] }>("/api/jobs")).jobs;
  await scene.client.call("POST", `/api/jobs/${job!.id}/approve`, { decision: "deny" });
  expect((await create([decision(asked!.id, true)])).output_text).toBe("Done.");
  expect(scene.tools.calls.length).toBe(0);
});

test("[DIA-25] OpenAI's agents interrupt for a call of the agent's tools, and go on with what a person decides", async () => {
  scene.calling(["c1", "send"]);
  const modelProvider = new OpenAIProvider({ openAIClient: openai as never, useResponses: true });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const tools = [hostedMcpTool({ serverLabel: "troupe", serverUrl: scene.service.url, requireApproval: "always" })];
  const agent = new Agent({ name: "Shop", model: scene.agent, tools });
  const paused = await runner.run(agent, "go");
  expect(paused.interruptions?.map(({ rawItem }) => (rawItem as { name?: string }).name)).toEqual(["send"]);
  paused.state.approve(paused.interruptions![0]!);
  const done = await runner.run(agent, paused.state);
  expect(done.finalOutput).toBe("Done.");
  expect(scene.tools.calls.map(({ name }) => name)).toEqual(["send"]);
});
