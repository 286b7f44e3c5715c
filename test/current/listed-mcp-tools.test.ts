/** The tools of an agent's MCP servers in `GET /api/tools`, and names that are near to one of them (RUN-21). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { notFound, ok } from "../../actors/fault.ts";
import type { McpServer } from "../../actors/job/connections.ts";
import { createEgress, type Egress } from "../../src/egress/egress.ts";
import { HeldBytes } from "../../src/runner/held-bytes.ts";
import { MAX_LISTED_TOOLS } from "../../src/runner/mcp/server-tools.ts";
import { ASKED_AT_ONCE, CachedMcpCatalogue, LIST_AGE_MS, PROBLEM_AGE_MS } from "../../src/wiring/mcp-catalogue.ts";
import { until } from "../support/condition.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { type McpServerUnderTest, type McpTool, startMcpServer, textResult } from "../support/mcp-server.ts";
import { testSandbox } from "../support/sandbox.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

const VALUE = `crm-key-${crypto.randomUUID()}`;
const tool = (name: string, more: Partial<McpTool> = {}): McpTool => ({ name, run: () => textResult("done"), ...more });

let egress: Egress;
let crm: McpServerUnderTest;
/** Where nobody listens. */
let deadUrl: string;

beforeAll(async () => {
  egress = createEgress({ allow: ["127.0.0.1"], production: false });
  const schema = { type: "object" as const, properties: { id: { type: "string" } } };
  crm = startMcpServer([
    tool("find", {
      description: `Finds. The key is ${VALUE}.`,
      inputSchema: schema,
      annotations: { readOnlyHint: true },
    }),
    tool("store contact"),
  ]);
  const gone = startMcpServer([]);
  deadUrl = gone.url;
  await gone.stop();
});
afterAll(async () => {
  await crm.stop();
  egress.close();
});

describe("GET /api/tools", () => {
  let service: Service;
  let owner: Founded;
  let client: Client;

  beforeAll(async () => void (service = await startService({ egress })));
  afterAll(() => service.stop());
  beforeEach(async () => {
    owner = await service.found();
    client = new Client(service, owner);
    await answered(client.call("PUT", "/api/secrets/crm", { value: VALUE }), 201);
    crm.authorizations.length = 0;
  });

  const servers = (): readonly Json[] => [
    { name: "crm", url: crm.url, headers: [{ name: "authorization", secret: "crm", prefix: "Bearer " }] },
    { name: "down", url: deadUrl },
  ];
  const agentWith = (fields: Json = {}): Promise<string> =>
    client.agent({ mcp_servers: servers(), visibility: "public", ...fields });
  interface Listed {
    readonly tools: readonly (Json & { readonly name: string })[];
    readonly mcp_servers: readonly Json[];
  }

  test("[RUN-21] lists the tools of an agent's servers, and says which server cannot be used", async () => {
    const agent = await agentWith();
    const { tools, mcp_servers } = await client.get<Listed>(`/api/tools?agent_id=${agent}`);
    expect(tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name).toSorted());
    expect(tools.filter(({ name }) => name.includes("__"))).toEqual([
      {
        name: "crm__find",
        description: "Finds. The key is [hidden].",
        input_schema: { type: "object", properties: { id: { type: "string" } } },
        availability: "granted",
        read_only: true,
      },
      {
        name: expect.stringMatching(/^crm__store_contact_[0-9a-f]{8}$/),
        description: "The tool store contact of the MCP server crm.",
        input_schema: { type: "object", properties: {} },
        availability: "granted",
        read_only: false,
      },
    ] as never);
    expect(tools.some(({ name }) => name === "web_fetch")).toBe(true);
    const asked = { left_out: 0, asked_at: expect.stringMatching(/Z$/) };
    expect(mcp_servers).toEqual([
      { name: "crm", status: "listed", tools: 2, message: null, ...asked },
      {
        name: "down",
        status: "unavailable",
        tools: 0,
        message: "The MCP server down cannot be used: it does not accept connections.",
        ...asked,
      },
    ] as never);
    const listings = crm.listings();
    expect(await client.get<Listed>(`/api/tools?agent_id=${agent}`)).toMatchObject({ tools, mcp_servers } as never);
    expect([listings > 0, crm.listings()]).toEqual([true, listings]);
    expect((await client.get<Listed>("/api/tools")).mcp_servers).toEqual([]);
    const stranger = new Client(service, await service.found("Strangers"));
    const seen = await stranger.call("GET", `/api/tools?agent_id=${agent}`);
    expect(seen.status === 404 || !(await seen.text()).includes("crm__find")).toBe(true);
  });

  test("[RUN-21] [RUN-11] the near name of a server's tool is suggested once its tools are known", async () => {
    const agent = await agentWith({ allowed_tools: ["crm__fnd"] });
    await client.get(`/api/tools?agent_id=${agent}`);
    const path = `/api/agents/${agent}`;
    const near = { allowed_tools: ["crm__*", "crm__find", "crm__fnd"], approval_tools: ["crm__*"] };
    const message = "The MCP server `crm` has no tool `crm__fnd`; did you mean `crm__find`?";
    expect(await refused(client.call("PATCH", path, near), 400, "invalid_request")).toEqual({
      errors: [{ path: "/allowed_tools/2", message }],
    });
    const body = { agent_id: agent, workspace_id: owner.workspaceId, options: { tools: ["crm__fnd"] } };
    expect(await refused(client.call("POST", "/api/chats", body), 400, "invalid_request")).toEqual({
      errors: [{ path: "/options/tools/0", message }],
    });
    // The server may have it one day, and of the one that is down nothing is known.
    const unknown = ["crm__export_everything", "down__fnd"];
    await answered(client.call("PATCH", path, { allowed_tools: unknown }));
    // Another organization has asked nobody.
    const stranger = new Client(service, await service.found("Others"));
    const other = {
      name: "Bob",
      system_prompt: "x",
      mcp_servers: [{ name: "crm", url: crm.url }],
      allowed_tools: ["crm__fnd"],
    };
    await answered(stranger.call("POST", "/api/agents", other), 201);
  });
});

