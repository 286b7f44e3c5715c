/**
 * The command line of the MCP inspector signs in by OAuth, lists the tools and calls them (MCP-2, MCP-3). It comes with
 * a web application and its builder (some 110 MB), so it is fetched here from the npm registry and is no dependency.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, type Json } from "../support/current.ts";
import { freePort } from "../support/free-port.ts";
import { letIn } from "../support/mcp-sign-in.ts";
import type { PlainBrowser } from "../support/plain-browser.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { PASSWORD, signedIn } from "../support/signed-in.ts";

const PACKAGE = "@modelcontextprotocol/inspector";
const VERSION = "2.12.0";

const folder = mkdtempSync(join(tmpdir(), "troupe-inspector-"));
let service: Service;
let owner: Founded;
let browser: PlainBrowser;
let agentId = "";

beforeAll(async () => {
  writeFileSync(join(folder, "package.json"), "{}");
  const child = Bun.spawn([process.execPath, "add", "--exact", "--ignore-scripts", `${PACKAGE}@${VERSION}`], {
    cwd: folder,
    stdout: "ignore",
    stderr: "pipe",
  });
  const [err, code] = await Promise.all([child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`the inspector cannot be fetched: ${err}`);
  service = await startService({ settings: { appUrl: undefined } });
  owner = await service.found();
  browser = await signedIn(service, owner, PASSWORD, service.url);
  const agent = await new Client(service, owner).call("POST", "/api/agents", { name: "Ada", system_prompt: "x" });
  agentId = ((await agent.json()) as { readonly id: string }).id;
});
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Inspected {
  readonly code: number;
  readonly answer: Json;
  /** How often a person was asked. */
  readonly asked: number;
}

/** Runs the command; where it names an address for a person, somebody who has signed in allows what it asks for. */
async function inspect(method: string, options: Readonly<Record<string, string>>): Promise<Inspected> {
  const given = {
    transport: "http",
    "server-url": `${service.url}/mcp`,
    "callback-url": `http://127.0.0.1:${freePort()}/oauth/callback`,
    format: "json",
    method,
    ...options,
  };
  const program = join(folder, "node_modules", PACKAGE, "clients/launcher/build/index.js");
  const args = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
  const child = Bun.spawn([process.execPath, program, "--cli", ...args], {
    cwd: folder,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: {
      HOME: folder,
      // It asks although there is no terminal; what it opens its browser with does nothing.
      MCP_AUTO_OPEN_ENABLED: "true",
      BROWSER: "true",
      MCP_INSPECTOR_SECRET_STORE: "file",
    },
  });
  const out = child.stdout.text();
  let err = "";
  let asked = 0;
  const decoder = new TextDecoder();
  for await (const piece of child.stderr) {
    err += decoder.decode(piece, { stream: true });
    const [address] = /http:\/\/\S+\/oauth\/authorize\?\S+(?=\n)/.exec(err) ?? [];
    if (address === undefined || asked > 0) continue;
    asked++;
    const { pathname, search } = new URL(address);
    await fetch(await letIn(browser, await browser.get(pathname + search)));
  }
  const text = await out;
  if (text === "") throw new Error(err);
  return { code: await child.exited, answer: JSON.parse(text) as Json, asked };
}

const callOf = (name: string, args: Json): Promise<Inspected> =>
  inspect("tools/call", { "tool-name": name, "tool-args-json": JSON.stringify(args) });

test("[MCP-2] the inspector's command line signs in by OAuth, and lists the tools", async () => {
  const { code, answer, asked } = await inspect("tools/list", {});
  expect([code, asked]).toEqual([0, 1]);
  const { tools } = answer["result"] as { readonly tools: readonly { readonly name: string }[] };
  expect(tools.map(({ name }) => name)).toContain("execute_agent");
});

test("[MCP-3] the inspector's command line calls tools with the token that it has kept", async () => {
  const run = await callOf("execute_agent", { agent_id: agentId, message: "hello" });
  expect([run.code, run.asked]).toEqual([0, 0]);
  expect(run.answer["result"]).toMatchObject({ structuredContent: { status: "completed", result: "echo: hello" } });
  const modern = await inspect("tools/call", {
    "tool-name": "list_agents",
    "tool-args-json": '{"source": "private"}',
    "protocol-era": "modern",
  });
  expect([modern.code, modern.asked]).toEqual([0, 0]);
  expect(modern.answer["result"]).toMatchObject({ structuredContent: { agents: [{ id: agentId }] } });
});
