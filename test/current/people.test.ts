/** Members, invitations, sessions and grants over the API (AUTH-19, AUTH-20). */
import { expect, test } from "bun:test";
import { newId } from "../../actors/ids.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { invitationLink } from "../../src/http/contract/paths.ts";
import { keyHash, newKey } from "../../src/http/admission/token.ts";
import { runCommand } from "../support/admin.ts";
import { beforeCommitOf } from "../support/between.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { StreamReader } from "../support/event-streams.ts";
import { OAuthProgram } from "../support/oauth-program.ts";
import type { PlainBrowser } from "../support/plain-browser.ts";
import { sceneOfFile } from "../support/scene.ts";
import type { Caller } from "../support/service.ts";
import { browserOf, PASSWORD, signedIn } from "../support/signed-in.ts";
import { createAgent } from "../support/v1.ts";

interface Listed extends Json {
  readonly id: string;
  readonly status: string;
  readonly is_current: boolean;
}

const { service, owner } = sceneOfFile();

/** The commands of a commit that removes a member. */
const REMOVING = ["remove_member"];

const call = (by: Caller | null, method: string, path: string, body?: object) => service.call(by, method, path, body);
const list = async (by: Caller, noun: string): Promise<readonly Listed[]> => {
  const path = `/api/${noun.replace("_", "-")}?limit=100`;
  return (await answered<Record<string, Listed[]>>(call(by, "GET", path)))[noun] ?? [];
};
/** The API as the browser asks for it, with its cookie. */
const byBrowser = (browser: PlainBrowser, method: string, path: string, body?: object): Promise<Response> =>
  browser.ask(path, {
    method,
    headers: { ...browser.own(), "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const join = async (browser: PlainBrowser, link: string) =>
  browser.submit(await browser.get(link), "/invitation", { name: "Ada", password: PASSWORD, again: PASSWORD });
const pathOf = (url: unknown): string => String(url).replace("https://troupe.test", "");

test("[AUTH-19] every member reads the members; owners change roles, and the last owner stays one", async () => {
  const person = await service.join(owner.organizationId);
  expect((await list(person, "members")).map(({ id }) => id)).toEqual(
    expect.arrayContaining([owner.userId, person.userId]),
  );
  const path = `/api/members/${person.userId}`;
  const read = await answered(call(person, "GET", path));
  expect(read).toMatchObject({ id: person.userId, role: "member", links: { self: path }, allowed_actions: [] });
  await refused(call(person, "PATCH", path, { role: "owner" }), 403, "owner_required");
  const raised = await answered(call(owner, "PATCH", path, { role: "owner" }));
  expect(raised).toMatchObject({ role: "owner", allowed_actions: ["update", "delete"] });
  // An owner from the next request on.
  await answered(call(person, "PATCH", path, { role: "member" }));
  await refused(call(person, "PATCH", path, { role: "owner" }), 403, "owner_required");
  const stale = fetch(service.url + path, {
    method: "PATCH",
    headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json", "if-match": '"1"' },
    body: '{"role":"owner"}',
  });
  expect(await refused(stale, 409, "version_conflict")).toEqual({ version: 3 });
  const own = `/api/members/${owner.userId}`;
  expect(await answered(call(owner, "GET", own))).toMatchObject({ role: "owner", allowed_actions: [] });
  await refused(call(owner, "PATCH", own, { role: "member" }), 409, "invalid_state");
  await refused(call(owner, "DELETE", own), 409, "invalid_state");
  await refused(call(owner, "GET", "/api/members/usr_none"), 404, "not_found");
  expect(await answered(call(owner, "GET", "/api/members/me"))).toEqual(await answered(call(owner, "GET", own)));
});

test("[AUTH-19] a removed member's sessions, tokens, programs and streams end with the next request, permanently", async () => {
  const person = await service.join(owner.organizationId);
  const browser = await signedIn(service, person);
  const program = await OAuthProgram.register(service);
  const tokens = await program.letIn(browser);
  const chat = await new Client(service, owner).chat(await createAgent(service, owner), owner.workspaceId);
  const reader = await StreamReader.open(`${service.url}/api/chats/${chat}/events`, {
    authorization: `Bearer ${person.token}`,
  });
  await reader.saw("snapshot");
  const removed = await answered(call(owner, "DELETE", `/api/members/${person.userId}`));
  expect(removed).toMatchObject({ id: person.userId, deleted: true, allowed_actions: [] });
  await reader.ended;
  expect(reader.said.at(-1)).toBe("stream.closing");
  const isGone = async (): Promise<void> => {
    await refused(call(person, "GET", "/api/agents"), 401, "unauthenticated");
    await refused(call({ ...person, token: tokens.access_token }, "GET", "/api/agents"), 401, "unauthenticated");
    await refused(byBrowser(browser, "GET", "/api/agents"), 401, "unauthenticated");
    expect(program.refresh(tokens.refresh_token!)).rejects.toThrow();
  };
  await isGone();
  expect((await list(owner, "members")).map(({ id }) => id)).not.toContain(person.userId);
  await refused(call(owner, "DELETE", `/api/members/${person.userId}`), 404, "not_found");
  // Who comes back is who they were, with nothing of what had ended.
  const email = removed["email"] as string;
  const { url } = await answered(call(owner, "POST", "/api/invitations", { email }), 201);
  await join(browserOf(service), pathOf(url));
  await isGone();
});

test("[AUTH-19] a token that is created between the check of a removal and its commit is invalid when its person returns", async () => {
  const person = await service.join(owner.organizationId);
  const browser = await signedIn(service, person);
  const wanted = { name: "Late", scopes: ["agents:read"], expires_in_days: 30 };
  let late = "";
  const { system } = service;
  beforeCommitOf(system, REMOVING, async () => {
    const made = await answered<{ token: string }>(
      byBrowser(browser, "POST", "/api/personal-access-tokens", wanted),
      201,
    );
    late = made.token;
  });
  const { name, email } = await answered<{ name: string; email: string }>(
    call(owner, "DELETE", `/api/members/${person.userId}`),
  );
  const isDead = () => refused(call({ ...owner, token: late }, "GET", "/api/agents"), 401, "unauthenticated");
  await isDead();
  const back = { kind: "add_member", userId: person.userId, name, email, role: "member" } as const;
  expect((await system.dispatch(organizationRef(owner.organizationId), back)).ok).toBe(true);
  await isDead();
  const again = await signedIn(service, person);
  const { token } = await answered<{ token: string }>(
    byBrowser(again, "POST", "/api/personal-access-tokens", wanted),
    201,
  );
  await answered(call({ ...owner, token }, "GET", "/api/agents"));
});

const invite = async (email: string): Promise<{ readonly id: string; readonly path: string }> => {
  const { id, url } = await answered(call(owner, "POST", "/api/invitations", { email }), 201);
  return { id: String(id), path: pathOf(url) };
};
const statusOf = async (id: string) => (await list(owner, "invitations")).find((each) => each.id === id)?.status;

test("[AUTH-18] a new invitation of an address replaces the open ones before it", async () => {
  const first = await invite("twice@example.com");
  const second = await invite("Twice@example.com");
  expect([await statusOf(first.id), await statusOf(second.id)]).toEqual(["revoked", "pending"]);
  expect((await browserOf(service).get(first.path)).status).toBe(404);
  expect((await join(browserOf(service), second.path)).at).toBe("/app");
});

test("[AUTH-18] the removal of a person withdraws the open invitations of their address", async () => {
  const { organizationId } = owner;
  const { id, path } = await invite("lin@example.com");
  const person = { userId: newId("usr"), name: "Lin", email: "Lin@example.com", role: "member" } as const;
  const add = () => service.system.dispatch(organizationRef(organizationId), { kind: "add_member", ...person });
  expect((await add()).ok).toBe(true);
  await answered(call(owner, "DELETE", `/api/members/${person.userId}`));
  expect(await statusOf(id)).toBe("revoked");
  expect((await browserOf(service).get(path)).status).toBe(404);
  const other = await invite("lin@example.com");
  expect((await add()).ok).toBe(true);
  await runCommand(service, "user remove", { org: organizationId, email: person.email });
  expect(await statusOf(other.id)).toBe("revoked");
});

test("[AUTH-18] an invitation that a removal missed does not let its person back in, a later one does", async () => {
  const { organizationId } = owner;
  const person = await service.join(organizationId);
  const { email } = await answered<{ email: string }>(call(owner, "GET", `/api/members/${person.userId}`));
  const key = newKey();
  const { system } = service;
  let missed = "";
  beforeCommitOf(system, REMOVING, async () => {
    const made = await system.dispatch(organizationRef(organizationId), {
      kind: "create_invitation",
      email,
      role: "owner",
      hash: keyHash(key),
      replacedIds: [],
      origin: { userId: owner.userId, tokenId: null, address: null },
    });
    missed = made.ok ? made.value.id : "";
  });
  await answered(call(owner, "DELETE", `/api/members/${person.userId}`));
  expect(await statusOf(missed)).toBe("pending");
  const back = await join(browserOf(service), invitationLink(organizationId, missed, key));
  expect([back.status, back.html.includes("Ask for another one")]).toEqual([404, true]);
  await refused(call(owner, "GET", `/api/members/${person.userId}`), 404, "not_found");
  expect((await join(browserOf(service), (await invite(email)).path)).at).toBe("/app");
  expect(await answered(call(owner, "GET", `/api/members/${person.userId}`))).toMatchObject({ role: "member" });
});

test("[AUTH-19] a new member invited by a link signs in, makes a token and uses it, all but the link over the API", async () => {
  const email = "ada@example.com";
  const made = await answered(call(owner, "POST", "/api/invitations", { email, role: "member" }), 201);
  expect(made).toMatchObject({ email, role: "member", status: "pending", allowed_actions: ["revoke"] });
  const shown = (await list(owner, "invitations")).find(({ id }) => id === made["id"]);
  expect(shown).toMatchObject({ email, status: "pending" });
  expect(JSON.stringify(shown)).not.toContain(new URL(String(made["url"])).searchParams.get("key")!);
  const guest = browserOf(service);
  expect((await join(guest, pathOf(made["url"]))).at).toBe("/app");
  const again = browserOf(service);
  expect((await again.post("/sign-in", { email, password: PASSWORD })).at).toBe("/app");
  const wanted = { name: "Laptop", scopes: ["agents:read"], expires_in_days: 30 };
  const { token } = await answered<{ token: string }>(
    byBrowser(again, "POST", "/api/personal-access-tokens", wanted),
    201,
  );
  await answered(call({ ...owner, token }, "GET", "/api/agents"));
  expect((await list(owner, "invitations")).find(({ id }) => id === made["id"])?.status).toBe("accepted");
  await refused(call(owner, "POST", `/api/invitations/${String(made["id"])}/revoke`), 404, "not_found");
});

test("[AUTH-19] a withdrawn invitation does not work, and a malformed e-mail address is refused", async () => {
  const { id, url } = await answered(call(owner, "POST", "/api/invitations", { email: "eve@example.com" }), 201);
  expect(await answered(call(owner, "POST", `/api/invitations/${String(id)}/revoke`))).toMatchObject({
    status: "revoked",
    allowed_actions: [],
  });
  expect((await browserOf(service).get(pathOf(url))).status).toBe(404);
  for (const email of ["", "ada", "a b@example.com", "a@b\u0007.example", `a@${"x".repeat(191)}`])
    expect(await refused(call(owner, "POST", "/api/invitations", { email }), 400, "invalid_request")).toEqual({
      errors: [{ path: "/email", message: "Field email must be an e-mail address, such as ada@example.com" }],
    });
});

test("[AUTH-19] a member is not invited again, however the address is written", async () => {
  const person = await service.join(owner.organizationId);
  const { email } = await answered(call(owner, "GET", `/api/members/${person.userId}`));
  for (const address of [String(email), String(email).toUpperCase()]) {
    const sent = await call(owner, "POST", "/api/invitations", { email: address });
    expect(sent.status).toBe(409);
    expect(await sent.json()).toMatchObject({
      code: "invalid_state",
      message: `\`email\`: ${String(email)} is already a member`,
    });
  }
  // A member of another organization is none here.
  const stranger = await service.found();
  const { email: foreign } = await answered(call(stranger, "GET", `/api/members/${stranger.userId}`));
  await answered(call(owner, "POST", "/api/invitations", { email: foreign }), 201);
});

test("[AUTH-20] a person lists their sessions, ends one, and ends all others", async () => {
  const person = await service.join(owner.organizationId);
  const browsers = [await signedIn(service, person)];
  const email = (await answered(call(person, "GET", `/api/members/${person.userId}`)))["email"] as string;
  for (let i = 0; i < 2; i++) {
    const browser = browserOf(service);
    await browser.post("/sign-in", { email, password: PASSWORD });
    browsers.push(browser);
  }
  const [first, second, third] = browsers as [PlainBrowser, PlainBrowser, PlainBrowser];
  const seen = await answered<{ sessions: Listed[] }>(byBrowser(third, "GET", "/api/sessions"));
  expect(seen.sessions.map(({ status, is_current: isCurrent }) => [status, isCurrent])).toEqual([
    ["active", true],
    ["active", false],
    ["active", false],
  ]);
  expect(await list(owner, "sessions")).toEqual([]);
  // To others it is not there; a token that may do less than a session ends none.
  const path = `/api/sessions/${seen.sessions[1]!.id}/revoke`;
  await refused(call(owner, "POST", path), 404, "not_found");
  const narrow = await service.tokenFor(person, { scopes: ["tokens:write"] });
  await refused(call(narrow, "POST", path), 403, "insufficient_scope");
  await refused(call(narrow, "POST", "/api/sessions/revoke-others"), 403, "insufficient_scope");
  expect(await answered(byBrowser(third, "POST", path))).toMatchObject({ status: "revoked", version: 2 });
  await refused(byBrowser(second, "GET", "/api/agents"), 401, "unauthenticated");
  await answered(byBrowser(first, "GET", "/api/agents"));
  expect(await answered(byBrowser(third, "POST", "/api/sessions/revoke-others"))).toEqual({ revoked: 1 });
  await refused(byBrowser(first, "GET", "/api/agents"), 401, "unauthenticated");
  expect(await answered(byBrowser(third, "POST", "/api/sessions/revoke-others"))).toEqual({ revoked: 0 });
  expect((await list(person, "sessions")).map(({ status }) => status)).toEqual(["active", "revoked", "revoked"]);
});

test("[AUTH-20] a person lists the programs that they have let in, and ends one", async () => {
  const person = await service.join(owner.organizationId);
  const browser = await signedIn(service, person);
  const program = await OAuthProgram.register(service);
  const tokens = await program.letIn(browser);
  const [grant] = await list(person, "oauth_grants");
  expect(grant).toMatchObject({
    client_id: program.client.client_id,
    client_name: "A test program",
    status: "active",
    scopes: ["agents:read", "chats:write"],
    resource: "https://troupe.test",
    user_id: person.userId,
    allowed_actions: ["revoke"],
  });
  const path = `/api/oauth-grants/${grant!.id}/revoke`;
  await refused(call(owner, "POST", path), 404, "not_found");
  const narrow = await service.tokenFor(person, { scopes: ["tokens:write", "agents:read"] });
  expect(await refused(call(narrow, "POST", path), 403, "insufficient_scope")).toEqual({
    required_scopes: ["chats:write"],
  });
  expect(await answered(call(person, "POST", path))).toMatchObject({ status: "ended", allowed_actions: [] });
  await refused(call({ ...person, token: tokens.access_token }, "GET", "/api/agents"), 401, "unauthenticated");
  await answered(call(person, "POST", path));
  const ended = await answered<{ audit_entries: Json[] }>(call(owner, "GET", "/api/audit?action=grant.ended"));
  expect(ended.audit_entries.filter((entry) => entry["subject_id"] === grant!.id)).toHaveLength(1);
});
