/** Push notifications of A2A, set by its published client over both transports, and taken by a receiver over TLS. */
import { type Task, type TaskPushNotificationConfig, TaskState } from "@a2a-js/sdk";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { connectA2a, named, said, sending, textPart, TRANSPORTS } from "../support/a2a-client.ts";
import { use } from "../support/approval-scene.ts";
import { until } from "../support/condition.ts";
import { answered, Client, type Json } from "../support/current.ts";
import { createEgressWorld, type EgressWorld } from "../support/egress-world.ts";
import { gate } from "../support/fake-model.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { type Delivery, startReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

let world: EgressWorld;
let service: Service;
let owner: Founded;
let http: Client;
let agent: string;
let receiver: WebhookReceiver;
beforeAll(async () => {
  world = createEgressWorld();
  service = await startService({ egress: world.client(), tools: new FakeTools() });
});
afterAll(async () => {
  await service.stop();
  await world.end();
});
beforeEach(async () => {
  owner = await service.found();
  http = new Client(service, owner);
  agent = await http.agent({ allowed_tools: ["look", "send"], approval_tools: ["send"] });
  receiver = startReceiver(world);
  service.model.script = () => [{ say: "done" }];
});
afterEach(() => receiver.stop());

type Binding = keyof typeof TRANSPORTS;
const connect = (binding: Binding) => connectA2a(binding, { url: service.url, token: owner.token, agent });
const config = (taskId: string, fields: Partial<TaskPushNotificationConfig> = {}): TaskPushNotificationConfig => ({
  tenant: "",
  id: "",
  taskId,
  url: receiver.url,
  token: "tok-1",
  authentication: { scheme: "Bearer", credentials: "s3cret" },
  ...fields,
});

interface PushedStatus {
  readonly state: string;
}
/** What a delivery says: the task's state, and how it was sent. */
function pushed({ event }: Delivery): { readonly state: string; readonly taskId: string; readonly isWhole: boolean } {
  const { statusUpdate, task } = event as unknown as {
    readonly statusUpdate?: { readonly taskId: string; readonly status: PushedStatus };
    readonly task?: { readonly id: string; readonly status: PushedStatus };
  };
  return {
    state: (task ?? statusUpdate)!.status.state,
    taskId: task?.id ?? statusUpdate!.taskId,
    isWhole: task !== undefined,
  };
}
const states = (): string[] => receiver.deliveries.map((one) => pushed(one).state);
const told = (state: string): Promise<void> => until(`${state} was told`, () => states().includes(state));
const ledger = async (): Promise<readonly (Json & { readonly status: string; readonly pushed_job_id: string })[]> =>
  (
    await http.get<{ deliveries: (Json & { status: string; pushed_job_id: string })[] }>(
      "/api/messaging-integration/deliveries?limit=100",
    )
  ).deliveries;

