/** Token, scope, the record of the path, input: in this order, on both surfaces. */
import { describe, expect, test } from "bun:test";
import { OPERATIONS } from "../../src/contract/document.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";

/** Well formed, and refused by the operation itself. */
const SERVERS = { mcp_servers: [{ name: "files", url: "https://ada:secret@mcp.test/" }] };

const { service, owner, client } = sceneOfFile();

/** Ids that can be, and are not. */
const NONE: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ agents: "agt", chats: "cht", jobs: "job", missions: "mis", workspaces: "wsp" }).map(
    ([collection, prefix]) => [collection, `${prefix}_${"0".repeat(21)}`],
  ),
);
const READS: ReadonlySet<string> = new Set(
  OPERATIONS.flatMap(({ operation: { method, path } }) => (method === "GET" && path.endsWith("}") ? [path] : [])),
);
const recordOf = (path: string): string => path.replace(/\}.*$/, "}");
/** Changes of a record that can be read by itself, with a JSON body. */
const CHANGES = OPERATIONS.flatMap(({ surface, operation: { method, path, body, answers } }) => {
  // One that creates the record finds no missing one.
  if (method === "PUT" && 201 in answers) return [];
  if (method === "GET" || body === undefined || !("properties" in body) || !READS.has(recordOf(path))) return [];
  const collection = /^\/api\/(?:v1\/)?(\w+)/.exec(path)?.[1] ?? "";
  const id = NONE[collection] ?? "task-1761955200000-none";
  return [{ surface, method, path: path.replace(/\{id\}/, id).replace(/\{taskId\}/, `mtk_${"0".repeat(21)}`) }];
});

const send = (method: string, path: string, body: string, token = owner.token) =>
  fetch(`${service.url}${path}`, {
    method,
    headers: { "content-type": "application/json", ...(token === "" ? {} : { authorization: `Bearer ${token}` }) },
    body,
  });

test("[GEN-7] both surfaces have such operations", () => {
  expect(CHANGES.length).toBeGreaterThan(12);
  expect(new Set(CHANGES.map(({ surface }) => surface)).size).toBe(2);
});

describe.each(CHANGES)("$method $path", ({ surface, method, path }) => {
  test("[GEN-7] reports a missing record before it reports errors of the body", async () => {
    for (const body of ["{", "[]", '{"name": 5, "nonsense": true}', `{"content": "${"x".repeat(1_100_000)}"}`]) {
      const answer = await send(method, path, body);
      expect({ status: answer.status, text: await answer.text() }).toMatchObject({ status: 404 });
    }
  });

  test("[AUTH-4] refuses a missing token and a missing scope before anything else", async () => {
    expect((await send(method, path, "{", "")).status).toBe(401);
    const narrow = await service.tokenFor(owner, { scopes: ["mcp"] });
    expect((await send(method, path, "{", narrow.token)).status).toBe(surface === "v1" ? 401 : 403);
  });
});

test("[GEN-7] reads check the record before the query", async () => {
  const { chats, jobs, missions } = NONE;
  for (const path of [
    `chats/${chats}/messages?limit=0`,
    `chats/${chats}?nonsense=1`,
    `chats/${chats}/events?after=x&replay=y`,
    `jobs/${jobs}/transcript-events?after=-1`,
    `missions/${missions}/forecast?count=x`,
  ])
    await refused(client.call("GET", `/api/${path}`), 404, "not_found");
});

test("[GEN-7] a record of another organization is 404 whatever the body is", async () => {
  const other = new Client(service, await service.found());
  const agent = await answered<Json>(
    client.call("POST", "/api/agents", { name: "Ada", system_prompt: "Be brief." }),
    201,
  );
  await refused(other.call("PATCH", `/api/agents/${String(agent["id"])}`, { name: 5 }), 404, "not_found");
  await refused(client.call("PATCH", `/api/agents/${String(agent["id"])}`, { name: 5 }), 400, "invalid_request");
  await refused(client.call("PATCH", `/api/agents/${String(agent["id"])}`, SERVERS), 400, "invalid_request");
  await refused(other.call("PATCH", `/api/agents/${String(agent["id"])}`, SERVERS), 404, "not_found");
});

test("[IDEM-3] answers kept under a key follow the same order", async () => {
  const ask = (body: string) =>
    fetch(`${service.url}/api/chats/${NONE["chats"]}/messages`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${owner.token}`,
        "content-type": "application/json",
        "idempotency-key": "the-same",
      },
      body,
    });
  for (const status of ["created", "replayed"]) {
    const answer = await ask("{}");
    expect([answer.status, answer.headers.get("idempotency-status")]).toEqual([404, status]);
  }
});
