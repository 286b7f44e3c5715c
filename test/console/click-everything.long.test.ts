/** Presses everything on every page of the console: nothing may throw, complain, leave for elsewhere, or end without a page. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { CHROMIUM } from "../support/browser.ts";
import { type ConsoleScene, newChat, openConsole, say, visitChats } from "../support/console-scene.ts";
import { answered, Client } from "../support/current.ts";
import type { Caller } from "../support/service.ts";

let scene: ConsoleScene;
const testInBrowser = test.skipIf(CHROMIUM === null);
const ASKS_FIRST = { allowed_tools: ["create_task"], approval_tools: ["create_task"] };

beforeAll(async () => {
  if (CHROMIUM !== null) scene = await openConsole();
});
afterAll(() => scene?.close());

/** What leaves the page or opens a window of the browser: it has tests of its own. */
const LEAVES = /^(Account|Reference|Guides|Download|Attach files|Upload files|Load the console again)/;
/** Presses of one page: a page that grows with each press must come to an end. */
const MOST_PRESSES = 120;

interface Pressable {
  readonly name: string;
  readonly at: Locator;
}

/** What can be pressed now, by its role and name, in the order of the page. */
async function pressables(page: Page): Promise<readonly Pressable[]> {
  const found: Pressable[] = [];
  for (const role of ["button", "checkbox", "combobox", "link"] as const) {
    const main = page.getByRole("main").getByRole(role);
    for (const [index, name] of (await namesOf(main)).entries())
      if (!LEAVES.test(name)) found.push({ name: `${role} ${name}`, at: main.nth(index) });
  }
  const groups = page.getByRole("main").locator("summary");
  for (const [index, name] of (await namesOf(groups)).entries())
    found.push({ name: `summary ${name}`, at: groups.nth(index) });
  return found;
}

const namesOf = (all: Locator): Promise<string[]> =>
  all.evaluateAll((elements) =>
    elements.map((element) => {
      const one = element as unknown as { labels?: readonly { textContent: string }[] };
      const label = element.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? element.textContent ?? "";
      return label.replaceAll(/\s+/g, " ").replaceAll(/\d/g, "#").trim().slice(0, 60);
    }),
  );

async function press({ at }: Pressable): Promise<void> {
  const kind = (await at.evaluate((element) => element.tagName).catch(() => "")) as string;
  if (kind === "SELECT") {
    const values = await at.evaluate((element) =>
      [...(element as unknown as { options: readonly { value: string }[] }).options].map(({ value }) => value),
    );
    await at.selectOption(values.at(-1) ?? "", { timeout: 3_000 });
  } else if (kind !== "") await at.click({ timeout: 3_000 });
}

/** Presses everything at an address once, each with the page as it was at first; answers what has been pressed. */
async function pressAll(page: Page, address: string): Promise<readonly string[]> {
  const pressed = new Set<string>();
  const open = async (): Promise<void> => {
    await page.goto(address);
    await settled(page);
  };
  await open();
  for (let presses = 0; presses < MOST_PRESSES; presses++) {
    const next = (await pressables(page)).find(({ name }) => !pressed.has(name));
    if (next === undefined) break;
    pressed.add(next.name);
    // It may have gone meanwhile, or be covered: that is no error of the page.
    await press(next).catch(() => {});
    await settled(page);
    if (page.url() !== address) await open();
  }
  return [...pressed];
}

async function settled(page: Page): Promise<void> {
  await page.getByRole("main").waitFor();
  await page.getByText("Loading …").first().waitFor({ state: "detached" });
  await page.getByRole("heading").or(page.getByRole("alert")).first().waitFor();
}

/** An answer that refuses what was pressed is shown beside it: the browser lists it as well. */
const isRefusal = (complaint: string): boolean => /status of (400|403|404|409|422|429)/.test(complaint);

/** What is shown must stay for the next presses; everything else that asks first is done. */
const KEEPS = /^(Delete|Remove|Cancel)/;

function answerQuestions(page: Page): void {
  page.on("dialog", (dialog) => void (KEEPS.test(dialog.message()) ? dialog.dismiss() : dialog.accept()));
}

async function fill(person: Caller, agentId: string, workspaceId: string): Promise<Readonly<Record<string, string>>> {
  const client = new Client(scene.service, person);
  const mission = {
    title: "Report",
    goal: "/say Fine",
    agent_id: agentId,
    schedule: { type: "cron", value: "@daily" },
  };
  const { id: missionId } = await answered<{ id: string }>(client.call("POST", "/api/missions", mission), 201);
  const { job } = await client.send(
    await client.chat(agentId, workspaceId),
    "/say Done\n/say ```ts\n/say let a = 1\n/say ```",
  );
  await client.reached(job.id, "completed");
  const file = await fetch(`${scene.service.url}/api/workspaces/${workspaceId}/files/content?path=notes.md`, {
    method: "PUT",
    headers: { authorization: `Bearer ${person.token}` },
    body: "Buy **milk**",
  });
  expect(file.ok).toBe(true);
  return { missionId, jobId: job.id, workspaceId };
}

const PAGES = (ids: Readonly<Record<string, string>>): readonly string[] => [
  "/inbox",
  "/chats",
  `/jobs?status=completed`,
  `/jobs/${ids["jobId"]}`,
  "/agents",
  "/agents?source=library",
  "/agents/new",
  `/agents/${ids["agentId"]}`,
  `/agents/${ids["agentId"]}?view=json`,
  "/missions",
  "/missions/new",
  `/missions/${ids["missionId"]}`,
  "/workspaces",
  `/workspaces/${ids["workspaceId"]}`,
  `/workspaces/${ids["workspaceId"]}?path=notes.md`,
  `/workspaces/${ids["workspaceId"]}?view=shares`,
  `/workspaces/${ids["workspaceId"]}?view=repositories`,
  `/workspaces/${ids["workspaceId"]}?view=query&query=SELECT+1`,
  `/workspaces/${ids["workspaceId"]}?view=settings`,
  "/webhooks",
  "/webhooks/deliveries",
  "/webhooks/signature",
  "/usage",
  "/people",
  "/people/groups",
  "/people/invitations",
  "/people/tokens",
  "/people/service-tokens",
  "/people/programs",
  "/people/connections",
  "/people/secrets",
  "/people/notices",
  "/people/audit",
  "/people/sessions",
  "/system",
  "/nothing",
];

for (const role of ["member", "owner"] as const)
  testInBrowser(
    `[CON-23] everything on every page is pressed by ${role === "owner" ? "an owner" : "a member"} without an error`,
    async () => {
      const founded = role === "owner" ? await scene.service.found() : null;
      const options = founded === null ? {} : { person: founded };
      const { page, agentId, person, complaints } = await visitChats(scene, options, ASKS_FIRST);
      answerQuestions(page);
      page.setDefaultTimeout(30_000);
      const ids = { agentId, ...(await fill(person, agentId, (founded ?? scene.owner).workspaceId)) };
      await newChat(page, agentId);
      await say(page, '/call create_task {"title": "Buy milk"}');
      await page.getByRole("region", { name: "Approval of create_task" }).waitFor();
      const chat = page.url();
      const pressed: Record<string, number> = {};
      for (const at of [...PAGES(ids).map((path) => `${scene.url}/app${path}`), chat]) {
        pressed[at] = (await pressAll(page, at)).length;
        expect({ at, complaints: complaints.filter((one) => !isRefusal(one)) }).toEqual({ at, complaints: [] });
      }
      expect(Object.values(pressed).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(200);
      expect(scene.browser.left).toEqual([]);
    },
  );