describe.each(Object.keys(TRANSPORTS) as Binding[])("%s", (binding) => {
  test("[DIA-18] an address that is sent with a message gets each state, with the token and the credentials", async () => {
    const client = await connect(binding);
    const tools = gate();
    service.model.script = (call) =>
      call.entries.length === 1 ? [{ say: "one" }, { hold: tools.hold }, use("c1", "send")] : [{ say: "two" }];
    const message = said(textPart("go"));
    const configuration = { returnImmediately: true, taskPushNotificationConfig: config("") };
    const task = (await client.sendMessage(sending(message, configuration))) as Task;
    await told("TASK_STATE_WORKING");
    tools.open();
    await told("TASK_STATE_INPUT_REQUIRED");
    await client.sendMessage(sending(said(textPart("approve"), { taskId: task.id })));
    await told("TASK_STATE_COMPLETED");
    const last = receiver.deliveries.at(-1)!;
    expect(pushed(last)).toEqual({ state: "TASK_STATE_COMPLETED", taskId: task.id, isWhole: true });
    expect(JSON.stringify(last.event)).toContain("one\\n\\ntwo");
    for (const { headers } of receiver.deliveries)
      expect(headers).toMatchObject({
        authorization: "Bearer s3cret",
        "x-a2a-notification-token": "tok-1",
        "content-type": "application/a2a+json",
        "a2a-version": "1.0",
      });
    await until("all are in the ledger", async () => (await ledger()).every(({ status }) => status !== "pending"));
    const rows = await ledger();
    expect(rows.every((row) => row["trigger"] === "push" && row.pushed_job_id === task.id)).toBe(true);
    expect(rows.filter(({ status }) => status === "success").length).toBe(receiver.deliveries.length);
    // The same message once more adds nothing.
    await client.sendMessage(sending(message, configuration));
    expect(
      (await client.listTaskPushNotificationConfig({ tenant: "", taskId: task.id, pageSize: 0, pageToken: "" })).configs
        .length,
    ).toBe(1);
  });

  test("[DIA-18] addresses of a task are created, read, listed and deleted; secrets are not shown", async () => {
    const client = await connect(binding);
    const { hold, open } = gate();
    service.model.script = () => [{ say: "begun" }, { hold }, { say: "." }];
    const { id: taskId } = (await client.sendMessage(
      sending(said(textPart("go")), { returnImmediately: true }),
    )) as Task;
    const shown = {
      tenant: "",
      taskId,
      url: receiver.url,
      token: "",
      authentication: { scheme: "Bearer", credentials: "" },
    };
    const first = await client.createTaskPushNotificationConfig(config(taskId, { id: "mine" }));
    expect(first).toEqual({ ...shown, id: "mine" });
    const second = await client.createTaskPushNotificationConfig(config(taskId, { authentication: undefined }));
    expect(second.id).toStartWith("push_");
    expect(await client.getTaskPushNotificationConfig({ tenant: "", taskId, id: "mine" })).toMatchObject({
      url: receiver.url,
    });
    const list = async () =>
      (await client.listTaskPushNotificationConfig({ tenant: "", taskId, pageSize: 0, pageToken: "" })).configs;
    expect((await list()).map(({ id }) => id)).toEqual(["mine", second.id]);
    await client.deleteTaskPushNotificationConfig({ tenant: "", taskId, id: "mine" });
    await client.deleteTaskPushNotificationConfig({ tenant: "", taskId, id: "mine" });
    expect((await list()).map(({ id }) => id)).toEqual([second.id]);
    await expect(client.getTaskPushNotificationConfig({ tenant: "", taskId, id: "mine" })).rejects.toThrow(
      /o such push/,
    );
    open();
    await told("TASK_STATE_COMPLETED");
    expect(receiver.deliveries.map(({ headers }) => headers["authorization"] ?? null)).toEqual([null]);
  });

  test("[DIA-18] an address that is added after the end gets the end at once", async () => {
    const client = await connect(binding);
    const { id } = (await client.sendMessage(sending(said(textPart("go"))))) as Task;
    await client.createTaskPushNotificationConfig(config(id));
    await told("TASK_STATE_COMPLETED");
    expect(states()).toEqual(["TASK_STATE_COMPLETED"]);
  });

  test("[DIA-18] an invalid address is refused with its field, and begins nothing", async () => {
    const client = await connect(binding);
    const before = service.model.calls.length;
    const bad = [
      [{ url: "https://10.1.2.3/x" }, /not public/],
      [{ url: "http://example.com/x" }, /https/],
      [{ token: "a\nb" }, /token must be printable/],
      [{ authentication: { scheme: "B earer", credentials: "" } }, /scheme must be/],
    ] as const;
    for (const [fields, words] of bad) {
      const configuration = { taskPushNotificationConfig: config("", fields) };
      await expect(client.sendMessage(sending(said(textPart("go")), configuration))).rejects.toThrow(words);
    }
    expect(service.model.calls.length).toBe(before);
    await expect(client.createTaskPushNotificationConfig(config("job_nothere"))).rejects.toMatchObject({
      name: "TaskNotFoundError",
    });
  });
});

test("[DIA-18] the card says that the agent pushes", async () => {
  const card = await http.get<{ capabilities: Json }>(`/a2a/agents/${agent}/.well-known/agent-card.json`);
  expect(card.capabilities["pushNotifications"]).toBe(true);
});

test("[DIA-18] a failed notification is tried again, with the newest state only; 410 removes the address", async () => {
  const client = await connect("JSONRPC");
  const { hold, open } = gate();
  service.model.script = () => [{ say: "begun" }, { hold }, { say: "." }];
  receiver.respond = (_, count) => new Response("", { status: count === 1 ? 503 : 200 });
  const configuration = { returnImmediately: true, taskPushNotificationConfig: config("") };
  const { id: taskId } = (await client.sendMessage(sending(said(textPart("go")), configuration))) as Task;
  await until("the first attempt has failed", () => receiver.deliveries.length === 1);
  open();
  await told("TASK_STATE_COMPLETED");
  await until("nothing waits", async () => (await ledger()).every(({ status }) => status !== "pending"));
  expect(states().filter((state) => state === "TASK_STATE_COMPLETED").length).toBe(1);
  expect((await ledger()).map(({ status }) => status).toSorted()).toEqual(["retrying", "skipped", "success"]);

  receiver.respond = () => new Response("", { status: 410 });
  const { id: other } = (await client.sendMessage(sending(said(textPart("go")), configuration))) as Task;
  expect(other).not.toBe(taskId);
  const list = { tenant: "", taskId: other, pageSize: 0, pageToken: "" };
  await until(
    "the address is gone",
    async () => (await client.listTaskPushNotificationConfig(list)).configs.length === 0,
  );
});

