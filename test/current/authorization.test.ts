/** All operations of the current surface: who is let in, and what there is for somebody of another organization. */
import { beforeEach, describe, expect, test } from "bun:test";
import { hasScope, SCOPES } from "../../actors/organization/principal.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { OPERATIONS } from "../../src/contract/document.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { grantOf, sessionOf } from "../support/credentials.ts";
import { unfinishedUpload, uploaded } from "../support/uploads.ts";
import { sceneOfTest } from "../support/scene.ts";
import type { Caller, Founded } from "../support/service.ts";

interface Route {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly scope: string;
  readonly orScope?: string;
}

/** What each operation asks of its caller. */
const routesOf = (): readonly Route[] =>
  OPERATIONS.flatMap(({ surface, operation: { method, path: template, scope, orScope } }) => {
    if (surface !== "current" || scope === null) return [];
    const path = template.replaceAll(/\{(\w+)\}/g, ":$1");
    return [{ name: `${method} ${path}`, method, path, scope, ...(orScope === undefined ? {} : { orScope }) }];
  });
const ROUTES = routesOf();

/** A body that its operation takes. */
const BODIES: Readonly<Record<string, Json>> = {
  "PATCH /api/agents/:id": { name: "Taken over" },
  "PATCH /api/agents/:id/install-state": { action: "install" },
  "PATCH /api/chats/:id": { title: "Taken over" },
  "PATCH /api/chats/:id/options": { pinned: true },
  "POST /api/chats/:id/messages": { content: "hi" },
  "POST /api/jobs/bulk": { action: "cancel", filter: { status: ["failed"] } },
  "POST /api/jobs/:id/iterate": { feedback: "again" },
  "POST /api/missions": { title: "M", goal: "g", agent_id: "agt_none" },
  "POST /api/missions/forecast": { schedule: { type: "none" } },
  "PATCH /api/missions/:id": { title: "Taken over" },
  "POST /api/missions/:id/tasks": { title: "Slipped in" },
  "PATCH /api/missions/:id/tasks/:taskId": { title: "Taken over" },
  "POST /api/tasks": { title: "Slipped in" },
  "PATCH /api/tasks/:id": { title: "Taken over" },
  "PATCH /api/workspaces/:id": { name: "Taken over" },
  "POST /api/workspaces/:id/data-blocks/query": { query: "SELECT 1" },
  "POST /api/workspaces/:id/files/directory": { path: "slipped-in" },
  "POST /api/workspaces/:id/files/move": { from: "a.txt", to: "b.txt" },
  "POST /api/workspaces/:id/files/preview": { path: "a.txt" },
  "POST /api/workspaces/:id/files/share": { path: "a.txt" },
  "PATCH /api/members/:id": { role: "owner" },
  "POST /api/invitations": { email: "ada@example.com" },
  "PUT /api/secrets/:name": { value: "a long value" },
  "PUT /api/groups/:name": { members: [] },
  "PUT /api/provider-keys/:provider": { secret: "KEY" },
  "PUT /api/messaging-integration": { url: "https://hooks.test/x" },
  "POST /api/messaging-integration/redeliver": { since_sequence: 1, until_sequence: 1 },
  "POST /api/messengers": { name: "Ops", format: "slack", url: "https://hooks.test/x" },
  "PUT /api/approval-mails": { enabled: true },
  "POST /api/messaging-integration/verify": { headers: {}, body: "{}" },
};
/** What operations cannot do without in their query. */
const QUERIES: Readonly<Record<string, string>> = {
  "GET /api/workspaces/:id/files/search": "?q=a",
  "GET /api/workspaces/:id/files/content": "?path=none.txt",
  "PUT /api/workspaces/:id/files/content": "?path=a.txt",
  "DELETE /api/workspaces/:id/files/content": "?path=a.txt",
  "GET /api/workspaces/:id/files/versions": "?path=a.txt",
};
/** Names that every organization has for itself: what an owner of another one is answered with. */
const NAMED: Readonly<Record<string, readonly [status: number, code?: string]>> = {
  "PUT /api/secrets/:name": [201],
  "DELETE /api/secrets/:name": [200],
  "PUT /api/groups/:name": [201],
  "DELETE /api/groups/:name": [200],
  // Their organization has no such secret.
  "PUT /api/provider-keys/:provider": [400, "invalid_request"],
};
/** For the owners of an organization only (AUTH-5). */
const OWNER_ONLY = new Set([
  "PUT /api/messaging-integration",
  "POST /api/messaging-integration/redeliver",
  "POST /api/messaging-integration/deliveries/:id/redeliver",
  "POST /api/messaging-integration/signing-secret/rotate",
  "GET /api/messengers",
  "POST /api/messengers",
  "DELETE /api/messengers/:id",
  "GET /api/approval-notices",
  "GET /api/invariants",
  "GET /api/load",
  "GET /api/audit",
  "GET /api/audit/export",
  "PATCH /api/members/:id",
  "DELETE /api/members/:id",
  "GET /api/invitations",
  "POST /api/invitations",
  "POST /api/invitations/:id/revoke",
  "POST /api/messaging-integration/test",
  "GET /api/messaging-integration/deliveries",
  "PUT /api/groups/:name",
  "DELETE /api/groups/:name",
  "GET /api/secrets",
  "PUT /api/secrets/:name",
  "DELETE /api/secrets/:name",
  "GET /api/provider-keys",
  "PUT /api/provider-keys/:provider",
  "DELETE /api/provider-keys/:provider",
  "GET /api/service-tokens",
  "POST /api/service-tokens",
  "POST /api/service-tokens/:id/revoke",
]);

