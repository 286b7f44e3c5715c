/** The console in a real browser, against the real service: what the demo model and the service answer is never faked. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { CHROMIUM } from "../support/browser.ts";
import { answerOf, type ConsoleScene, newChat, openConsole, say, visitChats } from "../support/console-scene.ts";
import { answered } from "../support/current.ts";
import { FaultyProxy } from "../support/faulty-proxy.ts";
import { pageFaults } from "../support/page-checks.ts";
import { emailOf, PASSWORD } from "../support/signed-in.ts";

let scene: ConsoleScene;

/** An agent whose `create_task` waits for a person. */
const ASKS_FIRST = { allowed_tools: ["create_task", "list_tasks"], approval_tools: ["create_task"] };

const testInBrowser = test.skipIf(CHROMIUM === null);

beforeAll(async () => {
  if (CHROMIUM !== null) scene = await openConsole();
});
afterAll(() => scene?.close());

testInBrowser("[CON-1] a person talks to an agent, and nothing is asked of another host", async () => {
  const { page, agentId, complaints, asked } = await visitChats(scene);
  await newChat(page, agentId);
  await say(page, "/say Hello **Ada**, take `care`");
  const answer = answerOf(page);
  await answer.getByText("tokens in").waitFor();
  expect(await answer.locator("strong", { hasText: "Ada" }).count()).toBe(1);
  expect(await answer.locator("code", { hasText: "care" }).count()).toBe(1);
  await page.reload();
  await answer.getByText("tokens in").waitFor();
  expect(asked.filter((one) => !one.startsWith(scene.url) && !one.startsWith("data:"))).toEqual([]);
  expect(scene.browser.left).toEqual([]);
  expect(complaints).toEqual([]);
});

testInBrowser("[CON-2] an answer goes on to the character after its stream was cut", async () => {
  const { page, agentId } = await visitChats(scene);
  const proxy = await FaultyProxy.open(scene.service.url);
  try {
    // The cookie of a host is the same at each of its ports.
    await page.goto(`${proxy.url.replace("127.0.0.1", "localhost")}/app`);
    proxy.reset({ kind: "reset", after: "four five", path: "/events" });
    await newChat(page, agentId);
    await say(page, "/say one two three four five six seven eight nine ten,\n/repeat 4\n/slow 40");
    await answerOf(page).getByText("tokens in").waitFor();
    const streams = proxy.requests.filter(({ path }) => path.includes("/events"));
    expect(streams.map(({ headers }) => headers["last-event-id"] !== undefined)).toEqual([false, true]);
    const shown = (await answerOf(page).innerText()).replaceAll(/\s+/g, " ");
    expect(shown).toContain("one two three four five six seven eight nine ten,".repeat(4));
  } finally {
    proxy.stop();
  }
});

testInBrowser("[CON-2] what an event asks to read is read, also if the service fails for a while", async () => {
  const { page, agentId } = await visitChats(scene, {}, ASKS_FIRST);
  const proxy = await FaultyProxy.open(scene.service.url);
  try {
    await page.goto(`${proxy.url.replace("127.0.0.1", "localhost")}/app`);
    await newChat(page, agentId);
    // More than the client of the API tries again by itself, for each event of the answer.
    proxy.reset(...Array.from({ length: 18 }, () => ({ kind: "close", after: 1, path: "/api/jobs/job_" }) as const));
    await say(page, '/call create_task {"title": "Buy milk"}');
    await page.getByRole("region", { name: "Approval of create_task" }).waitFor({ timeout: 60_000 });
    await page.getByText("The agent waits for a decision.").waitFor();
    expect(await page.getByRole("log").getByRole("alert").count()).toBe(0);
  } finally {
    proxy.stop();
  }
});

