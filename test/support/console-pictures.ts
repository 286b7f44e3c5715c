/**
 * Makes the pictures of the console's pages, light and dark: `bun run console-pictures` writes docs/console/. A service of
 * its own with invented content and a scripted model; nothing is asked of another host.
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import type { Page } from "playwright-core";
import { ok } from "../../actors/fault.ts";
import { answerOf, newChat, openConsole, say, visitChats } from "./console-scene.ts";

const FOLDER = Bun.fileURLToPath(new URL("../../docs/console/", import.meta.url));
const SIZE = { width: 1_120, height: 700 };

const PLAN = `Here is the plan for **release 2.4**:

| Step | Who | When |
|---|---|---|
| Freeze the branch | Ada | Monday |
| Test the upgrade on a copy of production | Grace | Tuesday |
| Announce it to customers | Linus | Thursday |

Two risks are open: the migration of invoices takes about \`40 min\`, and the old clients need a notice.`;

const scene = await openConsole({ isDemo: false });
scene.service.model.info = ok({ provider: "anthropic", name: "claude-sonnet-5", demo: false });
scene.service.model.script = ({ entries }) => {
  const last = entries.at(-1);
  const text = last?.role === "user" ? last.text : "";
  if (text.includes("announcement"))
    return [
      { say: "I would create this task:" },
      {
        use: {
          type: "tool_use",
          id: "call_1",
          name: "create_task",
          input: { title: "Send the announcement", priority: "high" },
        },
      },
    ];
  return text.includes("crash")
    ? [{ fail: { code: "provider_rejected", message: "The provider refused the request: the model is overloaded." } }]
    : [{ say: PLAN }];
};

async function take(page: Page, name: string): Promise<void> {
  // What has just been loaded is drawn.
  await page.getByText("Loading …").first().waitFor({ state: "detached" });
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `${FOLDER}${name}.png`, animations: "disabled" });
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
try {
  for (const colorScheme of ["light", "dark"] as const) {
    const options = { colorScheme, viewport: SIZE, person: scene.owner };
    const agent = {
      name: "Ada",
      role: "release manager",
      allowed_tools: ["create_task"],
      approval_tools: ["create_task"],
    };
    const { page, agentId } = await visitChats(scene, options, agent);
    await newChat(page, agentId);
    await say(page, "What is left to do for release 2.4?");
    await answerOf(page).getByText("tokens in").waitFor();
    await take(page, `chat-${colorScheme}`);
    await say(page, "Please prepare the announcement.");
    await page.getByRole("region", { name: "Approval of create_task" }).waitFor();
    await page.goto(`${scene.url}/app/chats`);
    await newChat(page, agentId);
    await say(page, "Why did the nightly import crash?");
    await answerOf(page).getByText("failed").waitFor();
    const pages = await page.evaluate(
      `[...document.querySelectorAll("nav.main a")].map((link) => [link.firstChild.textContent, link.getAttribute("href")])`,
    );
    for (const [name, href] of pages as readonly (readonly [string, string])[]) {
      if (!href.startsWith("/app/")) continue;
      await page.goto(scene.url + href);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await take(page, `${name.toLowerCase().replaceAll(" ", "-")}-${colorScheme}`);
    }
    await page.goto(`${scene.url}/app/jobs`);
    await page.getByRole("link", { name: "What is left to do" }).first().click();
    await page.getByText("Job completed").waitFor();
    await take(page, `job-${colorScheme}`);
    await page.context().close();
  }
  const bytes = readdirSync(FOLDER).reduce((sum, name) => sum + Bun.file(FOLDER + name).size, 0);
  console.log(`${readdirSync(FOLDER).length} pictures, ${Math.round(bytes / 1_000)} KB`);
} finally {
  await scene.close();
}
// The database of tests stays open for as long as its process.
process.exit();
