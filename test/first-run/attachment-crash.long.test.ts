/** A run with images and files whose service is killed in the middle: the next one goes on with the same bytes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startFakeOpenAi } from "../support/fake-openai.ts";
import type { FakeProvider } from "../support/fake-provider.ts";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { eventually, type FirstRunText, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";
import { PNG } from "../support/uploads.ts";

let folder: GuardedFolder;
let provider: FakeProvider;
let first: FirstRunText;

beforeAll(async () => {
  folder = guardedFolder();
  provider = await startFakeOpenAi();
  first = await copyFirstRun(folder);
});
afterAll(async () => {
  await folder.remove();
  await provider.stop();
});

const start = (): Promise<TroupeProcess> =>
  startTroupe(folder, {
    env: {
      MODEL: "openai:fake-model",
      OPENAI_BASE_URL: provider.baseUrl,
      MODEL_INPUTS: "openai:fake-model=text+image",
    },
  });

async function call<T>(service: TroupeProcess, method: string, path: string, body?: object | Uint8Array): Promise<T> {
  const isBytes = body instanceof Uint8Array;
  const answer = await fetch(service.url + path, {
    method,
    headers: {
      authorization: `Bearer ${first.personal}`,
      ...(body === undefined || isBytes ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  expect({ path, isDone: answer.ok }).toEqual({ path, isDone: true });
  return (await answer.json()) as T;
}

const jobOf = (service: TroupeProcess, id: string) =>
  call<{ status: string; attempt: number; result: string | null }>(service, "GET", `/api/jobs/${id}`);

test("[FILE-6] [FILE-9] [JOB-4] after kill -9 a run continues with the same images and files", async () => {
  let service = await start();
  const { workspaces } = await call<{ workspaces: { id: string }[] }>(service, "GET", "/api/workspaces");
  const opening = { agent_id: first.agentId, workspace_id: workspaces[0]?.id };
  const chat = await call<{ id: string }>(service, "POST", "/api/chats", opening);
  const file = await call<{ id: string }>(service, "POST", "/api/files?name=pixel.png", PNG);
  const note = await call<{ id: string }>(
    service,
    "POST",
    "/api/files?name=note.txt",
    new TextEncoder().encode("the note"),
  );
  provider.answer({ kind: "stream", text: ["I see"], end: "stall" }, { kind: "stream", text: ["a pixel"] });
  const content = [
    { type: "text", text: "what is it?" },
    { type: "image", source: { kind: "upload", file_id: file.id } },
    { type: "file", source: { kind: "upload", file_id: note.id } },
  ];
  const { job } = await call<{ job: { id: string } }>(service, "POST", `/api/chats/${chat.id}/messages`, { content });
  await eventually("the model is asked", () => provider.requests.length === 1);
  // The message has them; their uploads may go.
  for (const { id } of [file, note]) await call(service, "DELETE", `/api/files/${id}`);
  await service.end("SIGKILL");
  service = await start();
  const isOver = async (): Promise<boolean> => (await jobOf(service, job.id)).status === "completed";
  await eventually("the job is over", isOver);
  expect(await jobOf(service, job.id)).toMatchObject({ attempt: 2, result: "a pixel" });
  expect(provider.requests).toHaveLength(2);
  const [before, after] = provider.requests.map(({ body }) => JSON.stringify((body as { messages: unknown }).messages));
  expect(after).toBe(before);
  expect(after).toContain(Buffer.from(PNG).toString("base64"));
  expect(after).toContain("the note");
  expect(await service.end()).toBe(0);
});
