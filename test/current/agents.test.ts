/** Agents over HTTP: their record, lists and changes (AGT-1, AGT-2, AGT-4). */
import { beforeAll, describe, expect, test } from "bun:test";
import { library } from "../../src/wiring/library.ts";
import { answered, Client, type Job, type Json, refused } from "../support/current.ts";
import { personOfFile, sceneOfFile } from "../support/scene.ts";
import type { Caller } from "../support/service.ts";
import { createAgent, execute, expectFailure, expectUnauthorized, success } from "../support/v1.ts";

interface Agent extends Json {
  readonly id: string;
  readonly version: number;
  readonly visibility: string;
  readonly install_state: string;
  readonly system_prompt: string | null;
  readonly allowed_actions: readonly string[];
}
interface AgentPage {
  readonly agents: readonly Agent[];
  readonly next_cursor?: string;
}

const { service, owner, client } = sceneOfFile();
const member = personOfFile(() => service.join(owner.organizationId));
const stranger = personOfFile(() => service.found("Stranger"));
beforeAll(async () => {
  await answered(client.call("PUT", "/api/secrets/FILES", { value: "a secret of ours" }), 201);
});

const BODY = { name: "Ada", system_prompt: "Be brief." };
const EVERYTHING = {
  name: "Eve",
  role: "Poet",
  description: "Writes",
  system_prompt: "Rhyme.",
  model: "fake:fake",
  allowed_tools: ["web_fetch", "create_task"],
  approval_tools: ["create_task"],
  approval_rules: [{ name: "Tasks", tool: "create_task", then: "ask" }],
  approval_expiry: { after_seconds: 3_600, on_expiry: "cancel" },
  approval_reach: { links: "anyone", remind_after_seconds: 600 },
  mcp_servers: [
    { name: "files", url: "https://mcp.example/mcp", headers: [{ name: "authorization", secret: "FILES" }] },
  ],
  max_steps: 5,
  tools: [{ kind: "client", name: "rhymes", description: "Finds rhymes", input_schema: { type: "object" } }],
  output_schema: { type: "object", properties: { poem: { type: "string" } } },
  cache: "1h",
  model_settings: { effort: "low", stop: ["END"] },
  tags: ["a", "b"],
};
const post = (body: unknown, by: Caller = owner) => service.call(by, "POST", "/api/agents", body);
const patch = (id: string, body: unknown, by: Caller = owner) => service.call(by, "PATCH", `/api/agents/${id}`, body);
const get = (id: string, by: Caller = owner) => service.call(by, "GET", `/api/agents/${id}`);
const remove = (id: string, by: Caller = owner) => service.call(by, "DELETE", `/api/agents/${id}`);
const read = (id: string, by: Caller = owner) => answered<Agent>(get(id, by));
const create = (fields: Json = {}, by: Caller = owner) => answered<Agent>(post({ ...BODY, ...fields }, by), 201);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
const errorsAt = (...paths: readonly string[]) => ({
  errors: paths.map((path) => ({ path, message: expect.stringMatching(/\S/) as unknown })),
});

