/** The pages of workspaces in a real browser, against the real service. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../support/browser.ts";
import { acceptQuestions, type ConsoleScene, openConsole } from "../support/console-scene.ts";
import { answered } from "../support/current.ts";
import { pageFaults } from "../support/page-checks.ts";
import type { Caller } from "../support/service.ts";

let scene: ConsoleScene;

const testInBrowser = test.skipIf(CHROMIUM === null);

beforeAll(async () => {
  if (CHROMIUM !== null) scene = await openConsole();
});
afterAll(() => scene?.close());

interface WorkspaceRecord {
  readonly id: string;
  readonly name: string;
}

const createWorkspace = (person: Caller, name: string): Promise<WorkspaceRecord> =>
  answered<WorkspaceRecord>(scene.service.call(person, "POST", "/api/workspaces", { name }), 201);

interface GivenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly text: string;
}
const SALES: GivenFile = { name: "sales.csv", mimeType: "text/csv", text: "region,amount\nnorth,30\nsouth,12\n" };
const NOTES: GivenFile = { name: "notes.md", mimeType: "text/markdown", text: "# Plan\n\n**Buy** milk" };

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

const upload = (page: Page, { text, ...file }: GivenFile): Promise<void> =>
  page.getByLabel("Upload files").setInputFiles({ ...file, buffer: Buffer.from(text) });

/** Drops a file on the tree, as a person drags it from their desktop. */
async function drop(page: Page, { name, mimeType, text }: GivenFile): Promise<void> {
  const [content, named, options] = [[text], name, { type: mimeType }].map((one) => JSON.stringify(one));
  const dataTransfer = await page.evaluateHandle(
    `(() => { const given = new DataTransfer(); given.items.add(new File(${content}, ${named}, ${options})); return given; })()`,
  );
  await page.getByRole("region", { name: "Files", exact: true }).dispatchEvent("drop", { dataTransfer });
}

