/** The Python SDK against the real service, through a proxy that breaks connections. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import document from "../../docs/openapi.json" with { type: "json" };
import { contractOf, type OpenApi } from "../../sdk/generator/contract.ts";
import { methodsOf } from "../../sdk/generator/methods.ts";
import { snakeCase } from "../../sdk/generator/python.ts";
import { FaultyProxy } from "../support/faulty-proxy.ts";
import { hasPython, python } from "../support/python.ts";
import { sceneOfFile } from "../support/scene.ts";

let proxy: FaultyProxy;
let baseUrl: string;

const { service, owner } = sceneOfFile();
beforeAll(async () => {
  proxy = await FaultyProxy.open(service.url);
  baseUrl = proxy.url;
});
afterAll(() => proxy.stop());

const HEAD = `
import json, os, sys, threading
from troupe import *
import troupe as sdk

client = Troupe(os.environ["TROUPE_URL"], lambda: os.environ["TROUPE_TOKEN"])
workspace_id = os.environ["TROUPE_WORKSPACE"]

def new_agent(name="Ada"):
    return client.create_agent({"name": name, "system_prompt": "Be brief."})

def new_chat():
    return client.create_chat({"agent_id": new_agent()["id"], "workspace_id": workspace_id})

def refusal(run):
    try:
        run()
    except TroupeError as error:
        return type(error).__name__, getattr(error, "status", None), getattr(error, "code", None)
    raise AssertionError("nothing was raised")
`;

/** Runs a program that prints JSON. */
async function run<T>(program: string): Promise<T> {
  const env = { TROUPE_URL: baseUrl, TROUPE_TOKEN: owner.token, TROUPE_WORKSPACE: owner.workspaceId };
  return JSON.parse(await python(`${HEAD}\n${program}`, { env })) as T;
}
const unavailable = { kind: "answer", status: 503, body: {}, headers: { "retry-after": "0" } } as const;

