/** What tests of pages in a real browser share: entering by a link, and what is wrong with a page. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import type { Caller, Service } from "./service.ts";
import { PASSWORD, passwordLink } from "./signed-in.ts";

const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Sets a password by a link, as a person does it, and opens the account. `url` is where the browser reaches the service. */
export async function enterByLink(page: Page, service: Service, url: string, person: Caller): Promise<void> {
  await page.goto(url + (await passwordLink(service, person)));
  await page.getByLabel("New password").fill(PASSWORD);
  await page.getByLabel("The same again").fill(PASSWORD);
  await page.getByRole("button", { name: "Set the password and sign in" }).click();
  await page.waitForURL(new RegExp(`^${url}/app`));
  await page.goto(`${url}/account`);
}

/** What is wrong with the page for assistive technology, and whether it needs more width than it has. */
export async function pageFaults(page: Page): Promise<readonly string[]> {
  const violations = (await page.evaluate(
    `${AXE};axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] }).then(({ violations }) => violations)`,
  )) as readonly Violation[];
  const isWide = (await page.evaluate("document.documentElement.scrollWidth > innerWidth")) as boolean;
  return [
    ...violations.map(({ id, nodes }) => `${page.url()}: ${id} ${nodes.map(({ html }) => html).join(" ")}`),
    ...(isWide ? [`${page.url()} is wider than its window`] : []),
  ];
}
