/** The pages of missions in a real browser, against the real service. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../support/browser.ts";
import { acceptQuestions, type ConsoleScene, openConsole } from "../support/console-scene.ts";
import { answered } from "../support/current.ts";
import { pageFaults } from "../support/page-checks.ts";
import type { Caller } from "../support/service.ts";

let scene: ConsoleScene;
let agentId = "";

const testInBrowser = test.skipIf(CHROMIUM === null);

beforeAll(async () => {
  if (CHROMIUM === null) return;
  scene = await openConsole();
  const agent = { name: "Ada", system_prompt: "Be brief.", model: "demo:echo", visibility: "organization" };
  ({ id: agentId } = await answered<MissionRecord>(scene.service.call(scene.owner, "POST", "/api/agents", agent), 201));
});
afterAll(() => scene?.close());

interface MissionRecord {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly schedule: { readonly value: string | null };
}

const createMission = (person: Caller, body: object = {}): Promise<MissionRecord> =>
  answered<MissionRecord>(
    scene.service.call(person, "POST", "/api/missions", {
      title: "Report",
      goal: "/say All is well",
      agent_id: agentId,
      ...body,
    }),
    201,
  );
const readMission = (person: Caller, id: string): Promise<MissionRecord> =>
  answered<MissionRecord>(scene.service.call(person, "GET", `/api/missions/${id}`));

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

testInBrowser("[CON-12] a mission is made, run, paused, resumed and deleted", async () => {
  const { page, person, complaints } = await scene.enter("/missions");
  const questions = acceptQuestions(page);
  await page.getByText("There is no mission yet").waitFor();
  await page.getByRole("link", { name: "New mission" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("Report");
  await page.getByRole("textbox", { name: "Goal" }).fill("/say All is well");
  await button(page, "Create").focus();
  await page.getByText("Give it an agent first").waitFor();
  await page.getByRole("combobox", { name: "Agent" }).selectOption(agentId);
  await page.getByRole("combobox", { name: "It runs" }).selectOption("cron");
  await page.getByRole("textbox", { name: "Cron expression" }).fill("0 9 * * *  *");
  await page.getByRole("combobox", { name: "Time zone" }).fill("Europe/Berlin");
  await button(page, "Create").click();
  await page.getByText("a cron expression has 5").first().waitFor();
  // What comes next is said before it is saved, and so is what is wrong.
  const planned = page.getByRole("region", { name: "Next runs" });
  await planned.getByText("a cron expression has 5").waitFor();
  await page.getByRole("textbox", { name: "Cron expression" }).fill("30 2 25-31 3 7");
  await planned.getByText("clock change").first().waitFor();
  await page.getByRole("textbox", { name: "Cron expression" }).fill("30 2 * * *");
  await button(page, "Create").click();
  await page.getByRole("heading", { name: "Report", level: 1 }).waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  expect((await readMission(person, id)).schedule.value).toBe("30 2 * * *");
  expect(await page.getByRole("list", { name: "Next runs in Europe/Berlin" }).getByRole("listitem").count()).toBe(10);

  await button(page, "Run now").click();
  const ledger = page.getByRole("region", { name: "Ledger of runs" });
  await ledger.getByText("succeeded").waitFor();
  await ledger.getByRole("link", { name: "Job" }).waitFor();
  await button(page, "Pause").click();
  await button(page, "Resume").waitFor();
  await page.getByText("No run is planned").waitFor();
  await button(page, "Resume").click();
  await button(page, "Pause").waitFor();

  // A run has changed the mission meanwhile, but none of these fields.
  await page.getByRole("textbox", { name: "Title" }).fill("Nightly report");
  await button(page, "Save").click();
  await page.getByRole("heading", { name: "Nightly report", level: 1 }).waitFor();
  await page.getByRole("link", { name: "Missions" }).click();
  await page.getByRole("region", { name: "Missions" }).getByText("succeeded").waitFor();
  await page.goBack();
  await button(page, "Delete").click();
  await page.getByText("There is no mission yet").waitFor();
  expect(questions).toEqual([expect.stringContaining("Delete the mission Nightly report?")]);
  expect(complaints.filter((one) => !one.includes("400") && !one.includes("422"))).toEqual([]);
});

testInBrowser("[CON-12] times that a clock change moves are marked", async () => {
  const person = scene.owner;
  // A yearly time in the hour that Berlin leaves out each last Sunday of March.
  const schedule = { type: "cron", value: "30 2 25-31 3 7", timezone: "Europe/Berlin" };
  const { id } = await createMission(person, { schedule });
  const { page } = await scene.enter(`/missions/${id}`, { person });
  await page.getByRole("region", { name: "Next runs" }).getByText("clock change").first().waitFor();
});

testInBrowser(
  "[CON-12] a member sees why a mission of somebody else cannot be changed, and a conflict is told",
  async () => {
    const { id } = await createMission(scene.owner);
    const { page } = await scene.enter(`/missions/${id}`);
    await page.getByText("You may not change this mission").first().waitFor();
    expect(await page.getByRole("textbox", { name: "Goal" }).isEditable()).toBe(false);
    await button(page, "Delete").focus();
    await page.getByText("Only the person who made this mission").filter({ visible: true }).waitFor();
    await page.context().close();

    const own = await scene.enter(`/missions/${id}`, { person: scene.owner });
    acceptQuestions(own.page);
    await own.page.getByRole("textbox", { name: "Goal" }).fill("/say Mine");
    await answered(scene.service.call(scene.owner, "PATCH", `/api/missions/${id}`, { title: "Theirs" }));
    await button(own.page, "Save").click();
    await own.page.getByRole("alert").filter({ hasText: "somebody else has changed title" }).waitFor();
    expect(await own.page.getByRole("textbox", { name: "Goal" }).inputValue()).toBe("/say Mine");
    // The answer of another operation brings a newer version, too.
    await answered(scene.service.call(scene.owner, "PATCH", `/api/missions/${id}`, { goal: "/say Theirs" }));
    await button(own.page, "Run now").click();
    await own.page.getByRole("alert").filter({ hasText: "somebody else has changed title, goal" }).waitFor();
    await button(own.page, "Discard changes").click();
    await own.page.getByRole("alert").waitFor({ state: "detached" });
    expect(await own.page.getByRole("textbox", { name: "Goal" }).inputValue()).toBe("/say Theirs");
  },
);

const HOSTILE_TITLE = `<img src=x onerror=alert(1)>\u202Egpj.exe ${"long".repeat(40)}`;

testInBrowser(
  "[CON-5] [CON-6] the pages of missions are legible and run nothing, in both schemes and widths",
  async () => {
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [390, 1_280]) {
        const look = { colorScheme, viewport: { width, height: 844 }, bypassCSP: true };
        const { page, person } = await scene.enter("/missions/new", look);
        const questions = acceptQuestions(page);
        const faults: string[] = [];
        const check = async (at: string, ready: string): Promise<void> => {
          await page.goto(`${scene.url}/app${at}`);
          await page.getByText(ready).first().waitFor();
          faults.push(...(await pageFaults(page)));
        };
        await check("/missions/new", "Review, budget and who sees it");
        const schedule = { type: "cron", value: "30 2 * 3 *", timezone: "Europe/Berlin" };
        const { id } = await createMission(person, { title: HOSTILE_TITLE, goal: HOSTILE_TITLE, schedule });
        await answered(scene.service.call(person, "POST", `/api/missions/${id}/run`), 202);
        await check("/missions", "onerror");
        await page.goto(`${scene.url}/app/missions/${id}`);
        await page.getByRole("region", { name: "Ledger of runs" }).waitFor();
        await page.getByText("Limits of the schedule").click();
        await page.getByText("Review, budget and who sees it").click();
        faults.push(...(await pageFaults(page)));
        expect({ faults, questions }).toEqual({ faults: [], questions: [] });
        await page.context().close();
      }
  },
);
