/** Authorization servers and tool servers that attack, or are broken: each fails with a reason, and in bounded time. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { challengeIn } from "../../src/connections/oauth/challenge.ts";
import { beginAuthorization, finishAuthorization, refreshTokens } from "../../src/connections/oauth/client.ts";
import { AuthorizationFault } from "../../src/connections/oauth/fault.ts";
import { CALLBACK, ToolAuthorization } from "../support/tool-authorization.ts";

const RESOURCE = "/.well-known/oauth-protected-resource/mcp";
const SERVER = "/.well-known/oauth-authorization-server";

let server: ToolAuthorization;
beforeEach(() => void (server = new ToolAuthorization()));
afterEach(() => server.stop());

/** The fault with which `work` fails. */
async function fault(work: Promise<unknown>): Promise<Pick<AuthorizationFault, "kind" | "message">> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AuthorizationFault)) throw new Error(`no fault: ${String(error)}`);
  return { kind: error.kind, message: error.message.replaceAll(server.origin.slice("http://".length), "HOST") };
}
const untrusted = (message: string) => ({ kind: "untrusted" as const, message });

test("[ACC-1] a resource's metadata that is about another server is refused", async () => {
  const others = ["https://bank.example/mcp", `${server.origin}/other`, `${server.origin}/mcpx`, `${server.origin}/mc`];
  for (const resource of [...others, 7, null, "nonsense", `http://u@${new URL(server.origin).host}/mcp`]) {
    server.set(RESOURCE, () => Response.json(server.resourceDocument({ resource })));
    expect(await fault(server.discover())).toEqual(untrusted("The metadata of HOST describes a different address."));
  }
  for (const resource of [server.origin, `${server.origin}/`, `${server.origin}/mcp/`, `${server.origin}/mcp`]) {
    server.set(RESOURCE, () => Response.json(server.resourceDocument({ resource })));
    expect((await server.discover()).resource).toBe(resource);
  }
});

test("[ACC-1] the metadata of another issuer is refused, however alike it is spelled, and nothing else is tried", async () => {
  for (const issuer of ["https://accounts.example", `${server.origin}/`, server.origin.toUpperCase(), "", 1, null]) {
    server.change({ issuer });
    server.seen.length = 0;
    expect(await fault(server.discover())).toEqual(untrusted("The metadata of HOST is that of another issuer."));
    expect(server.seen).toEqual([`GET ${RESOURCE}`, `GET ${SERVER}`]);
  }
});

test("[ACC-1] a redirect of metadata is not followed, not even to a public place", async () => {
  for (const location of ["http://169.254.169.254/latest", "https://10.0.0.1/", `${server.origin}/elsewhere`]) {
    server.set(SERVER, () => Response.redirect(location, 302));
    expect(await fault(server.discover())).toEqual({
      kind: "unsupported",
      message: "HOST publishes no metadata of an authorization server.",
    });
    server.set(SERVER, () => Response.json(server.serverDocument()));
    server.set(RESOURCE, () => Response.redirect(location, 307));
    const named = { resourceMetadata: server.origin + RESOURCE };
    expect(await fault(server.discover(named))).toEqual(
      untrusted("HOST names a metadata document that does not exist."),
    );
    server.set(RESOURCE, () => Response.json(server.resourceDocument()));
  }
  expect(server.seen).not.toContain("GET /elsewhere");
});

test("[ACC-1] addresses that are not public are not asked, wherever they are named", async () => {
  const inside = "is not on the public internet, and the operator has not allowed it.";
  for (const [at, host] of [
    ["https://10.0.0.1", "10.0.0.1"],
    ["https://inner.test", "inner.test"],
    ["https://[::1]:1/a", "[::1]:1"],
  ] as const) {
    server.set(RESOURCE, () => Response.json(server.resourceDocument({ authorization_servers: [at] })));
    expect(await fault(server.discover())).toEqual(untrusted(`${host} ${inside}`));
    expect(await fault(server.discover({ resourceMetadata: `${at}/metadata` }))).toEqual(
      untrusted(`${host} ${inside}`),
    );
  }
  server.set(RESOURCE, () => Response.json(server.resourceDocument()));
  server.change({ registration_endpoint: "https://inner.test/register" });
  expect(await fault(server.registered())).toEqual(untrusted(`inner.test ${inside}`));
  server.change({ token_endpoint: "https://10.0.0.1/token" });
  expect(await fault(server.connect())).toEqual(untrusted(`10.0.0.1 ${inside}`));
});

