/** Several tabs, several people and long chats in the console, in a real browser against the real service. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { SESSION_MS } from "../../src/sign-in/accounts.ts";
import { CHROMIUM } from "../support/browser.ts";
import { until } from "../support/condition.ts";
import {
  answerOf,
  type ConsoleScene,
  newChat,
  openConsole,
  say,
  STEP_MS,
  visitChats,
} from "../support/console-scene.ts";
import { answered } from "../support/current.ts";
import { fillChat } from "../support/long-chat.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";
import { enterByLink } from "../support/page-checks.ts";

let scene: ConsoleScene;
const testInBrowser = test.skipIf(CHROMIUM === null);
const ASKS_FIRST = { allowed_tools: ["create_task"], approval_tools: ["create_task"] };

beforeAll(async () => {
  if (CHROMIUM !== null) scene = await openConsole();
});
afterAll(() => scene?.close());

const chatOf = (page: Page): string => new URL(page.url()).pathname.split("/").at(-1) ?? "";

testInBrowser("[CON-3] what is decided in one tab disappears in the other", async () => {
  const { page, agentId, complaints } = await visitChats(scene, {}, ASKS_FIRST);
  await newChat(page, agentId);
  await say(page, '/call create_task {"title": "Buy milk"}');
  const approval = page.getByRole("region", { name: "Approval of create_task" });
  await approval.waitFor();
  const other = await page.context().newPage();
  await other.goto(`${scene.url}/app/inbox`);
  const same = other.getByRole("region", { name: "Approval of create_task" });
  await same.getByRole("button", { name: "Deny" }).click();
  await other.getByText("Nothing waits for you").waitFor();
  await approval.waitFor({ state: "detached" });
  await answerOf(page).getByText("tokens in").waitFor();
  expect(complaints).toEqual([]);
});

testInBrowser("[CON-1] a member sees nothing of a private chat and its job, and is told so", async () => {
  const { page, agentId, person } = await visitChats(scene);
  await newChat(page, agentId);
  await say(page, "Secret plans");
  await answerOf(page).getByText("tokens in").waitFor();
  const { jobs } = await answered<{ jobs: readonly { readonly id: string }[] }>(
    scene.service.call(person, "GET", "/api/jobs"),
  );
  const chat = chatOf(page);
  const { page: theirs } = await scene.enter(`/chats/${chat}`);
  await theirs.getByRole("alert").filter({ hasText: "No such chat" }).waitFor();
  await theirs.goto(`${scene.url}/app/jobs/${jobs[0]?.id}`);
  await theirs.getByRole("alert").filter({ hasText: "No such job" }).waitFor();
  expect(await theirs.getByText("Secret plans").count()).toBe(0);
});

/** As if the person had gone to another tab, or come back. */
const setSeen = (page: Page, isSeen: boolean): Promise<unknown> =>
  page.evaluate(
    `Object.defineProperty(document, "visibilityState", { configurable: true, value: "${isSeen ? "visible" : "hidden"}" });
     document.dispatchEvent(new Event("visibilitychange"));`,
  );

testInBrowser("[CON-18] ten tabs work over six connections, and each goes on when it is seen again", async () => {
  const { page, agentId, person } = await visitChats(scene);
  await newChat(page, agentId);
  const address = page.url();
  const tabs: Page[] = [];
  for (let tab = 0; tab < 10; tab++) {
    const one = await page.context().newPage();
    one.setDefaultTimeout(STEP_MS);
    await one.clock.install();
    await one.goto(address);
    await one.getByText("Say something to Ada").waitFor();
    tabs.push(one);
    if (tab === 0) await page.close();
    if (tab === 9) break;
    await setSeen(one, false);
    await one.clock.fastForward(30_000);
  }
  const last = tabs.at(-1)!;
  await say(last, "From the last tab");
  await answerOf(last).getByText("tokens in").waitFor();
  const chat = chatOf(last);
  await setSeen(tabs[0]!, true);
  await answerOf(tabs[0]!).getByText("tokens in").waitFor();
  await answered(scene.service.call(person, "POST", `/api/chats/${chat}/messages`, { content: "And another" }), 202);
  await answerOf(tabs[0]!).nth(1).getByText("tokens in").waitFor();
});

testInBrowser("[CON-4] a tab notices that another one has signed in as somebody else", async () => {
  const { page, agentId, person } = await visitChats(scene);
  await newChat(page, agentId);
  await page.getByRole("textbox", { name: "Message" }).fill("Not for others");
  const other = await page.context().newPage();
  await enterByLink(other, scene.service, scene.url, scene.owner);
  await page.getByText("signed in as somebody else").waitFor();
  // What was written stays for the person who has written it.
  const places = await page.evaluate("Object.keys(sessionStorage).filter((key) => key.includes(' text '))");
  expect(places).toEqual([expect.stringContaining(person.userId)]);
});