describe("what is kept of a server", () => {
  let now: number;
  const by = (organizationId: string) => ({ organizationId, userId: "usr_ada" });
  const catalogue = () => {
    now = Date.now();
    const secrets = {
      read: (_: string, name: string) => Promise.resolve(name === "crm" ? ok(VALUE) : notFound("secret")),
    };
    return new CachedMcpCatalogue({
      egress,
      sandbox: testSandbox,
      held: new HeldBytes(),
      secrets,
      clock: { now: () => now },
    });
  };
  const at = (url: string, more: Partial<McpServer> = {}): McpServer => ({ name: "crm", url, ...more }) as McpServer;

  test("[RUN-21] is asked once for all who wait, and again when its list is too old", async () => {
    const lists = catalogue();
    const ask = async () => (await lists.toolsOf(by("org_a"), [at(crm.url)]))[0]!;
    const [one, other] = await Promise.all([ask(), ask()]);
    expect(one.tools).toHaveLength(2);
    expect(other).toBe(one);
    now += LIST_AGE_MS - 1;
    expect(await ask()).toBe(one);
    expect(lists.namesOf(by("org_a"), at(crm.url))).toContain("crm__find");
    now += 1;
    expect(lists.namesOf(by("org_a"), at(crm.url))).toBeNull();
    expect((await ask()).askedAt).toBe(now);
    await until("every session is left", () => crm.sessions.size === 0);
    // It belongs to one organization, and to one way to reach the server.
    expect(lists.namesOf(by("org_b"), at(crm.url))).toBeNull();
    expect(lists.namesOf(by("org_a"), at(crm.url, { headers: [{ name: "authorization", secret: "crm" }] }))).toBeNull();
  });

  test("[RUN-21] of one that was down is short, and a secret that is missing is said", async () => {
    const lists = catalogue();
    const [down] = await lists.toolsOf(by("org_a"), [at(deadUrl)]);
    now += PROBLEM_AGE_MS - 1;
    expect((await lists.toolsOf(by("org_a"), [at(deadUrl)]))[0]).toBe(down!);
    now += 1;
    expect((await lists.toolsOf(by("org_a"), [at(deadUrl)]))[0]?.askedAt).toBe(now);
    const [keyless] = await lists.toolsOf(by("org_a"), [
      at(crm.url, { headers: [{ name: "authorization", secret: "gone" }] }),
    ]);
    expect(keyless?.problem).toContain("the secret gone for its headers does not exist");
  });

  test("[RUN-21] has no tool whose name has a secret in it", async () => {
    const leaking = startMcpServer([tool("find"), tool(`of-${VALUE}`)]);
    const headers = [{ name: "authorization", secret: "crm", prefix: "Bearer " }];
    const [found] = await catalogue().toolsOf(by("org_a"), [at(leaking.url, { headers } as never)]);
    expect([found?.tools.map(({ name }) => name), found?.leftOut]).toEqual([["crm__find"], 1]);
    await leaking.stop();
  });

  test("[RUN-21] has at most 256 tools, and few servers are asked at once", async () => {
    const many = startMcpServer(Array.from({ length: MAX_LISTED_TOOLS + 1 }, (_, i) => tool(`t${i}`)));
    const lists = catalogue();
    const [found] = await lists.toolsOf(by("org_a"), [at(many.url)]);
    expect([found?.tools.length, found?.leftOut, found?.problem]).toEqual([MAX_LISTED_TOOLS, 1, null]);
    expect(lists.namesOf(by("org_a"), at(many.url))).toBeNull();
    await many.stop();
    const each = Array.from({ length: ASKED_AT_ONCE.ofOrganization + 1 }, (_, i) => at(`${deadUrl}?${i}`));
    const problems = (await lists.toolsOf(by("org_a"), each)).map(({ problem }) =>
      problem?.includes("too many servers"),
    );
    expect(problems).toEqual([...each.slice(1).map(() => false), true]);
  });
});