test("[ACC-1] an endpoint that no browser may be sent to is refused", async () => {
  const plain = "http://accounts.example/authorize";
  const bad = ["javascript:alert(1)", "data:text/html,x", "ftp://a.example/", plain, "/authorize", "", 5, {}];
  for (const endpoint of [
    ...bad,
    "https://u:p@a.example/",
    "https://a.example/#x",
    `https://a.example/${"x".repeat(9_000)}`,
  ])
    for (const name of ["authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"]) {
      server.change({ [name]: endpoint });
      expect(await fault(server.discover())).toEqual(untrusted(`The ${name} of HOST is not a valid https address.`));
    }
  server.change({ token_endpoint: undefined });
  expect(await fault(server.discover())).toEqual({ kind: "unsupported", message: "HOST has no token_endpoint." });
});

test("[ACC-1] plain http is only for what the operator has opened", async () => {
  const closed = new ToolAuthorization([]);
  const found = await fault(closed.discover()).finally(() => closed.stop());
  expect(found.kind).toBe("untrusted");
  for (const issuer of ["http://accounts.example", "javascript:alert(1)", "https://a.example?x=1"]) {
    server.set(RESOURCE, () => Response.json(server.resourceDocument({ authorization_servers: [issuer] })));
    expect(await fault(server.discover())).toEqual(
      untrusted("The tool server names an authorization server without a valid address."),
    );
  }
});

test("[ACC-1] metadata that never ends, or is too large, ends by its limit", async () => {
  const forever = (pauseMs: number) => () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          if (pauseMs > 0) await Bun.sleep(pauseMs);
          controller.enqueue(new TextEncoder().encode(`{"issuer": "${"x".repeat(pauseMs > 0 ? 1 : 65_536)}`));
        },
      }),
    );
  for (const path of [RESOURCE, SERVER]) {
    const good = server.replies.get(path) ?? (() => new Response());
    server.set(path, forever(0));
    expect(await fault(server.discover())).toEqual(untrusted("HOST sent an answer that is too long."));
    server.set(path, () => Response.json({ issuer: "x".repeat(200_000) }));
    expect(await fault(server.discover())).toEqual(untrusted("HOST sent an answer that is too long."));
    server.set(path, forever(50));
    expect(await fault(server.discover())).toEqual({ kind: "away", message: "HOST did not answer in time." });
    server.set(path, good);
  }
});

test("[ACC-1] what is stored of a server has bounds", async () => {
  const many = Array.from({ length: 20_000 }, (_, at) => `s${at}`);
  server.set(RESOURCE, () =>
    Response.json(server.resourceDocument({ scopes_supported: [...many.slice(0, 5_000), 'a"b', 7] })),
  );
  server.change({
    scopes_supported: many.slice(0, 9_000),
    code_challenge_methods_supported: ["S256", "x".repeat(9_000)],
  });
  const { scopes, server: kept } = await server.discover();
  expect(scopes).toHaveLength(200);
  expect(kept.scopes_supported).toHaveLength(1_000);
  expect(kept.code_challenge_methods_supported).toEqual(["S256"]);
});

test("[ACC-1] a document that is no JSON object is refused; a page or a 404 in its place is an absent one", async () => {
  for (const body of ["[1]", "null", "7", "{", '{"issuer":', "[".repeat(100_000)]) {
    server.set(SERVER, () => new Response(body, { headers: { "content-type": "application/json" } }));
    expect(await fault(server.discover())).toEqual(untrusted("The metadata of HOST is not a JSON object."));
  }
  server.set(SERVER, () => new Response("<p>hi</p>", { headers: { "content-type": "text/html" } }));
  server.set("/.well-known/openid-configuration", () => Response.json(server.serverDocument()));
  expect((await server.discover()).issuer).toBe(server.origin);
  server.set(SERVER, () => new Response("", { status: 503 }));
  expect((await fault(server.discover())).kind).toBe("away");
  server.set(SERVER, () => new Response("", { status: 429 }));
  expect((await fault(server.discover())).kind).toBe("away");
});

test("[ACC-3] a server without PKCE S256 is refused, and nobody is sent there", async () => {
  for (const methods of [undefined, [], ["plain"], ["s256"], "S256", null]) {
    server.change({ code_challenge_methods_supported: methods });
    expect(await fault(server.connect())).toEqual({
      kind: "unsupported",
      message: "HOST does not offer PKCE with S256, which protects the connection.",
    });
  }
  expect(server.seen).not.toContain("POST /token");
});

