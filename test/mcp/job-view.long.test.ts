/** The job view in a real browser, in the frame and under the policy that hosts of MCP Apps give it (MCP-8). */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import type { FrameLocator, Page } from "playwright-core";
import { CHROMIUM, type WatchedBrowser, watchedBrowser } from "../support/browser.ts";
import { Client, type Json } from "../support/current.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { FaultyProxy } from "../support/faulty-proxy.ts";
import { modernClient } from "../support/mcp-clients.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

type Mcp = Awaited<ReturnType<typeof modernClient>>;
const WAIT = { timeout: 60_000 };

let service: Service;
/** Where the page finds the service; it cuts streams. */
let proxy: FaultyProxy;
let owner: Founded;
let browser: WatchedBrowser;
let host: ReturnType<typeof Bun.serve>;
let mcp: Mcp;
let agentId = "";
const tools = new FakeTools();
/** The view with the headers of its frame. */
let view: { readonly html: string; readonly policy: string };

beforeAll(async () => {
  if (CHROMIUM === null) return;
  let appUrl = "";
  service = await startService({ tools, overrides: { services: () => ({ appUrl: () => appUrl }) } });
  proxy = await FaultyProxy.open(service.url);
  appUrl = proxy.url;
  owner = await service.found();
  browser = await watchedBrowser();
  agentId = await new Client(service, owner).agent({
    system_prompt: "x",
    allowed_tools: ["send"],
    approval_tools: ["send"],
  });
  mcp = await modernClient(service, owner);
  view = await readView(mcp);
  host = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: served });
});
afterAll(async () => {
  await mcp?.close();
  await browser?.close();
  await host?.stop(true);
  proxy?.stop();
  await service?.stop();
});

/** The resource that the tool names, and the policy that a host makes of what it declares. */
async function readView(client: Mcp): Promise<{ readonly html: string; readonly policy: string }> {
  const tool = (await client.listTools()).tools.find(({ name }) => name === "execute_agent");
  const { resourceUri: uri } = (tool!._meta as { readonly ui: { readonly resourceUri: string } }).ui;
  const { contents } = await client.readResource({ uri });
  const { text, mimeType, _meta } = contents[0] as unknown as {
    readonly text: string;
    readonly mimeType: string;
    readonly _meta: { readonly ui: { readonly csp: { readonly connectDomains: readonly string[] } } };
  };
  expect([uri, mimeType]).toEqual(["ui://troupe/job", "text/html;profile=mcp-app"]);
  const policy = [
    "default-src 'none'",
    "script-src 'self' 'unsafe-inline'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src ${_meta.ui.csp.connectDomains.join(" ")}`,
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'self'",
    "sandbox allow-scripts",
  ].join("; ");
  return { html: text, policy };
}

/** A host: it answers the view's handshake, hands it the result of the tool, and calls tools for it. */
const HOST = `<!doctype html><title>Host</title><iframe title="view" src="/view"></iframe><script>
const frame = document.querySelector("iframe");
addEventListener("message", async ({ source, data }) => {
  if (source !== frame.contentWindow) return;
  const answer = (message) => source.postMessage({ jsonrpc: "2.0", ...message }, "*");
  if (data.method === "ui/initialize")
    answer({ id: data.id, result: { protocolVersion: "2026-01-26", hostInfo: { name: "host", version: "1" },
      hostCapabilities: window.withTools ? { serverTools: {} } : {}, hostContext: { theme: "dark" } } });
  if (data.method === "ui/notifications/initialized") {
    answer({ method: "ui/notifications/tool-input", params: { arguments: {} } });
    answer({ method: "ui/notifications/tool-result", params: await window.toolResult() });
  }
  if (data.method === "tools/call") answer({ id: data.id, result: await window.callTool(data.params) });
});
</script>`;

const served = (request: Request): Response => {
  const isView = new URL(request.url).pathname === "/view";
  return new Response(isView ? view.html : HOST, {
    headers: { "content-type": "text/html", ...(isView ? { "content-security-policy": view.policy } : {}) },
  });
};

