/** The reference in a real browser: it shows every operation, tries calls, and asks nobody but the service. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator, Page, Response } from "playwright-core";
import { CHROMIUM, type WatchedBrowser, watchedBrowser } from "../support/browser.ts";
import { until } from "../support/condition.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { PASSWORD, passwordLink } from "../support/signed-in.ts";

interface Operation {
  readonly tags: readonly string[];
}
type Contract = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

let service: Service;
let owner: Founded;
let browser: WatchedBrowser;
let contract: Contract;

beforeAll(async () => {
  if (CHROMIUM === null) return;
  service = await startService();
  owner = await service.found();
  contract = (await (await fetch(`${service.url}/api/openapi.json`)).json()) as Contract;
  browser = await watchedBrowser();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** Every operation: its tag, and the end of its address in the page. */
const operations = () =>
  Object.entries(contract.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { tags }]) => ({
      tag: tags[0] ?? "",
      address: `/${method.toUpperCase()}${path}`,
    })),
  );

const sidebar = (page: Page): Locator => page.getByRole("complementary");

/** Shows the operations of a tag in the sidebar. */
async function unfold(page: Page, tag: string): Promise<void> {
  await sidebar(page)
    .getByRole("button", { name: new RegExp(`^(Open|Close) Group - ${tag}$`) })
    .waitFor();
  const folded = sidebar(page).getByRole("button", { name: `Open Group - ${tag}`, exact: true });
  if (await folded.isVisible()) await folded.click();
}

/** Sends a GET by the client in the page, as it proposes it. */
async function tryCall(page: Page, tag: string, path: string): Promise<Response> {
  await unfold(page, tag);
  await sidebar(page).locator(`a[href$="/GET${path}"]`).click();
  await page.getByRole("button", { name: new RegExp(`^Test Request.*get ${RegExp.escape(path)}\\W*$`) }).click();
  const [answer] = await Promise.all([
    page.waitForResponse((response) => new URL(response.url()).pathname === path),
    page.getByRole("button", { name: /^Send Request/ }).click(),
  ]);
  await page.getByRole("button", { name: "Close Client" }).click();
  return answer;
}

test.skipIf(CHROMIUM === null)("[DOC-2] the browser's watch sees what would leave", async () => {
  const { page } = await browser.open();
  await page.goto(`${service.url}/healthz`);
  await page.evaluate(() => fetch("http://elsewhere.test/beacon", { mode: "no-cors" }).catch(() => null));
  await until("the request is seen", () => browser.left.some((line) => line.includes("elsewhere.test/beacon")));
  (browser.left as string[]).length = 0;
});

test.skipIf(CHROMIUM === null)(
  "[DOC-2] it shows every operation, and everything it asks for is the service's",
  async () => {
    const { page, asked, complaints } = await browser.open();
    await page.goto(`${service.url}/api/reference`);
    for (const tag of new Set(operations().map((one) => one.tag))) {
      await unfold(page, tag);
      for (const { address } of operations().filter((one) => one.tag === tag))
        await sidebar(page).locator(`a[href$="${address}"]`).waitFor();
    }
    expect(operations().length).toBeGreaterThan(40);
    for (const address of asked) expect(address).toMatch(new RegExp(`^(?:${service.url}/|data:|blob:)`));
    expect(asked).toContain(`${service.url}/api/openapi.json`);
    expect(complaints).toEqual([]);
    expect(browser.left).toEqual([]);
  },
);

test.skipIf(CHROMIUM === null)("[DOC-2] on a phone it is as wide as the screen, and asks for no icon", async () => {
  const { page, asked } = await browser.open({ viewport: { width: 390, height: 844 } });
  await page.goto(`${service.url}/api/reference`);
  await page.getByPlaceholder("Token").first().waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  await page.goto(`${service.url}/api/errors`);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  expect(asked.filter((address) => address.includes("favicon"))).toEqual([]);
});

test.skipIf(CHROMIUM === null)("[DOC-2] it is dark or light as the reader's system is", async () => {
  for (const colorScheme of ["dark", "light"] as const) {
    const { page } = await browser.open({ colorScheme });
    await page.goto(`${service.url}/api/reference`);
    await page.locator(`body.${colorScheme}-mode`).waitFor();
    const color = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    const red = Number(/\d+/.exec(String(color))?.[0]);
    expect({ colorScheme, isDark: red < 128 }).toEqual({ colorScheme, isDark: colorScheme === "dark" });
  }
});

test.skipIf(CHROMIUM === null)(
  "[DOC-2] a call with a pasted token is answered by the service, and the token stays in the page",
  async () => {
    const { page } = await browser.open();
    await page.goto(`${service.url}/api/reference`);
    await page.getByPlaceholder("Token").first().fill(owner.token);
    for (const [tag, path, text] of [
      ["Tasks", "/api/tasks", '{"tasks":[]}'],
      ["V1 tasks", "/api/v1/tasks", '{"success":true,"tasks":[]}'],
    ] as const) {
      const answer = await tryCall(page, tag, path);
      expect([answer.status(), await answer.text()]).toEqual([200, text]);
      const logged = service.log.find(({ fields }) => fields["path"] === path);
      expect(logged?.fields).toMatchObject({ status: 200, organizationId: owner.organizationId });
    }

    const kept = await page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])");
    expect(kept).not.toContain(owner.token);
    expect(browser.left).toEqual([]);
  },
);

test.skipIf(CHROMIUM === null)(
  "[DOC-2] a signed-in person calls without a token, and a filter is sent only if it was turned on",
  async () => {
    const local = await startService({ settings: { appUrl: undefined, host: "localhost" } });
    const url = local.url.replace("127.0.0.1", "localhost");
    const { page } = await browser.open();
    await page.goto(url + (await passwordLink(local, await local.found())));
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByLabel("The same again").fill(PASSWORD);
    await page.getByRole("button", { name: "Set the password and sign in" }).click();
    await page.waitForURL(new RegExp(`^${url}/app`));
    await page.goto(`${url}/api/reference`);
    const answer = await tryCall(page, "Jobs", "/api/jobs");
    expect([answer.url(), answer.status()]).toEqual([`${url}/api/jobs`, 200]);
    await local.stop();
  },
);

test.skipIf(CHROMIUM === null)("[DOC-8] the address of an error shows its explanation, without a script", async () => {
  const { page } = await browser.open({ javaScriptEnabled: false });
  await page.goto(`${service.url}/api/errors#error-chat_busy`);
  const explanation = page.locator("#error-chat_busy");
  await explanation.waitFor({ state: "visible" });
  expect(await explanation.innerText()).toContain("A turn is running in the chat");
  await page.getByRole("link", { name: "Reference" }).click();
  await page.waitForURL(`${service.url}/api/reference`);
});
