/** The official SDKs' clients sign in by OAuth, as programs of people do, and work (MCP-2, MCP-3). */
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { beforeAll, describe, expect, test } from "bun:test";
import { MCP_SCOPES } from "../../src/http/contract/scopes.ts";
import { ACCESS_TOKEN_SECONDS } from "../../src/sign-in/oauth/token-endpoint.ts";
import { Client, type Job, type Json } from "../support/current.ts";
import { FakeModel } from "../support/fake-model.ts";
import { BreakingFetch, McpSignIn } from "../support/mcp-sign-in.ts";
import { personOfFile, sceneOfFile } from "../support/scene.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";
import { browserOf, emailOf, PASSWORD, signedIn } from "../support/signed-in.ts";

interface Called {
  readonly structuredContent?: Json;
}

/** What is asked of both here. */
interface Connected {
  tools(): Promise<readonly string[]>;
  call(name: string, args: Json, onProgress?: (message: string) => void, signal?: AbortSignal): Promise<Called>;
  close(): Promise<void>;
}

const clock = new ShiftedClock();
const models = new FakeModel();
const SOON = {
  initialReconnectionDelay: 20,
  maxReconnectionDelay: 20,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 100,
};
let agentId = "";

// The clients ask at the address that the metadata names.
const { service, owner } = sceneOfFile({ clock, models, settings: { appUrl: undefined } });
const person = personOfFile(() => service.join(owner.organizationId));
beforeAll(async () => {
  await signedIn(service, person, PASSWORD, service.url);
  const agent = await new Client(service, person).call("POST", "/api/agents", { name: "Ada", system_prompt: "x" });
  agentId = ((await agent.json()) as { readonly id: string }).id;
});

const signInOf = async (): Promise<McpSignIn> =>
  new McpSignIn({
    browser: browserOf(service, service.url),
    email: await emailOf(service, person),
    password: PASSWORD,
  });

const progressTo = (take: (message: string) => void = () => {}) => ({
  onprogress: ({ message = "" }: { readonly message?: string | undefined }) => take(message),
});

/** Connects; the first attempt ends at the person, and the second one has a token. */
const CLIENTS: Readonly<Record<string, (by: McpSignIn, through: BreakingFetch) => Promise<Connected>>> = {
  "@modelcontextprotocol/sdk 1.x": async (by, { fetch }) => {
    const transport = () =>
      new LegacyTransport(new URL(`${service.url}/mcp`), {
        authProvider: by as never,
        fetch,
        reconnectionOptions: SOON,
      });
    const first = transport();
    await expect(new LegacyClient({ name: "legacy", version: "1" }).connect(first as never)).rejects.toThrow();
    await first.finishAuth(by.back?.searchParams.get("code") ?? "");
    const client = new LegacyClient({ name: "legacy", version: "1" });
    await client.connect(transport() as never);
    return {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args, onProgress) =>
        client.callTool({ name, arguments: args }, undefined, progressTo(onProgress)) as never,
      close: () => client.close(),
    };
  },
  "@modelcontextprotocol/client 2.x": async (by, { fetch }) => {
    const made = () =>
      new ModernClient({ name: "modern", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    const transport = () => new ModernTransport(new URL(`${service.url}/mcp`), { authProvider: by, fetch });
    const first = transport();
    await expect(made().connect(first)).rejects.toThrow();
    await first.finishAuth(by.back?.searchParams ?? new URLSearchParams());
    const client = made();
    await client.connect(transport());
    return {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args, onProgress, signal) =>
        client.callTool(
          { name, arguments: args },
          { ...progressTo(onProgress), ...(signal === undefined ? {} : { signal }) },
        ) as never,
      close: () => client.close(),
    };
  },
};

describe.each(Object.entries(CLIENTS))("%s", (_, connect) => {
  const connection = new BreakingFetch();
  let by: McpSignIn;
  let client: Connected;

  test("[MCP-2] finds the server by its 401, registers, sends a person to sign in and consent, and lists the tools", async () => {
    by = await signInOf();
    client = await connect(by, connection);
    expect(await client.tools()).toContain("execute_agent");
    const [tokens] = by.given;
    expect([tokens?.access_token.slice(0, 4), tokens?.scope]).toEqual(["oat_", MCP_SCOPES.join(" ")]);
    expect((await by.clientInformation())?.client_id).toStartWith("cli_");
    expect(by.asked).toBe(1);
  });

  test("[MCP-3] executes an agent with progress, and waits for the job of one that takes longer", async () => {
    const held = Promise.withResolvers<void>();
    models.script = () => [{ hold: held.promise }, { say: "done" }];
    const seen: string[] = [];
    const run = client.call("execute_agent", { agent_id: agentId, message: "hi" }, (message) => {
      seen.push(message);
      held.resolve();
    });
    expect((await run).structuredContent).toMatchObject({ status: "completed", result: "done" });
    expect(seen.at(-1)).toEndWith("is completed");
    const later = Promise.withResolvers<void>();
    models.script = () => [{ hold: later.promise }, { say: "late" }];
    const begun = await client.call("execute_agent", { agent_id: agentId, message: "slow", wait_seconds: 0 });
    const { id } = begun.structuredContent as unknown as Job;
    const waiting = client.call("wait_for_job", { job_id: id }, () => later.resolve());
    expect((await waiting).structuredContent).toMatchObject({ id, status: "completed", result: "late" });
  });

  test("[MCP-2] refreshes a token that has expired, without the person", async () => {
    await clock.shift(ACCESS_TOKEN_SECONDS * 1_000);
    expect(await client.tools()).toContain("execute_agent");
    expect([by.given.length, by.asked]).toEqual([2, 1]);
    expect(by.given[1]?.access_token).not.toBe(by.given[0]?.access_token);
  });

  test("[MCP-1] continues where its connection broke: with the stream, or with the job", async () => {
    const held = Promise.withResolvers<void>();
    models.script = () => [{ hold: held.promise }, { say: "after the break" }];
    const isLegacy = connect === CLIENTS["@modelcontextprotocol/sdk 1.x"];
    if (isLegacy) {
      connection.breakBehind = "notifications/progress";
      const run = client.call("execute_agent", { agent_id: agentId, message: "cut" }, () => held.resolve());
      expect((await run).structuredContent).toMatchObject({ status: "completed", result: "after the break" });
      expect(connection.afterwards).toContain("GET");
      return;
    }
    // In this era a stream is not resumed: to leave that of a call is to cancel the call, and a job is waited for anew.
    const begun = await client.call("execute_agent", { agent_id: agentId, message: "cut", wait_seconds: 0 });
    const { id } = begun.structuredContent as unknown as Job;
    const leaving = new AbortController();
    const left = client.call("wait_for_job", { job_id: id }, () => leaving.abort(), leaving.signal);
    await expect(left).rejects.toThrow();
    const again = client.call("wait_for_job", { job_id: id }, () => held.resolve());
    expect((await again).structuredContent).toMatchObject({ id, status: "completed", result: "after the break" });
  });

  test("[MCP-2] is asked to sign in again once its person has ended its access", async () => {
    const browser = browserOf(service, service.url);
    const signIn = await browser.get("/sign-in");
    await browser.submit(signIn, "/sign-in", { email: await emailOf(service, person), password: PASSWORD });
    const ended = await browser.confirm(await browser.get("/account"), "/account/programs/end");
    expect(ended.html).toContain("The program no longer has access.");
    await expect(client.tools()).rejects.toThrow();
    // The client of the older era asks for its stream besides.
    expect(by.asked).toBeGreaterThan(1);
    await client.close();
  });
});
