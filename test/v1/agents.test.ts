import { describe, expect, test } from "bun:test";
import { personOfFile, sceneOfFile } from "../support/scene.ts";
import type { Caller } from "../support/service.ts";
import { createAgent, type CreatedAgent, expectFailure, success } from "../support/v1.ts";

const { service, owner } = sceneOfFile();
const member = personOfFile(() => service.join(owner.organizationId));
const stranger = personOfFile(() => service.found("Stranger"));

interface AgentView {
  id: string;
  [field: string]: unknown;
}
const post = (body: unknown, by: Caller = owner) => service.call(by, "POST", "/api/v1/agents", body);
const get = (id: string, by: Caller = owner) => service.call(by, "GET", `/api/v1/agents/${id}`);
const patch = (id: string, body: unknown, by: Caller = owner) =>
  service.call(by, "PATCH", `/api/v1/agents/${id}`, body);
const remove = (id: string, by: Caller = owner) => service.call(by, "DELETE", `/api/v1/agents/${id}`);
const list = (by: Caller = owner) =>
  success<{ success: boolean; agents: AgentView[]; total: number }>(service.call(by, "GET", "/api/v1/agents"));
const read = async (id: string, by: Caller = owner) => (await success<{ agent: AgentView }>(get(id, by))).agent;
const NOT_FOUND = "Agent not found";

describe("create", () => {
  test("[V1-6] answers exactly its five fields, and the chat's page exists", async () => {
    const made = await success<CreatedAgent>(post({ name: "Ada", systemPrompt: "Be brief." }));
    expect(made).toEqual({
      success: true,
      id: expect.stringMatching(/^agt_[A-Za-z0-9_-]{21}$/),
      name: "Ada",
      status: "active",
      chatUrl: expect.stringMatching(new RegExp(`^/org/spaces/${owner.workspaceId}/chats/cht_[A-Za-z0-9_-]{21}$`)),
    });
    const page = await fetch(service.url + made.chatUrl);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("content-security-policy")).toStartWith("default-src 'none'");
    expect(new URL(page.url).pathname).toBe(`/app/chats/${made.chatUrl.split("/").at(-1)}`);
  });

  test("[V1-6] the chat that chatUrl names can be continued by execute", async () => {
    const made = await success<CreatedAgent>(post({ name: "Ada", systemPrompt: "Be brief." }));
    const chatId = made.chatUrl.split("/").at(-1);
    const answer = await success(
      service.call(owner, "POST", `/api/v1/agents/${made.id}/execute`, { message: "hi", chatId }),
    );
    expect(answer).toMatchObject({ success: true, chatId });
  });

  test("[V1-1] role defaults to Assistant, and visibility to organization", async () => {
    const agent = await read(await createAgent(service, owner));
    expect(agent).toEqual({
      id: agent.id,
      name: "Ada",
      role: "Assistant",
      systemPrompt: "Be brief.",
      visibility: "organization",
      organizationId: owner.organizationId,
      userId: owner.userId,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: agent["createdAt"],
    });
    const nulls = await read(await createAgent(service, owner, { role: null, visibility: null }));
    expect(nulls).toMatchObject({ role: "Assistant", visibility: "organization" });
    const said = await read(await createAgent(service, owner, { role: "Poet", visibility: "private" }));
    expect(said).toMatchObject({ role: "Poet", visibility: "private" });
  });

  test.each([
    [{}, "Missing required field: name"],
    [{ systemPrompt: "P" }, "Missing required field: name"],
    [{ name: "N" }, "Missing required field: systemPrompt"],
    [{ name: "", systemPrompt: "P" }, "Missing required field: name"],
    [{ name: "  \n", systemPrompt: "P" }, "Missing required field: name"],
    [{ name: null, systemPrompt: "P" }, "Missing required field: name"],
    [{ name: "N", systemPrompt: "" }, "Missing required field: systemPrompt"],
    [{ name: 5, visibility: "x" }, "Missing required field: systemPrompt"],
    [{ name: 5, systemPrompt: "P" }, "Field name must be a string"],
    [{ name: "N", systemPrompt: ["P"] }, "Field systemPrompt must be a string"],
    [{ name: "N", systemPrompt: "P", role: true }, "Field role must be a string"],
    [
      { name: "N", systemPrompt: "P", visibility: "Public" },
      "Invalid visibility value. Must be: private, organization, public, or unlisted",
    ],
    [
      { name: "N", systemPrompt: "P", visibility: "" },
      "Invalid visibility value. Must be: private, organization, public, or unlisted",
    ],
    [
      { name: "N", systemPrompt: "P", visibility: 1 },
      "Invalid visibility value. Must be: private, organization, public, or unlisted",
    ],
  ])("[ERR-3] %j is 400: %s", async (body, message) => expectFailure(await post(body), 400, message));

  test("[ERR-5] a name of 512 characters and a prompt of 65,536 are taken, one more is 400", async () => {
    await success(post({ name: "n".repeat(512), systemPrompt: "p".repeat(65_536) }));
    await success(post({ name: "🚀".repeat(512), systemPrompt: "🚀".repeat(65_536) }));
    await expectFailure(
      await post({ name: "n".repeat(513), systemPrompt: "P" }),
      400,
      "Field name must have at most 512 characters",
    );
    await expectFailure(
      await post({ name: "N", systemPrompt: "p".repeat(65_537) }),
      400,
      "Field systemPrompt must have at most 65536 characters",
    );
  });

  test("[GEN-7] unknown keys are ignored", async () => {
    const agent = await read(
      await createAgent(service, owner, { id: "agt_mine", organizationId: "org_x", archived: true, model: "m" }),
    );
    expect(agent).toMatchObject({ organizationId: owner.organizationId });
    expect(agent.id).not.toBe("agt_mine");
    expect(agent).not.toHaveProperty("archived");
    expect(agent).not.toHaveProperty("model");
  });

  test("[ERR-5] any text returns as it was sent", async () => {
    const name = "Ünï 😀 \u202e \\ \" ' <b> \u0001";
    expect((await read(await createAgent(service, owner, { name })))["name"]).toBe(name);
  });
});