describe("create and read", () => {
  test("[AGT-2] [AGT-1] POST makes a private agent with the whole record", async () => {
    const agent = await create(EVERYTHING);
    expect(agent).toEqual({
      ...EVERYTHING,
      has_no_tools: false,
      id: expect.stringMatching(/^agt_[A-Za-z0-9_-]{21}$/),
      visibility: "private",
      source: "private",
      status: "active",
      install_state: "installed",
      created_by: owner.userId,
      organization_id: owner.organizationId,
      version: 1,
      created_at: time,
      updated_at: time,
      links: { self: `/api/agents/${agent.id}` },
      allowed_actions: ["update", "delete", "execute"],
    } as never);
    expect(await read(agent.id)).toEqual(agent);
  });

  test("[AGT-1] omitted fields get their defaults, and the status cannot be set", async () => {
    const { errors } = await refused(post({ ...BODY, status: "public" }), 400, "invalid_request");
    expect(errors).toEqual([{ path: "/status", message: "Unknown field `status`" }]);
    expect(await create({})).toMatchObject({
      role: "Assistant",
      description: null,
      model: null,
      visibility: "private",
      status: "active",
      has_no_tools: false,
      allowed_tools: [],
      approval_tools: [],
      approval_rules: [],
      approval_expiry: { after_seconds: 86_400, on_expiry: "deny" },
      approval_reach: { links: "signed_in", remind_after_seconds: null },
      mcp_servers: [],
      max_steps: null,
      tools: [],
      output_schema: null,
      cache: "auto",
      model_settings: null,
      tags: [],
    });
  });

  test("[AGT-1] both surfaces are views of the same agent", async () => {
    const id = await createAgent(service, owner, { name: "Bob", role: "R", systemPrompt: "P" });
    expect(await read(id)).toMatchObject({ name: "Bob", role: "R", system_prompt: "P", visibility: "organization" });
    await answered(patch(id, { system_prompt: "Q", visibility: "public" }));
    const { agent } = await success<{ agent: Json }>(service.call(owner, "GET", `/api/v1/agents/${id}`));
    expect(agent).toMatchObject({ id, systemPrompt: "Q", visibility: "public" });
  });

  test.each([
    [{}, ["/name", "/system_prompt"]],
    [{ name: "A" }, ["/system_prompt"]],
    [{ ...BODY, name: " " }, ["/name"]],
    [{ ...BODY, name: "n".repeat(513) }, ["/name"]],
    [{ ...BODY, role: "" }, ["/role"]],
    [{ ...BODY, description: 1 }, ["/description"]],
    [{ ...BODY, model: "no spaces" }, ["/model"]],
    [{ ...BODY, allowed_tools: "look" }, ["/allowed_tools"]],
    [{ ...BODY, approval_tools: ["a b"] }, ["/approval_tools/0"]],
    [{ ...BODY, approval_expiry: { after_seconds: 59, on_expiry: "deny" } }, ["/approval_expiry/after_seconds"]],
    [{ ...BODY, approval_expiry: { after_seconds: 60, on_expiry: "ask" } }, ["/approval_expiry/on_expiry"]],
    [{ ...BODY, approval_reach: { links: "all", remind_after_seconds: 60 } }, ["/approval_reach/links"]],
    [{ ...BODY, mcp_servers: [{ name: "x", url: 1 }] }, ["/mcp_servers/0/url"]],
    [{ ...BODY, max_steps: 257 }, ["/max_steps"]],
    [{ ...BODY, max_steps: 1.5 }, ["/max_steps"]],
    [{ ...BODY, cache: "10m" }, ["/cache"]],
    [{ ...BODY, cache: null }, ["/cache"]],
    [{ ...BODY, tags: [""] }, ["/tags/0"]],
  ])("[GEN-7] POST %j names %j", async (body, paths) => {
    expect(await refused(post(body), 400, "invalid_request")).toEqual(errorsAt(...paths));
  });

  test.each(["agt_000000000000000000000", "nope", "%00", "a%2Fb", "x".repeat(2_000)])(
    "[GEN-8] no agent is called %s",
    async (id) => {
      await refused(get(id), 404, "not_found");
      await refused(patch(id, { role: "R" }), 404, "not_found");
      await refused(remove(id), 404, "not_found");
      await refused(client.call("PATCH", `/api/agents/${id}/install-state`, { action: "install" }), 404, "not_found");
    },
  );
});