test("[ACC-3] an endpoint cannot set our parameters: no redirect elsewhere, no other challenge", async () => {
  const evil = "?redirect_uri=https://evil.example&state=x&code_challenge_method=plain&code_challenge=x&tenant=7";
  server.change({ authorization_endpoint: `${server.origin}/authorize${evil}` });
  const { target, client } = await server.registered();
  const { url } = await beginAuthorization(target, client, { redirectUri: CALLBACK, scopes: [], state: "mine" });
  const sent = url.searchParams;
  for (const [name, value] of [
    ["redirect_uri", CALLBACK],
    ["state", "mine"],
    ["code_challenge_method", "S256"],
    ["tenant", "7"],
    ["resource", server.resource],
  ] as const)
    expect(sent.getAll(name)).toEqual([value]);
  expect(sent.get("code_challenge")).toHaveLength(43);
});

test("[ACC-3] an answer with the wrong `iss` (mix-up), without it, or with another state redeems nothing", async () => {
  const answers: readonly ((sent: URLSearchParams) => Record<string, string>)[] = [
    (state) => ({ code: "c", state: state.get("state") ?? "", iss: "https://attacker.example" }),
    (state) => ({ code: "c", state: state.get("state") ?? "", iss: `${server.origin}/` }),
    (state) => ({ error: "access_denied", state: state.get("state") ?? "", iss: "https://attacker.example" }),
    (state) => ({ code: "c", state: state.get("state") ?? "" }),
    () => ({ code: "c", state: "another", iss: server.origin }),
    () => ({ code: "c", iss: server.origin }),
    () => ({}),
  ];
  server.change({ authorization_response_iss_parameter_supported: true });
  for (const answer of answers)
    expect(await fault(server.connect(({ searchParams }) => new URLSearchParams(answer(searchParams))))).toEqual(
      untrusted("The answer of HOST is not valid."),
    );
  const twice = `code=c&state=state-1&iss=${encodeURIComponent(server.origin)}`;
  for (const parameter of ["state=state-1", "iss=https://attacker.example", "code=d"])
    expect((await fault(server.connect(() => new URLSearchParams(`${twice}&${parameter}`)))).kind).toBe("untrusted");
  // A server that does not announce `iss` must not send a wrong one either.
  server.change({});
  expect(
    (await fault(server.connect(() => new URLSearchParams("code=c&state=state-1&iss=https://a.example")))).kind,
  ).toBe("untrusted");
  expect(server.seen).not.toContain("POST /token");
});

test("[ACC-3] the answer of one connection does not finish another", async () => {
  const { target, client } = await server.registered();
  const { pending } = await beginAuthorization(target, client, { redirectUri: CALLBACK, scopes: [], state: "state-1" });
  const answer = new URLSearchParams({ code: "c", state: "state-1" });
  for (const other of [{ issuer: "https://a.example" }, { resource: "https://a.example" }, { clientId: "c-2" }])
    expect(
      await fault(finishAuthorization(server.reach, target, client, { pending: { ...pending, ...other }, answer })),
    ).toEqual(untrusted("This answer belongs to another connection. Connect again."));
  const elsewhere = { ...target, issuer: "https://a.example" };
  expect(beginAuthorization(elsewhere, client, { redirectUri: CALLBACK, scopes: [], state: "s" })).rejects.toThrow(
    "not its own",
  );
  expect(server.seen).not.toContain("POST /token");
});

test("[ACC-3] a refusal by a person or a server is shown in our words, never in theirs", async () => {
  const said = (error: string) =>
    fault(
      server.connect(() => new URLSearchParams({ error, error_description: "<b>Call +1 555</b>", state: "state-1" })),
    );
  expect(await said("access_denied")).toEqual({ kind: "refused", message: "HOST refused: access was denied." });
  expect(await said("temporarily_unavailable")).toMatchObject({ kind: "away" });
  expect(await said("login_required")).toEqual({
    kind: "refused",
    message: "HOST refused: its error is login_required.",
  });
  for (const odd of ["<script>", "x".repeat(70), "Call +1 555"])
    expect(await said(odd)).toEqual({ kind: "refused", message: "HOST refused: it gave no usable reason." });
});