testInBrowser("[CON-4] a page stays when its session expires while it is open", async () => {
  const clock = new ShiftedClock();
  const own = await openConsole({ clock });
  try {
    const { page, agentId } = await visitChats(own);
    await newChat(page, agentId);
    await page.getByRole("textbox", { name: "Message" }).fill("Not sent yet");
    await clock.shift(SESSION_MS);
    await page.getByRole("alert").filter({ hasText: "What you have written here stays" }).waitFor();
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("Not sent yet");
    // The agent can be reached again once the person has signed in: nothing is sent before.
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("alert").filter({ hasText: "Your session has ended." }).nth(1).waitFor();
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("Not sent yet");
  } finally {
    await own.close();
  }
});

testInBrowser("[CON-3] the inbox finds the failed mission after a hundred others", async () => {
  const { page, agentId, person } = await visitChats(scene);
  const create = (title: string): Promise<{ readonly id: string }> =>
    answered<{ readonly id: string }>(
      scene.service.call(person, "POST", "/api/missions", {
        title,
        goal: "/fail provider_rejected",
        agent_id: agentId,
      }),
      201,
    );
  const { id } = await create("The oldest");
  await answered(scene.service.call(person, "POST", `/api/missions/${id}/run`), 202);
  await Promise.all(Array.from({ length: 100 }, (_, number) => create(`Mission ${number}`)));
  await page.getByRole("link", { name: "Inbox" }).click();
  await page.getByRole("heading", { name: "The oldest" }).waitFor();
});

const MANY = 10_000;

testInBrowser(
  "[CON-19] a chat of 10,000 messages opens with one page of them, and an answer changes only its own end",
  async () => {
    const { page, agentId, person, asked } = await visitChats(scene);
    await newChat(page, agentId);
    const chat = chatOf(page);
    await say(page, "Hello");
    await answerOf(page).getByText("tokens in").waitFor();
    await fillChat(scene.service, { chatId: chat, by: person, messages: MANY });
    const before = asked.length;
    await page.goto(`${scene.url}/app/chats/${chat}`);
    await page.getByRole("article").nth(49).waitFor();
    expect(await page.getByRole("article").count()).toBe(50);
    expect(asked.slice(before).filter((one) => one.includes("/messages")).length).toBe(1);
    await page.getByRole("button", { name: "Show older messages" }).click();
    await page.getByRole("article").nth(99).waitFor();
    // What the document changes while the answer grows: the message, and for a block of its text whether it was the last
    // one, or new, when the document had changed before. One frame may add many blocks.
    await page.evaluate(`window.changed = new Set();
    window.ends = new Map();
    new MutationObserver((all) => {
      const texts = new Set();
      for (const { target } of all) {
        const at = target.nodeType === 1 ? target : target.parentElement;
        const article = at?.closest("article");
        const block = at?.closest(".markdown > *");
        if (article === null || article === undefined || block === null || block === undefined) continue;
        const text = block.parentElement;
        texts.add(text);
        const articles = [...document.querySelectorAll("article")];
        const isAtEnd = [...text.children].indexOf(block) >= (window.ends.get(text) ?? 0) - 1;
        window.changed.add(articles.length - articles.indexOf(article) + (isAtEnd ? " at its end" : " before its end"));
        window.blocks = (window.blocks ?? 0) + 1;
      }
      for (const text of document.querySelectorAll("article .markdown")) window.ends.set(text, text.children.length);
    }).observe(document.querySelector('[role="log"]'), { childList: true, subtree: true, characterData: true })`);
    // Longer than the test: a busy browser draws few frames, each with all that has come since the one before.
    await say(page, "/say One paragraph\n/say\n/say and another\n/repeat 1000\n/slow 100");
    const answering = page.getByText("The agent is answering.");
    await answering.waitFor();
    await until("the answer has grown in several frames", () => page.evaluate("window.blocks > 5"));
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await answering.waitFor({ state: "detached" });
    const changed = (await page.evaluate("[...window.changed]")) as readonly string[];
    // One message, and in it the last block; a summary of the long chat may follow it.
    expect(new Set(changed.map((words) => words.split(" ")[0])).size).toBeLessThanOrEqual(2);
    expect(changed.filter((words) => !words.endsWith(" at its end"))).toEqual([]);
  },
);
