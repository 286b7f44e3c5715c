/** Tool servers that take the identity of an agent (ACC-12): they verify its token as a receiver does, from our keys. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { DEFAULT_SCOPES } from "../../actors/organization/principal.ts";
import type { ToolResultBlock } from "../../actors/job/schema.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { answered, Client, type Job, type Json, refused } from "../support/current.ts";
import { type McpServerUnderTest, startMcpServer, textResult } from "../support/mcp-server.ts";
import { sceneOfTest } from "../support/scene.ts";
import { storedText } from "../support/stored-text.ts";

const ISSUER = "https://troupe.test";

let shop: Bun.Server<undefined>;
let crm: McpServerUnderTest;
let call: { readonly name: string; readonly input: Json };
/** The tokens that receivers got. */
const tokens = new Set<string>();

/** What a receiver does with a request: the claims of its token, or why it is refused. */
async function verified(headers: Headers, audience: string): Promise<object> {
  const token = (headers.get("authorization") ?? "").replace(/^Bearer /, "");
  tokens.add(token);
  const keys = createRemoteJWKSet(new URL(`${service.url}/.well-known/jwks.json`));
  const options = { issuer: ISSUER, audience, typ: "agent-identity+jwt" };
  const { payload } = await jwtVerify(token, keys, options);
  return { ...payload, token };
}

const { service, owner, client } = sceneOfTest({ egress: createEgress({ allow: ["127.0.0.1"], production: false }) });
beforeAll(async () => {
  shop = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const audience = new URL(request.url).searchParams.get("for") ?? `http://127.0.0.1:${shop.port}`;
      return Response.json(await verified(request.headers, audience).catch(({ message }: Error) => ({ message })));
    },
  });
  const who = async ({ headers }: { readonly headers: Headers }) =>
    textResult(JSON.stringify(await verified(headers, crm.url).catch(({ message }: Error) => ({ message }))));
  crm = startMcpServer([{ name: "who", run: who }]);
});
afterAll(async () => {
  await shop.stop(true);
  await crm.stop();
});
beforeEach(() => {
  tokens.clear();
  service.model.script = ({ entries }) => {
    const last = entries.at(-1);
    const result =
      last?.role === "assistant" ? last.blocks.find((b): b is ToolResultBlock => b.type === "tool_result") : null;
    return result ? [{ say: result.content }] : [{ use: { type: "tool_use", id: "c1", ...call } as never }];
  };
});

const tool = (auth: Json, fields: Json = {}): Json => ({
  kind: "http",
  name: "price",
  description: "The price of an article",
  input_schema: { type: "object", properties: { article: { type: "string" } } },
  method: "GET",
  url: `http://127.0.0.1:${shop.port}/articles/{article}`,
  auth,
  ...fields,
});
const server = (auth: Json, fields: Json = {}): Json => ({ name: "crm", url: crm.url, auth, ...fields });
const agent = (by: Client, fields: Json): Promise<Response> =>
  by.call("POST", "/api/agents", { name: "Clerk", system_prompt: "x", ...fields });

/** What the receiver has answered to a job of this agent. */
async function answerTo(fields: Json): Promise<{ readonly job: Job; readonly agentId: string; readonly said: Json }> {
  const { id } = await answered<{ id: string }>(agent(client, fields), 201);
  const { job } = await client.send(await client.chat(id, owner.workspaceId), "hello");
  const done = await client.reached(job.id, "completed");
  return { job: done, agentId: id, said: JSON.parse(done.result ?? "") as Json };
}

test("[ACC-12] an HTTP tool learns which agent acts for whom, and its token appears nowhere else", async () => {
  call = { name: "price", input: { article: "pen" } };
  const { job, agentId, said } = await answerTo({ tools: [tool({ type: "identity" })] });
  const iat = said["iat"] as number;
  expect(said).toEqual({
    iss: ISSUER,
    sub: owner.userId,
    act: { sub: agentId },
    aud: `http://127.0.0.1:${shop.port}`,
    iat,
    exp: iat + 300,
    jti: expect.any(String),
    organization_id: owner.organizationId,
    job_id: job.id,
    token: "[hidden]",
  });
  const shown = [
    await storedText(service.database),
    JSON.stringify(service.log),
    await (await client.call("GET", `/api/jobs/${job.id}/transcript-events`)).text(),
  ];
  expect([...tokens].filter((token) => token.length > 100)).toHaveLength(1);
  for (const token of tokens) for (const text of shown) expect(text.includes(token)).toBe(false);
});

test("[ACC-12] an MCP server learns it too, and people who look at its tools are named without a job", async () => {
  call = { name: "crm__who", input: {} };
  const { job, agentId, said } = await answerTo({
    mcp_servers: [server({ type: "identity" })],
    allowed_tools: ["crm__*"],
  });
  expect(said).toMatchObject({
    sub: owner.userId,
    act: { sub: agentId },
    job_id: job.id,
    aud: crm.url,
    token: "[hidden]",
  });
  crm.authorizations.length = 0;
  const listed = await answered<{ tools: { name: string }[] }>(client.call("GET", `/api/tools?agent_id=${agentId}`));
  expect(listed.tools.map(({ name }) => name)).toContain("crm__who");
  const all = await Promise.all(
    crm.authorizations.map((header) => verified(new Headers({ authorization: header ?? "" }), crm.url)),
  );
  for (const claims of all) expect(claims).toMatchObject({ sub: owner.userId, act: { sub: agentId } });
  // The job's own session may end only now.
  expect(all.filter((claims) => !("job_id" in claims))).not.toEqual([]);
});

test("[ACC-12] another audience is for owners with secrets:use: the token is valid there", async () => {
  call = { name: "price", input: {} };
  const elsewhere = { type: "identity", audience: "urn:shop" };
  const fields = { tools: [tool(elsewhere, { url: `http://127.0.0.1:${shop.port}/?for=urn:shop` })] };
  expect((await answerTo(fields)).said).toMatchObject({ aud: "urn:shop", sub: owner.userId });
  const member = new Client(service, await service.tokenFor(owner, { scopes: [...DEFAULT_SCOPES] }));
  for (const given of [fields, { mcp_servers: [server(elsewhere)] }])
    await refused(agent(member, given), 403, "insufficient_scope");
  await answered(
    agent(member, { tools: [tool({ type: "identity" })], mcp_servers: [server({ type: "identity" })] }),
    201,
  );
});

test("[ACC-12] auth that is not valid is refused with its place", async () => {
  const wrong = async (fields: Json) => {
    const { errors } = (await refused(agent(client, fields), 400, "invalid_request")) as unknown as {
      readonly errors: readonly { readonly path: string; readonly message: string }[];
    };
    return errors.map(({ path }) => path);
  };
  const header = [{ name: "authorization", secret: "x" }];
  expect(await wrong({ tools: [tool({ type: "identity" }, { headers: header })] })).toEqual(["/tools/0/auth"]);
  for (const auth of [
    {},
    { type: "basic" },
    { type: "identity", audience: "" },
    { type: "identity", audience: "a b" },
    7,
  ])
    for (const path of await wrong({ mcp_servers: [server(auth as Json)] }))
      expect(path).toStartWith("/mcp_servers/0/auth");
});
