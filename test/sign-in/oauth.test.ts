/** Programs get tokens from people (MCP-2), by an independent client. */
import { beforeAll, expect, test } from "bun:test";
import { ResponseBodyError } from "oauth4webapi";
import { organizationRef } from "../../actors/organization/schema.ts";
import { runCommand } from "../support/admin.ts";
import { answered, type Json, refused } from "../support/current.ts";
import { allow, type Asking, consentPage, decide, ISSUER, OAuthProgram, REDIRECT } from "../support/oauth-program.ts";
import type { PlainBrowser } from "../support/plain-browser.ts";
import { personOfFile, sceneOfFile } from "../support/scene.ts";
import type { Caller } from "../support/service.ts";
import { browserOf, emailOf, PASSWORD, signedIn } from "../support/signed-in.ts";

let browser: PlainBrowser;
let program: OAuthProgram;

const { service, owner } = sceneOfFile();
const person = personOfFile(() => service.join(owner.organizationId));
beforeAll(async () => {
  browser = await signedIn(service, person);
  program = await OAuthProgram.register(service);
});

const using = (token: string): Caller => ({ ...person, token });

/** The error code of a refused request to the token endpoint. */
async function errorOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof ResponseBodyError) return error.error;
    throw error;
  }
  return "none";
}

test("[MCP-2] a program finds the server, registers, gets consent, and uses its token within its scopes", async () => {
  const tokens = await program.letIn(browser);
  expect(tokens).toMatchObject({ token_type: "bearer", expires_in: 3_600, scope: "agents:read chats:write" });
  const caller = using(tokens.access_token);
  expect((await service.call(caller, "GET", "/api/agents")).status).toBe(200);
  await refused(service.call(caller, "GET", "/api/tasks"), 403, "insufficient_scope");
  expect((await service.call(caller, "GET", "/api/v1/agents")).status).toBe(401);
});

test("[MCP-2] a person who has not signed in does so first, and returns to the consent", async () => {
  const stranger = browserOf(service);
  const page = await consentPage(stranger, await program.ask());
  expect(page.at).toStartWith("/sign-in?next=%2Foauth%2Fauthorize");
  const consent = await stranger.submit(page, "/sign-in", {
    email: await emailOf(service, person),
    password: PASSWORD,
  });
  expect(consent.at).toStartWith("/oauth/authorize?");
  expect(await decide(stranger, consent, "allow")).toStartWith(`${REDIRECT}?code=`);
});

test("[MCP-2] the consent names the program, where it goes and what it may do, and can be narrowed", async () => {
  const asking = await program.ask();
  const page = await consentPage(browser, asking);
  for (const text of ["A test program", "127.0.0.1:8976", "read agents", "read and change chats", "Acme"])
    expect(page.html).toContain(text);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("form-action 'self' http://127.0.0.1:8976;");
  expect(policy).toContain("frame-ancestors 'none'");
  const back = await decide(browser, page, "allow", ["agents:read", "tasks:write"]);
  expect((await program.redeem(asking, back)).scope).toBe("agents:read");
});

test("[MCP-2] the consent lets the browser return to every kind of address that a program may have", async () => {
  for (const [address, source] of [
    ["https://program.example:8443/back", "https://program.example:8443"],
    ["http://localhost:8976/back", "http://localhost:8976"],
    // Browsers match no host of these, only the scheme.
    ["app://callback/back", "app:"],
    ["com.example.app:/back", "com.example.app:"],
    ["http://[::1]:8976/back", "http:"],
  ] as const) {
    const other = await OAuthProgram.register(service, { redirect_uris: [address] });
    const { headers } = await consentPage(browser, await other.ask({ redirect_uri: address }));
    expect(headers.get("content-security-policy")).toContain(`form-action 'self' ${source};`);
  }
});

test("[MCP-2] after a refusal the program gets no code", async () => {
  const asking = await program.ask();
  for (const [decision, grant] of [
    ["deny", undefined],
    ["allow", []],
  ] as const) {
    const back = new URL(await decide(browser, await consentPage(browser, asking), decision, grant));
    expect(Object.fromEntries(back.searchParams)).toEqual({ error: "access_denied", state: asking.state, iss: ISSUER });
  }
});

