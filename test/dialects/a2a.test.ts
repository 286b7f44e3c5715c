/** Agent2Agent 1.0 over HTTP, by the client that its project publishes, over both of its transports. */
import { type Task, TaskState } from "@a2a-js/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  answerOf,
  connectA2a,
  dataPart,
  named,
  said,
  sending,
  Shown,
  textOf,
  textPart,
  TRANSPORTS,
} from "../support/a2a-client.ts";
import { jobRef } from "../../actors/job/schema.ts";
import { ApprovalScene, use } from "../support/approval-scene.ts";
import { until } from "../support/condition.ts";
import { answered } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { type Caller, startService } from "../support/service.ts";

let scene: ApprovalScene;
beforeAll(async () => void (scene = await ApprovalScene.start()));
afterAll(() => scene.service.stop());
beforeEach(() => scene.reset());

const connect = (binding: keyof typeof TRANSPORTS, by: Caller = scene.owner, agent = scene.agent) =>
  connectA2a(binding, { url: scene.service.url, token: by.token, agent });

describe.each(Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[])("%s", (binding) => {
  let client: Awaited<ReturnType<typeof connect>>;
  beforeAll(async () => {
    client = await connect(binding);
  });

  test("[DIA-12] a message is answered by a task, whose context is a chat that the next message continues", async () => {
    scene.service.model.script = (call) => [{ say: `echo ${call.entries.length}` }];
    const task = (await client.sendMessage(sending(said(textPart("hello"), { messageId: `m-${binding}` })))) as Task;
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(answerOf(task)).toBe("echo 1");
    expect(task.history.map(({ messageId, parts }) => [messageId, textOf(parts)])).toEqual([[`m-${binding}`, "hello"]]);
    const next = (await client.sendMessage(sending(said(textPart("again"), { contextId: task.contextId })))) as Task;
    expect(answerOf(next)).toBe("echo 3");
    expect(next.contextId).toBe(task.contextId);
    expect(next.id).not.toBe(task.id);
    expect(await client.getTask({ tenant: "", id: next.id })).toEqual(next);
    const listed = await client.listTasks({
      tenant: "",
      contextId: task.contextId,
      status: TaskState.TASK_STATE_COMPLETED,
      pageSize: 1,
      pageToken: "",
      statusTimestampAfter: undefined,
    });
    expect(listed.tasks.map(({ id }) => id)).toEqual([next.id]);
    expect(listed.nextPageToken).not.toBe("");
  });

  test("[DIA-2] a message with the same id is the same task, also as a stream", async () => {
    const message = said(textPart("once"));
    const first = (await client.sendMessage(sending(message))) as Task;
    const again = (await client.sendMessage(sending(message))) as Task;
    const streamed = await new Shown().all(client.sendMessageStream(sending(message)));
    expect([again.id, streamed.task]).toEqual([first.id, await client.getTask({ tenant: "", id: first.id })]);
    const other = await scene.client.agent({ name: "Another" });
    const elsewhere = (await connect(binding, scene.owner, other)).sendMessageStream(
      sending({ ...message, contextId: first.contextId }),
    );
    await expect(new Shown().all(elsewhere)).rejects.toThrow();
    await answered(scene.client.call("DELETE", `/api/chats/${first.contextId}`));
    const late = (await client.sendMessage(sending(message))) as Task;
    expect([late.id, scene.service.model.calls.length]).toEqual([first.id, 1]);
  });

  test("[DIA-2] a message that is sent again long after is the same task, whatever of it is in memory", async () => {
    const { service } = scene;
    const body = { name: "Another", system_prompt: "Be brief." };
    const { id: agent } = await answered<{ id: string }>(scene.client.call("POST", "/api/agents", body), 201);
    const message = said(textPart("once"));
    const to = await connect(binding, scene.owner, agent);
    const first = (await to.sendMessage(sending(message))) as Task;
    const again = async (): Promise<string> => ((await to.sendMessage(sending(message))) as Task).id;
    const forget = () => service.system.actors.passivate(Number.POSITIVE_INFINITY);
    forget();
    // Its run is in memory, and its chat is not.
    await service.system.dispatch(jobRef(scene.owner.organizationId, first.id), { kind: "read_job" });
    expect(await again()).toBe(first.id);
    service.system.wrongGuesses.delete(scene.owner.organizationId);
    forget();
    expect(await again()).toBe(first.id);
    service.system.wrongGuesses.delete(scene.owner.organizationId);
    forget();
    await answered(scene.client.call("DELETE", `/api/agents/${agent}`));
    expect([await again(), service.model.calls.length]).toEqual([first.id, 1]);
  });

  test("[DIA-13] a stream has the task, its states and the pieces of its answer", async () => {
    scene.calling(["c1", "look"]);
    const shown = await new Shown().all(client.sendMessageStream(sending(said(textPart("go")))));
    expect(shown.states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(shown.states).toContain(TaskState.TASK_STATE_WORKING);
    expect(shown.answer).toBe("Let me. \n\nDone.");
    expect(shown.data).toEqual([
      { tool_call: { id: "c1", name: "look", arguments: { to: "c1" }, by: "agent" } },
      { tool_result: { tool_call_id: "c1", content: "look done", is_error: false } },
    ]);
    const task = await client.getTask({ tenant: "", id: shown.task!.id });
    expect(answerOf(task)).toBe(shown.answer);
  });

  test("[DIA-13] a client that subscribes in the middle gets the task first, then what is new, and no text twice", async () => {
    const { hold, open } = gate();
    scene.service.model.script = () => [{ say: "one " }, { hold }, { say: "two" }];
    const begun = (await client.sendMessage(sending(said(textPart("go")), { returnImmediately: true }))) as Task;
    await scene.service.model.called(1);
    const shown = new Shown();
    for await (const one of client.resubscribeTask({ tenant: "", id: begun.id })) {
      shown.take(one);
      if (shown.answer === "one ") open();
    }
    expect(shown.task?.id).toBe(begun.id);
    expect(shown.answer).toBe("one two");
    expect(shown.states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
    const late = new Shown().all(client.resubscribeTask({ tenant: "", id: begun.id }));
    await expect(late).rejects.toThrow(/nothing to subscribe to/);
  });

  test("[DIA-14] a task that waits for an approval is input-required, and a message decides it", async () => {
    scene.calling(["c1", "send"]);
    const message = said(textPart("go"));
    const shown = await new Shown().all(client.sendMessageStream(sending(message)));
    expect(shown.states.at(-1)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const { id } = shown.task!;
    const again = await new Shown().all(client.sendMessageStream(sending(message)));
    expect(again.task).toEqual(await client.getTask({ tenant: "", id }));
    expect(shown.data.at(-1)).toMatchObject({ approvals: [{ tool_name: "send", tool_call_id: "c1" }] });
    await expect(client.sendMessage(sending(said(textPart("what?"), { taskId: id })))).rejects.toThrow(/approve/);
    const rest = await new Shown().all(client.sendMessageStream(sending(said(textPart("Approve"), { taskId: id }))));
    expect(rest.states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(rest.answer).toBe("Let me. \n\nDone.");
    expect(scene.tools.calls.map(({ name }) => name)).toEqual(["send"]);
  });

  test("[DIA-14] a denial of one call as data reaches the model", async () => {
    scene.calling(["c1", "send"], ["c2", "send"]);
    const task = (await client.sendMessage(sending(said(textPart("go"))))) as Task;
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const [asked] = (task.status?.message?.parts ?? []).flatMap(({ content }) =>
      content?.$case === "data" ? [content.value as { readonly approvals: readonly { readonly id: string }[] }] : [],
    );
    const approvals = asked!.approvals.map(({ id }, i) => ({
      approval_id: id,
      decision: i === 0 ? "approve" : "deny",
    }));
    const done = (await client.sendMessage(sending(said(dataPart({ approvals }), { taskId: task.id })))) as Task;
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(scene.tools.calls.length).toBe(1);
  });

  test("[DIA-12] a running task is canceled; one that has ended is not", async () => {
    const { hold, open } = gate();
    scene.service.model.script = () => [{ say: "begun" }, { hold }];
    const begun = (await client.sendMessage(sending(said(textPart("go")), { returnImmediately: true }))) as Task;
    await scene.service.model.called(1);
    const cancelled = await client.cancelTask(named(begun.id));
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(client.cancelTask(named(begun.id))).rejects.toMatchObject({ name: "TaskNotCancelableError" });
    await expect(client.sendMessage(sending(said(textPart("more"), { taskId: begun.id })))).rejects.toMatchObject({
      name: "UnsupportedOperationError",
    });
    open();
  });

  test("[DIA-12] errors are those of A2A, and name the field", async () => {
    await expect(client.getTask({ tenant: "", id: "job_nothere" })).rejects.toMatchObject({
      name: "TaskNotFoundError",
    });
    await expect(client.sendMessage(sending(said(textPart(""), { parts: [] })))).rejects.toMatchObject({
      name: "RequestMalformedError",
      message: expect.stringContaining("message.parts"),
    });
  });

  test("[DIA-12] callers who may not write, or may not read work, begin nothing, and strangers find nothing", async () => {
    const { service, owner } = scene;
    const reader = await service.tokenFor(owner, { scopes: ["agents:read", "jobs:read"] });
    await expect((await connect(binding, reader)).sendMessage(sending(said(textPart("hi"))))).rejects.toThrow(
      /chats:write/,
    );
    const writer = await service.tokenFor(owner, { scopes: ["agents:read", "chats:write"] });
    const before = service.model.calls.length;
    await expect((await connect(binding, writer)).sendMessage(sending(said(textPart("hi"))))).rejects.toThrow(
      /jobs:read/,
    );
    expect(service.model.calls.length).toBe(before);
    const stranger = await service.found("Stranger");
    await expect(connect(binding, stranger)).rejects.toThrow(/404/);
  });
});

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("[DIA-12] another version of A2A, or none, is refused with the header to send", async () => {
  const at = `/a2a/agents/${scene.agent}/tasks`;
  const answer = await scene.service.call(scene.owner, "GET", at);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    error: {
      status: "FAILED_PRECONDITION",
      message: expect.stringContaining("A2A-Version: 1.0"),
      details: [{ reason: "VERSION_NOT_SUPPORTED" }],
    },
  });
  const rpc = { jsonrpc: "2.0", id: 7, method: "GetTask", params: { id: "job_x" } };
  const told = await scene.service.call(scene.owner, "POST", `/a2a/rpc/agents/${scene.agent}`, rpc);
  expect([told.status, await told.json()]).toMatchObject([200, { id: 7, error: { code: -32009 } }]);
});

test("[DIA-14] an answer that is sent again means the same, and is executed once", async () => {
  const client = await connect("JSONRPC");
  const { hold, open } = gate();
  scene.service.model.script = (call) =>
    call.entries.length === 1 ? [use("c1", "send")] : [{ say: "Done" }, { hold }, { say: "." }];
  const { id } = (await client.sendMessage(sending(said(textPart("go"))))) as Task;
  const approve = said(textPart("approve"), { taskId: id });
  await client.sendMessage(sending(approve, { returnImmediately: true }));
  await scene.service.model.called(2);
  const again = (await client.sendMessage(sending(approve, { returnImmediately: true }))) as Task;
  expect([again.id, again.status?.state]).toEqual([id, TaskState.TASK_STATE_WORKING]);
  open();
  await until("the task is over", async () => answerOf(await client.getTask({ tenant: "", id })) === "Done.");
  const late = (await client.sendMessage(sending(approve))) as Task;
  expect([late.id, answerOf(late)]).toEqual([id, "Done."]);
  expect(scene.service.model.calls.length).toBe(2);
  const other = client.sendMessage(sending({ ...approve, parts: [textPart("deny")] }));
  await expect(other).rejects.toThrow(/different input/);
});

test("[DIA-14] a message steers the task that it names, with its images, and no task that waits for its turn", async () => {
  const client = await connect("HTTP+JSON");
  const { hold, open } = gate();
  scene.service.model.script = ({ entries }) => (entries.length === 1 ? [{ say: "one" }, { hold }] : [{ say: "two" }]);
  const first = (await client.sendMessage(sending(said(textPart("go")), { returnImmediately: true }))) as Task;
  await scene.service.model.called(1);
  const after = said(textPart("next"), { contextId: first.contextId });
  const queued = (await client.sendMessage(sending(after, { returnImmediately: true }))) as Task;
  expect(queued.status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
  const early = said(textPart("for the second"), { taskId: queued.id });
  await expect(client.sendMessage(sending(early, { returnImmediately: true }))).rejects.toThrow(/has not begun/);
  const image = { ...textPart(""), content: { $case: "raw" as const, value: PIXEL }, mediaType: "image/png" };
  const steering = said(textPart(""), { taskId: first.id, parts: [textPart("see this"), image] });
  await client.sendMessage(sending(steering, { returnImmediately: true }));
  open();
  await scene.service.model.called(3);
  const heard = scene.service.model.calls.map(({ entries }) => JSON.stringify(entries.at(-1)));
  expect([heard[1]?.includes("see this"), heard[1]?.includes("image/png"), heard[2]?.includes("next")]).toEqual([
    true,
    true,
    true,
  ]);
  expect(heard.join("")).not.toContain("for the second");
});

test("[DIA-14] a tool that the client runs gets its result by a message, and the model reads a file of a message", async () => {
  const service = await startService();
  try {
    const owner = await service.found();
    const tools = [{ kind: "client", name: "price", description: "A price", input_schema: { type: "object" } }];
    const body = { name: "Clerk", system_prompt: "Be brief.", tools };
    const { id } = (await (await service.call(owner, "POST", "/api/agents", body)).json()) as { id: string };
    const clerk = await connectA2a("HTTP+JSON", { url: service.url, token: owner.token, agent: id });
    service.model.script = (call) =>
      call.entries.length === 1
        ? [{ use: { type: "tool_use", id: "c9", name: "price", input: { of: "tea" } } }]
        : [{ say: "7 EUR it is." }];
    const image = { ...textPart(""), content: { $case: "raw" as const, value: PIXEL }, mediaType: "image/png" };
    const asked = said(textPart(""), { parts: [textPart("How much?"), image] });
    const task = (await clerk.sendMessage(sending(asked))) as Task;
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(JSON.stringify(service.model.calls[0]?.entries[0])).toContain("image/png");
    const shown = await new Shown().all(clerk.sendMessageStream(sending(said(textPart("7 EUR"), { taskId: task.id }))));
    expect(shown.answer).toBe("7 EUR it is.");
    expect(shown.states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
  } finally {
    await service.stop();
  }
});
