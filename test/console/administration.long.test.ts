/** The console's pages for those who run an organization, in a real browser against the real service. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { CHROMIUM } from "../support/browser.ts";
import { acceptQuestions, type ConsoleScene, type EnteredPage, openConsole } from "../support/console-scene.ts";
import { answered, Client } from "../support/current.ts";
import { createEgressWorld, type EgressWorld } from "../support/egress-world.ts";
import { pageFaults } from "../support/page-checks.ts";
import { startReceiver } from "../support/webhook-receiver.ts";

let world: EgressWorld;
let scene: ConsoleScene;
const testInBrowser = test.skipIf(CHROMIUM === null);
/** Text that would run, and text that turns lines around. */
const HOSTILE_NAME = '<img src=x onerror="alert(1)">\u202Egnp.exe';

beforeAll(async () => {
  if (CHROMIUM === null) return;
  world = createEgressWorld();
  scene = await openConsole({ egress: world.client() });
});
afterAll(async () => {
  await scene?.close();
  await world?.end();
});

interface OwnVisit extends EnteredPage {
  readonly client: Client;
  readonly workspaceId: string;
}

/** An owner of a new organization, or a plain member of it, at a page of the console. */
async function visitAs(role: "owner" | "member", path: string, look: BrowserContextOptions = {}): Promise<OwnVisit> {
  const { service } = scene;
  const founded = await service.found();
  const person = role === "owner" ? founded : await service.join(founded.organizationId);
  const entered = await scene.enter(path, { person, bypassCSP: true, ...look });
  acceptQuestions(entered.page);
  return { ...entered, client: new Client(service, person), workspaceId: founded.workspaceId };
}

/** A job of an agent of its own, which is over. */
async function runJob({ client, workspaceId }: OwnVisit, text: string): Promise<string> {
  const body = { name: "Ada", system_prompt: "Be brief.", model: "demo:echo" };
  const agent = await client.agent(body);
  const { id: chat } = await answered<{ id: string }>(
    client.call("POST", "/api/chats", { agent_id: agent, workspace_id: workspaceId }),
    201,
  );
  const { job } = await client.send(chat, text);
  await client.reached(job.id, "completed");
  return agent;
}

const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();

testInBrowser(
  "[CON-13] the costliest job of the day is two clicks away, and a day of the chart is a step back",
  async () => {
    const visit = await visitAs("owner", "/inbox");
    const { page, complaints } = visit;
    await runJob(visit, "/say short");
    const agent = await runJob(visit, `/say the long one ${"word ".repeat(200)}`);
    await page.getByRole("link", { name: "Usage", exact: true }).click();
    const costliest = page.getByRole("region", { name: "Costliest jobs", exact: true });
    await costliest.getByRole("link").first().click();
    await page
      .getByRole("heading", { name: /^the long one/i, level: 1 })
      .or(page.getByText("the long one").first())
      .waitFor();
    await page.goBack();
    await page.getByRole("img", { name: /^Tokens by day, most on/ }).waitFor();
    const table = page.getByRole("region", { name: "Usage by day" });
    await table
      .getByRole("button", { name: /^Show the day/ })
      .first()
      .click();
    expect(new URL(page.url()).searchParams.get("day")).toMatch(/^\d{4}-\d\d-\d\d$/);
    await page.goBack();
    expect(new URL(page.url()).searchParams.get("day")).toBeNull();
    await page.getByRole("combobox", { name: "By", exact: true }).selectOption("agent");
    await page.getByRole("button", { name: "Show the agent Ada" }).first().click();
    await page.getByRole("button", { name: /^Only the agent/ }).waitFor();
    expect(new URL(page.url()).searchParams.get("agent_id")).toBeString();
    await page.goto(`${scene.url}/app/usage?agent_id=${agent}&group_by=model`);
    const ofAgent = page.getByRole("region", { name: "Usage by model" }).getByRole("row", { name: /^Show the model/ });
    expect(await ofAgent.getByRole("cell").last().innerText()).toBe("1");
    expect(complaints).toEqual([]);
  },
);

