/** Chats over HTTP: their record, lists, options and end (CHAT-1, CHAT-2, CHAT-7, GEN). */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ok, refuse } from "../../actors/fault.ts";
import { until } from "../support/condition.ts";
import { answered, type Chat, Client, type Json, refused } from "../support/current.ts";
import { echo, gate } from "../support/fake-model.ts";
import { personOfFile, sceneOfFile } from "../support/scene.ts";
import type { Caller } from "../support/service.ts";
import { createAgent } from "../support/v1.ts";

let agent: string;
const NO_CHAT = `/api/chats/cht_${"x".repeat(21)}`;

const { service, owner, client } = sceneOfFile();
const stranger = personOfFile(() => service.found("Stranger"));
beforeAll(async () => void (agent = await createAgent(service, owner)));
beforeEach(() => {
  service.model.script = echo;
  service.model.info = ok({ provider: "fake", name: "fake", demo: false });
});

const create = (body: Json): Promise<Response> => client.call("POST", "/api/chats", body);
const open = (fields: Json = {}) => client.chat(agent, owner.workspaceId, fields);

test("[GEN-5] the actions of a chat and of its job are those of the caller's scopes", async () => {
  const id = await client.chat(agent, owner.workspaceId);
  const { job } = await client.send(id, "hi");
  await client.reached(job.id, "completed");
  const actionsFor = async (scopes: readonly string[]) => {
    const caller = new Client(service, await service.tokenFor(owner, { scopes }));
    const [chat, done] = [await caller.readChat(id), await caller.job(job.id)];
    return [chat["allowed_actions"], done.allowed_actions];
  };
  expect(await actionsFor(["chats:read", "jobs:read"])).toEqual([[], []]);
  expect(await actionsFor(["chats:write", "jobs:read"])).toEqual([expect.arrayContaining(["send_message"]), []]);
  expect(await actionsFor(["chats:read", "jobs:write"])).toEqual([[], ["iterate"]]);
  const sender = new Client(service, await service.tokenFor(owner, { scopes: ["chats:write"] }));
  expect((await sender.send(id, "more")).job.allowed_actions).toEqual([]);
});

describe("create", () => {
  test("[CHAT-2] a new chat has the whole record, in standby", async () => {
    const chat = await answered<Chat>(create({ agent_id: agent, workspace_id: owner.workspaceId }), 201);
    const self = `/api/chats/${chat.id}`;
    expect(chat).toEqual({
      id: expect.stringMatching(/^cht_[A-Za-z0-9_-]{21}$/),
      title: "Ada",
      status: "standby",
      agent_id: agent,
      agent_name: "Ada",
      workspace_id: owner.workspaceId,
      message_count: 0,
      active_job_id: null,
      queued_messages: 0,
      mission_id: null,
      run_number: null,
      options: { model: null, on_busy: "queue", tools: null, auto_approve: false, title: "Ada", pinned: false },
      summary: null,
      forked_from: null,
      last_message_preview: null,
      last_seq: 0,
      metadata: {},
      created_by: owner.userId,
      organization_id: owner.organizationId,
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: expect.any(String),
      links: {
        self,
        messages: `${self}/messages`,
        events: `${self}/events`,
        agent: `/api/agents/${agent}`,
        jobs: `/api/jobs?chat_id=${chat.id}`,
      },
      allowed_actions: ["send_message", "update", "update_options", "delete"],
    } as never);
    expect(await client.readChat(chat.id)).toEqual(chat);
  });

  test("[CHAT-2] title, options and metadata are stored, and metadata may have any keys", async () => {
    const id = await open({
      title: "Plan",
      options: { on_busy: "reject", auto_approve: true, tools: ["list_tasks"], pinned: true, model: "fake:fake" },
      metadata: { a: { b: [1] } },
    });
    expect(await client.readChat(id)).toMatchObject({
      title: "Plan",
      metadata: { a: { b: [1] } },
      options: {
        on_busy: "reject",
        auto_approve: true,
        tools: ["list_tasks"],
        pinned: true,
        model: "fake:fake",
        title: "Plan",
      },
    });
  });

  test.each([
    [{}, ["/agent_id", "/workspace_id"]],
    [{ agent_id: 1, workspace_id: "wsp_x" }, ["/agent_id"]],
    [{ agent_id: "agt_x", workspace_id: "wsp_x", title: "" }, ["/title"]],
    [{ agent_id: "agt_x", workspace_id: "wsp_x", metadata: [] }, ["/metadata"]],
    [
      { agent_id: "agt_x", workspace_id: "wsp_x", options: { on_busy: "wait", pinned: "yes" } },
      ["/options/on_busy", "/options/pinned"],
    ],
    [{ agent_id: "agt_x", workspace_id: "wsp_x", options: { tools: ["a", 2] } }, ["/options/tools/1"]],
    [{ agent_id: "agt_x", workspace_id: "wsp_x", options: { colour: "red" } }, ["/options/colour"]],
  ])("[GEN-7] %j is 400 and says where", async (body, paths) => {
    const { errors } = await refused(create(body), 400, "invalid_request");
    expect((errors as { path: string }[]).map(({ path }) => path)).toEqual(paths);
  });

  test("[ERR-5] metadata of 16 KiB are accepted, one more byte is 413", async () => {
    const of = (bytes: number) => ({ a: "x".repeat(bytes - 8) });
    await open({ metadata: of(16 * 1024) });
    const body = { agent_id: agent, workspace_id: owner.workspaceId, metadata: of(16 * 1024 + 1) };
    expect(await refused(create(body), 413, "payload_too_large")).toMatchObject({ limit_bytes: 16 * 1024 });
  });

  test("[AUTH-4] an agent or a workspace of another organization is 404, and so is a missing one", async () => {
    const foreign = await createAgent(service, stranger);
    await refused(create({ agent_id: foreign, workspace_id: owner.workspaceId }), 404, "not_found");
    await refused(create({ agent_id: "agt_none", workspace_id: owner.workspaceId }), 404, "not_found");
    await refused(create({ agent_id: agent, workspace_id: stranger.workspaceId }), 404, "not_found");
    await refused(create({ agent_id: agent, workspace_id: "\u0001" }), 404, "not_found");
  });

  test("[CHAT-2] a model that cannot be used is not an option", async () => {
    service.model.info = refuse({ kind: "provider_error", message: "no" });
    await refused(
      create({ agent_id: agent, workspace_id: owner.workspaceId, options: { model: "x:y" } }),
      400,
      "invalid_request",
    );
  });
});

