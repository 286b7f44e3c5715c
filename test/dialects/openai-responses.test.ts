/** Responses, through OpenAI's own client, unmodified. */
import { beforeEach, expect, test } from "bun:test";
import OpenAI from "openai";
import { until } from "../support/condition.ts";
import { answered } from "../support/current.ts";
import { sceneOfTest } from "../support/scene.ts";

type StreamEvent = OpenAI.Responses.ResponseStreamEvent;

let openai: OpenAI;
const { service, owner, client } = sceneOfTest();
beforeEach(async () => {
  await makeAgent("Clerk");
  openai = new OpenAI({ apiKey: owner.token, baseURL: `${service.url}/openai/v1`, maxRetries: 0 });
  service.model.script = ({ entries }) => [{ say: "echo: " }, { say: textOf(entries.at(-1)) }];
});

const makeAgent = (name: string) =>
  answered(client.call("POST", "/api/agents", { name, system_prompt: "Be brief." }), 201);
const textOf = (entry: unknown): string => (entry as { text?: string }).text ?? "";
const lookup = {
  type: "function",
  name: "lookup",
  description: "Price",
  strict: false,
  parameters: { type: "object", properties: { article: { type: "string" } } },
} as const;
const deltasOf = (events: readonly StreamEvent[]): string =>
  events.flatMap((event) => (event.type === "response.output_text.delta" ? [event.delta] : [])).join("");

test("[DIA-10] a response is answered, read again, continued after its id, and branched off", async () => {
  const first = await openai.responses.create({ model: "Clerk", input: "one", metadata: { ticket: "T-7" } });
  expect(first).toMatchObject({
    status: "completed",
    output_text: "echo: one",
    model: "Clerk",
    metadata: { ticket: "T-7" },
  });
  expect(first.usage?.total_tokens).toBeGreaterThan(0);
  expect(await openai.responses.retrieve(first.id)).toMatchObject({ id: first.id, output_text: "echo: one" });
  const second = await openai.responses.create({ model: "Clerk", input: "two", previous_response_id: first.id });
  expect(second).toMatchObject({ output_text: "echo: two", previous_response_id: first.id });
  expect(JSON.stringify(service.model.calls.at(-1)!.entries)).toContain("echo: one");
  // The first response is not the chat's last any more: this one does not see the second.
  const branch = await openai.responses.create({ model: "Clerk", input: "three", previous_response_id: first.id });
  expect(branch.output_text).toBe("echo: three");
  const seen = JSON.stringify(service.model.calls.at(-1)!.entries);
  expect([seen.includes("echo: one"), seen.includes("echo: two")]).toEqual([true, false]);
  const items = await openai.responses.inputItems.list(second.id);
  expect(items.data).toMatchObject([{ type: "message", role: "user", content: [{ type: "input_text", text: "two" }] }]);
});

test("[DIA-10] a conversation keeps its turns, and a deleted response is gone", async () => {
  const { id } = await openai.conversations.create();
  await openai.responses.create({ model: "Clerk", input: "one", conversation: id });
  const { id: last } = await openai.responses.create({ model: "Clerk", input: "two", conversation: { id } });
  expect(JSON.stringify(service.model.calls.at(-1)!.entries)).toContain("echo: one");
  expect(await openai.responses.retrieve(last)).toMatchObject({ conversation: { id } });
  await openai.responses.delete(last);
  const gone = openai.responses.retrieve(last).catch((err: unknown) => err);
  expect(await gone).toMatchObject({ status: 404 });
});

