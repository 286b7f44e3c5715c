/** The page of an approval in a real browser: without scripts, on a phone, in both colour schemes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { CHROMIUM, type WatchedBrowser, watchedBrowser } from "../support/browser.ts";
import { pageFaults } from "../support/page-checks.ts";
import { ReachScene } from "../support/reach-scene.ts";

let scene: ReachScene;
let browser: WatchedBrowser;
let url = "";

beforeAll(async () => {
  if (CHROMIUM === null) return;
  scene = await ReachScene.start({ settings: { appUrl: undefined, host: "localhost" } });
  url = scene.service.url.replace("127.0.0.1", "localhost");
  browser = await watchedBrowser();
});
afterAll(async () => {
  await browser?.close();
  await scene?.end();
});

const ANYONE = { approval_reach: { links: "anyone", remind_after_seconds: null } };
const WIDE = { note: "x".repeat(400), to: "\u202e<script>alert(1)</script>" };

test.skipIf(CHROMIUM === null)(
  "[REACH-6] a person decides on a phone without scripts, and sees what was decided",
  async () => {
    for (const [decision, word] of [
      ["Approve", "Approved by Owner"],
      ["Deny", "Denied by Owner"],
    ] as const) {
      await scene.reset(ANYONE);
      const job = await scene.blocked(WIDE);
      const link = await scene.mailedLink();
      const { page, complaints } = await browser.open({
        javaScriptEnabled: false,
        viewport: { width: 390, height: 844 },
      });
      await page.goto(url + link);
      await page.getByLabel("Reason, for the agent (optional)").fill("Because.");
      await page.getByRole("button", { name: decision }).click();
      await page.getByText(word).waitFor();
      expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
      expect((await scene.client.reached(job.id, "completed")).approvals[0]?.decision).toBe(decision.toLowerCase());
      expect(complaints).toEqual([]);
    }
  },
);

test.skipIf(CHROMIUM === null)("[REACH-6] the page is legible in both schemes and on a phone", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [390, 1_280]) {
      await scene.reset(ANYONE);
      await scene.blocked(WIDE);
      const { page } = await browser.open({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true });
      await page.goto(url + (await scene.mailedLink()));
      const open = await pageFaults(page);
      await page.getByRole("button", { name: "Deny" }).click();
      await page.getByText("Denied by Owner").waitFor();
      expect({ colorScheme, width, faults: [...open, ...(await pageFaults(page))] }).toEqual({
        colorScheme,
        width,
        faults: [],
      });
    }
  }
});
