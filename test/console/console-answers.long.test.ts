/** What a person does with answers: their cost and job, another one, links to them; and what asks for a person. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { parsePrices, PriceTable } from "../../src/settings/price-table.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { pricedModels } from "../../src/wiring/priced.ts";
import { CHROMIUM } from "../support/browser.ts";
import { answerOf, type ConsoleScene, newChat, openConsole, say, visitChats } from "../support/console-scene.ts";
import { answered } from "../support/current.ts";
import { FakeModel } from "../support/fake-model.ts";
import { pageFaults } from "../support/page-checks.ts";

let scene: ConsoleScene;
const testInBrowser = test.skipIf(CHROMIUM === null);

beforeAll(async () => {
  if (CHROMIUM !== null) scene = await openConsole();
});
afterAll(() => scene?.close());

testInBrowser("[CON-20] another answer to a message is in a new chat, with the files of the message", async () => {
  const { page, agentId, complaints } = await visitChats(scene, { bypassCSP: true });
  await newChat(page, agentId);
  const first = page.url();
  const file = { name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("Sow in May.") };
  await page.getByLabel("Attach files").setInputFiles(file);
  await page.getByRole("list", { name: "Attachments" }).getByText("plan.txt").waitFor();
  await say(page, "/say What is in it?");
  await answerOf(page).getByText("tokens in").waitFor();
  await page.getByRole("button", { name: "Another answer" }).click();
  await page.waitForURL((url) => url.href !== first);
  await answerOf(page).getByText("tokens in").waitFor();
  const asked = page.getByRole("article", { name: "Message of You" });
  expect(await asked.count()).toBe(1);
  // The file of the message is opened.
  const opened = page.waitForEvent("download");
  await asked.getByRole("link", { name: "plan.txt" }).click();
  expect(await Bun.file(await (await opened).path()).text()).toBe("Sow in May.");
  // The answer leads to its job, and back to where it was.
  await answerOf(page).getByRole("link", { name: "What it did" }).click();
  await page.getByText("The model stopped", { exact: true }).waitFor();
  await page.getByText("it was done").waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "The chat that it was copied from" }).click();
  await page.waitForURL((url) => url.href.startsWith(first));
  await answerOf(page).getByText("tokens in").waitFor();
  expect(await answerOf(page).count()).toBe(1);
  expect(await pageFaults(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

testInBrowser("[CON-22] a link to a message shows it, also if it is older than the newest page", async () => {
  const { page, agentId } = await visitChats(scene);
  await newChat(page, agentId);
  await say(page, "/say The first answer");
  await answerOf(page).getByText("tokens in").waitFor();
  const link = await answerOf(page)
    .getByRole("link", { name: /^(now|\d+ minutes? ago)$/ })
    .getAttribute("href");
  for (let at = 1; at <= 27; at++) {
    await say(page, `/say ${at}\n/say ${"line\n/say ".repeat(10)}`);
    await answerOf(page).nth(at).getByText("tokens in").waitFor();
  }
  await page.goto(scene.url + link);
  const answer = page.getByRole("article", { name: "Message of Agent" }).filter({ hasText: "The first answer" });
  await answer.and(page.locator(":focus")).waitFor();
  await page.goto(`${scene.url}/app/chats`);
  await page.goto(`${new URL(scene.url + link).href.split("?")[0]}?message=msg_nothing`);
  await page.getByRole("alert").filter({ hasText: "The message of this link" }).waitFor();
});

testInBrowser("[CON-22] back shows a list where it was, with its filter and its further pages", async () => {
  const { page, agentId, person } = await visitChats(scene, { viewport: { width: 900, height: 500 } });
  const of = { agent_id: agentId, workspace_id: scene.owner.workspaceId };
  for (let at = 0; at < 70; at++)
    await answered(scene.service.call(person, "POST", "/api/chats", { ...of, title: `Plan ${at}` }), 201);
  await page.getByRole("searchbox", { name: "Title" }).fill("Plan");
  const chats = page.getByRole("list", { name: "Chats" }).getByRole("link");
  await page.getByRole("button", { name: "Show more" }).click();
  await chats.nth(69).waitFor();
  await chats.nth(60).scrollIntoViewIfNeeded();
  const top = (): Promise<number> => page.evaluate("document.querySelector('main').scrollTop");
  const before = await top();
  expect(before).toBeGreaterThan(1_000);
  await chats.nth(60).click();
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  await page.goBack();
  await chats.nth(69).waitFor();
  expect(await page.getByRole("searchbox", { name: "Title" }).inputValue()).toBe("Plan");
  await until("the list is where it was", () =>
    page.evaluate<boolean>(`Math.abs(document.querySelector('main').scrollTop - ${before}) < 200`),
  );
  await page.getByRole("link", { name: "Agents", exact: true }).click();
  await page.getByRole("heading", { name: "Agents", level: 1 }).waitFor();
  expect(await top()).toBe(0);
});

testInBrowser("[CON-3] a failed mission says why in the inbox, and runs again from there", async () => {
  const { page, agentId, person, complaints } = await visitChats(scene, { bypassCSP: true });
  const mission = { title: "Nightly import", goal: "/fail provider_rejected", agent_id: agentId };
  const { id } = await answered<{ id: string }>(scene.service.call(person, "POST", "/api/missions", mission), 201);
  await answered(scene.service.call(person, "POST", `/api/missions/${id}/run`), 202);
  await page.getByRole("link", { name: "Inbox" }).click();
  const failed = page.getByRole("region", { name: "Nightly import" });
  await failed.getByText(/The last run of this mission failed\. \w+/).waitFor();
  await failed.getByRole("link", { name: "Open its job" }).waitFor();
  expect(await pageFaults(page)).toEqual([]);
  await answered(scene.service.call(person, "PATCH", `/api/missions/${id}`, { goal: "/say fine" }));
  await failed.getByRole("button", { name: "Run it again" }).click();
  await failed.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

testInBrowser("[CON-3] a call of a client's tool waits in the inbox, and a person answers it", async () => {
  const tool = {
    name: "lookup",
    description: "Looks up a price",
    kind: "client",
    input_schema: { type: "object", properties: { article: { type: "string" } } },
  };
  const { page, agentId, complaints } = await visitChats(scene, { bypassCSP: true }, { tools: [tool] });
  await newChat(page, agentId);
  const chat = page.url();
  await say(page, '/call lookup {"article": "pen"}\n/then\n/say Thank you');
  await page.getByRole("link", { name: "Inbox" }).click();
  const call = page.getByRole("region", { name: "Call of lookup" });
  await call.getByText('"article": "pen"').waitFor();
  await call.getByRole("textbox", { name: "Result" }).fill("2 euros");
  expect(await pageFaults(page)).toEqual([]);
  await call.getByRole("button", { name: "Send the result" }).click();
  await page.getByText("Nothing waits for you").waitFor();
  await page.goto(chat);
  await answerOf(page).getByText("Thank you").waitFor();
  expect(complaints).toEqual([]);
});

testInBrowser("[CON-17] changes of a result are asked for on the page of its job", async () => {
  const { page, agentId, complaints } = await visitChats(scene, { bypassCSP: true });
  await newChat(page, agentId);
  await say(page, "/say First try");
  await answerOf(page).getByRole("link", { name: "What it did" }).click();
  await page.getByText("Job completed").waitFor();
  const before = page.url();
  await page.getByRole("button", { name: "Ask for changes" }).click();
  await page.getByRole("textbox", { name: "What should be different" }).fill("/say Second try");
  expect(await pageFaults(page)).toEqual([]);
  await page.getByRole("button", { name: "Begin another round" }).click();
  await page.waitForURL((url) => url.href !== before);
  await page.getByText("changes asked for").waitFor();
  await page.getByText("Second try").first().waitFor();
  expect(complaints).toEqual([]);
});

testInBrowser("[CON-17] a job shows what each step cost, in the currency of the service", async () => {
  const model = new FakeModel();
  model.names = true;
  model.usageOf = () => ({ inputTokens: 10_000, outputTokens: 500 });
  model.script = ({ entries }) =>
    entries.at(-1)?.role === "assistant"
      ? [{ say: "Done." }]
      : [{ use: { type: "tool_use", id: "c1", name: "look", input: {} } }];
  const prices = [{ model: "fake:dear", from: "2020-01-01", input: "3", output: "15" }];
  const table = parsePrices(JSON.stringify({ currency: "EUR", prices }));
  if (!(table instanceof PriceTable)) throw new Error(table.join("; "));
  const own = await openConsole({ isDemo: false, models: pricedModels(model, table, systemClock) });
  try {
    const { page, agentId } = await visitChats(own, {}, { model: "fake:dear" });
    await newChat(page, agentId);
    await say(page, "Look");
    // Two calls of 10,000 × 3 and 500 × 15 for a million.
    await answerOf(page).getByText("€0.075").waitFor();
    await answerOf(page).getByRole("link", { name: "What it did" }).click();
    const done = page.getByRole("list", { name: "What it did" });
    await done.getByText("€0.0375").nth(1).waitFor();
    await page.goto(`${own.url}/app/jobs`);
    await page.getByRole("cell", { name: "€0.075" }).waitFor();
  } finally {
    await own.close();
  }
});

testInBrowser("[CON-3] an approval says which rule of the agent asks for it", async () => {
  const rules = JSON.parse('[{"name": "All tasks", "tool": "create_task", "then": "ask"}]') as object;
  const agentOfRules = { allowed_tools: ["create_task"], approval_rules: rules };
  const { page, agentId, person } = await visitChats(scene, {}, agentOfRules);
  await newChat(page, agentId);
  await say(page, '/call create_task {"title": "Buy milk"}');
  const approval = page.getByRole("region", { name: "Approval of create_task" });
  await approval.getByText("It is asked by rule 1 of the agent, “All tasks”.").waitFor();
  await page.goto(`${scene.url}/app/agents/${agentId}`);
  await page.getByText("Limits, approvals and answers").click();
  await page.getByRole("textbox", { name: "Approval rules" }).fill("[]");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("status").filter({ hasText: "Saved" }).waitFor();
  const agent = await answered<object>(scene.service.call(person, "GET", `/api/agents/${agentId}`));
  expect(agent).toMatchObject({ approval_rules: [] });
});