test("[MCP-2] a code is redeemed once; a second attempt revokes the tokens of the first", async () => {
  const asking = await program.ask();
  const back = await allow(browser, asking);
  const tokens = await program.redeem(asking, back);
  expect(await errorOf(program.redeem(asking, back))).toBe("invalid_grant");
  await refused(service.call(using(tokens.access_token), "GET", "/api/agents"), 401, "unauthenticated");
  expect(await errorOf(program.refresh(tokens.refresh_token ?? ""))).toBe("invalid_grant");
});

test("[MCP-2] a code is valid only with the parameters of its request", async () => {
  const other = await OAuthProgram.register(service);
  const attempts: ((asking: Asking, back: string) => Promise<unknown>)[] = [
    (asking, back) => program.redeem(asking, back, { code_verifier: "x".repeat(43) }),
    (asking, back) => program.redeem(asking, back, { redirect_uri: "http://127.0.0.1:1/callback" }),
    (asking, back) => program.redeem(asking, back, { resource: `${ISSUER}/mcp` }),
    (asking, back) => other.redeem(asking, back),
    (asking, back) =>
      program.redeem(
        asking,
        back.replace(/code=oac_([^&]+)/, (code) => `${code.slice(0, -1)}${code.endsWith("A") ? "B" : "A"}`),
      ),
  ];
  for (const attempt of attempts) {
    const asking = await program.ask();
    const back = await allow(browser, asking);
    expect(await errorOf(attempt(asking, back))).toBe("invalid_grant");
    // Who had only a part of it has not used it up.
    expect((await program.redeem(asking, back)).token_type).toBe("bearer");
  }
});

test("[MCP-2] each refresh token works once; reuse ends the family", async () => {
  const first = await program.letIn(browser);
  const second = await program.refresh(first.refresh_token ?? "");
  const third = await program.refresh(second.refresh_token ?? "");
  for (const tokens of [second, third])
    expect((await service.call(using(tokens.access_token), "GET", "/api/agents")).status).toBe(200);
  // Only the newest two access tokens of a family count.
  await refused(service.call(using(first.access_token), "GET", "/api/agents"), 401, "unauthenticated");
  expect(await errorOf(program.refresh(first.refresh_token ?? ""))).toBe("invalid_grant");
  for (const tokens of [second, third])
    await refused(service.call(using(tokens.access_token), "GET", "/api/agents"), 401, "unauthenticated");
  expect(await errorOf(program.refresh(third.refresh_token ?? ""))).toBe("invalid_grant");
});

test("[MCP-2] a refresh token is valid only for its program, and a forged one for nobody", async () => {
  const tokens = await program.letIn(browser);
  const text = tokens.refresh_token ?? "";
  const other = await OAuthProgram.register(service);
  const [organization, grant, , mac] = text.split(".");
  for (const forged of [`${organization}.${grant}.2.${mac}`, `${text.slice(0, -1)}_`, "ort_", "x"])
    expect([forged, await errorOf(program.refresh(forged))]).toEqual([forged, "invalid_grant"]);
  expect(await errorOf(other.refresh(text))).toBe("invalid_grant");
  expect((await program.refresh(text)).token_type).toBe("bearer");
});

test("[MCP-2] a token for the MCP endpoint is not a token for the current surface", async () => {
  const tokens = await program.letIn(browser, { resource: `${ISSUER}/mcp`, scope: "mcp agents:read" });
  await refused(service.call(using(tokens.access_token), "GET", "/api/agents"), 401, "unauthenticated");
});