testInBrowser(
  "[CON-14] an owner sets a destination, sends a test, sees what was sent, and sends it again",
  async () => {
    const { page, client, complaints } = await visitAs("owner", "/webhooks");
    const receiver = startReceiver(world);
    try {
      await page.getByText("No destination is set").waitFor();
      await page.getByRole("textbox", { name: "URL" }).fill("https://ada:pass@hooks.test/");
      await page.getByRole("button", { name: "Save the destination" }).click();
      await page.getByText("without a user name or password").first().waitFor();
      await page.getByRole("textbox", { name: "URL" }).fill(receiver.url);
      await page.getByRole("button", { name: "Save the destination" }).click();
      const secret = page.getByRole("region", { name: "The signing secret", exact: true });
      expect(await secret.innerText()).toContain("whsec_");
      const text = (await secret.getByLabel("The signing secret, to copy").innerText()).trim();
      // What a save answers is the record of the next one, before the page has read it again.
      const isOfDestination = (url: URL): boolean => url.pathname.endsWith("/api/messaging-integration");
      await page.route(isOfDestination, (route) => (route.request().method() === "GET" ? undefined : route.continue()));
      const save = async (): Promise<void> => {
        const answer = page.waitForResponse((response) => response.request().method() === "PUT");
        await page.getByRole("button", { name: "Save the destination" }).click();
        expect((await answer).status()).toBe(200);
      };
      await page.getByRole("textbox", { name: "Name" }).fill("First");
      await save();
      await page.getByRole("combobox", { name: "Retries" }).selectOption("durable");
      await save();
      expect(await answered<object>(client.call("GET", "/api/messaging-integration"))).toMatchObject({
        name: "First",
        retry_profile: "durable",
      });
      await page.unroute(isOfDestination);
      await page.getByRole("button", { name: "Send a test" }).click();
      await page.getByText("Sent: see Deliveries.").waitFor();
      await page.getByRole("link", { name: "Deliveries", exact: true }).click();
      const ledger = page.getByRole("region", { name: "Deliveries" });
      await page.getByRole("searchbox", { name: "Event type" }).fill("webhook.test");
      await page.getByRole("searchbox", { name: "Event type" }).press("Enter");
      await page.getByRole("combobox", { name: "Status" }).selectOption("success");
      await ledger.getByRole("link", { name: "webhook.test" }).first().waitFor();
      expect(new URL(page.url()).search).toBe("?event_type=webhook.test&status=success");
      await page.reload();
      await ledger.getByRole("link", { name: "webhook.test" }).first().click();
      await page.getByLabel("Body that is sent").getByText('"webhook.test"').waitFor();
      await page.getByRole("button", { name: "Send it again" }).click();
      await page.getByText("(redelivery)").waitFor();
      const [delivery] = receiver.ofType("webhook.test");
      await page.goto(`${scene.url}/app/webhooks/signature`);
      await page.getByLabel("Headers, one in a line").fill(headerLines(delivery?.headers ?? {}));
      await page.getByLabel("Body, as it arrived").fill(delivery?.body ?? "");
      await page.getByLabel("Signing secret").fill(text);
      const before = await page.evaluate("performance.getEntriesByType('resource').length");
      await page.getByRole("button", { name: "Check" }).click();
      for (const header of ["Service-Signature", "webhook-signature"])
        await page.getByRole("region", { name: header }).getByText("fits", { exact: true }).waitFor();
      await page.getByLabel("Body, as it arrived").fill(JSON.stringify(JSON.parse(delivery?.body ?? ""), null, 2));
      await page.getByRole("button", { name: "Check" }).click();
      for (const header of ["Service-Signature", "webhook-signature"])
        await page.getByRole("region", { name: header }).getByText("differs: the body").waitFor();
      await page.getByLabel("Body, as it arrived").fill(delivery?.body ?? "");
      await page.getByLabel("Signing secret").fill(text.replace("whsec_", ""));
      await page.getByRole("button", { name: "Check" }).click();
      await page.getByRole("region", { name: "Service-Signature" }).getByText("does not fit").waitFor();
      await page.getByLabel("Headers, one in a line").fill("Content-Type: application/json");
      await page.getByRole("button", { name: "Check" }).click();
      await page.getByText("neither a Service-Signature nor a webhook-signature").waitFor();
      // The inbox is read meanwhile; nothing else is asked for.
      const asked = (await page.evaluate(
        `performance.getEntriesByType('resource').slice(${String(before)}).map(({ name }) => name)`,
      )) as readonly string[];
      expect(asked.filter((one) => one.includes("messaging-integration"))).toEqual([]);
      await page.getByRole("link", { name: "Destination" }).click();
      await page.getByRole("button", { name: "Replace the secret" }).click();
      await page.getByRole("region", { name: "The signing secret", exact: true }).waitFor();
      await page.getByText("The former secret also signs until").waitFor();
      expect(complaints.filter((one) => !one.includes("422") && !one.includes("400") && !one.includes("404"))).toEqual(
        [],
      );
    } finally {
      receiver.stop();
    }
  },
);

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

