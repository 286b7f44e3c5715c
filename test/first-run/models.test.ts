/** How a start without `MODEL=provider:name` finds its model, and what it says about that. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { findLocalModels } from "../../src/runner/local-models.ts";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { startFakeOpenAi } from "../support/fake-openai.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { failTroupe, MAIN, startTroupe } from "../support/troupe-process.ts";

let folder: GuardedFolder;
beforeAll(async () => {
  folder = guardedFolder();
  await copyFirstRun(folder);
});
afterAll(() => folder.remove());

/** A server whose list of models is this. */
function serverWith(models: readonly string[]) {
  const asked: (string | null)[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      asked.push(`${new URL(request.url).pathname} ${request.headers.get("authorization")}`);
      return Response.json({ data: models.map((id) => ({ id })) });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, asked, stop: () => server.stop(true) };
}

test("[START-60] without MODEL the only model of OPENAI_BASE_URL is taken", async () => {
  const fake = await startFakeOpenAi();
  const service = await startTroupe(folder, { env: { MODEL: "", OPENAI_BASE_URL: fake.baseUrl } });
  expect(service.log.find(({ msg }) => msg === "serving")?.["model"]).toBe("openai:fake-model");
  expect(fake.requests).toEqual([]);
  expect(await service.end()).toBe(0);
  await fake.stop();
});

test("[START-60] several models of OPENAI_BASE_URL are named, and MODEL is requested before PostgreSQL starts", async () => {
  const server = serverWith(["llama3.2", "qwen3:8b"]);
  const dataDir = join(folder.path, "untouched");
  const env = { MODEL: "", OPENAI_BASE_URL: `${server.url}/`, OPENAI_API_KEY: "sk-1" };
  const { code, text } = await failTroupe(folder, { dataDir, env });
  expect(code).toBe(78);
  expect(text).toContain("has 2 models. Set one of them: MODEL=openai:llama3.2, MODEL=openai:qwen3:8b.\n");
  expect(server.asked).toEqual(["/v1/models Bearer sk-1"]);
  expect(await Bun.file(dataDir).exists()).toBe(false);
  await server.stop();
});

test("[START-60] a server without a model, and one that does not answer, are reported", async () => {
  const server = serverWith([]);
  const dataDir = join(folder.path, "untouched");
  const none = await failTroupe(folder, { dataDir, env: { MODEL: "", OPENAI_BASE_URL: server.url } });
  expect(none).toMatchObject({ code: 78, text: expect.stringContaining("has no model. Set MODEL=openai:NAME.") });
  await server.stop();
  const away = await failTroupe(folder, { dataDir, env: { MODEL: "", OPENAI_BASE_URL: server.url } });
  expect(away).toMatchObject({ code: 69, text: expect.stringContaining("the connection failed. Start it, or set") });
});

const hasLocalServer = (await findLocalModels()).length > 0;
test.skipIf(hasLocalServer)("[START-60] MODEL=auto says what it searched and where", async () => {
  const env = { MODEL: "auto", NODE_ENV: "production" };
  const { code, text } = await failTroupe(folder, { dataDir: join(folder.path, "untouched"), env });
  expect(code).toBe(69);
  expect(text).toContain(
    "MODEL=auto found no model server on this machine. It looked for ollama at http://127.0.0.1:11434/v1, ",
  );
  const demo = await startTroupe(folder, { env: { MODEL: "auto" } });
  await demo.says("MODEL=auto found no model server on this machine");
  expect(await demo.end()).toBe(0);
});

test("[START-61] a limit of open files below MAX_STREAMS is reported if that is set", async () => {
  const limited = (env: Record<string, string>) =>
    startTroupe(folder, { cmd: ["/bin/sh", "-c", `ulimit -n 2048; exec "$0" "$1"`, ...MAIN], env });
  const words = "the limit of open files allows fewer streams than MAX_STREAMS";
  const usual = await limited({});
  expect(await usual.end()).toBe(0);
  expect(usual.log.map(({ msg }) => msg)).not.toContain(words);
  const set = await limited({ MAX_STREAMS: "30000" });
  expect(await set.end()).toBe(0);
  expect(set.log.find(({ msg }) => msg === words)).toMatchObject({ level: 40, most: 1_536 });
});
