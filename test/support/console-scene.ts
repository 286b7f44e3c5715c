/** The console of a whole service in a real browser, with the demo model, for the tests of its pages. */
import type { BrowserContextOptions, Page } from "playwright-core";
import { createModels } from "../../src/runner/models.ts";
import { type WatchedBrowser, type WatchedPage, watchedBrowser } from "./browser.ts";
import { NO_MODELS } from "./model-calls.ts";
import { enterByLink } from "./page-checks.ts";
import { type Caller, type Founded, type Service, type ServiceOptions, startService } from "./service.ts";

/** For one step of a test, on a busy machine. */
export const STEP_MS = 60_000;

export interface ConsoleScene {
  readonly service: Service;
  readonly owner: Founded;
  readonly browser: WatchedBrowser;
  readonly url: string;
  /** A page of the console, opened by this person or by a new member. */
  enter(at: string, options?: SceneOptions): Promise<EnteredPage>;
  close(): Promise<void>;
}

interface SceneOptions extends BrowserContextOptions {
  readonly person?: Caller;
}

export interface EnteredPage extends WatchedPage {
  readonly person: Caller;
}

/** `isDemo`: with the demo model; else with the fake one, which does what its script says. */
export async function openConsole({
  isDemo = true,
  ...options
}: ServiceOptions & { readonly isDemo?: boolean } = {}): Promise<ConsoleScene> {
  const service = await startService({
    ...options,
    ...(isDemo ? { models: createModels({ ...NO_MODELS, model: "demo:echo" }) } : {}),
    settings: { appUrl: undefined, host: "localhost" },
  });
  const url = service.url.replace("127.0.0.1", "localhost");
  const owner = await service.found();
  const browser = await watchedBrowser();
  return {
    service,
    owner,
    browser,
    url,
    async enter(at, { person, ...options } = {}) {
      const who = person ?? (await service.join(owner.organizationId));
      const watched = await browser.open(options);
      watched.page.setDefaultTimeout(STEP_MS);
      await enterByLink(watched.page, service, url, who);
      await watched.page.goto(`${url}/app${at}`);
      return { ...watched, person: who };
    },
    async close() {
      await browser.close();
      await service.stop();
    },
  };
}

/** Accepts the questions of a page, and remembers them. */
export function acceptQuestions(page: Page): readonly string[] {
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    // Names in it are isolated from the text around them.
    asked.push(dialog.message().replaceAll(/[\u2068\u2069]/g, ""));
    void dialog.accept();
  });
  return asked;
}

/** A new member at their chats, with an agent of theirs. */
export async function visitChats(
  scene: ConsoleScene,
  options: SceneOptions = {},
  agent: object = {},
): Promise<EnteredPage & { readonly agentId: string }> {
  const person = options.person ?? (await scene.service.join(scene.owner.organizationId));
  const body = { name: "Ada", system_prompt: "Be brief.", ...agent };
  const made = await scene.service.call(person, "POST", "/api/agents", body);
  if (made.status !== 201) throw new Error(await made.text());
  const { id: agentId } = (await made.json()) as { readonly id: string };
  return { ...(await scene.enter("", { ...options, person })), agentId };
}

export async function newChat(page: Page, agentId: string): Promise<void> {
  await page.getByRole("combobox", { name: "Agent" }).selectOption(agentId);
  await page.getByRole("button", { name: "New chat" }).click();
  await page.getByRole("textbox", { name: "Message" }).waitFor();
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

export const answerOf = (page: Page) => page.getByRole("article", { name: "Message of Agent" });
