/** Access to tool servers in the console: a job that waits for it, the consent, and the page of connections. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createEgress, type Egress } from "../../src/egress/egress.ts";
import { AccountServer } from "../support/account-server.ts";
import { use } from "../support/approval-scene.ts";
import { CHROMIUM } from "../support/browser.ts";
import {
  acceptQuestions,
  answerOf,
  type ConsoleScene,
  newChat,
  openConsole,
  say,
  visitChats,
} from "../support/console-scene.ts";
import { pageFaults } from "../support/page-checks.ts";

let scene: ConsoleScene;
let accounts: AccountServer;
let egress: Egress;
const testInBrowser = test.skipIf(CHROMIUM === null);

beforeAll(async () => {
  if (CHROMIUM === null) return;
  accounts = new AccountServer(Date.now);
  egress = createEgress({ allow: ["127.0.0.1"], production: false });
  scene = await openConsole({ isDemo: false, egress });
  scene.service.model.script = ({ entries }) => {
    const last = JSON.stringify(entries.at(-1));
    return last.includes("tool_result") ? [{ say: `Got: ${last}` }] : [use("c1", "crm__whoami")];
  };
});
afterAll(async () => {
  await scene?.close();
  await accounts?.stop();
  egress?.close();
});

testInBrowser(
  "[CON-24] a job that needs access has its link in chat and inbox, and goes on after the consent",
  async () => {
    const server = { name: "crm", url: accounts.resource, auth: { type: "oauth", owner: "person" } };
    const { page, agentId } = await visitChats(
      scene,
      { bypassCSP: true },
      { mcp_servers: [server], allowed_tools: ["crm__*"] },
    );
    const questions = acceptQuestions(page);
    await newChat(page, agentId);
    const chat = page.url();
    await say(page, "Who am I?");
    const wanted = page.getByRole("region", { name: "Access for crm" });
    await wanted.getByRole("link", { name: "Give or deny it" }).waitFor();
    expect(await pageFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "Inbox" }).click();
    await page.getByRole("link", { name: "Open its job" }).waitFor();
    const opened = page.context().waitForEvent("page");
    await wanted.getByRole("link", { name: "Give or deny it" }).click();
    const consent = await opened;
    await consent.getByRole("button", { name: /Connect/ }).click();
    const way = await consent.locator('a[href*="/authorize?"]').getAttribute("href");
    await consent.goto(`${scene.url}/connections/callback?${accounts.consent(way ?? "", "allow").toString()}`);
    await consent.close();
    await page.getByText("Nothing waits for you").waitFor();
    await page.goto(chat);
    await answerOf(page).getByText("You are ada").first().waitFor({ state: "attached" });

    await page.goto(`${scene.url}/app/people/connections`);
    const list = page.getByRole("list", { name: "Connections" });
    await list.getByText("connected", { exact: true }).waitFor();
    await list.getByRole("button", { name: "Try it" }).click();
    await list.getByText("The server knows the access.").waitFor();
    expect(await pageFaults(page)).toEqual([]);
    await list.getByRole("button", { name: "End", exact: true }).click();
    await page
      .getByText("There is no connection yet")
      .or(list.getByText("required", { exact: true }))
      .waitFor();
    await page.getByText("New connection", { exact: true }).click();
    await page.getByRole("textbox", { name: "Address of the tool server" }).fill("no address");
    await page.getByRole("button", { name: "Ask for a connection" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByRole("textbox", { name: "Address of the tool server" }).fill(accounts.resource);
    await page.getByRole("button", { name: "Ask for a connection" }).click();
    await list.getByRole("link", { name: "Connect in another tab" }).waitFor();
    expect(questions).toEqual([expect.stringContaining("End the connection to")]);
  },
);
