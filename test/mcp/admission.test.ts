/** Whom and what the MCP endpoint takes: tokens and their scopes, hosts and pages, messages and batches (MCP-1, MCP-2). */
import { expect, test } from "bun:test";
import { OPERATIONS } from "../../src/contract/document.ts";
import { mcpExecuteOperations } from "../../src/mcp/execute.ts";
import { MCP_SCOPES } from "../../src/http/contract/scopes.ts";
import { TOOLS } from "../../src/mcp/tools.ts";
import { answered, type Json, refused } from "../support/current.ts";
import { postMcp, rpc } from "../support/mcp-clients.ts";
import { ISSUER, OAuthProgram } from "../support/oauth-program.ts";
import { sceneOfFile } from "../support/scene.ts";
import { signedIn } from "../support/signed-in.ts";

const { service, owner } = sceneOfFile();

test("[MCP-2] the endpoint requests exactly the scopes of its tools", () => {
  const own = Object.entries(mcpExecuteOperations.operations).map(([id, { contract }]) => ({
    id,
    operation: contract,
  }));
  const scopes = new Map([...OPERATIONS, ...own].map(({ id, operation }) => [id, operation.scope]));
  const needed = new Set<string>(["mcp"]);
  for (const { operation, answersAs = operation } of TOOLS)
    for (const id of [operation, answersAs]) needed.add(scopes.get(id) ?? `the scope of ${id}`);
  const minimal = [...needed].filter(
    (scope) => !needed.has(scope.replace(/:read$/, ":write")) || !scope.endsWith(":read"),
  );
  expect(minimal.toSorted()).toEqual([...MCP_SCOPES].toSorted());
});

test("[MCP-2] the endpoint names the issuer of tokens, and accepts those that are for it", async () => {
  const metadata = `resource_metadata="${ISSUER}/.well-known/oauth-protected-resource/mcp"`;
  const challengeOf = (answer: Response): string => answer.headers.get("www-authenticate") ?? "";
  const nobody = await postMcp(service, null, rpc("ping"));
  expect(challengeOf(nobody)).toBe(`Bearer scope="${MCP_SCOPES.join(" ")}", ${metadata}`);
  await refused(nobody, 401, "unauthenticated");
  const narrow = await service.tokenFor(owner, { scopes: ["agents:read"] });
  const lacking = await postMcp(service, narrow.token, rpc("ping"));
  expect(challengeOf(lacking)).toBe(`Bearer error="insufficient_scope", scope="mcp", ${metadata}`);
  await refused(lacking, 403, "insufficient_scope");
  const browser = await signedIn(service, owner);
  const program = await OAuthProgram.register(service);
  const forMcp = await program.letIn(browser, { resource: `${ISSUER}/mcp`, scope: "mcp agents:read" });
  const forApi = await program.letIn(browser, { scope: "mcp agents:read" });
  expect((await postMcp(service, forMcp.access_token, rpc("ping"))).status).toBe(200);
  const other = await postMcp(service, forApi.access_token, rpc("ping"));
  expect(challengeOf(other)).toBe(`Bearer error="invalid_token", ${metadata}`);
  await refused(other, 401, "unauthenticated");
  expect((await service.call({ ...owner, token: forMcp.access_token }, "GET", "/api/agents")).status).toBe(401);
  const tool = rpc("tools/call", { name: "create_agent", arguments: { name: "x", system_prompt: "y" } });
  const stepUp = await postMcp(service, forMcp.access_token, tool);
  expect(challengeOf(stepUp)).toBe(`Bearer error="insufficient_scope", scope="mcp agents:write", ${metadata}`);
  await refused(stepUp, 403, "insufficient_scope");
});

test("[MCP-1] foreign host names and origins, too long messages and invalid ones are refused", async () => {
  const post = (message: unknown, headers: Readonly<Record<string, string>> = {}) =>
    postMcp(service, owner.token, message, headers);
  await refused(post(rpc("ping"), { host: "rebound.example" }), 403, "forbidden");
  await refused(post(rpc("ping"), { origin: "https://rebound.example" }), 403, "forbidden");
  await refused(post(rpc("ping"), { origin: "null" }), 403, "forbidden");
  for (const headers of [{ origin: ISSUER }, { host: "troupe.test" }, { host: "localhost:3000" }])
    expect((await post(rpc("ping"), headers)).status).toBe(200);
  await refused(post(" ".repeat(4 * 1024 * 1024 + 1)), 413, "payload_too_large");
  await refused(post(rpc("ping"), { "content-type": "text/plain" }), 415, "unsupported_media_type");
  for (const text of ["", "{", "1", `${"[".repeat(100)}${"]".repeat(100)}`]) {
    const answer = await answered<{ readonly error: Json }>(post(text), 400);
    expect(answer.error["code"]).toBe(-32_700);
  }
  expect((await post(rpc("ping"), { accept: "application/json" })).status).toBe(406);
  expect((await post(rpc("ping"), { "mcp-protocol-version": "1999-01-01" })).status).toBe(400);
  const flood = Array.from({ length: 1_000 }, (_, id) => rpc("tools/list", {}, id));
  expect((await post(flood)).status).toBe(400);
  const none = await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  expect(none.status).toBe(202);
});