describe.skipIf(!hasPython)("requests", () => {
  test("[DOC-3] every method asks for its operation", async () => {
    const methods = methodsOf(contractOf(document as unknown as OpenApi)).map(({ name, operation, params }) => ({
      name: snakeCase(name),
      given: [...params.map(() => "x 1"), ...(operation.body === null ? [] : [{}])],
      method: operation.method,
      path: operation.path.replaceAll(/\{\w+\}/g, "x%201"),
    }));
    const program = `
import sys
asked = []
def refuse(request):
    asked.append([request.method, request.path])
    raise sdk.NotFoundError("", status=404, code="not_found")
client._http._open = refuse
for method in json.loads(${JSON.stringify(JSON.stringify(methods))}):
    def ask():
        answer = getattr(client, method["name"])(*method["given"])
        next(answer)
    refusal(ask)
print(json.dumps(asked))
`;
    expect(await run<unknown>(program)).toEqual(methods.map(({ method, path }) => [method, path]));
  });

  test("[DOC-3] a retry keeps its key, and what it asks for is done once", async () => {
    proxy.reset(unavailable, { kind: "reset", after: 0 });
    const found = await run<string[]>(`
new_agent("Once")
print(json.dumps([agent["id"] for agent in client.list_all_agents() if agent["name"] == "Once"]))`);
    expect(found.length).toBe(1);
    const keys = proxy.requests.slice(0, 3).map(({ headers }) => headers["idempotency-key"]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(keys).size).toBe(1);
  });

  test("[DOC-3] an error has the class of its code, or the base class if the code is unknown", async () => {
    proxy.reset(
      { kind: "answer", status: 418, body: { code: "teapot", message: "Short and stout" } },
      { kind: "answer", status: 429, body: { code: "rate_limited" }, headers: { "retry-after": "61" } },
    );
    const said = await run<unknown>(`
chat = None
said = [
    refusal(lambda: client.list_agents()),
    refusal(lambda: client.list_agents()),
    refusal(lambda: client.get_agent("agt_missing")),
    refusal(lambda: client.get_agent("..")),
    refusal(lambda: Troupe("http://127.0.0.1:9", max_retries=0).get_version()),
    refusal(lambda: Troupe(os.environ["TROUPE_URL"], "pat_nobody").v1_list_agents()),
    refusal(lambda: next(client.stream_job_events("job_missing"))),
]
print(json.dumps(said))`);
    expect(said).toEqual([
      ["ApiError", 418, "teapot"],
      ["RateLimitedError", 429, "rate_limited"],
      ["NotFoundError", 404, "not_found"],
      ["TroupeError", null, null],
      ["ConnectionFailedError", null, null],
      ["UnauthenticatedError", 401, "unauthenticated"],
      ["NotFoundError", 404, "not_found"],
    ]);
  });

  test("[DOC-3] a refusal whose body is cut is still one, of streams too", async () => {
    const said = await run<unknown>(`
import socket
listener = socket.create_server(("127.0.0.1", 0))
def cut():
    for _ in range(3):
        connection, _ = listener.accept()
        connection.recv(65_536)
        connection.sendall(b"HTTP/1.1 404 Not Found\\r\\nContent-Length: 500\\r\\n\\r\\n{")
        connection.close()
threading.Thread(target=cut).start()
through = Troupe(f"http://127.0.0.1:{listener.getsockname()[1]}", "pat_x")
print(json.dumps([
    refusal(lambda: through.get_agent("agt_missing")),
    refusal(lambda: next(through.read_file_stream(workspace_id, path="missing"))),
    refusal(lambda: next(through.v1_execute_agent_stream("agt_missing", {"message": "Hi"}))),
]))`);
    expect(said).toEqual(Array.from({ length: 3 }, () => ["NotFoundError", 404, "not_found"]));
  });

  test("[DOC-3] pages, versions and waiting", async () => {
    proxy.reset();
    const said = await run<unknown>(`
for title in "12345":
    client.v1_create_task({"title": title})
titles = [task["title"] for task in client.list_all_tasks(limit=2)]
agent = new_agent()
client.update_agent(agent["id"], {"name": "Bea"}, if_match=agent["version"])
late = refusal(lambda: client.update_agent(agent["id"], {"name": "Cleo"}, if_match=agent["version"]))
chat = new_chat()
same = client.wait_for_chat(chat["id"], since_version=chat["version"], wait=0)
threading.Thread(target=lambda: client.update_chat_options(chat["id"], {"pinned": True})).start()
changed = client.wait_for_chat(chat["id"], since_version=chat["version"], wait=20)
print(json.dumps([titles, late, same, changed["options"]["pinned"]]))`);
    expect(said).toEqual([["5", "4", "3", "2", "1"], ["VersionConflictError", 409, "version_conflict"], null, true]);
    expect(proxy.requests.filter(({ method, path }) => method === "GET" && path.startsWith("/api/tasks")).length).toBe(
      3,
    );
  });
});

describe.skipIf(!hasPython)("streams", () => {
  test("[DOC-3] an execution on v1: whole, as a stream, cut, and again under its key", async () => {
    service.model.script = () => [{ say: "Hel" }, { say: "lo" }];
    const agent = await run<{ id: string }>(
      `print(json.dumps(client.v1_create_agent({"name": "A", "systemPrompt": "x"})))`,
    );
    proxy.reset({ kind: "close", after: "event: meta" });
    const said = await run<unknown>(`
agent = ${JSON.stringify(agent.id)}
def stream(key):
    return [e["event"] for e in client.v1_execute_agent_stream(agent, {"message": "Hi"}, idempotency_key=key)]
cut = refusal(lambda: stream("python-1"))[0]
again = stream("python-1")
print(json.dumps([cut, again[0], again[-1], client.v1_execute_agent(agent, {"message": "Hi"})["result"]]))`);
    expect(said).toEqual(["StreamCutError", "meta", "result", "Hello"]);
  });
});
