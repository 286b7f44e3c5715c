import { describe, expect, test } from "bun:test";
import { organizationRef } from "../../actors/organization/schema.ts";
import { makeToken } from "../../src/http/admission/token.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent, execute, expectUnauthorized, success } from "../support/v1.ts";

let lookUps: string[] = [];

const { service, owner } = sceneOfFile({
  overrides: {
    services: ({ directory }) => ({
      directory: new Proxy(directory, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (name !== "findToken") return typeof member === "function" ? member.bind(target) : member;
          return (hash: string) => {
            lookUps.push(hash);
            return target.findToken(hash);
          };
        },
      }),
    }),
  },
});

const OPERATIONS = [
  ["GET", "/api/v1/agents"],
  ["POST", "/api/v1/agents"],
  ["GET", "/api/v1/agents/agt_x"],
  ["PATCH", "/api/v1/agents/agt_x"],
  ["DELETE", "/api/v1/agents/agt_x"],
  ["POST", "/api/v1/agents/agt_x/execute"],
  ["GET", "/api/v1/tasks"],
  ["POST", "/api/v1/tasks"],
] as const;

const withHeader = (authorization: string) => fetch(`${service.url}/api/v1/agents`, { headers: { authorization } });

test.each(OPERATIONS)("[AUTH-4] %s %s without a token is 401, before its body is checked", async (method, path) => {
  const answer = await service.call(null, method, path);
  expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  await expectUnauthorized(answer);
});

test("[AUTH-1] a token with a typo or of another form is 401 without a look-up", async () => {
  lookUps = [];
  const typo = owner.token.slice(0, 20) + (owner.token[20] === "a" ? "b" : "a") + owner.token.slice(21);
  for (const header of [
    `Bearer ${typo}`,
    "Bearer x",
    "Bearer",
    `Basic ${owner.token}`,
    `Bearer ${owner.token}, Bearer x`,
  ]) {
    await expectUnauthorized(await withHeader(header));
  }
  expect(lookUps).toEqual([]);
});

test("[AUTH-1] an unknown token is looked up each time, a known one once", async () => {
  lookUps = [];
  const { secret } = makeToken("personal");
  for (let i = 0; i < 2; i++) await expectUnauthorized(await withHeader(`Bearer ${secret}`));
  expect(lookUps).toHaveLength(2);
  const other = await service.found("Other");
  for (let i = 0; i < 3; i++) await success(service.call(other, "GET", "/api/v1/agents"));
  expect(lookUps).toHaveLength(3);
});

test("[AUTH-1] the scheme's case does not matter", async () => {
  expect((await withHeader(`bearer ${owner.token}`)).status).toBe(200);
});

test("[AUTH-4] an expired token is 401", async () => {
  const token = await service.tokenFor(owner, { expiresAt: new Date(Date.now() - 1).toISOString() });
  await expectUnauthorized(await service.call(token, "GET", "/api/v1/agents"));
});

test("[AUTH-2] a revoked token is 401 from the next request on, also when it was in use", async () => {
  const token = await service.tokenFor(owner, {});
  await success(service.call(token, "GET", "/api/v1/agents"));
  await service.system.dispatch(organizationRef(owner.organizationId), {
    kind: "revoke_token",
    tokenId: token.tokenId,
    of: null,
    by: null,
  });
  await expectUnauthorized(await service.call(token, "GET", "/api/v1/agents"));
});

test("[AUTH-7] a token of a person who left the organization is 401", async () => {
  const member = await service.join(owner.organizationId);
  await success(service.call(member, "GET", "/api/v1/agents"));
  await service.system.dispatch(organizationRef(owner.organizationId), {
    kind: "remove_member",
    userId: member.userId,
  });
  await expectUnauthorized(await service.call(member, "GET", "/api/v1/agents"));
});

test("[AUTH-1] the use of a token is recorded", async () => {
  const token = await service.tokenFor(owner, {});
  await success(service.call(token, "GET", "/api/v1/agents"));
  // The note is a turn that began before the answer, so what is settled now has it.
  await service.system.settled(owner.organizationId);
  const tokens = await service.directory.listTokens(owner.organizationId);
  expect(tokens.find((t) => t.id === token.tokenId)?.lastUsedAt).toMatch(/^\d{4}-.*Z$/);
});

describe("scopes", () => {
  /** What each operation needs; a body is not reached by who lacks it. */
  const NEEDS = [
    ["GET", "", "agents:read"],
    ["GET", "/:id", "agents:read"],
    ["POST", "", "agents:write"],
    ["PATCH", "/:id", "agents:write"],
    ["DELETE", "/:id", "agents:write"],
    ["POST", "/:id/execute", "chats:write"],
  ] as const;

  test.each(NEEDS)("[AUTH-7] %s /agents%s without %s is 401", async (method, path, scope) => {
    const others = [
      "agents:read",
      "agents:write",
      "chats:write",
      "chats:read",
      "tasks:write",
      "jobs:write",
      "mcp",
    ].filter((other) => other !== scope && other !== scope.replace(":read", ":write"));
    const token = await service.tokenFor(owner, { scopes: others });
    const id = await createAgent(service, owner);
    await expectUnauthorized(await service.call(token, method, `/api/v1/agents${path.replace(":id", id)}`));
  });

  test("[AUTH-7] tasks need tasks:read and tasks:write; write covers read", async () => {
    const reader = await service.tokenFor(owner, { scopes: ["tasks:read"] });
    const writer = await service.tokenFor(owner, { scopes: ["tasks:write"] });
    const other = await service.tokenFor(owner, { scopes: ["agents:write", "chats:write"] });
    await success(service.call(reader, "GET", "/api/v1/tasks"));
    await expectUnauthorized(await service.call(reader, "POST", "/api/v1/tasks", { title: "T" }));
    await success(service.call(writer, "GET", "/api/v1/tasks"));
    await success(service.call(writer, "POST", "/api/v1/tasks", { title: "T" }));
    await expectUnauthorized(await service.call(other, "GET", "/api/v1/tasks"));
    await expectUnauthorized(await service.call(other, "POST", "/api/v1/tasks", { title: "T" }));
  });

  test("[AUTH-6] a service token with the right scopes can do all of this", async () => {
    const token = await service.tokenFor(owner, { kind: "service", scopes: ["agents:write", "chats:write"] });
    expect(token.token).toStartWith("svc_");
    const id = await createAgent(service, token);
    await success(service.call(token, "GET", "/api/v1/agents"));
    await success(service.call(token, "PATCH", `/api/v1/agents/${id}`, { role: "R" }));
    await success(execute(service, token, id, { message: "hi" }));
    await success(service.call(token, "DELETE", `/api/v1/agents/${id}`));
    await expectUnauthorized(await service.call(token, "GET", "/api/v1/tasks"));
  });

  test("[AUTH-7] a token acts as the user who created it", async () => {
    const token = await service.tokenFor(owner, { kind: "service", scopes: ["tasks:write"] });
    const { task } = await success<{ task: { createdBy: string } }>(
      service.call(token, "POST", "/api/v1/tasks", { title: "T" }),
    );
    expect(task.createdBy).toBe(owner.userId);
  });
});
