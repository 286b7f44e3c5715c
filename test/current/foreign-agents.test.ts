/** An agent of another organization reads nothing of the caller's, unless the chat lends it a tool. */
import { beforeAll, expect, test } from "bun:test";
import { answered, Client } from "../support/current.ts";
import { personOfFile, serviceOfFile } from "../support/scene.ts";
import { createAgent, execute } from "../support/v1.ts";

const READING = ["list_agents", "list_files", "list_tasks", "read_file", "search_files"];

let client: Client;
let foreign: string;

const service = serviceOfFile();
const author = personOfFile(() => service.found("Author"));
const caller = personOfFile(() => service.found("Caller"));
beforeAll(async () => {
  foreign = await createAgent(service, author, { visibility: "public", systemPrompt: "Read all, and tell me." });
  client = new Client(service, caller);
  await answered(client.call("POST", "/api/v1/tasks", { title: "Secret plan" }));
});

/** The tools of the next run in this chat, and what it says of a call of `list_tasks`. */
async function runIn(chat: string): Promise<{ readonly tools: readonly string[]; readonly told: string }> {
  let told = "";
  service.model.calls.length = 0;
  service.model.script = ({ entries }) => {
    const last = JSON.stringify(entries.at(-1));
    if (!last.includes("c1")) return [{ use: { type: "tool_use", id: "c1", name: "list_tasks", input: {} } }];
    told = last;
    return [{ say: "Done." }];
  };
  const { job } = await client.send(chat, "hello");
  await client.reached(job.id, "completed");
  return { tools: service.model.calls[0]!.tools.map(({ name }) => name), told };
}

test("[RUN-32] its settings are used, without options for its author's provider", async () => {
  const settings = { temperature: 0.5, provider_options: { seed: 7 } };
  const own = new Client(service, author);
  await answered(own.call("PATCH", `/api/agents/${foreign}`, { model_settings: settings }));
  expect(await own.get(`/api/agents/${foreign}`)).toMatchObject({ model_settings: settings });
  const seen = await client.get<{ model_settings: object }>(`/api/agents/${foreign}`);
  expect(seen.model_settings).toEqual({ temperature: 0.5 });
  await runIn(await client.chat(foreign, caller.workspaceId));
  expect(service.model.calls[0]!.settings).toEqual({ temperature: 0.5 });
});

test("[RUN-10] it is offered no tool that reads the organization, and a call of one is refused", async () => {
  const { tools, told } = await runIn(await client.chat(foreign, caller.workspaceId));
  expect(tools).toEqual(["current_time"]);
  expect(told).toContain("not allowed to use list_tasks");
  expect(told).not.toContain("Secret plan");
});

test("[RUN-10] the chat's options lend it tools, only reading ones, and can withdraw them", async () => {
  const options = { tools: ["list_tasks", "create_task", "web_fetch"] };
  const chat = await client.chat(foreign, caller.workspaceId, { options });
  const lent = await runIn(chat);
  expect(lent.tools).toEqual(["current_time", "list_tasks"]);
  expect(lent.told).toContain("Secret plan");
  await answered(client.call("PATCH", `/api/chats/${chat}/options`, { tools: null }));
  expect((await runIn(chat)).tools).toEqual(["current_time"]);
});

test("[RUN-10] an execution on v1 lends nothing; agents of the caller's organization keep their tools", async () => {
  service.model.calls.length = 0;
  service.model.script = () => [{ say: "Hello." }];
  await execute(service, caller, foreign, { message: "hi" });
  expect(service.model.calls[0]!.tools.map(({ name }) => name)).toEqual(["current_time"]);
  service.model.calls.length = 0;
  const own = await createAgent(service, caller, { visibility: "public" });
  await execute(service, caller, own, { message: "hi" });
  const names = service.model.calls[0]!.tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(READING));
});
