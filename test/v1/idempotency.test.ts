import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { Client } from "../support/current.ts";
import { echo, gate } from "../support/fake-model.ts";
import { expectOne, expectReplay, keyed, type KeyedRequest, parallel } from "../support/keyed.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent, type Executed, frames } from "../support/v1.ts";

let agent: string;

const { service, owner } = sceneOfFile();
beforeAll(async () => void (agent = await createAgent(service, owner)));
beforeEach(() => {
  service.model.script = echo;
  service.model.calls.length = 0;
});

const ask = (request: KeyedRequest, key: string) => keyed(service, owner, key, request);
const post = (path: string, body: unknown): KeyedRequest => ({ method: "POST", path: `/api/v1${path}`, body });
const execution = (body: object): KeyedRequest => post(`/agents/${agent}/execute`, body);
const said = (text: string) => JSON.parse(text) as Executed;

async function count(table: string): Promise<number> {
  const { read } = service.database;
  const rows = await read<{ n: number }[]>`
    select count(*)::int as n from ${read(table)} where organization_id = ${owner.organizationId}`;
  return rows[0]!.n;
}

/** What everybody is told in a stream: the names, the text, the message, the result. Pieces of text differ. */
function toldIn(text: string): readonly string[] {
  const told = frames(text).map((frame) => frame.split("data: ")[1] ?? "");
  const deltas = told
    .filter((data) => data.includes("text_delta"))
    .map((data) => (JSON.parse(data) as { delta: { text: string } }).delta.text);
  return [...told.filter((data) => !data.includes("text_delta")), deltas.join("")];
}

describe("one effect", () => {
  test.each([
    ["agent", post("/agents", { name: "Bea", systemPrompt: "Be brief." })],
    ["task", post("/tasks", { title: "T" })],
  ])("[IDEM-3] 50 requests at once with one key make one %s", async (table, request) => {
    const before = await count(table);
    const answer = expectOne(await parallel(50, () => ask(request, `${table} 50`)));
    expect(answer.status).toBe(200);
    expect(await count(table)).toBe(before + 1);
  });

  test("[IDEM-4] 50 concurrent executions with one key run one job, and all get its answer", async () => {
    const held = gate();
    service.model.script = () => [{ say: "one" }, { hold: held.hold }, { say: " answer" }];
    const before = await count("job");
    const answers = parallel(50, () => ask(execution({ message: "hi" }), "execute 50"));
    await service.model.called(1);
    held.open();
    expect(said(expectOne(await answers).text)).toMatchObject({ success: true, result: "one answer" });
    expect(await count("job")).toBe(before + 1);
    expect(service.model.calls.length).toBe(1);
  });

  test("[IDEM-4] 50 concurrent streams with one key run one job, and each has all of it", async () => {
    const held = gate();
    service.model.script = () => [{ say: "one" }, { hold: held.hold }, { say: " answer" }];
    const request = execution({ message: "hi", stream: true });
    const streams = parallel(50, () => ask(request, "stream 50"));
    await service.model.called(1);
    held.open();
    const answers = [...(await streams), await ask(request, "stream 50")];
    expect(answers.filter(({ key }) => key === "created").length).toBe(1);
    expect(answers.filter(({ key }) => key === "replayed").length).toBe(50);
    const told = toldIn(answers[0]!.text);
    expect(told.at(-1)).toBe("one answer");
    for (const { text, type } of answers) {
      expect(type).toBe("text/event-stream; charset=utf-8");
      expect(toldIn(text)).toEqual(told);
    }
    expect(service.model.calls.length).toBe(1);
  });

  test.each([
    ["PATCH", { name: "Cyd" }],
    ["DELETE", undefined],
  ])("[IDEM-2] %s of an agent is done once and replayed byte by byte", async (method, body) => {
    const id = await createAgent(service, owner);
    const request = { method, path: `/api/v1/agents/${id}`, ...(body === undefined ? {} : { body }) };
    const first = await ask(request, "change");
    expect(first.status).toBe(200);
    expectReplay(first, await ask(request, "change"));
    if (method === "DELETE") expect((await ask(request, "another")).status).toBe(404);
  });
});

