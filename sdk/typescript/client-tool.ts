/**
 * An agent with a tool that this program runs, and an answer that fits a schema. Kill it and the service at any
 * time, and start both again: keys make each request once, and the job goes on where it was.
 */
import { sendWithTools, Troupe } from "./troupe.ts";

const env = (name: string): string => process.env[name] ?? "";
const troupe = new Troupe({ baseUrl: env("TROUPE_URL"), token: env("TROUPE_TOKEN") });
/** The same for each start that goes on with the same work. */
const key = (step: string) => ({ idempotencyKey: `${env("RUN_KEY")}-${step}` });

const agent = await troupe.createAgent(
  {
    name: "Clerk",
    system_prompt: "Answer with the price of the article. Look it up.",
    tools: [
      {
        kind: "client",
        name: "lookup",
        description: "The price of an article",
        input_schema: { type: "object", properties: { article: { type: "string" } }, required: ["article"] },
      },
    ],
    output_schema: { type: "object", properties: { price: { type: "number" } }, required: ["price"] },
  },
  key("agent"),
);
const { workspaces } = await troupe.listWorkspaces();
const chat = await troupe.createChat({ agent_id: agent.id, workspace_id: workspaces[0]?.id ?? "" }, key("chat"));

const done = await sendWithTools(
  troupe,
  chat.id,
  {
    content: env("QUESTION"),
    tools: {
      lookup: async ({ article }: { article: string }) => (await fetch(`${env("PRICES_URL")}/${article}`)).text(),
    },
  },
  key("message"),
);
console.log(done.status, JSON.stringify(done.output));