describe("list", () => {
  test("[GEN-3] pages of any size have each chat once, newest first, and the last page has no cursor", async () => {
    const other = await service.found("Pages");
    const pages = new Client(service, other);
    const ada = await createAgent(service, other);
    const made: string[] = [];
    for (let i = 0; i < 7; i++) made.push(await pages.chat(ada, other.workspaceId));
    // The agent's own first chat is the oldest.
    for (const limit of [1, 3, 8, 100]) {
      const seen: string[] = [];
      let cursor: string | undefined = "";
      while (cursor !== undefined) {
        const page: { chats: Chat[]; next_cursor?: string } = await pages.get(
          `/api/chats?limit=${limit}&cursor=${cursor}`,
        );
        expect(page.chats.length).toBeLessThanOrEqual(limit);
        seen.push(...page.chats.map(({ id }) => id));
        cursor = page.next_cursor;
      }
      expect(seen.length).toBe(8);
      expect(new Set(seen).size).toBe(8);
      expect(new Set(seen.slice(0, 7))).toEqual(new Set(made));
    }
    expect((await pages.get<{ chats: Chat[] }>("/api/chats")).chats.length).toBe(8);
  });

  test("[GEN-3] a bad cursor is 400 invalid_cursor, a bad limit is 400", async () => {
    for (const cursor of ["x", "%00", "W10", Buffer.from('["2026-01-01T00:00:00.000Z"]').toString("base64url")]) {
      await refused(client.call("GET", `/api/chats?cursor=${cursor}`), 400, "invalid_cursor");
    }
    for (const limit of ["0", "101", "-1", "1.5", "many"])
      await refused(client.call("GET", `/api/chats?limit=${limit}`), 400, "invalid_request");
  });

  test("[GEN-3] the cursor of one list is invalid for another", async () => {
    for (let i = 0; i < 2; i++) await client.chat(agent, owner.workspaceId);
    const { next_cursor: cursor } = await client.get<{ next_cursor: string }>("/api/chats?limit=1");
    await client.get(`/api/chats?cursor=${cursor}`);
    for (const list of ["jobs", "agents", "tasks", "workspaces", "service-tokens", "personal-access-tokens"])
      await refused(client.call("GET", `/api/${list}?cursor=${cursor}`), 400, "invalid_cursor");
  });

  test("[GEN-3] the filters status, agent_id and workspace_id can be combined", async () => {
    const ada = await createAgent(service, owner);
    const [quiet, spoken] = [await client.chat(ada, owner.workspaceId), await client.chat(ada, owner.workspaceId)];
    await client.reached((await client.send(spoken, "hi")).job.id, "completed");
    const ids = async (query: string) =>
      (await client.get<{ chats: Chat[] }>(`/api/chats?${query}`)).chats.map(({ id }) => id);
    expect(await ids(`agent_id=${ada}&status=done`)).toEqual([spoken]);
    expect(await ids(`agent_id=${ada}&status=standby&workspace_id=${owner.workspaceId}`)).toContain(quiet);
    expect(await ids(`agent_id=${ada}&workspace_id=wsp_other`)).toEqual([]);
    expect((await ids(`agent_id=${ada}&status=`)).length).toBe(3);
    await refused(client.call("GET", "/api/chats?status=asleep"), 400, "invalid_request");
    await refused(client.call("GET", "/api/chats?agent_id=%00"), 400, "invalid_request");
  });
});

