/** AI SDK's clients against a whole service: the page of the guide in a browser. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { createModels } from "../../src/runner/models.ts";
import { CHROMIUM, type WatchedBrowser, watchedBrowser } from "../support/browser.ts";
import { Client } from "../support/current.ts";
import { FaultyProxy } from "../support/faulty-proxy.ts";
import { NO_MODELS } from "../support/model-calls.ts";
import { type Service, startService } from "../support/service.ts";
import { CLONE } from "../support/service-process.ts";

const testInPage = test.skipIf(CHROMIUM === null);
const WORDS = "one two three four five six seven eight nine ten, ";
/** Longer than the page needs to be loaded again, on a busy machine too. */
const SLOW = `/say ${WORDS}\n/repeat 100\n/slow 100`;

/** The component of the guide, in a page that reads its settings from its address. */
const PAGE = `import { createRoot } from "react-dom/client";
import { AgentChat } from "./agent-chat.tsx";
const settings = Object.fromEntries(new URL(location.href).searchParams);
createRoot(document.getElementById("root")!).render(<AgentChat {...settings} />);
`;

let folder = "";
let pages: Bun.Server<undefined>;
let service: Service;
let browser: WatchedBrowser;
let proxy: FaultyProxy;
let settings: Record<string, string>;
let chats = 0;

beforeAll(async () => {
  if (CHROMIUM === null) return;
  folder = join(CLONE, ".tmp", `ai-sdk-page-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const [, component = ""] =
    /^```tsx\n([^]*?)^```$/m.exec(readFileSync(join(CLONE, "docs/guides/ai-sdk.md"), "utf8")) ?? [];
  writeFileSync(join(folder, "agent-chat.tsx"), component);
  writeFileSync(join(folder, "page.tsx"), PAGE);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { jsx: "react-jsx" } }));
  const define = { "process.env.NODE_ENV": '"production"' };
  const built = await Bun.build({ entrypoints: [join(folder, "page.tsx")], target: "browser", define });
  const script = await built.outputs[0]!.text();
  const html = '<!doctype html><title>Chat</title><div id="root"></div><script type="module" src="/page.js"></script>';
  pages = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) =>
      url.endsWith("/page.js")
        ? new Response(script, { headers: { "content-type": "text/javascript" } })
        : new Response(html, { headers: { "content-type": "text/html" } }),
  });
  service = await startService({
    models: createModels({ ...NO_MODELS, model: "demo:echo" }),
    settings: { corsOrigins: [pages.url.origin] },
  });
  proxy = await FaultyProxy.open(service.url);
  const owner = await service.found();
  const agentId = await new Client(service, owner).agent({
    system_prompt: "x",
    allowed_tools: ["create_task"],
    approval_tools: ["create_task"],
  });
  settings = { url: proxy.url, token: owner.token, agentId };
  browser = await watchedBrowser();
});
afterEach(() => proxy?.reset());
afterAll(async () => {
  await browser?.close();
  proxy?.stop();
  await service?.stop();
  await pages?.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

/** The page of the guide, with a chat of its own. */
async function openChat(): Promise<Page> {
  const { page } = await browser.open();
  page.setDefaultTimeout(60_000);
  const query = new URLSearchParams({ ...settings, chatId: `chat-${++chats}` });
  await page.goto(`${pages.url.origin}/?${query.toString()}`);
  return page;
}
async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}
const answerIn = (page: Page) => page.getByRole("article", { name: "assistant" });
const isReady = (page: Page) => page.locator('main[data-status="ready"]').waitFor();

testInPage(
  "[DIA-7] the guide's page shows an answer as it grows, resumes it after a reload, and stops it then",
  async () => {
    const page = await openChat();
    await say(page, SLOW);
    await answerIn(page).getByText("three").first().waitFor();
    await page.reload();
    await answerIn(page).getByText("five").first().waitFor();
    expect(await page.getByRole("article").count()).toBe(1);
    await page.getByRole("button", { name: "Stop" }).click();
    await isReady(page);
    await page.reload();
    await isReady(page);
    expect(await page.getByRole("article").count()).toBe(0);
  },
);

testInPage("[DIA-7] the guide's page reconnects after a cut, and shows no word twice", async () => {
  const page = await openChat();
  await isReady(page);
  // The browser asks first whether the page may ask.
  proxy.reset(null, { kind: "reset", after: "five" });
  await say(page, `/say ${WORDS}\n/slow 40`);
  await page.getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Reconnect" }).click();
  await answerIn(page).getByText("ten").first().waitFor();
  await isReady(page);
  const words = (await answerIn(page).innerText()).match(/\w+/g) ?? [];
  expect(words.filter((word) => word === "three")).toHaveLength(1);
  expect(await page.getByRole("article").count()).toBe(2);
});

testInPage("[DIA-6] the guide's page asks for an approval, and the answer goes on in the same message", async () => {
  const page = await openChat();
  await say(page, '/call create_task {"title": "Buy milk"}');
  await page.getByRole("button", { name: "Approve" }).click();
  await answerIn(page).getByText("create_task: output-available").waitFor();
  await isReady(page);
  expect(await page.getByRole("article").count()).toBe(2);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: "Deny" }).click();
  await answerIn(page).getByText("create_task: output-denied").waitFor();
});
