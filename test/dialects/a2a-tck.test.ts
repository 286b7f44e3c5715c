/** What A2A's compatibility kit orders by a message's id, at an agent with the demo model, and only there. */
import { type Task, TaskState } from "@a2a-js/sdk";
import { beforeAll, expect, test } from "bun:test";
import { createModels } from "../../src/runner/models.ts";
import { answerOf, connectA2a, named, said, sending, textPart } from "../support/a2a-client.ts";
import { Client } from "../support/current.ts";
import { NO_MODELS } from "../support/model-calls.ts";
import { serviceOfFile } from "../support/scene.ts";

let a2a: Awaited<ReturnType<typeof connectA2a>>;
const service = serviceOfFile({ models: createModels({ ...NO_MODELS, model: "demo:echo" }) });
beforeAll(async () => {
  const owner = await service.found();
  const agent = await new Client(service, owner).agent();
  a2a = await connectA2a("JSONRPC", { url: service.url, token: owner.token, agent });
});

const ordered = async (prefix: string, fields: object = {}): Promise<Task> =>
  (await a2a.sendMessage(
    sending(said(textPart("TCK"), { messageId: `${prefix}-${crypto.randomUUID()}` }), fields),
  )) as Task;

test.each([
  ["tck-complete-task", TaskState.TASK_STATE_COMPLETED, "Hello from TCK"],
  ["tck-message-response", TaskState.TASK_STATE_COMPLETED, "Direct message response"],
  ["tck-artifact-text", TaskState.TASK_STATE_COMPLETED, "Generated text content"],
  ["tck-stream-artifact-chunked", TaskState.TASK_STATE_COMPLETED, "chunk-1 chunk-2"],
  ["tck-stream-001", TaskState.TASK_STATE_COMPLETED, "Stream hello from TCK"],
  ["tck-task-failure", TaskState.TASK_STATE_FAILED, ""],
])("[DIA-24] %s", async (prefix, state, answer) => {
  const task = await ordered(prefix);
  expect([task.status?.state, answerOf(task)]).toEqual([state, answer]);
});

test("[DIA-24] data is an artifact, input is asked for and answered, and a long task is canceled", async () => {
  const data = await ordered("tck-artifact-data");
  expect(data.artifacts.flatMap(({ parts }) => parts.map(({ content }) => content))).toContainEqual({
    $case: "data",
    value: { key: "value", count: 42 },
  });
  const asking = await ordered("tck-input-required");
  expect(asking.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  const done = (await a2a.sendMessage(sending(said(textPart("more"), { taskId: asking.id })))) as Task;
  expect([done.status?.state, answerOf(done)]).toEqual([TaskState.TASK_STATE_COMPLETED, "Done"]);
  const { id } = await ordered("tck-cancel", { returnImmediately: true });
  expect((await a2a.cancelTask(named(id))).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
});