test("[DIA-18] the address of a removed person gets nothing more", async () => {
  const person = await service.join(owner.organizationId);
  const shared = await http.agent({ name: "Bo", visibility: "organization" });
  const client = await connectA2a("HTTP+JSON", { url: service.url, token: person.token, agent: shared });
  const { hold, open } = gate();
  service.model.script = () => [{ say: "begun" }, { hold }, { say: "." }];
  const configuration = { returnImmediately: true, taskPushNotificationConfig: config("") };
  const { id } = (await client.sendMessage(sending(said(textPart("go")), configuration))) as Task;
  await told("TASK_STATE_WORKING");
  const before = receiver.deliveries.length;
  await answered(http.call("DELETE", `/api/members/${person.userId}`));
  open();
  await http.reached(id, "completed");
  await until("the last state is left out", async () => (await ledger()).some(({ status }) => status === "skipped"));
  expect(receiver.deliveries.length).toBe(before);
});

test("[DIA-18] pushes go on while the organization's own delivery is off, and leave its state alone", async () => {
  const off = { url: receiver.url, enabled: false };
  await answered(http.call("PUT", "/api/messaging-integration", off), 201);
  receiver.respond = () => new Response("", { status: 400 });
  const client = await connect("HTTP+JSON");
  const configuration = { taskPushNotificationConfig: config("") };
  const { id } = (await client.sendMessage(sending(said(textPart("go")), configuration))) as Task;
  await until("it was told", async () => (await ledger()).some(({ status }) => status === "failed"));
  expect(await http.get<Json>("/api/messaging-integration")).toMatchObject({
    enabled: false,
    last_failure_at: null,
    undelivered: null,
  });
  const [row] = await ledger();
  expect(row).toMatchObject({ pushed_job_id: id, allowed_actions: [] });
  const again = `/api/messaging-integration/deliveries/${String(row!["id"])}/redeliver`;
  expect((await http.call("POST", again)).status).toBe(409);
});

test("[DIA-18] a task has at most 8 addresses; callers who may not write jobs cannot add one", async () => {
  const client = await connect("JSONRPC");
  const { hold, open } = gate();
  service.model.script = () => [{ say: "begun" }, { hold }, { say: "." }];
  const { id } = (await client.sendMessage(sending(said(textPart("go")), { returnImmediately: true }))) as Task;
  for (let i = 0; i < 8; i++) await client.createTaskPushNotificationConfig(config(id, { id: `c${i}` }));
  await expect(client.createTaskPushNotificationConfig(config(id, { id: "c8" }))).rejects.toThrow(/at most 8/);
  await client.createTaskPushNotificationConfig(config(id, { id: "c7", token: "other" }));
  const reader = await service.tokenFor(owner, { scopes: ["agents:read", "jobs:read", "chats:write"] });
  const theirs = await connectA2a("JSONRPC", { url: service.url, token: reader.token, agent });
  await expect(theirs.createTaskPushNotificationConfig(config(id))).rejects.toThrow(/jobs:write/);
  const configuration = { taskPushNotificationConfig: config("") };
  await expect(theirs.sendMessage(sending(said(textPart("go")), configuration))).rejects.toThrow(/jobs:write/);
  await client.cancelTask(named(id));
  open();
  await until("all were told the end", () => states().filter((state) => state === "TASK_STATE_CANCELED").length === 8);
  const cancelled = await client.getTask({ tenant: "", id });
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
});

test("[DIA-18] a token is stored encrypted, and forgotten after the end", async () => {
  const client = await connect("JSONRPC");
  const configuration = { taskPushNotificationConfig: config("", { token: "tok-stored" }) };
  const { id } = (await client.sendMessage(sending(said(textPart("go")), configuration))) as Task;
  const stored = async (): Promise<string> => {
    const rows = await service.database.read`select body from webhook_destination where id = ${id}`;
    const body: unknown = rows[0]?.["body"] ?? null;
    return typeof body === "string" ? body : JSON.stringify(body);
  };
  await told("TASK_STATE_COMPLETED");
  await until("it is forgotten", async () => (await stored()).replaceAll(" ", "").includes('"sealed":null'));
  for (const name of ["webhook_destination", "webhook_event", "webhook_attempt", "idempotency_key", "job", "message"]) {
    const rows = await service.database.read`select to_jsonb(t)::text as text from ${service.database.read(name)} t`;
    for (const row of rows) expect(String(row["text"])).not.toContain("tok-stored");
  }
});