testInBrowser(
  "[CON-15] an owner invites, changes roles, makes tokens that are shown once, and finds it in the audit",
  async () => {
    const { page, person, complaints } = await visitAs("owner", "/people");
    const members = page.getByRole("list", { name: "Members" });
    await members.getByText("(you)").waitFor();
    expect(await members.getByRole("button", { name: "Remove" }).getAttribute("aria-disabled")).toBe("true");
    await scene.service.join(person.organizationId);
    await page.reload();
    await members.getByRole("button", { name: "Make an owner" }).click();
    await members.getByRole("button", { name: "Make a member" }).nth(1).waitFor();
    await page.getByRole("link", { name: "Invitations" }).click();
    await page.getByRole("textbox", { name: "E-mail address" }).fill("nobody");
    await page.getByRole("button", { name: "Make the link" }).click();
    await page.getByText("must be an e-mail address").first().waitFor();
    await page.getByRole("textbox", { name: "E-mail address" }).fill("grace@example.com");
    await page.getByRole("button", { name: "Make the link" }).click();
    expect(await page.getByRole("region", { name: "The link of the invitation" }).innerText()).toContain(
      "/invitation?",
    );
    await page.getByRole("button", { name: "I have it" }).click();
    await page.getByRole("button", { name: "Withdraw" }).click();
    await page.getByRole("list", { name: "Invitations" }).getByText("revoked").waitFor();
    await page.getByRole("link", { name: "Your tokens" }).click();
    await page.getByText("New token").click();
    await page.getByRole("textbox", { name: "What it is for" }).fill(HOSTILE_NAME);
    await page.getByRole("checkbox", { name: "read agents" }).check();
    await page.getByRole("button", { name: "Make the token" }).click();
    await page.getByRole("region", { name: "The token" }).waitFor();
    await page.reload();
    const tokens = page.getByRole("list", { name: "Tokens" });
    await tokens.getByText("<img src=x").waitFor();
    expect(await page.getByRole("region", { name: "The token" }).count()).toBe(0);
    await tokens.getByRole("button", { name: "Revoke" }).first().click();
    await tokens.getByText("revoked", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Secrets" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("GITHUB_TOKEN");
    await page.getByLabel("Value").fill("a-secret-of-the-test");
    await page.getByRole("button", { name: "Write the secret" }).click();
    await page.getByRole("list", { name: "Secrets" }).getByText("GITHUB_TOKEN").waitFor();
    await page.getByRole("list", { name: "Secrets" }).getByRole("button", { name: "Delete" }).click();
    await page.getByText("There are no secrets").waitFor();
    await page.getByRole("link", { name: "Audit" }).click();
    await page.getByRole("combobox", { name: "Action" }).selectOption("token.revoked");
    await page.getByRole("region", { name: "Audit" }).getByRole("row").nth(1).waitFor();
    expect(new URL(page.url()).search).toBe("?action=token.revoked");
    expect(await page.evaluate("document.querySelectorAll('main img').length")).toBe(0);
    expect(complaints.filter((one) => !one.includes("400"))).toEqual([]);
  },
);

testInBrowser("[CON-14] [CON-15] a member without rights learns why, on each page", async () => {
  const { page, complaints } = await visitAs("member", "/people");
  const members = page.getByRole("list", { name: "Members" });
  const remove = members.getByRole("button", { name: "Remove" }).first();
  await remove.focus();
  await members.getByText("Only owners of the organization can do this").nth(1).waitFor();
  await remove.press("Enter");
  expect(await members.getByRole("listitem").count()).toBe(2);
  for (const path of [
    "/people/invitations",
    "/people/service-tokens",
    "/people/secrets",
    "/people/audit",
    "/webhooks/deliveries",
  ]) {
    await page.goto(`${scene.url}/app${path}`);
    await page.getByText("Only owners of the organization see").first().waitFor();
  }
  await page.goto(`${scene.url}/app/webhooks`);
  await page.getByText("Only owners of the organization can do this").waitFor();
  expect(await page.getByRole("textbox").count()).toBe(0);
  expect(complaints.filter((one) => !one.includes("404"))).toEqual([]);
});

testInBrowser(
  "[CON-16] the page of the system shows models and invariants, and tells operators where to look",
  async () => {
    const { page, complaints } = await visitAs("owner", "/system");
    await page
      .getByRole("region", { name: "Table of models" })
      .getByRole("row", { name: /demo:echo default/ })
      .waitFor();
    await page.getByText("all hold").waitFor();
    await page.getByText("Event loop, last second").waitFor();
    await page.getByText("States of jobs, chats, missions and tasks").click();
    await page.getByRole("region", { name: "States of a mission task" }).waitFor();
    await page.getByText("bun run admin load").waitFor();
    expect(complaints).toEqual([]);
  },
);

const ADMINISTRATION_PAGES: readonly (readonly [path: string, heading: string])[] = [
  ["/usage", "Usage"],
  ["/webhooks", "Webhooks"],
  ["/webhooks/deliveries", "Deliveries"],
  ["/webhooks/signature", "Check a signature"],
  ["/people", "Members"],
  ["/people/groups", "Groups"],
  ["/people/invitations", "Invitations"],
  ["/people/tokens", "Your tokens"],
  ["/people/service-tokens", "Service tokens"],
  ["/people/sessions", "Sessions"],
  ["/people/programs", "Programs"],
  ["/people/secrets", "Secrets"],
  ["/people/notices", "Notices"],
  ["/people/audit", "Audit"],
  ["/system", "System"],
];

testInBrowser(
  "[CON-6] the pages of administration are legible in both schemes and widths, without a violation",
  async () => {
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [390, 1_280]) {
        const visit = await visitAs("owner", "/usage", { colorScheme, viewport: { width, height: 844 } });
        const { page, client } = visit;
        await runJob(visit, HOSTILE_NAME);
        await answered(client.call("PUT", "/api/secrets/ONE", { value: "a-secret-of-the-test" }), 201);
        await answered(client.call("POST", "/api/invitations", { email: "grace@example.com" }), 201);
        const faults: string[] = [];
        for (const [path, name] of ADMINISTRATION_PAGES) {
          await page.goto(`${scene.url}/app${path}`);
          await heading(page, name);
          await page.getByText("Loading …").first().waitFor({ state: "detached" });
          faults.push(...(await pageFaults(page)));
        }
        expect(faults).toEqual([]);
        await page.context().close();
      }
  },
);