test("[DIA-10] a stream has the events of OpenAI's, and continues to the character after a sequence number", async () => {
  service.model.script = ({ entries }) =>
    entries.at(-1)!.role === "user"
      ? [
          { think: "The time." },
          { say: "Let me look. " },
          { use: { type: "tool_use", id: "t1", name: "current_time", input: {} } },
        ]
      : [{ say: "It is " }, { say: "noon." }];
  const events = await Array.fromAsync(await openai.responses.create({ model: "Clerk", input: "time?", stream: true }));
  expect(deltasOf(events)).toBe("Let me look. It is noon.");
  const last = events.at(-1) as OpenAI.Responses.ResponseCompletedEvent;
  expect(last.type).toBe("response.completed");
  expect(last.response.output.map(({ type }) => type).toSorted()).toEqual([
    "mcp_call",
    "message",
    "message",
    "reasoning",
  ]);
  const numbers = events.map(({ sequence_number: number }) => number);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  const { id } = last.response;
  const after = async (number: number): Promise<StreamEvent[]> =>
    Array.fromAsync(await openai.responses.retrieve(id, { stream: true, starting_after: number }));
  for (const [at, { sequence_number: number }] of events.entries()) {
    const rest = await after(number);
    expect(deltasOf(events.slice(0, at + 1)) + deltasOf(rest)).toBe("Let me look. It is noon.");
    expect(rest.filter(({ type }) => type !== "response.output_text.delta").map(({ type }) => type)).toEqual(
      events.slice(at + 1).flatMap(({ type }) => (type === "response.output_text.delta" ? [] : [type])),
    );
  }
  // A number in the middle of a text that is not the run's: an error, and no text that does not belong together.
  const middle = events.find(({ type }) => type === "response.output_text.delta")!.sequence_number;
  expect(await after(middle + 1).catch((err: unknown) => err)).toMatchObject({ code: "answer_restarted" });
  const beyond = after(numbers.at(-1)! + 2 ** 24).catch((err: unknown) => err);
  expect(await beyond).toMatchObject({ code: "answer_restarted" });
});

test("[DIA-3] functions of a response are client tools, and their outputs begin the next response of the run", async () => {
  service.model.script = ({ entries }) =>
    entries.at(-1)!.role === "user"
      ? [{ use: { type: "tool_use", id: "c1", name: "lookup", input: { article: "pen" } } }]
      : [{ say: "7 EUR" }];
  const first = await openai.responses.create({ model: "Clerk", input: "pen?", tools: [lookup] });
  const call = first.output.find(({ type }) => type === "function_call") as OpenAI.Responses.ResponseFunctionToolCall;
  expect(call).toMatchObject({ name: "lookup", arguments: '{"article":"pen"}' });
  const given = {
    model: "Clerk",
    previous_response_id: first.id,
    input: [{ type: "function_call_output" as const, call_id: call.call_id, output: "7" }],
  };
  const second = await openai.responses.create(given);
  expect(second).toMatchObject({ output_text: "7 EUR", previous_response_id: first.id });
  expect((await openai.responses.create(given)).id).toBe(second.id);
  expect((await openai.responses.retrieve(second.id)).output).toHaveLength(1);
  expect((await openai.responses.retrieve(first.id)).output).toMatchObject([{ type: "function_call" }]);
  // A message cannot take the place of a result, or come with it.
  const other = await openai.responses.create({ model: "Clerk", input: "pen?", tools: [lookup], conversation: "c" });
  const [asked] = other.output as OpenAI.Responses.ResponseFunctionToolCall[];
  const output = { type: "function_call_output" as const, call_id: asked!.call_id, output: "7" };
  const hello = { role: "user" as const, content: "hello" };
  for (const input of [[hello], [output, hello]])
    for (const place of [{ previous_response_id: other.id }, { conversation: "c" }]) {
      const early = openai.responses.create({ model: "Clerk", input, ...place }).catch((err: unknown) => err);
      const message = expect.stringContaining(asked!.call_id) as string;
      expect(await early).toMatchObject({ status: 400, param: "input", message });
    }
  const stray = { ...given, input: [{ ...given.input[0]!, call_id: "call_x" }] };
  const refused = openai.responses.create(stray).catch((err: unknown) => err);
  expect(await refused).toMatchObject({ status: 400, param: "input[0].call_id" });
});

test("[DIA-10] a background response is answered at once, followed, and cancelled", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  service.model.script = () => [{ say: "one " }, { hold: promise }, { say: "two" }];
  const { id, status } = await openai.responses.create({ model: "Clerk", input: "go", background: true });
  expect(["queued", "in_progress"]).toContain(status!);
  await until("some text is there", async () => (await openai.responses.retrieve(id)).output_text === "one ");
  const cancelled = await openai.responses.cancel(id);
  expect(cancelled).toMatchObject({ id, status: "cancelled" });
  resolve();
  await until("it is cancelled", async () => (await openai.responses.retrieve(id)).status === "cancelled");
});

