/** Programs with both SDKs whose tools run in them: to the end, and over kill -9 of the program and of the service. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { hasPython, PROGRAMS } from "../support/python.ts";
import { serveTools, Troupe } from "../../sdk/typescript/troupe.ts";
import { startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const SDK = new URL("../../sdk/", import.meta.url).pathname;
const TYPESCRIPT = [process.execPath, `${SDK}typescript/client-tool.ts`];
const PYTHON = ["python3", `${SDK}python/client_tool.py`];
const QUESTION = '/call lookup {"article": "pen"}\n/then\n/say {"price": 7}';

/** The prices, as they describe themselves. */
const PRICES = {
  openapi: "3.1.0",
  paths: {
    "/{article}": {
      get: {
        operationId: "getPrice",
        parameters: [{ name: "article", in: "path", required: true, schema: { type: "string" } }],
      },
    },
  },
};
const ALLOWED = { env: { EGRESS_ALLOW: "127.0.0.1" } };

let folder: GuardedFolder;
let service: TroupeProcess;
let token = "";
/** Resolved once for each request of a price; the request waits for what it gives. */
let asked: (() => Promise<unknown>) | null = null;
let lookups = 0;
let prices: Bun.Server<undefined>;

beforeAll(async () => {
  folder = guardedFolder();
  token = (await copyFirstRun(folder)).personal;
  service = await startTroupe(folder, ALLOWED);
  prices = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (request.url.endsWith("/openapi.json")) return Response.json(PRICES);
      lookups += 1;
      await asked?.();
      return new Response("7");
    },
  });
});
afterAll(async () => {
  await folder.remove();
  await prices.stop(true);
});

function start(cmd: readonly string[], key: string, question = QUESTION) {
  const env = {
    ...PROGRAMS,
    PYTHONPATH: `${SDK}python`,
    // The SDK is compiled once for all programs here.
    PYTHONPYCACHEPREFIX: `${folder.path}/pycache`,
    TROUPE_URL: service.url,
    TROUPE_TOKEN: token,
    PRICES_URL: `http://127.0.0.1:${prices.port}`,
    RUN_KEY: key,
    QUESTION: question,
  };
  const child = Bun.spawn([...cmd], { env, stdout: "pipe", stderr: "inherit" });
  folder.guard(child);
  return { child, said: new Response(child.stdout).text() };
}

test.skipIf(!hasPython)("[JOB-17] [JOB-16] a program in Python runs its agent's tool, and has a value", async () => {
  expect(await start(PYTHON, "python").said).toBe('completed {"price": 7}\n');
});

test("[JOB-17] [JOB-16] a program in TypeScript and the service are killed in the middle of a tool, and end with the value", async () => {
  lookups = 0;
  const { promise: called, resolve: isCalled } = Promise.withResolvers<void>();
  const never = new Promise(() => {});
  asked = () => (isCalled(), never);
  const first = start(TYPESCRIPT, "killed");
  await called;
  first.child.kill("SIGKILL");
  service.child.kill("SIGKILL");
  await Promise.all([first.child.exited, service.ended()]);
  asked = null;
  service = await startTroupe(folder, ALLOWED);
  expect(await start(TYPESCRIPT, "killed").said).toBe('completed {"price":7}\n');
  // Once more: all is done, and nothing is looked up again.
  expect(await start(TYPESCRIPT, "killed").said).toBe('completed {"price":7}\n');
  expect(lookups).toBe(2);
});

const PRICE_CALL = '/call getPrice {"article": "pen"}\n/then\n/say It is 7.';
const PRICE_SAID = "getPrice\ncompleted It is 7.\n";

test("[RUN-14] [DOC-3] a program in TypeScript gives an agent the operations of an API", async () => {
  lookups = 0;
  expect(await start([process.execPath, `${SDK}typescript/http-tool.ts`], "http", PRICE_CALL).said).toBe(PRICE_SAID);
  expect(lookups).toBe(1);
});

test.skipIf(!hasPython)("[RUN-14] [DOC-3] a program in Python gives an agent the operations of an API", async () => {
  expect(await start(["python3", `${SDK}python/http_tool.py`], "http", PRICE_CALL).said).toBe(PRICE_SAID);
});

const LOOKUP = { kind: "client" as const, name: "lookup", description: "A price", input_schema: { type: "object" } };
const asks = async (troupe: Troupe, agentId: string): Promise<string> => {
  const { workspaces } = await troupe.listWorkspaces();
  const chat = await troupe.createChat({ agent_id: agentId, workspace_id: workspaces[0]?.id ?? "" });
  return (await troupe.sendMessage(chat.id, { content: QUESTION })).job.id;
};
const ended = async (troupe: Troupe, id: string): Promise<string> => {
  let job = await troupe.getJob(id);
  while (job.status !== "completed")
    job = (await troupe.waitForJob(id, { since_version: job.version, wait: 20 })) ?? job;
  return job.result ?? "";
};

test("[JOB-17] a program serves the tools of all jobs of an agent, each call once", async () => {
  const troupe = new Troupe({ baseUrl: service.url, token });
  const agent = await troupe.createAgent({ name: "Clerk", system_prompt: "x", tools: [LOOKUP] });
  const before = await asks(troupe, agent.id);
  const stop = new AbortController();
  const calls: unknown[] = [];
  const errors: unknown[] = [];
  const lookup = (input: unknown) => (calls.push(input), "7");
  const options = { signal: stop.signal, pollMs: 20, onError: (error: unknown) => void errors.push(error) };
  const serving = serveTools(troupe, agent.id, { lookup }, options);
  const after = await asks(troupe, agent.id);
  expect(await Promise.all([before, after].map((id) => ended(troupe, id)))).toEqual(['{"price": 7}', '{"price": 7}']);
  stop.abort();
  await serving;
  expect([calls, errors]).toEqual([[{ article: "pen" }, { article: "pen" }], []]);
});

/** Serves until the job is over, which it asks for itself. */
const SERVING = `
import os, threading
from troupe import Troupe, serve_tools
troupe = Troupe(os.environ["TROUPE_URL"], os.environ["TROUPE_TOKEN"])
stop, calls = threading.Event(), []
def lookup(given):
    calls.append(given)
    return "7"
serving = threading.Thread(target=lambda: serve_tools(troupe, os.environ["RUN_KEY"], {"lookup": lookup}, stop=stop, poll=0.02))
serving.start()
workspace = next(troupe.list_all_workspaces())
chat = troupe.create_chat({"agent_id": os.environ["RUN_KEY"], "workspace_id": workspace["id"]})
job = troupe.send_message(chat["id"], {"content": os.environ["QUESTION"]})["job"]
while job["status"] != "completed":
    job = troupe.wait_for_job(job["id"], since_version=job["version"], wait=20) or job
stop.set()
serving.join()
print(job["result"], calls)
`;

test.skipIf(!hasPython)("[JOB-17] a program in Python serves the tools of an agent", async () => {
  const troupe = new Troupe({ baseUrl: service.url, token });
  const { id } = await troupe.createAgent({ name: "Clerk", system_prompt: "x", tools: [LOOKUP] });
  expect(await start(["python3", "-c", SERVING], id).said).toBe("{\"price\": 7} [{'article': 'pen'}]\n");
});