describe("execution", () => {
  test("[IDEM-4] a client that repeats the key of an execution whose answer was lost gets its answer", async () => {
    const held = gate();
    service.model.script = () => [{ hold: held.hold }, { say: "done" }];
    const leaving = new AbortController();
    const request = execution({ message: "hi" });
    const headers = {
      authorization: `Bearer ${owner.token}`,
      "content-type": "application/json",
      "idempotency-key": "left",
    };
    const body = JSON.stringify(request.body);
    const left = fetch(`${service.url}${request.path}`, { method: "POST", headers, body, signal: leaving.signal });
    await service.model.called(1);
    leaving.abort();
    await left.then(
      () => expect.unreachable(),
      () => null,
    );
    const again = ask(request, "left");
    held.open();
    const answer = await again;
    expect(answer).toMatchObject({ status: 200, key: "replayed" });
    expect(said(answer.text).result).toBe("done");
    expect((await ask(request, "left")).text).toBe(answer.text);
    expect(service.model.calls.length).toBe(1);
  });

  test("[IDEM-6] a failed execution is not run again by its key: its failure is its answer", async () => {
    service.model.script = () => [{ fail: { code: "provider_rejected", message: "no" } }];
    const request = execution({ message: "hi" });
    const first = await ask(request, "failed");
    const second = await ask(request, "failed");
    expect([first.status, second.status]).toEqual([502, 502]);
    expect([first.key, second.key]).toEqual(["created", "replayed"]);
    expect(second.text).toBe(first.text);
    expect(service.model.calls.length).toBe(1);
    service.model.script = () => [{ say: "fine" }];
    expect(await ask(request, "another")).toMatchObject({ status: 200, key: "created" });
  });

  test("[IDEM-6] an answer that was given while the job waited for a person stays the answer", async () => {
    const settings = { allowed_tools: ["current_time"], approval_tools: ["current_time"] };
    const body = { name: "Careful", system_prompt: "Be brief.", ...settings };
    const made = await ask({ method: "POST", path: "/api/agents", body }, "careful");
    const { id } = JSON.parse(made.text) as { id: string };
    const use = { type: "tool_use", id: "call_1", name: "current_time", input: {} } as const;
    service.model.script = () => (service.model.calls.length === 1 ? [{ use }] : [{ say: "noon" }]);
    const request = post(`/agents/${id}/execute`, { message: "what time is it?" });
    const first = await ask(request, "blocked");
    expect(said(first.text)).toMatchObject({ success: false, error: { code: "approval_required" } });
    const client = new Client(service, owner);
    const { jobs } = await client.get<{ jobs: { id: string }[] }>(`/api/jobs?agent_id=${id}`);
    expect((await client.decide(jobs[0]!.id, "approve")).status).toBe(200);
    expect((await client.reached(jobs[0]!.id, "completed")).result).toBe("noon");
    expectReplay(first, await ask(request, "blocked"));
  });

  test("[IDEM-3] a refusal before the job exists is stored only if it would repeat", async () => {
    const nobody = post("/agents/agt_000000000000000000000/execute", { message: "hi" });
    const first = await ask(nobody, "nobody");
    expect(first.status).toBe(404);
    expectReplay(first, await ask(nobody, "nobody"));
    const { info } = service.model;
    service.model.becomeUnusable("no such model");
    expect(await ask(execution({ message: "hi" }), "later")).toMatchObject({ status: 502, key: null });
    service.model.info = info;
    expect(await ask(execution({ message: "hi" }), "later")).toMatchObject({ status: 200, key: "created" });
  });
});

describe("refusals", () => {
  const task = post("/tasks", { title: "T" });
  const failure = (statusCode: number, statusMessage: string, message: string) => ({
    error: true,
    statusCode,
    statusMessage,
    message,
  });

  test("[IDEM-2] another input is 409, and a bad key is 400, in the error format of v1", async () => {
    await ask(task, "conflict");
    const other = await ask(post("/tasks", { title: "U" }), "conflict");
    expect(JSON.parse(other.text)).toEqual(
      failure(409, "Conflict", "This idempotency key was already used with different input"),
    );
    const bad = await ask(task, "k".repeat(256));
    expect(JSON.parse(bad.text)).toEqual(
      failure(
        400,
        "Bad Request",
        "Idempotency-Key must be one header of 1 to 255 printable ASCII characters; quote a key that contains a comma",
      ),
    );
    expect([other.status, other.key, bad.status, bad.key]).toEqual([409, null, 400, null]);
  });

  test("[IDEM-3] a refusal of the body is repeated from the row", async () => {
    const empty = post("/tasks", {});
    expectReplay(await ask(empty, "empty"), await ask(empty, "empty"));
  });
});

test("[IDEM-3] the keys outlive the actor that owns them", async () => {
  const request = post("/tasks", { title: "T" });
  const first = await ask(request, "passive");
  await until(
    "the actor is dropped",
    () => service.system.actors.passivate(service.system.clock.monotonic() + 120_000) > 0,
  );
  expectReplay(first, await ask(request, "passive"));
});