test("[DIA-4] a response waits for a person's approval, and goes on with it", async () => {
  const made = client.call("POST", "/api/agents", {
    name: "Careful",
    system_prompt: "x",
    allowed_tools: ["create_task"],
    approval_tools: ["create_task"],
  });
  await answered(made, 201);
  service.model.script = ({ entries }) =>
    entries.at(-1)!.role === "user"
      ? [{ use: { type: "tool_use", id: "t1", name: "create_task", input: { title: "Call Ada" } } }]
      : [{ say: "Done." }];
  const answer = openai.responses.create({ model: "Careful", input: "do it" });
  const jobs = async () => (await client.get<{ jobs: { id: string; status: string }[] }>("/api/jobs")).jobs;
  await until("the job waits", async () => (await jobs()).some(({ status }) => status === "blocked"));
  const [job] = await jobs();
  await answered(client.call("POST", `/api/jobs/${job?.id}/approve`, { decision: "approve" }));
  const { output, output_text: text } = await answer;
  expect(text).toBe("Done.");
  expect(output).toMatchObject([{ type: "mcp_call", name: "create_task", status: "completed" }, { type: "message" }]);
});

test("[DIA-10] all new messages of the user are sent, and input that an existing chat cannot take is refused", async () => {
  const refusal = (params: object) =>
    openai.responses.create({ model: "Clerk", input: "x", ...params }).catch((err: unknown) => err);
  const user = (content: string) => ({ role: "user" as const, content });
  const first = await openai.responses.create({ model: "Clerk", input: "one" });
  const next = { model: "Clerk", input: [user("two"), user("three")], previous_response_id: first.id };
  expect((await openai.responses.create(next)).output_text).toBe("echo: two\n\nthree");
  const past = [user("two"), { role: "assistant" as const, content: "2" }, user("three")];
  const param = "input";
  expect(await refusal({ ...next, input: past })).toMatchObject({ status: 400, param });
  const { id } = await openai.conversations.create();
  await openai.responses.create({ model: "Clerk", input: past, conversation: id });
  expect(JSON.stringify(service.model.calls.at(-1)!.entries)).toContain("two");
  expect(await refusal({ input: past, conversation: id })).toMatchObject({ status: 400, param });
  await makeAgent("Other");
  expect(await refusal({ model: "Other", conversation: id })).toMatchObject({ status: 400, param: "model" });
  expect(await refusal({ conversation: "c".repeat(257) })).toMatchObject({ status: 400, param: "conversation" });
  const items = [{ type: "message" as const, ...user("zero") }];
  const kept = openai.conversations.create({ items }).catch((err: unknown) => err);
  expect(await kept).toMatchObject({ status: 400, param: "items" });
});

test("[DIA-10] of two continuations of one response at once, each sees only its own", async () => {
  const first = await openai.responses.create({ model: "Clerk", input: "one" });
  const { promise, resolve } = Promise.withResolvers<void>();
  service.model.script = ({ entries }) => [{ hold: promise }, { say: JSON.stringify(entries) }];
  const next = (input: string) => openai.responses.create({ model: "Clerk", input, previous_response_id: first.id });
  const both = [next("left"), next("right")];
  await until("both run", () => service.app.streams.count === 2);
  resolve();
  const [left, right] = await Promise.all(both);
  expect([left!.output_text.includes("right"), right!.output_text.includes("left")]).toEqual([false, false]);
  expect(left!.output_text).toContain("echo: one");
  expect(right!.output_text).toContain("echo: one");
});

test("[DIA-2] an answer that is cut off is no answer: clients retry, and join the run", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  service.model.script = () => [{ say: "one " }, { hold: promise }, { say: "two" }];
  const answers = [
    openai.responses.create({ model: "Clerk", input: "go" }),
    openai.chat.completions.create({ model: "Clerk", messages: [{ role: "user", content: "go" }] }),
  ].map((answer: Promise<unknown>) => answer.catch((err: unknown) => err as InstanceType<typeof OpenAI.APIError>));
  await until("both wait", () => service.app.streams.count === 2);
  // The service stops: this is the last test.
  service.app.streams.closeAll();
  for (const answer of answers) {
    const { status, headers } = (await answer) as InstanceType<typeof OpenAI.APIError>;
    expect([status, headers?.get("x-should-retry") ?? null]).toEqual([504, null]);
  }
  resolve();
});