describe("read", () => {
  test("[AUTH-4] a chat of another organization, a missing chat and a malformed id are 404, on every operation", async () => {
    const id = await open();
    const foreign = new Client(service, stranger);
    const operations: [string, string, unknown][] = [
      ["GET", "", undefined],
      ["DELETE", "", undefined],
      ["GET", "/messages", undefined],
      ["PATCH", "/options", { pinned: true }],
      ["POST", "/messages", { content: "hi" }],
    ];
    for (const [method, path, body] of operations) {
      await refused(foreign.call(method, `/api/chats/${id}${path}`, body), 404, "not_found");
      await refused(client.call(method, `${NO_CHAT}${path}`, body), 404, "not_found");
      await refused(client.call(method, `/api/chats/%00${path}`, body), 404, "not_found");
    }
    expect((await client.readChat(id)).version).toBe(1);
  });

  test("[GEN-6] a long poll is answered as soon as the chat changes, and 304 when nothing does", async () => {
    const id = await open();
    const { version } = await client.readChat(id);
    expect((await client.call("GET", `/api/chats/${id}?since_version=${version}`)).status).toBe(304);
    expect(await client.get<Chat>(`/api/chats/${id}?since_version=${version - 1}&wait=30`)).toMatchObject({ version });
    const waiting = client.get<Chat>(`/api/chats/${id}?since_version=${version}&wait=30`);
    await answered(client.call("PATCH", `/api/chats/${id}/options`, { pinned: true }));
    expect(await waiting).toMatchObject({ version: version + 1, options: { pinned: true } });
    const atEnd = await client.call("GET", `/api/chats/${id}?since_version=${version + 1}&wait=1`);
    expect([atEnd.status, await atEnd.text()]).toEqual([304, ""]);
    for (const query of ["since_version=x", "since_version=1&wait=31", "since_version=-1"]) {
      await refused(client.call("GET", `/api/chats/${id}?${query}`), 400, "invalid_request");
    }
    expect(service.app.streams.count).toBe(0);
  });

  test("[GEN-6] a client that leaves its long poll leaves nothing behind", async () => {
    const id = await open();
    const abort = new AbortController();
    const request = fetch(`${service.url}/api/chats/${id}?since_version=1&wait=30`, {
      headers: { authorization: `Bearer ${owner.token}` },
      signal: abort.signal,
    });
    await until("it waits", () => service.app.streams.count === 1);
    abort.abort();
    await expect(request).rejects.toThrow();
    await until("it is gone", () => service.app.streams.count === 0);
  });
});