describe("list", () => {
  test("[V1-1] is empty in a new organization", async () => {
    expect(await list(await service.found())).toEqual({ success: true, agents: [], total: 0 });
  });

  test("[V1-1] is newest first, counts, and shows what the own organization shares", async () => {
    const by = await service.found();
    const colleague = await service.join(by.organizationId);
    const shared = await createAgent(service, by, { visibility: "organization" });
    await createAgent(service, by, { visibility: "private" });
    await createAgent(service, by, { visibility: "unlisted" });
    const open = await createAgent(service, colleague, { visibility: "public" });
    const archived = await createAgent(service, by);
    await success(remove(archived, by));
    await createAgent(service, stranger, { visibility: "public" });
    for (const reader of [by, colleague]) {
      const { agents, total } = await list(reader);
      expect(agents.map((agent) => agent.id)).toEqual([open, shared]);
      expect(total).toBe(2);
      expect(agents[1]).toEqual(await read(shared, by));
    }
  });

  test("[V1-1] shows its caller's own writes", async () => {
    const by = await service.found();
    for (let i = 1; i <= 5; i++) {
      const id = await createAgent(service, by);
      const { agents, total } = await list(by);
      expect([agents[0]?.id, total]).toEqual([id, i]);
    }
  });
});

describe("read", () => {
  test("[V1-1] a private agent is its creator's only", async () => {
    const id = await createAgent(service, member, { visibility: "private" });
    expect((await read(id, member))["visibility"]).toBe("private");
    await expectFailure(await get(id, owner), 404, NOT_FOUND);
    await expectFailure(await get(id, stranger), 404, NOT_FOUND);
  });

  test("[V1-1] an agent with visibility organization is visible to its members only", async () => {
    const id = await createAgent(service, owner);
    expect((await read(id, member)).id).toBe(id);
    await expectFailure(await get(id, stranger), 404, NOT_FOUND);
  });

  test.each(["public", "unlisted"])(
    "[V1-5] a foreign reader of a %s agent does not see its systemPrompt",
    async (visibility) => {
      const id = await createAgent(service, owner, { visibility, systemPrompt: "Secret." });
      const own = await read(id, member);
      const { systemPrompt, ...rest } = own;
      expect(systemPrompt).toBe("Secret.");
      for (let i = 0; i < 2; i++) expect(await read(id, stranger)).toEqual(rest);
    },
  );

  test("[V1-1] an agent that becomes private is gone for others at once", async () => {
    const id = await createAgent(service, owner, { visibility: "public" });
    await read(id, stranger);
    await success(patch(id, { visibility: "private" }));
    await expectFailure(await get(id, stranger), 404, NOT_FOUND);
    await expectFailure(await get(id, member), 404, NOT_FOUND);
  });

  test.each([
    "agt_000000000000000000000",
    "nope",
    "%00",
    "a%2Fb",
    "agt_%F0%9F%98%80",
    "%E0%A4%A",
    "x".repeat(2_000),
    "..%2f",
  ])("[ERR-3] no agent is called %s", async (id) => {
    for (const by of [owner, stranger]) await expectFailure(await get(id, by), 404, NOT_FOUND);
    await expectFailure(await patch(id, { role: "R" }), 404, NOT_FOUND);
    await expectFailure(await remove(id), 404, NOT_FOUND);
  });
});

