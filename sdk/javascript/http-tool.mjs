/** An agent whose tools are operations of an API, taken from its OpenAPI document. */
import { Troupe } from "./troupe.mjs";
const env = (name) => process.env[name] ?? "";
const troupe = new Troupe({ baseUrl: env("TROUPE_URL"), token: env("TROUPE_TOKEN") });
const url = `${env("PRICES_URL")}/openapi.json`;
const agent = await troupe.createAgent({ name: "Clerk", system_prompt: "Look prices up." });
// What there is, and what it would become: nothing is stored.
const { operations } = await troupe.importAgentTools(agent.id, { url, dry_run: true });
console.log(operations.map(({ operation_id }) => operation_id).join(", "));
await troupe.importAgentTools(agent.id, { url, operations: ["getPrice"], retry: { times: 3 } });
const { workspaces } = await troupe.listWorkspaces();
const chat = await troupe.createChat({ agent_id: agent.id, workspace_id: workspaces[0]?.id ?? "" });
const { job } = await troupe.sendMessage(chat.id, { content: env("QUESTION") });
let done = await troupe.getJob(job.id);
while (!["completed", "failed", "cancelled"].includes(done.status))
    done = (await troupe.waitForJob(job.id, { since_version: done.version, wait: 20 })) ?? done;
console.log(done.status, done.result);