describe("whose an agent is", () => {
  test("[AUTH-4] [AGT-1] a private agent is visible only to its creator", async () => {
    const { id } = await create();
    for (const by of [member, stranger]) {
      await refused(get(id, by), 404, "not_found");
      await refused(patch(id, { role: "R" }, by), 404, "not_found");
      await refused(remove(id, by), 404, "not_found");
    }
    expect(await read(id)).toMatchObject({ version: 1 });
  });

  test("[AUTH-4] [AGT-1] another organization's agent is not found, unless it is public or unlisted", async () => {
    const id = await createAgent(service, owner);
    await refused(get(id, stranger), 404, "not_found");
    await refused(patch(id, { role: "R" }, stranger), 404, "not_found");
    await refused(remove(id, stranger), 404, "not_found");
    expect((await read(id, member)).allowed_actions).toEqual(["update", "delete", "execute"]);
  });

  test.each(["public", "unlisted"])(
    "[AGT-4] [V1-5] a foreign reader of a %s agent sees no secret of it",
    async (visibility) => {
      const { id } = await create({ ...EVERYTHING });
      await answered(patch(id, { visibility }));
      expect(await read(id, stranger)).toMatchObject({
        name: "Eve",
        system_prompt: null,
        mcp_servers: [],
        allowed_actions: ["execute"],
      });
      await refused(patch(id, { role: "R" }, stranger), 404, "not_found");
      await refused(remove(id, stranger), 404, "not_found");
    },
  );

  test("[AGT-4] only its creator can make an agent private", async () => {
    const id = await createAgent(service, member, { name: "Shared" });
    const message = "Only its creator may make an agent private";
    for (const body of [{ visibility: "private" }, { visibility: "private", name: "Mine" }]) {
      await refused(patch(id, body), 403, "forbidden");
      await expectUnauthorized(await service.call(owner, "PATCH", `/api/v1/agents/${id}`, body));
    }
    const refusal = await patch(id, { visibility: "private" });
    expect((await refusal.json()) as Json).toMatchObject({ message });
    expect(await read(id)).toMatchObject({ name: "Shared", visibility: "organization", version: 1 });
    expect(await answered<Agent>(patch(id, { name: "Ours" }))).toMatchObject({ name: "Ours" });
    expect(await answered<Agent>(patch(id, { visibility: "private" }, member))).toMatchObject({
      visibility: "private",
    });
    await refused(get(id), 404, "not_found");
    expect(await answered<Agent>(patch(id, { visibility: "private", role: "R" }, member))).toMatchObject({ role: "R" });
  });

  test("[AGT-4] on v1 a blank role means the default role", async () => {
    const id = await createAgent(service, owner, { role: "" });
    expect(await read(id)).toMatchObject({ role: "Assistant" });
    await success(service.call(owner, "PATCH", `/api/v1/agents/${id}`, { role: "Poet" }));
    expect(await read(id)).toMatchObject({ role: "Poet" });
    await success(service.call(owner, "PATCH", `/api/v1/agents/${id}`, { role: " " }));
    expect(await read(id)).toMatchObject({ role: "Assistant" });
  });

  test("[AUTH-3] [AUTH-4] without a token 401; reading needs agents:read, changing agents:write", async () => {
    const { id } = await create();
    const reader = await service.tokenFor(owner, { scopes: ["agents:read"] });
    const none = await service.tokenFor(owner, { scopes: ["chats:write"] });
    const operations = [
      ["GET", "/api/agents", undefined, "agents:read"],
      ["GET", `/api/agents/${id}`, undefined, "agents:read"],
      ["POST", "/api/agents", BODY, "agents:write"],
      ["PATCH", `/api/agents/${id}`, { role: "R" }, "agents:write"],
      ["DELETE", `/api/agents/${id}`, undefined, "agents:write"],
      ["PATCH", `/api/agents/${id}/install-state`, { action: "install" }, "agents:write"],
    ] as const;
    for (const [method, path, body, scope] of operations) {
      await refused(service.call(null, method, path, body), 401, "unauthenticated");
      const details = await refused(service.call(none, method, path, body), 403, "insufficient_scope");
      expect(details).toEqual({ required_scopes: [scope] });
      const isRead = scope === "agents:read";
      if (isRead) await answered(service.call(reader, method, path));
      else await refused(service.call(reader, method, path, body), 403, "insufficient_scope");
    }
  });
});

describe("allowed actions", () => {
  test("[GEN-5] name what this caller may do now, within the scopes of its token", async () => {
    const { id } = await create();
    const actionsFor = async (scopes: readonly string[]) =>
      (await read(id, await service.tokenFor(owner, { scopes }))).allowed_actions;
    expect(await actionsFor(["agents:read"])).toEqual([]);
    expect(await actionsFor(["agents:read", "chats:write"])).toEqual(["execute"]);
    expect(await actionsFor(["agents:write"])).toEqual(["update", "delete"]);
    expect(await actionsFor(["*"])).toEqual(["update", "delete", "execute"]);
    const entry = library.of(owner.organizationId)[0]!;
    const reader = await service.tokenFor(owner, { scopes: ["agents:read"] });
    expect((await read(entry.id, reader)).allowed_actions).toEqual([]);
  });
});