describe("update", () => {
  test("[V1-1] changes only the given fields", async () => {
    const id = await createAgent(service, owner, { role: "Poet" });
    const before = await read(id);
    expect(await success(patch(id, { systemPrompt: "Be long." }))).toEqual({
      success: true,
      message: "Agent updated successfully",
    });
    const after = await read(id);
    expect(after).toEqual({ ...before, systemPrompt: "Be long.", updatedAt: after["updatedAt"] });
    await success(patch(id, { name: "Eve", role: "R", visibility: "public", systemPrompt: null }, member));
    expect(await read(id)).toMatchObject({
      name: "Eve",
      role: "R",
      visibility: "public",
      systemPrompt: "Be long.",
      userId: owner.userId,
    });
  });

  test("[V1-1] a change of nothing is 200 and leaves no trace", async () => {
    const id = await createAgent(service, owner);
    const before = await read(id);
    await success(patch(id, {}));
    await success(patch(id, { name: null, unknown: 1, createdBy: "x", status: "archived" }));
    expect(await read(id)).toEqual(before);
  });

  test.each([
    [{ visibility: "secret" }, "Invalid visibility value. Must be: private, organization, public, or unlisted"],
    [{ name: "" }, "Field name must not be empty"],
    [{ systemPrompt: " " }, "Field systemPrompt must not be empty"],
    [{ name: {} }, "Field name must be a string"],
    [{ role: 1 }, "Field role must be a string"],
    [{ name: "n".repeat(513) }, "Field name must have at most 512 characters"],
  ])("[ERR-3] %j is 400: %s", async (body, message) => {
    const id = await createAgent(service, owner);
    await expectFailure(await patch(id, body), 400, message);
  });

  test("[V1-1] only the owning organization updates and deletes; a private agent only its creator", async () => {
    const open = await createAgent(service, owner, { visibility: "public" });
    const secret = await createAgent(service, owner, { visibility: "private" });
    for (const [id, by] of [
      [open, stranger],
      [secret, member],
      [secret, stranger],
    ] as const) {
      await expectFailure(await patch(id, { role: "R" }, by), 404, NOT_FOUND);
      await expectFailure(await remove(id, by), 404, NOT_FOUND);
    }
    await success(patch(secret, { role: "R" }));
    await success(remove(open, member));
  });
});

describe("delete", () => {
  test("[V1-1] is soft and final: the agent is nowhere any more", async () => {
    const id = await createAgent(service, owner, { visibility: "public" });
    expect(await success(remove(id))).toEqual({ success: true, message: "Agent deleted successfully" });
    for (const by of [owner, member, stranger]) await expectFailure(await get(id, by), 404, NOT_FOUND);
    await expectFailure(await patch(id, { role: "R" }), 404, NOT_FOUND);
    await expectFailure(await remove(id), 404, NOT_FOUND);
    await expectFailure(
      await service.call(owner, "POST", `/api/v1/agents/${id}/execute`, { message: "hi" }),
      404,
      NOT_FOUND,
    );
    expect((await list()).agents.map((agent) => agent.id)).not.toContain(id);
    expect(await service.directory.findAgent(id)).toEqual({ organizationId: owner.organizationId });
  });
});
