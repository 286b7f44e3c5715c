// The loop as a workflow of DBOS, each call a step in PostgreSQL.
import { DBOS } from "@dbos-inc/dbos-sdk";
import { runAgent, serveAgent } from "./agent-loop.mjs";

DBOS.setConfig({ name: "compare", systemDatabaseUrl: process.env.DATABASE_URL, logLevel: "warn" });
const workflow = DBOS.registerWorkflow((input) => runAgent(input, (name, call) => DBOS.runStep(call, { name })), {
  name: "agent",
});
await DBOS.launch();
serveAgent(workflow, async (input) => (await DBOS.startWorkflow(workflow)(input)).workflowID);