let goOn: () => void;
beforeEach(() => {
  const held = Promise.withResolvers<void>();
  goOn = held.resolve;
  tools.calls.length = 0;
  tools.script = () => ({ content: "sent", isError: false });
  if (CHROMIUM !== null)
    service.model.script = (call) =>
      call.entries.length === 1
        ? [
            { say: "Let me look. " },
            { hold: held.promise },
            { use: { type: "tool_use", id: "c1", name: "send", input: { to: "<b>Bo</b>" } } },
          ]
        : [{ say: "All done." }];
});
afterEach(() => goOn());

interface Shown {
  readonly page: Page;
  readonly frame: FrameLocator;
  readonly complaints: readonly string[];
  /** Tools that the view has called. */
  readonly called: readonly string[];
}

/** A job that has just begun, as the tool answers it. */
const begun = () =>
  mcp.callTool({ name: "execute_agent", arguments: { agent_id: agentId, message: "go", wait_seconds: 0 } });
type Result = Awaited<ReturnType<typeof begun>>;

const addressOf = (path = ""): string => path.replace(/&after=.*/, "");

/** Opens the host with the view of a job. */
async function shown(of: { readonly withTools: boolean; readonly result?: Result }): Promise<Shown> {
  const { withTools, result = await begun() } = of;
  const { page, complaints } = await browser.open();
  const called: string[] = [];
  await page.exposeFunction("toolResult", () => result);
  await page.exposeFunction("callTool", (params: { readonly name: string; readonly arguments: Json }) => {
    called.push(params.name);
    return mcp.callTool(params);
  });
  await page.addInitScript(`window.withTools = ${withTools}`);
  await page.goto(host.url.href);
  return { page, frame: page.frameLocator("iframe"), complaints, called };
}

test.skipIf(CHROMIUM === null)("[MCP-8] the view shows a job live, and its person approves in it", async () => {
  proxy.reset();
  const { page, frame, complaints, called } = await shown({ withTools: true });
  await frame.locator("#text", { hasText: "Let me look." }).waitFor(WAIT);
  goOn();
  await frame.locator("section", { hasText: '"to": "<b>Bo</b>"' }).waitFor(WAIT);
  await frame.getByRole("button", { name: "Approve" }).click(WAIT);
  await frame.locator("#status", { hasText: "completed" }).waitFor(WAIT);
  await frame.locator("#text", { hasText: "All done." }).waitFor(WAIT);
  expect(tools.calls.map(({ input }) => input)).toEqual([{ to: "<b>Bo</b>" }]);
  expect(called).toContain("approve_job");
  expect([complaints, browser.left]).toEqual([[], []]);
  await page.context().close();
});

test.skipIf(CHROMIUM === null)("[MCP-8] a cut stream continues at a fresh address, after the last event", async () => {
  const result = await begun();
  proxy.reset({ kind: "end", after: "event: transcript" });
  const { page, frame, called } = await shown({ withTools: true, result });
  await frame.locator("#text", { hasText: "Let me look." }).waitFor(WAIT);
  goOn();
  await frame.getByRole("button", { name: "Deny" }).click(WAIT);
  await frame.locator("#status", { hasText: "completed" }).waitFor(WAIT);
  expect(tools.calls).toEqual([]);
  expect(called).toContain("get_job");
  const asked = proxy.requests.map(({ path }) => path);
  expect(asked[1]).toContain("&after=");
  expect(addressOf(asked[1])).not.toBe(addressOf(asked[0]));
  await page.context().close();
});

test.skipIf(CHROMIUM === null)("[MCP-8] a host that calls no tools still shows the job", async () => {
  proxy.reset();
  const { page, frame, called } = await shown({ withTools: false });
  goOn();
  await frame.getByText("Tell the assistant whether to approve this.").waitFor(WAIT);
  expect(await frame.getByRole("button").count()).toBe(0);
  const [job] = (
    await new Client(service, owner).get<{ readonly jobs: readonly { readonly id: string }[] }>("/api/jobs?limit=1")
  ).jobs;
  await mcp.callTool({ name: "approve_job", arguments: { job_id: job?.id } });
  await frame.locator("#status", { hasText: "completed" }).waitFor(WAIT);
  expect(called).toEqual([]);
  await page.context().close();
});