test("[MCP-1] batches are answered in the revision that has them, and in no other", async () => {
  const post = (message: unknown, version?: string) =>
    postMcp(service, owner.token, message, version === undefined ? {} : { "mcp-protocol-version": version });
  const batch = [
    rpc("ping", {}, "a"),
    { jsonrpc: "2.0", method: "notifications/initialized" },
    rpc("nothing", {}, "b"),
  ];
  for (const version of [undefined, "2025-03-26"]) {
    const answers = await answered<readonly Json[]>(post(batch, version));
    expect(answers).toEqual([
      { jsonrpc: "2.0", id: "a", result: {} },
      { jsonrpc: "2.0", id: "b", error: expect.objectContaining({ code: -32_601 }) as Json },
    ]);
  }
  for (const version of ["2025-06-18", "2025-11-25", "2026-07-28"])
    expect(await answered(post(batch, version), 400)).toMatchObject({ error: { code: -32_600 } });
  for (const wrong of [[1], [[]]]) expect((await post(wrong)).status).toBe(400);
  const error = { code: -32_600, message: "The batch is empty" };
  for (const version of [undefined, "2025-03-26", "2026-07-28"])
    expect(await answered(post([], version), 400)).toMatchObject({ error });
  // A client's mistake has no stack.
  expect((await post({ ...rpc("ping"), jsonrpc: "1" }, "2026-07-28")).status).toBe(400);
  const refusals = service.log.filter(({ message }) => message === "an MCP message was refused");
  expect(refusals.length).toBeGreaterThan(0);
  for (const { fields } of refusals) expect(fields).toEqual({ reason: expect.any(String) as unknown });
});

test("[GEN-19] [MCP-1] a message with half of a character is refused, and an impossible header is an error of its tool", async () => {
  const get = (id: string): string => JSON.stringify(rpc("tools/call", { name: "get_job", arguments: { job_id: id } }));
  for (const message of [get("\ud83d"), `[${get("job_1")},${get("\ude00")}]`]) {
    const { error } = await answered<{ error: Json }>(postMcp(service, owner.token, message), 400);
    expect(error).toEqual({ code: -32_602, message: "Lone surrogates are not allowed in a message" });
  }
  const whole = get("\ud83d\ude00").replace("\u{1f600}", "\\ud83d\\ude00");
  expect(whole).toContain("\\ud83d");
  const update = rpc("tools/call", { name: "update_agent", arguments: { agent_id: "agt_1", if_match: "a\0b" } });
  for (const message of [whole, update])
    expect(await answered(postMcp(service, owner.token, message))).toMatchObject({ result: { isError: true } });
});

test("[MCP-3] a message counts as a request of its token", async () => {
  const budget = async () => {
    const { headers } = await postMcp(service, owner.token, rpc("tools/call", { name: "list_agents" }));
    return { left: Number(headers.get("x-ratelimit-remaining")), reset: headers.get("x-ratelimit-reset") };
  };
  let before = await budget();
  for (;;) {
    await service.call(owner, "GET", "/api/agents");
    const after = await budget();
    // A window may have ended meanwhile; the next one is long enough.
    if (after.reset === before.reset) {
      expect(after.left).toBe(before.left - 2);
      break;
    }
    before = after;
  }
});

test("[MCP-1] errors of a message are explained in sentences, as errors of its client", async () => {
  const initialize = { protocolVersion: "2025-06-18", capabilities: {} };
  const modern = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const wrong: readonly (readonly [method: string, params: object, words: string])[] = [
    ["initialize", initialize, "params.clientInfo is required"],
    [
      "initialize",
      { ...initialize, capabilities: 1, clientInfo: { name: 1 } },
      "params.capabilities must be an object. params.clientInfo.name must be a string. params.clientInfo.version is required",
    ],
    ["tools/list", { cursor: "elsewhere" }, "Invalid cursor for this list"],
    ["tools/list", { cursor: 1 }, "params.cursor must be a string"],
    ["resources/list", { cursor: "elsewhere" }, "Invalid cursor for this list"],
    ["resources/templates/list", { cursor: "elsewhere" }, "Invalid cursor for this list"],
    ["prompts/list", { cursor: "elsewhere" }, "Invalid cursor for this list"],
    ["tools/call", {}, "params.name is required"],
    ["tools/call", { name: "list_agents", arguments: "x" }, "params.arguments must be an object"],
    ["resources/read", { uri: 4 }, "params.uri must be a string"],
    ["prompts/get", { name: "x", arguments: { task: 3 } }, "params.arguments.task must be a string"],
  ];
  for (const [method, params, message] of wrong) {
    const expected = { error: { code: -32_602, message } };
    expect(await answered(postMcp(service, owner.token, rpc(method, params)))).toMatchObject(expected);
    if (method === "initialize") continue;
    const { name } = params as { readonly name?: string };
    const uri = (params as { readonly uri?: unknown }).uri;
    const headers = {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(name === undefined ? {} : { "mcp-name": name }),
      ...(uri === undefined ? {} : { "mcp-name": String(uri) }),
    };
    const answer = await postMcp(service, owner.token, rpc(method, { _meta: modern, ...params }), headers);
    expect([method, await answer.json()]).toMatchObject([method, expected]);
  }
});
