/** Programs with both SDKs whose tools run in them: to the end, and over kill -9 of the program and of the service. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { hasPython, PROGRAMS } from "../support/python.ts";
import { startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const SDK = new URL("../../sdk/", import.meta.url).pathname;
const TYPESCRIPT = [process.execPath, `${SDK}typescript/client-tool.ts`];
const PYTHON = ["python3", `${SDK}python/client_tool.py`];
const QUESTION = '/call lookup {"article": "pen"}\n/then\n/say {"price": 7}';

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
  service = await startTroupe(folder);
  prices = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch() {
      lookups += 1;
      await asked?.();
      return new Response("7");
    },
  });
}, 60_000);
afterAll(async () => {
  await folder.remove();
  await prices.stop(true);
}, 60_000);

function start(cmd: readonly string[], key: string) {
  const env = {
    ...PROGRAMS,
    PYTHONPATH: `${SDK}python`,
    PYTHONDONTWRITEBYTECODE: "1",
    TROUPE_URL: service.url,
    TROUPE_TOKEN: token,
    PRICES_URL: `http://127.0.0.1:${prices.port}`,
    RUN_KEY: key,
    QUESTION,
  };
  const child = Bun.spawn([...cmd], { env, stdout: "pipe", stderr: "inherit" });
  folder.guard(child);
  return { child, said: new Response(child.stdout).text() };
}

test.skipIf(!hasPython)(
  "[JOB-17] [JOB-16] a program in Python runs its agent's tool, and has a value",
  async () => {
    expect(await start(PYTHON, "python").said).toBe('completed {"price": 7}\n');
  },
  60_000,
);

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
  service = await startTroupe(folder);
  expect(await start(TYPESCRIPT, "killed").said).toBe('completed {"price":7}\n');
  // Once more: all is done, and nothing is looked up again.
  expect(await start(TYPESCRIPT, "killed").said).toBe('completed {"price":7}\n');
  expect(lookups).toBe(2);
}, 60_000);