/** Records of one organization, by the beginning of their paths. */
type Records = Readonly<Record<string, string>>;

let records: Records;

const { service, owner } = sceneOfTest();
beforeEach(async () => void (records = await recordsOf(owner)));

/** One of each noun. */
async function recordsOf(by: Founded): Promise<Records> {
  const client = new Client(service, by);
  const make = async (path: string, body: Json): Promise<string> => {
    const status = path.startsWith("/api/v1") ? 200 : 201;
    const made = await answered<{ id?: string; task?: { id: string } }>(client.call("POST", path, body), status);
    return made.id ?? made.task!.id;
  };
  const agent = await make("/api/agents", { name: "Ada", system_prompt: "Be brief." });
  const chat = await client.chat(agent, by.workspaceId);
  const { job } = await client.send(chat, "hello");
  await client.reached(job.id, "completed");
  await answered(client.call("PUT", "/api/secrets/KEY", { value: "a long value" }), 201);
  await answered(client.call("PUT", "/api/groups/reviewers", { members: [] }), 201);
  const token = { name: "CI", scopes: ["mcp"] };
  const mission = await make("/api/missions", { title: "M", goal: "g", agent_id: agent });
  const files = `/api/workspaces/${by.workspaceId}/files`;
  const headers = { authorization: `Bearer ${by.token}` };
  const upload = { method: "PUT", headers, body: "a" };
  await answered(fetch(`${service.url}${files}/content?path=a.txt`, upload), 201);
  await answered(client.call("PUT", "/api/messaging-integration", { url: "https://hooks.test/x" }), 201);
  const sent = await answered<{ delivery: { id: string } }>(
    client.call("POST", "/api/messaging-integration/test"),
    202,
  );
  return {
    "/api/agents/": agent,
    "/api/files/": (await uploaded(client, "a.txt", "a")).id,
    "/api/unfinished-uploads/": await unfinishedUpload(service.url, by),
    "/api/chats/": chat,
    "/api/jobs/": job.id,
    "/api/missions/": mission,
    ":taskId": await make(`/api/missions/${mission}/tasks`, { title: "T" }),
    "/api/tasks/": await make("/api/v1/tasks", { title: "T" }),
    "/api/workspaces/": by.workspaceId,
    ":share_id": await make(`${files}/share`, { path: "a.txt" }),
    "/api/connections/": await make("/api/connections", { url: "https://mcp.example/mcp" }),
    "/api/secrets/": "KEY",
    "/api/groups/": "reviewers",
    "/api/provider-keys/": "openai",
    "/api/messaging-integration/deliveries/": sent.delivery.id,
    "/api/messengers/": await make("/api/messengers", BODIES["POST /api/messengers"] ?? {}),
    "/api/members/": (await service.join(by.organizationId)).userId,
    "/api/invitations/": await make("/api/invitations", { email: "ada@example.com" }),
    "/api/sessions/": await sessionOf(service, by),
    "/api/oauth-grants/": await grantOf(service, by),
    "/api/service-tokens/": await make("/api/service-tokens", token),
    "/api/personal-access-tokens/": await make("/api/personal-access-tokens", token),
  };
}

/** The path with the owner's record in it. */
function pathOf({ name, path }: Route): string {
  if (!path.includes(":")) return path;
  const record = Object.entries(records).find(([prefix]) => path.startsWith(prefix));
  if (record === undefined) throw new Error(`${name} needs a record to be asked for`);
  const named = path.replace(":taskId", records[":taskId"] ?? "").replace(":share_id", records[":share_id"] ?? "");
  return named.replace(/:\w+/, record[1]) + (QUERIES[name] ?? "");
}
const ask = (by: Caller | null, route: Route) => service.call(by, route.method, pathOf(route), BODIES[route.name]);
const code = async (answer: Response): Promise<unknown> => ((await answer.json()) as { code?: unknown }).code;