test("[ACC-3] an answer of the wrong shape gives no token", async () => {
  const wrong: readonly object[] = [
    { access_token: undefined },
    { access_token: "" },
    { access_token: 7 },
    { access_token: "a\r\nx-evil: 1" },
    { access_token: "ü" },
    { access_token: "a".repeat(16_385) },
    { token_type: undefined },
    { token_type: "mac" },
    { token_type: "DPoP" },
    { expires_in: -1 },
    { expires_in: "soon" },
    { expires_in: {} },
    { refresh_token: 5 },
    { refresh_token: "" },
    { refresh_token: "r\nr" },
    { scope: ["a"] },
    { id_token: "nonsense" },
  ];
  for (const changes of wrong) {
    server.set("/token", () => Response.json(server.tokens(changes)));
    expect(["untrusted", "unsupported"]).toContain((await fault(server.connect())).kind);
  }
  for (const body of ["", "null", "[]", "{", "access_token=a&token_type=bearer", "[".repeat(100_000)]) {
    server.set("/token", () => new Response(body, { headers: { "content-type": "application/json" } }));
    expect(await fault(server.connect())).toEqual(untrusted("The token of HOST is not valid."));
  }
  server.set("/token", () => Response.redirect(`${server.origin}/stolen`, 307));
  expect(await fault(server.connect())).toEqual(untrusted("The token of HOST is not valid."));
  expect(server.seen).not.toContain("POST /stolen");
  for (const expires of [1e308, 1.5, "60", 0]) {
    server.set("/token", () => Response.json(server.tokens({ expires_in: expires })));
    expect(Date.parse((await server.connect()).tokens.expiresAt ?? "")).toBeGreaterThanOrEqual(0);
  }
});

test("[ACC-2] a registration of the wrong shape makes no client", async () => {
  const wrong: readonly unknown[] = [
    {},
    [],
    { client_id: 5 },
    { client_id: "" },
    { client_id: "a\nb" },
    { client_id: "a", client_secret: 5 },
    { client_id: "a", client_secret: "s\r\nx: y" },
    { client_id: "a", client_secret: "s", client_secret_expires_at: "never" },
    { client_id: "a", client_secret: "s", token_endpoint_auth_method: "private_key_jwt" },
    { client_id: "a", client_secret: "x".repeat(5_000) },
  ];
  for (const body of wrong) {
    server.set("/register", () => Response.json(body, { status: 201 }));
    expect(["untrusted", "unsupported"]).toContain((await fault(server.registered())).kind);
  }
  server.set("/register", () => Response.json({ error: "invalid_redirect_uri" }, { status: 400 }));
  expect(await fault(server.registered())).toEqual({
    kind: "refused",
    message: "HOST refused: it does not accept the address that people return to.",
  });
});

test("[ACC-4] only what the server itself says about a refresh ends a connection", async () => {
  const { target, client } = await server.connect();
  const again = () => refreshTokens(server.reach, target, client, "r-1");
  for (const error of ["invalid_grant", "invalid_client", "unauthorized_client", "invalid_scope"]) {
    server.set("/token", () => Response.json({ error, error_description: "<b>" }, { status: 400 }));
    expect((await fault(again())).kind).toBe("refused");
  }
  server.set("/token", () =>
    Response.json({ error: "invalid_client" }, { status: 401, headers: { "www-authenticate": "Basic" } }),
  );
  expect((await fault(again())).kind).toBe("refused");
  const passing: readonly [number, object][] = [
    [429, { error: "invalid_request" }],
    [500, { error: "invalid_grant" }],
    [503, {}],
    [400, { error: "temporarily_unavailable" }],
    [400, { error: "slow_down" }],
  ];
  for (const [status, body] of passing) {
    server.set("/token", () => Response.json(body, { status }));
    expect((await fault(again())).kind).toBe("away");
  }
  server.set("/token", () => new Response("<p>proxy</p>", { status: 400, headers: { "content-type": "text/html" } }));
  expect((await fault(again())).kind).toBe("untrusted");
});

test("[ACC-4] a challenge is read whatever its form, in bounded time", async () => {
  const read = (header: string, status = 401) =>
    challengeIn({ status, headers: new Headers({ "www-authenticate": header }) });
  const asked = 'Bearer realm="x, y", resource_metadata="https://a.example/m", scope="a b"';
  const whole = { kind: "unauthorized", resourceMetadata: "https://a.example/m", scope: "a b" } as const;
  expect(await read(asked)).toEqual(whole);
  expect(await read(`Basic realm="x", ${asked}`)).toEqual(whole);
  expect(await read('bearer error="insufficient_scope", scope="c"', 403)).toEqual({
    kind: "insufficient_scope",
    scope: "c",
  });
  expect(await read(asked, 403)).toBeNull();
  expect(await read(asked, 200)).toBeNull();
  for (const odd of [
    "",
    "Bearer",
    "Bearer x=",
    '"',
    "=,=,",
    "Basic",
    'Bearer scope="',
    `Bearer a="${"x".repeat(60_000)}"`,
  ])
    expect(await read(odd)).toEqual({ kind: "unauthorized" });
  // The time limit of the test is the assertion.
  await read(`Bearer ${Array.from({ length: 1_500 }, () => "a=b").join(",")}`);
  await read(`Bearer ${"a=b,".repeat(16_000)}`);
});
