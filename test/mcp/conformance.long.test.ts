/**
 * The official conformance suite of MCP (MCP-1): against the service as it is, and for what our tools give no occasion
 * for, against the same endpoint with the suite's fixtures behind it.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { ok } from "../../actors/fault.ts";
import { McpEndpoint } from "../../src/mcp/endpoint.ts";
import { localCaller } from "../../src/http/request/caller.ts";
import { OpenStreams } from "../../src/http/stream/open-streams.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { fixtureServer } from "../support/mcp-fixtures.ts";
import { type Founded, type Service, startService, testSealing } from "../support/service.ts";
import { CLONE } from "../support/service-process.ts";

const CLI = join(CLONE, "node_modules/@modelcontextprotocol/conformance/dist/index.js");

/** By revision: what the service itself passes, and what it passes with the fixtures. */
const SCENARIOS = {
  "2025-11-25": {
    service: [
      "server-initialize",
      "ping",
      "tools-list",
      "resources-list",
      "prompts-list",
      "server-session-lifecycle",
      "server-sse-multiple-streams",
      "server-sse-polling",
      "dns-rebinding-protection",
    ],
    fixtures: [
      "logging-set-level",
      "completion-complete",
      "tools-call-simple-text",
      "tools-call-image",
      "tools-call-audio",
      "tools-call-embedded-resource",
      "tools-call-mixed-content",
      "tools-call-with-logging",
      "tools-call-error",
      "tools-call-with-progress",
      "tools-call-sampling",
      "tools-call-elicitation",
      "elicitation-sep1034-defaults",
      "elicitation-sep1330-enums",
      "resources-read-text",
      "resources-read-binary",
      "resources-templates-read",
      "resources-subscribe",
      "resources-unsubscribe",
      "prompts-get-simple",
      "prompts-get-with-args",
      "prompts-get-embedded-resource",
      "prompts-get-with-image",
    ],
    // It asks for a tool of its own whose schema the endpoint hands on unread.
    left: ["json-schema-2020-12"],
  },
  "2026-07-28": {
    service: [
      "tools-list",
      "resources-list",
      "prompts-list",
      "server-sse-multiple-streams",
      "sep-2164-resource-not-found",
      "dns-rebinding-protection",
      "caching",
      "input-required-result-unsupported-methods",
      "http-header-validation",
    ],
    fixtures: [
      "completion-complete",
      "tools-call-simple-text",
      "tools-call-image",
      "tools-call-audio",
      "tools-call-embedded-resource",
      "tools-call-mixed-content",
      "tools-call-error",
      "tools-call-with-progress",
      "resources-read-text",
      "resources-read-binary",
      "resources-templates-read",
      "prompts-get-simple",
      "prompts-get-with-args",
      "prompts-get-embedded-resource",
      "prompts-get-with-image",
    ],
    // Our tools ask for no input, have no `x-mcp-header`, and are no tasks: all of these need a tool that is.
    left: [
      /^input-required-result-/,
      /^tasks-/,
      "http-custom-header-server-validation",
      "json-schema-2020-12",
      "server-stateless",
    ],
  },
} as const;

let service: Service;
let owner: Founded;
let proxy: Bun.Server<undefined>;
let fixtures: Bun.Server<undefined>;

beforeAll(async () => {
  service = await startService();
  owner = await service.found();
  // The suite knows no tokens.
  proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch(request) {
      const headers = new Headers(request.headers);
      headers.set("authorization", `Bearer ${owner.token}`);
      const { method, body, signal } = request;
      return fetch(`${service.url}/mcp`, { method, headers, body, signal });
    },
  });
  const endpoint = fixtureEndpoint();
  const principal = { ...owner, role: "owner", tokenKind: "personal", expiresAt: "", scopes: ["*"] } as const;
  fixtures = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    async fetch(request) {
      // An operation hands on the headers that it names; the type of the body is not among them.
      const { "content-type": _, ...named } = Object.fromEntries(request.headers);
      const headers = named as never;
      const caller = localCaller(principal, { signal: request.signal });
      const bytes = await request.bytes();
      const given = {
        params: {},
        query: { tools: undefined },
        headers,
        body: { bytes, contentType: "application/json", sha256: "" },
      };
      const answer = await (request.method === "POST"
        ? endpoint.take(caller, given)
        : request.method === "GET"
          ? endpoint.listen(caller, given)
          : endpoint.end(caller, given));
      return answer.ok ? answer.value : new Response(answer.fault.kind, { status: 403 });
    },
  });
});
afterAll(async () => {
  await proxy.stop(true);
  await fixtures.stop(true);
  await service.stop();
});

function fixtureEndpoint(): McpEndpoint {
  const log = { info() {}, warn() {}, error() {} };
  // Nothing is kept of its sessions.
  const system = { dispatch: () => Promise.resolve(ok({ isOver: false, subscriptions: [] })) };
  const services = { system, clock: systemClock, sealing: testSealing, streams: new OpenStreams(systemClock), log };
  return new McpEndpoint({
    services: services as never,
    tools: new Map(),
    invoke: () => Promise.reject(new Error("fixtures call no operation")),
    refusal: () => ({ status: 500, body: {} }),
    allowed: () => ({ appUrl: "http://127.0.0.1", corsOrigins: [] }),
    batches: {
      parse: (_caller, _bytes, parse) => Promise.resolve(ok(parse())),
      count: () => Promise.resolve(ok(null)),
      inTurn: () => Promise.reject(new Error("the suite sends no batch")),
    },
    serve: fixtureServer,
  });
}

async function suite(args: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  const child = Bun.spawn([process.execPath, CLI, ...args], { stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out: out + err };
}

for (const [revision, { service: own, fixtures: withFixtures, left }] of Object.entries(SCENARIOS)) {
  test(`[MCP-1] every scenario of the suite for ${revision} is run, or left out for a reason`, async () => {
    const { out } = await suite(["list", "--server", "--requirements", revision]);
    const [servers = ""] = out.split("Client scenarios");
    const names = [...servers.matchAll(/^\s*- ([\w/-]+)/gm)].map(([, name = ""]) => name);
    const known = new Set<string>([...own, ...withFixtures]);
    const isLeft = (name: string): boolean =>
      left.some((one) => (typeof one === "string" ? one === name : one.test(name)));
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !known.has(name) && !isLeft(name))).toEqual([]);
  });

  for (const [what, names] of [
    ["service", own],
    ["fixtures", withFixtures],
  ] as const)
    test.each([...names])(`[MCP-1] ${revision}, ${what}: %s`, async (scenario) => {
      const { port } = what === "service" ? proxy : fixtures;
      const url = `http://127.0.0.1:${port}/mcp`;
      const { code, out } = await suite(["server", "--url", url, "--scenario", scenario, "--spec-version", revision]);
      expect({ code, out }).toEqual({ code: 0, out });
    });
}