test("[AUTH-4] this test covers all operations", () => {
  expect(ROUTES.length).toBeGreaterThan(35);
  const names = ROUTES.map(({ name }) => name);
  for (const name of [...Object.keys(BODIES), ...Object.keys(NAMED), ...OWNER_ONLY]) expect(names).toContain(name);
});

describe("who is let in", () => {
  test("[AUTH-4] without a token, or with a malformed, revoked or expired one, every operation is 401", async () => {
    const revoked = await service.tokenFor(owner, {});
    const command = { kind: "revoke_token", tokenId: revoked.tokenId, of: null, by: null } as const;
    expect((await service.system.dispatch(organizationRef(owner.organizationId), command)).ok).toBe(true);
    const expired = await service.tokenFor(owner, { expiresAt: new Date(Date.now() - 1).toISOString() });
    const callers: readonly (readonly [Caller | null, string])[] = [
      [null, "unauthenticated"],
      [{ ...owner, token: `${owner.token.slice(0, -1)}_` }, "unauthenticated"],
      [revoked, "unauthenticated"],
      [expired, "token_expired"],
    ];
    for (const route of ROUTES) {
      for (const [caller, expected] of callers) {
        const answer = await ask(caller, route);
        const error = caller === null ? "" : 'error="invalid_token", ';
        expect([route.name, answer.headers.get("www-authenticate")]).toEqual([
          route.name,
          `Bearer ${error}resource_metadata="https://troupe.test/.well-known/oauth-protected-resource"`,
        ]);
        await refused(answer, 401, expected);
      }
    }
  });

  test("[AUTH-4] with every scope except its own, every operation is 403 and names the missing scope", async () => {
    for (const route of ROUTES) {
      const { scope, orScope } = route;
      const others = SCOPES.filter((s) => !hasScope([s], scope) && (orScope === undefined || !hasScope([s], orScope)));
      const answer = await ask(await service.tokenFor(owner, { scopes: others }), route);
      expect([route.name, answer.headers.get("www-authenticate")]).toEqual([
        route.name,
        `Bearer error="insufficient_scope", scope="${scope}"`,
      ]);
      expect(await refused(answer, 403, "insufficient_scope")).toEqual({ required_scopes: [scope] });
    }
  });

  test("[AUTH-5] a member may call every operation except those for owners", async () => {
    const member = await service.join(owner.organizationId);
    for (const route of ROUTES.filter(({ name }) => !name.endsWith("/events"))) {
      const answer = await ask(member, route);
      const isRefused = answer.status === 403 && (await code(answer)) === "owner_required";
      expect([route.name, isRefused]).toEqual([route.name, OWNER_ONLY.has(route.name)]);
    }
  });
});

describe("another organization's records", () => {
  test("[AUTH-4] an owner of another organization finds no record and changes none", async () => {
    const stranger = await service.found("Other");
    const ofOne = ROUTES.filter(({ path }) => path.includes(":"));
    const read = ofOne.filter(({ method, path }) => method === "GET" && !path.endsWith("/events")).map(pathOf);
    const paths = [...new Set([...read, "/api/service-tokens", "/api/personal-access-tokens", "/api/secrets"])];
    const state = async (): Promise<readonly string[]> => {
      const texts = paths.map(async (path) => (await service.call(owner, "GET", path)).text());
      // The address of a signed stream, and the id of a request, are others each time.
      return (await Promise.all(texts)).map((text) => text.replaceAll(/"(?:app_stream|request_id)":"[^"]*"/g, ""));
    };
    const before = await state();
    for (const route of ofOne) {
      const answer = await ask(stranger, route);
      const [status, word] = NAMED[route.name] ?? [404, "not_found"];
      expect([route.name, answer.status, await code(answer)]).toEqual([route.name, status, word]);
    }
    expect(await state()).toEqual(before);
  });

  test("[AUTH-4] records of another organization cannot be named in a body, or found in a list", async () => {
    const stranger = await service.found("Other");
    const body = { agent_id: records["/api/agents/"], workspace_id: stranger.workspaceId };
    await refused(service.call(stranger, "POST", "/api/chats", body), 404, "not_found");
    for (const { path } of ROUTES.filter(({ method, path: p }) => method === "GET" && !p.includes(":"))) {
      const text = await (await service.call(stranger, "GET", path)).text();
      for (const id of Object.values(records).filter((value) => !["KEY", "openai"].includes(value)))
        expect([path, text.includes(id)]).toEqual([path, false]);
    }
  });
});