testInBrowser(
  "[CON-3] an approval is decided with other arguments at the width of a phone, and leaves the inbox",
  async () => {
    const looks = { viewport: { width: 390, height: 844 } };
    const { page, agentId, complaints } = await visitChats(scene, looks, ASKS_FIRST);
    await newChat(page, agentId);
    await say(page, '/call create_task {"title": "Buy milk"}');
    await page.getByRole("region", { name: "Approval of create_task" }).waitFor();
    await page.getByRole("link", { name: "Inbox" }).click();
    const approval = page.getByRole("region", { name: "Approval of create_task" });
    await approval.getByRole("button", { name: "Edit as JSON" }).click();
    await approval.getByRole("textbox", { name: "Arguments" }).fill("{oops");
    await approval.getByText("This is not JSON").waitFor();
    await approval.getByRole("button", { name: "Approve", exact: true, disabled: true }).waitFor();
    await approval.getByRole("textbox", { name: "Arguments" }).fill("[]");
    await approval.getByText("must be a JSON object").waitFor();
    await approval.getByRole("textbox", { name: "Arguments" }).fill('{"title": "Buy oat milk"}');
    await approval.getByRole("button", { name: "Edit as fields" }).click();
    await approval.getByRole("textbox", { name: "title (needed)" }).fill("");
    await approval.getByRole("button", { name: "Approve with these arguments" }).click();
    // What the tool's schema refuses is said at its field.
    await approval.getByRole("alert").waitFor();
    await approval.getByRole("textbox", { name: "title (needed)" }).fill("Buy oat milk");
    await approval.getByRole("combobox", { name: "priority" }).selectOption("high");
    await approval.getByRole("button", { name: "Approve with these arguments" }).click();
    await page.getByText("Nothing waits for you").waitFor();
    await page.goBack();
    await answerOf(page).getByText("Buy oat milk").first().waitFor({ state: "attached" });
    // The browser says that an answer was 400.
    expect(complaints.filter((one) => !one.includes("400"))).toEqual([]);
  },
);

testInBrowser(
  "[CON-4] a page stays when its session is revoked, and goes on when the person has signed in again",
  async () => {
    const { page, agentId, person } = await visitChats(scene);
    await newChat(page, agentId);
    const here = page.url();
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("Not sent yet");
    await answered(scene.service.call(person, "POST", "/api/sessions/revoke-others"));
    const notice = page.getByRole("alert").filter({ hasText: "What you have written here stays" });
    await notice.waitFor();
    expect([page.url(), await field.inputValue()]).toEqual([here, "Not sent yet"]);
    const opened = page.context().waitForEvent("page");
    await notice.getByRole("link", { name: "Sign in again" }).click();
    const other = await opened;
    await other.getByLabel("E-mail address").fill(await emailOf(scene.service, person));
    await other.getByLabel("Password").fill(PASSWORD);
    await other.getByRole("button", { name: "Sign in", exact: true }).click();
    await other.waitForURL(here);
    await other.close();
    await notice.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Send" }).click();
    await answerOf(page).getByText("tokens in").waitFor();
  },
);

testInBrowser("[CON-4] who is not signed in is led to the sign-in page and back", async () => {
  const { page } = await scene.browser.open();
  await page.goto(`${scene.url}/app/jobs?status=failed`);
  await page.waitForURL(/\/sign-in\?next=/);
  expect(new URL(page.url()).searchParams.get("next")).toBe("/app/jobs?status=failed");
});

testInBrowser("[CON-2] messages of other people have their names", async () => {
  const { page, agentId } = await visitChats(scene, {}, { visibility: "organization" });
  await newChat(page, agentId);
  await say(page, "Mine");
  await page.getByRole("article", { name: "Message of You" }).getByText("Mine").waitFor();
  await answerOf(page).getByText("tokens in").waitFor();
  const colleague = await scene.service.join(scene.owner.organizationId);
  const { name } = await answered<{ name: string }>(scene.service.call(colleague, "GET", "/api/members/me"));
  const chat = new URL(page.url()).pathname.split("/").at(-1);
  await answered(scene.service.call(colleague, "POST", `/api/chats/${chat}/messages`, { content: "Theirs" }), 202);
  const theirs = page.getByRole("article", { name: `Message of ${name}` }).getByText("Theirs");
  await theirs.waitFor();
  await page.reload();
  await theirs.waitFor();
});

const NESTED = [
  ">".repeat(5_000),
  `${"*_".repeat(4_000)}x${"_*".repeat(4_000)}`,
  "- ".repeat(3_000),
  "[".repeat(10_000),
];

