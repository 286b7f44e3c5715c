/** The console's work on jobs, and its palette and keys, in a real browser against the real service. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { jobRef } from "../../actors/job/schema.ts";
import { CHROMIUM } from "../support/browser.ts";
import { answerOf, type ConsoleScene, newChat, openConsole, say, visitChats } from "../support/console-scene.ts";
import { answered } from "../support/current.ts";
import { until } from "../support/condition.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { FaultyProxy } from "../support/faulty-proxy.ts";
import { pageFaults } from "../support/page-checks.ts";

let scene: ConsoleScene;
const testInBrowser = test.skipIf(CHROMIUM === null);

beforeAll(async () => {
  if (CHROMIUM !== null) scene = await openConsole();
});
afterAll(() => scene?.close());

testInBrowser(
  "[CON-10] failed jobs of an agent are resumed together, after a preview, with what happened to each",
  async () => {
    const { page, agentId, complaints } = await visitChats(scene, { bypassCSP: true });
    await newChat(page, agentId);
    for (const at of [0, 1]) {
      await say(page, "/fail provider_rejected");
      await answerOf(page).nth(at).getByText("failed").waitFor();
    }
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    expect(await page.getByRole("button", { name: "Resume all of these" }).count()).toBe(0);
    await page.getByRole("combobox", { name: "Agent" }).selectOption(agentId);
    await page.getByRole("combobox", { name: "Status" }).selectOption("failed");
    const bulk = page.getByRole("region", { name: "Resume many jobs" });
    // Pages without a job of the filter, which are not the last ones.
    await page.route("**/api/jobs/bulk?*", (route) => route.fulfill({ json: { results: [], next_cursor: "next" } }));
    await page.getByRole("button", { name: "Resume all of these" }).click();
    await bulk.getByText("Resume at least 0 jobs?").waitFor();
    expect(await bulk.getByRole("button", { name: "Resume them" }).isEnabled()).toBe(true);
    await bulk.getByRole("button", { name: "Leave them as they are" }).click();
    await page.unroute("**/api/jobs/bulk?*");
    await page.getByRole("button", { name: "Resume all of these" }).click();
    await bulk.getByText("Resume 2 jobs? 0 need no change, 0 cannot be resumed.").waitFor();
    expect(await pageFaults(page)).toEqual([]);
    const held = Promise.withResolvers<void>();
    await page.route("**/api/jobs/bulk*", async (route) => {
      await held.promise;
      await route.continue();
    });
    await bulk.getByRole("button", { name: "Resume them" }).click();
    // While it runs, nothing begins a second run beside it.
    await bulk.getByRole("button", { name: "Stop after this page" }).waitFor();
    expect(await bulk.getByRole("button").allInnerTexts()).toEqual(["Stop after this page"]);
    held.resolve();
    await bulk.getByText("2 resumed, 0 unchanged, 0 refused.").waitFor();
    expect(await bulk.getByRole("link", { name: "another job" }).count()).toBe(2);
    await bulk.getByRole("link", { name: "another job" }).first().click();
    // Its family as a graph, which leads to the job that it continues.
    const family = page.getByRole("region", { name: "Related jobs" });
    await family.getByRole("link").nth(1).waitFor();
    expect(await family.getByRole("link").count()).toBe(2);
    expect(await pageFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Send again with edited input" }).click();
    await page.getByRole("textbox", { name: "Input of a new job" }).fill("/call list_tasks\n/then\n/say Fine");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    // The new job of the same agent: what it did, with the tokens of each model call.
    const done = page.getByRole("list", { name: "What it did" });
    await done.getByText("Calls list_tasks").waitFor();
    await done.getByText("Job completed").waitFor();
    expect(await done.getByText(/tokens in/).count()).toBe(2);
    await page.getByRole("button", { name: "Read the transcript" }).click();
    await done.getByText("Fine", { exact: true }).waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByText("Copied", { exact: true }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain(
      new URL(page.url()).pathname.replace("/app", "/api"),
    );
    expect(await pageFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

/** Whether it is shown within five seconds. */
const isShown = (one: Locator): Promise<boolean> =>
  one.waitFor({ timeout: 5_000 }).then(
    () => true,
    () => false,
  );

testInBrowser("[CON-11] pages, chats and agents are reached by the keyboard alone", async () => {
  const { page, agentId, person, complaints } = await visitChats(scene, { bypassCSP: true });
  await newChat(page, agentId);
  await say(page, "Hello");
  await answerOf(page).getByText("tokens in").waitFor();
  const chat = new URL(page.url()).pathname.split("/").at(-1);
  await answered(scene.service.call(person, "PATCH", `/api/chats/${chat}`, { title: "Plans for the harvest" }));
  await page.getByRole("heading", { name: /harvest/, level: 1 }).click();
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keys" });
  await keys.waitFor();
  // Each page of the navigation has its letter.
  const names = await page.getByRole("navigation").getByRole("link").allInnerTexts();
  const letters = await keys.locator("kbd", { hasText: /^g .$/ }).allInnerTexts();
  expect(new Set(letters).size).toBe(letters.length);
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "detached" });
  for (const [at, letter] of letters.entries()) {
    const here = page
      .getByRole("link", { name: names[at]?.trim() ?? "", exact: true })
      .and(page.locator("[aria-current]"));
    // The letter must follow soon after the g; a busy machine may need several tries for that.
    do {
      await page.keyboard.press("g");
      await page.keyboard.press(letter.slice(-1));
    } while (!(await isShown(here)));
  }
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Go to" });
  const field = palette.getByRole("combobox");
  await field.fill("harvest");
  await palette.getByRole("option", { name: /harvest/ }).waitFor();
  expect(await pageFaults(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /harvest/, level: 1 }).waitFor();
  // A letter in a field is a letter.
  await page.getByRole("textbox", { name: "Message" }).press("?");
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.keyboard.press("Control+k");
  await field.fill("new chat with");
  await palette.getByRole("option", { name: /Ada/ }).first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.getByText("Say something to Ada").waitFor();
  // The page of webhooks asks for a destination that is not there.
  expect(complaints.filter((one) => !one.includes("404"))).toEqual([]);
});

testInBrowser("[CON-20] a message has options of its own, which the next one does not have", async () => {
  const { page, agentId, complaints } = await visitChats(scene, { bypassCSP: true });
  await newChat(page, agentId);
  await page.getByText("Options", { exact: true }).click();
  await page.getByRole("checkbox", { name: "A person reviews the answer" }).check();
  expect(await pageFaults(page)).toEqual([]);
  await say(page, "Review this");
  const review = page.getByRole("region", { name: "Review of the result" });
  await review.getByRole("button", { name: "Accept" }).click();
  await review.waitFor({ state: "detached" });
  await say(page, "And not this");
  await answerOf(page).nth(1).getByText("tokens in").waitFor();
  expect(await review.count()).toBe(0);
  expect(complaints).toEqual([]);
});

testInBrowser("[CON-7] a page whose file does not arrive says so, and is tried again", async () => {
  const { page } = await visitChats(scene);
  const proxy = await FaultyProxy.open(scene.service.url);
  try {
    await page.goto(`${proxy.url.replace("127.0.0.1", "localhost")}/app`);
    await page.getByRole("heading", { name: "Chats", level: 1 }).waitFor();
    // The page has several files, and the browser asks again for one that it has only preloaded.
    proxy.reset(...Array.from({ length: 10 }, () => ({ kind: "close", after: 1, path: "/app/files/" }) as const));
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await page.getByText("This page could not be loaded").waitFor();
    proxy.reset();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Jobs", level: 1 }).waitFor();
  } finally {
    proxy.stop();
  }
});

testInBrowser("[CON-3] a job that has stopped says why, and continues from the inbox", async () => {
  const { page, agentId, person, complaints } = await visitChats(scene, { bypassCSP: true });
  await newChat(page, agentId);
  const body = { content: "/call list_tasks\n/then\n/say Fine", budget: { max_steps: 1 } };
  const chat = new URL(page.url()).pathname.split("/").at(-1);
  await answered(scene.service.call(person, "POST", `/api/chats/${chat}/messages`, body), 202);
  const stopped = page.getByRole("region", { name: "Stopped job" });
  await stopped.getByText("It has used its budget").waitFor();
  await page.getByText("The agent has stopped.").waitFor();
  await page.getByRole("link", { name: "Open its job" }).click();
  await page.getByText("What it did", { exact: true }).waitFor();
  await stopped.waitFor();
  await page.getByRole("link", { name: "Inbox" }).click();
  await page.getByRole("link", { name: "Open its job" }).waitFor();
  expect(await pageFaults(page)).toEqual([]);
  await stopped.getByRole("textbox", { name: "Model calls" }).fill("3");
  await stopped.getByRole("button", { name: "Resume" }).click();
  await page.getByText("Nothing waits for you").waitFor();
  await page.goto(`${scene.url}/app/chats/${chat}`);
  await answerOf(page).getByText("Fine").waitFor();
  expect(complaints).toEqual([]);
});

testInBrowser("[CON-3] an interrupted call is made again when a person says so", async () => {
  const tools = new FakeTools();
  tools.unsafe.add("send");
  tools.script = () => new Promise(() => {});
  const own = await openConsole({ isDemo: false, tools });
  try {
    own.service.model.script = ({ entries }) =>
      entries.length === 1
        ? [{ use: { type: "tool_use", id: "c1", name: "send", input: {} } }]
        : [{ say: "It is sent." }];
    const { page, agentId, person } = await visitChats(own, {}, { allowed_tools: ["send"] });
    await newChat(page, agentId);
    await say(page, "Send it");
    await until("the tool runs", () => tools.calls.length === 1);
    const { jobs } = await answered<{ jobs: readonly { readonly id: string }[] }>(
      own.service.call(person, "GET", "/api/jobs"),
    );
    const ref = jobRef(person.organizationId, jobs[0]?.id ?? "");
    const job = await own.service.system.dispatch(ref, { kind: "read_job" });
    // As another process finds it after a crash.
    const effectId = (job.ok ? job.value.runEffectId : null) ?? "";
    await own.service.system.dispatch(ref, { kind: "recover", effectId, result: "" });
    tools.script = () => ({ content: "sent", isError: false });
    // A crash would cut its stream.
    await page.reload();
    const stopped = page.getByRole("region", { name: "Stopped job" });
    await stopped.getByText("It is not known whether the call took effect").waitFor();
    await stopped.getByRole("button", { name: "Make the call again" }).click();
    await answerOf(page).getByText("It is sent.").waitFor();
    expect(tools.calls.length).toBe(2);
  } finally {
    await own.close();
  }
});

testInBrowser("[CON-20] a message waits for its files, and keeps them while another one is edited", async () => {
  const { page, agentId } = await visitChats(scene);
  await newChat(page, agentId);
  await say(page, "Hello");
  await answerOf(page).getByText("tokens in").waitFor();
  const held = Promise.withResolvers<void>();
  await page.route(/\/api\/(files|uploads)/, async (route) => {
    await held.promise;
    await route.continue();
  });
  const file = { name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("Sow in May.") };
  await page.getByLabel("Attach files").setInputFiles(file);
  await page.getByText("Uploading a file").waitFor();
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("With a file");
  await field.press("Enter");
  expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
  held.resolve();
  const files = page.getByRole("list", { name: "Attachments" });
  await files.getByText("plan.txt").waitFor();
  await page.getByRole("button", { name: "Edit" }).first().click();
  await page.getByRole("button", { name: "Keep it as it was" }).click();
  await files.getByText("plan.txt").waitFor();
  await page.getByRole("button", { name: "Send" }).click();
  await answerOf(page).nth(1).getByText("tokens in").waitFor();
  await page.getByRole("article", { name: "Message of You" }).nth(1).getByText("plan.txt").waitFor();
});

testInBrowser("[CON-7] a dialog that does not arrive is closed by Esc, and the page below it stays", async () => {
  const { page, agentId } = await visitChats(scene);
  await newChat(page, agentId);
  await page.evaluate("window.isSamePage = true");
  // As after a release: the service has another program, and the file of this dialog is gone.
  await page.route("**/app/files/*", (route) => route.fulfill({ status: 404 }));
  await page.route("**/app", async (route) => {
    const body = (await (await route.fetch()).text()).replace(/(<script type="module"[^>]* src="[^"]*)"/, '$1?next"');
    await route.fulfill({ body, contentType: "text/html" });
  });
  await page.keyboard.press("Control+k");
  const dialog = page.getByRole("dialog", { name: "Not loaded" });
  await dialog.getByRole("button", { name: "Load the console again" }).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await page.evaluate("window.isSamePage")).toBe(true);
});