testInBrowser("[CON-8] files are uploaded, shown, moved, shared, queried and deleted", async () => {
  const { page, complaints } = await scene.enter("/workspaces");
  const questions = acceptQuestions(page);
  await page.getByRole("textbox", { name: "New workspace" }).fill("Reports");
  await button(page, "Create").click();
  await page.getByRole("heading", { name: "Reports", level: 1 }).waitFor();
  await page.getByText("There is no file yet").waitFor();

  await upload(page, SALES);
  await page.getByRole("link", { name: "sales.csv" }).click();
  const table = page.getByRole("region", { name: "Content of sales.csv" });
  await table.getByRole("cell", { name: "north" }).waitFor();
  await drop(page, NOTES);
  await page.getByRole("link", { name: "notes.md" }).click();
  await page.getByRole("region", { name: "notes.md" }).locator("strong", { hasText: "Buy" }).waitFor();

  await page.getByText("New directory").click();
  await page.getByRole("textbox", { name: "Name" }).fill("plans");
  await button(page, "Create the directory").click();
  await page.getByRole("link", { name: "Show the directory plans" }).waitFor();
  await page.getByText("Move or rename").click();
  await page.getByRole("textbox", { name: "New path" }).fill("plans/notes.md");
  await button(page, "Move").click();
  await page.getByRole("heading", { name: "plans/notes.md" }).waitFor();
  expect(new URL(page.url()).searchParams.get("path")).toBe("plans/notes.md");
  await page.reload();
  await page.getByRole("list", { name: "Files in plans" }).getByRole("link", { name: "notes.md" }).waitFor();

  await page.getByText("Share", { exact: true }).click();
  await button(page, "Make a link").click();
  const link = await page.getByLabel("Link", { exact: true }).innerText();
  expect(await (await fetch(link.trim().replace("localhost", "127.0.0.1"))).text()).toBe(NOTES.text);
  await page.getByRole("link", { name: "Shares" }).click();
  await page.getByRole("list", { name: "Shares" }).getByText("plans/notes.md").waitFor();
  await button(page, "Revoke").click();
  await page.getByText("Nothing is shared").waitFor();

  await page.getByRole("link", { name: "Query" }).click();
  await page
    .getByRole("textbox", { name: "SQL", exact: true })
    .fill("SELECT region, sum(amount)::int AS total FROM 'nothing.csv'");
  await button(page, "Run").click();
  await page.getByRole("alert").filter({ hasText: "request req_" }).waitFor();
  await page
    .getByRole("textbox", { name: "SQL", exact: true })
    .fill("SELECT region, sum(amount)::int AS total FROM 'sales.csv' GROUP BY region ORDER BY region");
  await button(page, "Run").click();
  await page.getByRole("region", { name: "Rows" }).getByRole("cell", { name: "south" }).waitFor();
  await page.getByRole("img", { name: "total as bars" }).waitFor();

  await page.goBack();
  await page.getByRole("link", { name: "Files", exact: true }).click();
  await page.getByRole("link", { name: "sales.csv" }).click();
  await page.getByRole("region", { name: "sales.csv", exact: true }).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("link", { name: "sales.csv" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Show the directory plans" }).click();
  await page.getByRole("region", { name: "plans" }).getByRole("button", { name: "Delete" }).click();
  await page.getByText("There is no file yet").waitFor();
  expect(questions).toEqual([
    expect.stringContaining("Revoke the link"),
    expect.stringContaining("Delete sales.csv?"),
    expect.stringContaining("Delete the directory plans"),
  ]);
  expect(complaints.filter((one) => !/40[04]|422/.test(one))).toEqual([]);
});

testInBrowser("[CON-8] files are found by their content, and a former version is restored", async () => {
  const { page, complaints } = await scene.enter("/workspaces");
  const questions = acceptQuestions(page);
  await page.getByRole("textbox", { name: "New workspace" }).fill("Plans");
  await button(page, "Create").click();
  await page.getByText("There is no file yet").waitFor();
  await upload(page, SALES);
  await upload(page, NOTES);
  await page.getByRole("link", { name: "notes.md" }).click();
  const details = page.getByRole("region", { name: "notes.md" });
  await details.locator("strong", { hasText: "Buy" }).waitFor();
  await upload(page, { ...NOTES, text: "Sell **everything**" });
  await details.locator("strong", { hasText: "everything" }).waitFor();
  await details.getByText("Versions", { exact: true }).click();
  const versions = details.getByRole("list", { name: "Versions of notes.md" });
  await versions.getByText("Version 1", { exact: true }).waitFor();
  expect(await pageFaults(page)).toEqual([]);
  await versions.getByRole("button", { name: "Restore version 1" }).click();
  await details.locator("strong", { hasText: "Buy" }).waitFor();
  await versions.getByText("Version 3", { exact: true }).waitFor();
  await page.getByRole("searchbox", { name: "Find files" }).fill("north");
  await page.getByRole("searchbox", { name: "Find files" }).press("Enter");
  const found = page.getByRole("list", { name: "Found files" });
  await found.getByRole("link", { name: "sales.csv" }).click();
  await page.getByRole("region", { name: "Content of sales.csv" }).waitFor();
  expect(new URL(page.url()).searchParams.get("find")).toBe("north");
  await page.reload();
  await found.getByRole("link", { name: "sales.csv" }).waitFor();
  expect(questions).toEqual([expect.stringContaining("Make version 1 of notes.md the current one?")]);
  expect(complaints).toEqual([]);
});

testInBrowser(
  "[CON-8] a member sees why a workspace of somebody else cannot be changed, and a conflict is told",
  async () => {
    const { id } = await createWorkspace(scene.owner, "Shared");
    const { page } = await scene.enter(`/workspaces/${id}?view=settings`);
    await page.getByText("You may not change this workspace").first().waitFor();
    await button(page, "Delete").focus();
    await page.getByText("You may not delete this workspace").waitFor();
    await page.context().close();

    const own = await scene.enter(`/workspaces/${id}?view=settings`, { person: scene.owner });
    await own.page.getByRole("textbox", { name: "Description" }).fill("Mine");
    await answered(scene.service.call(scene.owner, "PATCH", `/api/workspaces/${id}`, { name: "Theirs" }));
    await button(own.page, "Save").click();
    await own.page.getByRole("alert").filter({ hasText: "somebody else has changed name" }).waitFor();
    await button(own.page, "Save").click();
    await own.page.getByRole("status").filter({ hasText: "Saved" }).waitFor();
  },
);

const HOSTILE_FILE: GivenFile = {
  name: `&lt;img src=x onerror=alert(1)&gt; ${"long".repeat(30)}.md`,
  mimeType: "text/markdown",
  text: "<script>alert(1)</script>\n\n![x](https://evil.example/x.png)\n\n[a](javascript:alert(1))",
};
/** The service takes no such name, and the page says so. */
const REFUSED_FILE: GivenFile = { ...HOSTILE_FILE, name: "<img src=x onerror=alert(1)>.md" };
const PAGE_FILE: GivenFile = { name: "page.html", mimeType: "text/html", text: "<script>alert(2)</script>" };

testInBrowser(
  "[CON-5] [CON-6] the pages of workspaces are legible and run nothing, in both schemes and widths",
  async () => {
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [390, 1_280]) {
        const look = { colorScheme, viewport: { width, height: 844 }, bypassCSP: true };
        const { page, person } = await scene.enter("/workspaces", look);
        const questions = acceptQuestions(page);
        const { id } = await createWorkspace(person, "<img src=x onerror=alert(1)>");
        const faults: string[] = [];
        const check = async (at: string, ready: string): Promise<void> => {
          await page.goto(`${scene.url}/app${at}`);
          await page.getByText(ready).first().waitFor();
          faults.push(...(await pageFaults(page)));
        };
        await check("/workspaces", "onerror");
        await check(`/workspaces/${id}`, "There is no file yet");
        await upload(page, REFUSED_FILE);
        await page.getByRole("alert").filter({ hasText: "cannot store a name with" }).waitFor();
        for (const file of [HOSTILE_FILE, PAGE_FILE, SALES]) {
          await upload(page, file);
          await page.getByRole("link", { name: file.name }).click();
          await page.getByRole("link", { name: "Download" }).waitFor();
          await page
            .getByText(/\d bytes/)
            .last()
            .waitFor();
          faults.push(...(await pageFaults(page)));
        }
        await check(`/workspaces/${id}?view=shares`, "Nothing is shared");
        await check(`/workspaces/${id}?view=repositories`, "No repository is cloned");
        await check(`/workspaces/${id}?view=settings`, "Agents get them");
        await check(`/workspaces/${id}?view=query&query=SELECT%201`, "One SELECT");
        await button(page, "Run").click();
        await page.getByRole("region", { name: "Rows" }).waitFor();
        faults.push(...(await pageFaults(page)));
        expect({ faults, questions, left: scene.browser.left }).toEqual({ faults: [], questions: [], left: [] });
        await page.context().close();
      }
  },
);