testInBrowser("[CON-5] a text that is nested thousands of times breaks no page", async () => {
  const { page, agentId, complaints } = await visitChats(scene);
  await newChat(page, agentId);
  for (const text of NESTED) {
    const answers = await answerOf(page).count();
    await say(page, `/say ${text}`);
    await answerOf(page).nth(answers).getByText("tokens in").waitFor();
  }
  await page.reload();
  await answerOf(page).last().getByText("tokens in").waitFor();
  expect(await answerOf(page).count()).toBe(NESTED.length);
  expect(complaints).toEqual([]);
});

testInBrowser("[CON-2] a page that is opened during an answer shows its calls in their places", async () => {
  const { page, agentId } = await visitChats(scene, {}, ASKS_FIRST);
  await newChat(page, agentId);
  await say(
    page,
    'First\n/call list_tasks\n/then\n/say Second part\n/call create_task {"title": "Third"}\n/then\n/say Last part',
  );
  await page.getByRole("region", { name: "Approval of create_task" }).waitFor();
  await page.reload();
  const approval = page.getByRole("region", { name: "Approval of create_task" });
  await approval.getByRole("button", { name: "Approve", exact: true }).click();
  await answerOf(page).getByText("tokens in").waitFor();
  const texts = async (): Promise<readonly string[]> =>
    (await answerOf(page).locator(".markdown, summary code").allInnerTexts()).map((text) => text.trim());
  const expected = [expect.stringMatching(/First$/), "list_tasks", "Second part", "create_task", "Last part"];
  expect(await texts()).toEqual(expected);
  await page.reload();
  await answerOf(page).getByText("tokens in").waitFor();
  expect(await texts()).toEqual(expected);
});

const HOSTILE = [
  "<img src=x onerror=alert(1)>",
  "[a](javascript:alert(1)) ![b](https://evil.example/x.png)",
  "<script>alert(1)</script>",
  "| a |\n|---|\n| <iframe src=https://evil.example> |",
].join("\n\n");

testInBrowser("[CON-5] nothing in a message runs or loads", async () => {
  const { page, agentId, complaints } = await visitChats(scene);
  let dialogs = 0;
  page.on("dialog", (dialog) => {
    dialogs++;
    void dialog.dismiss();
  });
  await newChat(page, agentId);
  await say(
    page,
    HOSTILE.split("\n")
      .map((line) => `/say ${line}`)
      .join("\n"),
  );
  await answerOf(page).getByText("tokens in").waitFor();
  const made = "document.querySelectorAll('main img, main script, main iframe, main a[href^=javascript]').length";
  expect(await page.evaluate(made)).toBe(0);
  await answerOf(page).getByText("<script>alert(1)</script>").waitFor();
  expect({ dialogs, complaints, left: scene.browser.left }).toEqual({ dialogs: 0, complaints: [], left: [] });
});

testInBrowser("[CON-6] every page is legible in both schemes and widths, without a violation", async () => {
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [390, 1_280]) {
      const look = { colorScheme, viewport: { width, height: 844 }, bypassCSP: true };
      const { page, agentId } = await visitChats(scene, look, ASKS_FIRST);
      const faults: string[] = [...(await pageFaults(page))];
      await newChat(page, agentId);
      await say(page, 'Let me see\n/call list_tasks\n/call create_task {"title": "Buy milk"}');
      await page.getByRole("region", { name: "Approval of create_task" }).waitFor();
      faults.push(...(await pageFaults(page)));
      const links = page.getByRole("navigation").getByRole("link");
      for (const link of await links.all()) {
        const isPage = (await link.getAttribute("href"))?.startsWith("/app/") ?? false;
        if (!isPage) continue;
        await link.click();
        await link.and(page.locator("[aria-current]")).waitFor();
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.getByText("Loading …").first().waitFor({ state: "detached" });
        faults.push(...(await pageFaults(page)));
      }
      await page.getByRole("link", { name: "Jobs", exact: true }).click();
      await page
        .getByRole("link", { name: /^Let me see/ })
        .first()
        .click();
      await page.getByRole("heading", { name: "What it did" }).waitFor();
      faults.push(...(await pageFaults(page)));
      expect(faults).toEqual([]);
      await page.context().close();
    }
});