test("[MCP-2] a program revokes its tokens, and both kinds end", async () => {
  for (const kind of ["access_token", "refresh_token"] as const) {
    const tokens = await program.letIn(browser);
    await program.revoke(tokens[kind] ?? "");
    await refused(service.call(using(tokens.access_token), "GET", "/api/agents"), 401, "unauthenticated");
    expect(await errorOf(program.refresh(tokens.refresh_token ?? ""))).toBe("invalid_grant");
  }
  // What is unknown is gone already, and no token of another kind is given back here.
  await program.revoke("nothing");
  await program.revoke(person.token);
  expect((await service.call(person, "GET", "/api/agents")).status).toBe(200);
});

test("[MCP-2] a person sees the programs with access, and ends one", async () => {
  const other = await service.join(owner.organizationId);
  const own = await signedIn(service, other);
  const tokens = await program.letIn(own);
  const account = await own.get("/account");
  expect(account.html).toContain("Programs that you have let in");
  const id = /href="\/account\/programs\/end\?id=([^"]+)"/.exec(account.html)?.[1] ?? "";
  // Nobody else ends it.
  expect((await browser.post("/account/programs/end", { id })).status).toBe(404);
  expect((await own.confirm(account, "/account/programs/end")).html).toContain("The program no longer has access.");
  await refused(service.call(using(tokens.access_token), "GET", "/api/agents"), 401, "unauthenticated");
});

test("[MCP-2] the tokens of a removed member end, and cannot be refreshed", async () => {
  const other = await service.join(owner.organizationId);
  const tokens = await program.letIn(await signedIn(service, other));
  await service.system.dispatch(organizationRef(owner.organizationId), { kind: "remove_member", userId: other.userId });
  await refused(service.call(using(tokens.access_token), "GET", "/api/agents"), 401, "unauthenticated");
  expect(await errorOf(program.refresh(tokens.refresh_token ?? ""))).toBe("invalid_grant");
});

test("[MCP-2] what a person has granted stays ended when the operator removes and adds them again", async () => {
  const other = await service.join(owner.organizationId);
  const tokens = await program.letIn(await signedIn(service, other));
  const given = { org: owner.organizationId, email: await emailOf(service, other) };
  await runCommand(service, "user remove", given);
  await runCommand(service, "user add", given);
  expect(await errorOf(program.refresh(tokens.refresh_token ?? ""))).toBe("invalid_grant");
});

test("[MCP-2] owners can inspect a token, but none of another organization", async () => {
  const tokens = await program.letIn(browser);
  const ask = async (caller: Caller, token: string): Promise<Json> => {
    const answer = await fetch(`${service.url}/oauth/introspect`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.token}` },
      body: new URLSearchParams({ token }),
    });
    return { status: answer.status, ...((await answer.json()) as Json) };
  };
  expect(await ask(owner, tokens.access_token)).toMatchObject({
    status: 200,
    active: true,
    scope: "agents:read chats:write",
    sub: person.userId,
    aud: ISSUER,
    iss: ISSUER,
  });
  expect(await ask(await service.found("Globex"), tokens.access_token)).toEqual({ status: 200, active: false });
  expect(await ask(person, tokens.access_token)).toMatchObject({ status: 401, error: "invalid_client" });
  await program.revoke(tokens.access_token);
  expect(await ask(owner, tokens.access_token)).toEqual({ status: 200, active: false });
});

test("[ACC-2] the service describes itself as a client at the address that is its id", async () => {
  const answer = await service.call(null, "GET", "/oauth/client.json");
  expect(answer.headers.get("cache-control")).toContain("max-age");
  expect(await answered(Promise.resolve(answer))).toEqual({
    client_id: `${ISSUER}/oauth/client.json`,
    client_name: "Troupe",
    client_uri: ISSUER,
    redirect_uris: [`${ISSUER}/connections/callback`],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  });
});

test("[MCP-2] the metadata is what the client needs, for the surface and for MCP", async () => {
  const mcp = await answered(service.call(null, "GET", "/.well-known/oauth-protected-resource/mcp"));
  expect(mcp).toMatchObject({ resource: `${ISSUER}/mcp`, authorization_servers: [ISSUER] });
  const server = await answered(service.call(null, "GET", "/.well-known/oauth-authorization-server"));
  expect(server).toMatchObject({
    issuer: ISSUER,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
});