describe("update and delete", () => {
  test("[AGT-1] changes only the given fields; a change without effect leaves no trace", async () => {
    const before = await create(EVERYTHING);
    expect(await answered<Agent>(patch(before.id, {}))).toEqual(before);
    const after = await answered<Agent>(
      patch(before.id, { description: null, model: null, max_steps: null, tags: [] }),
    );
    expect(after).toEqual({
      ...before,
      description: null,
      model: null,
      max_steps: null,
      tags: [],
      version: 2,
      updated_at: after["updated_at"],
    } as never);
  });

  test.each([
    [{ visibility: "secret" }, "/visibility"],
    [{ name: "" }, "/name"],
    [{ system_prompt: " " }, "/system_prompt"],
    [{ role: "" }, "/role"],
    [{ max_steps: 0 }, "/max_steps"],
    [{ tags: "x" }, "/tags"],
  ])("[GEN-7] PATCH %j is refused and names the field", async (body, path) => {
    const { id } = await create();
    expect(await refused(patch(id, body), 400, "invalid_request")).toEqual(errorsAt(path));
    expect((await read(id)).version).toBe(1);
  });

  test("[GEN-8] If-Match: an old version is 409 and changes nothing, the current one is accepted", async () => {
    const { id } = await create();
    await answered(patch(id, { role: "Second" }));
    const withMatch = (match: string) =>
      service.call(owner, "PATCH", `/api/agents/${id}`, { role: "Third" }, { "if-match": match });
    expect(await refused(withMatch("1"), 409, "version_conflict")).toEqual({ version: 2 });
    await refused(withMatch("x"), 400, "invalid_request");
    expect(await read(id)).toMatchObject({ role: "Second", version: 2 });
    expect(await answered(withMatch('"2"'))).toMatchObject({ role: "Third", version: 3 });
    // It has this role already.
    expect(await answered(withMatch("*"))).toMatchObject({ role: "Third", version: 3 });
  });

  test("[AGT-1] DELETE archives: the agent disappears everywhere, and its work stays", async () => {
    const id = await createAgent(service, owner);
    await success(execute(service, owner, id, { message: "hi" }));
    expect(await answered<Agent>(remove(id, member))).toMatchObject({ id, status: "archived", allowed_actions: [] });
    await refused(get(id), 404, "not_found");
    await refused(patch(id, { role: "R" }), 404, "not_found");
    await refused(remove(id), 404, "not_found");
    await expectFailure(await execute(service, owner, id, { message: "hi" }), 404, "Agent not found");
    expect((await client.get<{ jobs: Job[] }>(`/api/jobs?agent_id=${id}`)).jobs).toHaveLength(1);
  });
});

describe("lists", () => {
  const pageOf = (by: Caller, query = "") => new Client(service, by).get<AgentPage>(`/api/agents?${query}`);

  test("[GEN-8] [GEN-3] has the caller's private agents but not those of others; pages have no gaps, and the library comes last", async () => {
    const by = await service.found("Pages");
    const colleague = await service.join(by.organizationId);
    const ids = [
      (await create({}, by)).id,
      await createAgent(service, by),
      (await create({}, colleague)).id,
      await createAgent(service, colleague, { visibility: "unlisted" }),
      await createAgent(service, by, { visibility: "public" }),
    ];
    const gone = await createAgent(service, by);
    await answered(remove(gone, by));
    const [own, , hidden] = ids;
    const seen: Agent[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined;) {
      const page: AgentPage = await pageOf(by, `limit=2&cursor=${cursor}`);
      seen.push(...page.agents);
      cursor = page.next_cursor;
    }
    const entries = library.of(by.organizationId).map(({ id }) => id);
    expect(seen.map(({ id }) => id).toSorted()).toEqual([...ids, ...entries].filter((id) => id !== hidden).toSorted());
    expect(seen.slice(-entries.length).map(({ id }) => id)).toEqual(entries);
    expect(seen.map(({ id }) => id)).toContain(own!);
    const theirs = (await pageOf(colleague, "limit=100")).agents.map(({ id }) => id);
    expect(theirs).toContain(hidden!);
    expect(theirs).not.toContain(own!);
  });

  test.each([
    ["limit=0", "invalid_request"],
    ["limit=ten", "invalid_request"],
    ["cursor=x", "invalid_cursor"],
  ])("[GEN-3] ?%s is refused", async (query, code) => {
    await refused(client.call("GET", `/api/agents?${query}`), 400, code);
  });
});