describe("options", () => {
  const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/api/chats/${id}/options`, {
      method: "PATCH",
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json", ...headers },
    });

  test("[CHAT-7] the keys are merged, null removes an override, and an unknown key is 400", async () => {
    const id = await open({ options: { model: "a:b", tools: ["web_fetch"] } });
    expect((await answered<Chat>(patch(id, { pinned: true, title: "New" }))).options).toMatchObject({
      pinned: true,
      title: "New",
      model: "a:b",
      tools: ["web_fetch"],
    });
    expect((await answered<Chat>(patch(id, { options: { model: null, tools: null } }))).options).toMatchObject({
      pinned: true,
      model: null,
      tools: null,
    });
    expect((await client.readChat(id)).title).toBe("New");
    const { errors } = await refused(patch(id, { colour: "red" }), 400, "invalid_request");
    expect(errors).toEqual([{ path: "/colour", message: "Unknown field `colour`" }]);
    await refused(patch(id, { pinned: "yes" }), 400, "invalid_request");
    await refused(patch(id, { title: " " }), 400, "invalid_request");
  });

  test("[CHAT-7] [GEN-5] a change without effect leaves no trace: neither a version nor an event", async () => {
    const id = await open();
    const before = await client.readChat(id);
    for (const body of [{}, { options: {} }]) expect(await answered<Chat>(patch(id, body))).toEqual(before);
  });

  test("[GEN-8] If-Match with an old version is 409 version_conflict with the current one", async () => {
    const id = await open();
    expect((await answered<Chat>(patch(id, { pinned: true }, { "if-match": '"1"' }))).version).toBe(2);
    expect(await refused(patch(id, { pinned: false }, { "if-match": "1" }), 409, "version_conflict")).toEqual({
      version: 2,
    });
    await refused(patch(id, { pinned: false }, { "if-match": "new" }), 400, "invalid_request");
    expect((await client.readChat(id)).options).toMatchObject({ pinned: true });
    await answered(patch(id, { pinned: false }, { "if-match": "*" }));
  });
});

describe("delete", () => {
  test("[CHAT-1] a deleted chat is 404 everywhere and in no list; its running job is cancelled", async () => {
    const id = await open();
    const held = gate();
    service.model.script = () => [{ say: "half" }, { hold: held.hold }];
    const first = await client.send(id, "one");
    await client.reached(first.job.id, "running");
    const queued = await client.send(id, "two");
    const gone = await answered(client.call("DELETE", `/api/chats/${id}`));
    expect(gone).toMatchObject({ id, deleted: true, message_count: 3, allowed_actions: [] });
    await refused(client.call("GET", `/api/chats/${id}`), 404, "not_found");
    await refused(client.call("GET", `/api/chats/${id}/messages`), 404, "not_found");
    await refused(client.call("DELETE", `/api/chats/${id}`), 404, "not_found");
    await refused(client.call("POST", `/api/chats/${id}/messages`, { content: "three" }), 404, "not_found");
    expect((await client.get<{ chats: Chat[] }>("/api/chats?limit=100")).chats.map((chat) => chat.id)).not.toContain(
      id,
    );
    await client.reached(first.job.id, "cancelled");
    await client.reached(queued.job.id, "cancelled");
    await refused(client.decide(first.job.id, "resume"), 409, "invalid_state");
    held.open();
  });
});

describe("scopes", () => {
  const operations = (id: string): [string, string, string, unknown?][] => [
    ["chats:read", "GET", "/api/chats"],
    ["chats:read", "GET", `/api/chats/${id}`],
    ["chats:read", "GET", `/api/chats/${id}/messages`],
    ["chats:write", "POST", "/api/chats", {}],
    ["chats:write", "POST", `/api/chats/${id}/messages`, {}],
    ["chats:write", "PATCH", `/api/chats/${id}/options`, {}],
    ["chats:write", "DELETE", `/api/chats/${id}`],
  ];

  test("[AUTH-4] a token without the scope is 403 with the missing scope, one with it passes", async () => {
    const id = await open();
    const lacking = await service.tokenFor(owner, { kind: "service", scopes: ["jobs:write", "agents:write"] });
    const reading = await service.tokenFor(owner, { kind: "service", scopes: ["chats:read"] });
    for (const [scope, method, path, body] of operations(id)) {
      const response = await service.call(lacking, method, path, body);
      expect(response.headers.get("www-authenticate")).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
      expect(await refused(response, 403, "insufficient_scope")).toEqual({ required_scopes: [scope] });
      const status = (await service.call(reading, method, path, body)).status;
      expect([path, status]).toEqual([path, scope === "chats:read" ? 200 : 403]);
    }
    const writing: Caller = await service.tokenFor(owner, { kind: "service", scopes: ["chats:write"] });
    await answered(service.call(writing, "GET", `/api/chats/${id}`));
    await answered(service.call(writing, "DELETE", `/api/chats/${id}`));
  });

  test("[AUTH-4] without a token every operation is 401 with WWW-Authenticate", async () => {
    for (const [, method, path, body] of operations("cht_x")) {
      const response = await service.call(null, method, path, body);
      expect(response.headers.get("www-authenticate")).toStartWith("Bearer resource_metadata=");
      await refused(response, 401, "unauthenticated");
    }
  });

  test("[ERR-2] another method is 405 with Allow", async () => {
    const response = await client.call("PUT", "/api/chats", {});
    expect(response.headers.get("allow")).toBe("GET, HEAD, POST, OPTIONS");
    await refused(response, 405, "method_not_allowed");
  });
});
