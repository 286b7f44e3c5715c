/** How many shell commands run at a time, and whose. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ORGANIZATION_SHELLS } from "../../src/wiring/shell-service.ts";
import { until } from "../support/condition.ts";
import { answered, Client, type Json } from "../support/current.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

const COMMANDS = ORGANIZATION_SHELLS + 3;

let service: Service;
const begun: string[] = [];
const ends: (() => void)[] = [];
const end = (): void => ends.splice(0).forEach((one) => one());
beforeAll(async () => {
  const run = async (command: string, { signal }: { readonly signal: AbortSignal }) => {
    begun.push(command);
    await new Promise<void>((resolve) => {
      ends.push(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    return { end: { kind: "exited", code: 0 }, output: "", isCut: false } as const;
  };
  service = await startService({
    resources: ({ folder }) => ({ shell: { shell: { run }, hosts: [], root: join(folder, "shells") } }),
  });
  // A message is the number of commands, and the name of each.
  service.model.script = ({ entries }) => {
    const [first] = entries;
    if (first?.role !== "user" || entries.some(({ role }) => role === "assistant")) return [{ say: "done" }];
    const [count, name] = first.text.split(" ");
    return Array.from({ length: Number(count) }, (_, i) => ({
      use: { type: "tool_use", id: `call_${i}`, name: "shell", input: { command: name! } },
    }));
  };
});
afterAll(() => service.stop());

async function ask(owner: Founded, message: string): Promise<{ readonly client: Client; readonly jobId: string }> {
  const client = new Client(service, owner);
  const body = { name: "Coder", system_prompt: "Code.", allowed_tools: ["shell"] };
  const agent = await answered<Json>(client.call("POST", "/api/agents", body), 201);
  const chat = await client.chat(agent["id"] as string, owner.workspaceId);
  const { job } = await client.send(chat, message);
  return { client, jobId: job.id };
}
const of = (name: string): number => begun.filter((command) => command === name).length;

test("[FAIR-4] an organization has a limited number of shell commands at once, and does not delay those of another", async () => {
  const many = await ask(await service.found(), `${COMMANDS} many`);
  await until("it has all that it may have", () => of("many") === ORGANIZATION_SHELLS);
  const other = await ask(await service.found(), "1 other");
  await until("the other one's command runs", () => of("other") === 1);
  expect(begun).toHaveLength(ORGANIZATION_SHELLS + 1);
  end();
  await other.client.reached(other.jobId, "completed");
  await until("the rest has its turn", () => {
    end();
    return of("many") === COMMANDS && ends.length === 0;
  });
  await many.client.reached(many.jobId, "completed");
});

test("[FAIR-4] a command that is stopped while it waits does not start", async () => {
  begun.length = 0;
  const many = await ask(await service.found(), `${COMMANDS} stopped`);
  await until("it has all that it may have", () => of("stopped") === ORGANIZATION_SHELLS);
  await answered(many.client.call("POST", `/api/jobs/${many.jobId}/cancel`, {}));
  await many.client.reached(many.jobId, "cancelled");
  expect(of("stopped")).toBe(ORGANIZATION_SHELLS);
});
