/** The pages of people in a real browser: without scripts, in both colour schemes, narrow and wide, and for assistive technology. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { guidePath, GUIDES } from "../../src/public/guides.ts";
import { OpenIdProvider } from "../../src/sign-in/openid/provider.ts";
import { CHROMIUM, type WatchedBrowser, watchedBrowser } from "../support/browser.ts";
import { until } from "../support/condition.ts";
import { enterByLink, pageFaults } from "../support/page-checks.ts";
import { type Caller, type Founded, type Service, startService } from "../support/service.ts";
import { emailOf, PASSWORD, passwordLink } from "../support/signed-in.ts";
import { systemClock } from "../../src/wiring/clock.ts";

let service: Service;
let owner: Founded;
let browser: WatchedBrowser;
let url = "";

beforeAll(async () => {
  if (CHROMIUM === null) return;
  service = await startService({
    // By name: browsers know no passkeys of a bare address.
    settings: { appUrl: undefined, host: "localhost" },
    resources: ({ log, egress }) => ({
      provider: new OpenIdProvider(
        { issuer: "https://id.example", clientId: "troupe", clientSecret: "hush", name: "Example ID" },
        { log, clock: systemClock, egress },
      ),
    }),
  });
  url = service.url.replace("127.0.0.1", "localhost");
  owner = await service.found();
  browser = await watchedBrowser();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const enter = (page: Page, person: Caller): Promise<void> => enterByLink(page, service, url, person);

const PUBLIC_PAGES = [
  "/",
  ...[...GUIDES.keys()].map(guidePath),
  "/guides/nothing.md",
  "/nothing/here",
  "/share/nothing",
  "/api/errors",
];

const LOOKS: readonly BrowserContextOptions[] = (["light", "dark"] as const).flatMap((colorScheme) =>
  [390, 1_280].map((width) => ({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true })),
);

test.skipIf(CHROMIUM === null)(
  "[AUTH-13] every page is legible in both schemes and widths, without a violation",
  async () => {
    const registered = (await (
      await fetch(`${url}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ client_name: "A program with a name", redirect_uris: ["http://127.0.0.1:9/back"] }),
      })
    ).json()) as { client_id: string };
    const consent = new URLSearchParams({
      response_type: "code",
      client_id: registered.client_id,
      redirect_uri: "http://127.0.0.1:9/back",
      code_challenge: "x".repeat(43),
      code_challenge_method: "S256",
    });
    for (const look of LOOKS) {
      const { page, complaints } = await browser.open(look);
      const faults: string[] = [];
      const see = async (path: string): Promise<void> => {
        await page.goto(url + path);
        faults.push(...(await pageFaults(page)));
      };
      const person = await service.join(owner.organizationId, "owner");
      await see("/sign-in");
      // The provider is away, which the page says.
      await page.getByRole("link", { name: "Continue with Example ID" }).click();
      await page.getByRole("alert").waitFor();
      faults.push(...(await pageFaults(page)));
      await see(await passwordLink(service, person));
      await see("/set-password");
      await see("/sign-in/provider/signed-out");
      for (const path of PUBLIC_PAGES) await see(path);
      await enter(page, person);
      for (const path of ["/account", `/oauth/authorize?${consent.toString()}`, "/oauth/authorize"]) await see(path);
      await page.goto(`${url}/account`);
      await page.getByLabel("What it is for").fill("a program");
      await page.getByLabel("read agents").check();
      await page.getByRole("button", { name: "Make the token" }).click();
      faults.push(...(await pageFaults(page)));
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.getByRole("button", { name: "Copy the token" }).click();
      await page.getByText("Copied.").waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
        await page.locator("code.secret").textContent(),
      );
      await page.getByRole("link", { name: "Revoke the token a program" }).click();
      faults.push(...(await pageFaults(page)));
      const invited = await service.call(owner, "POST", "/api/invitations", { email: "ada@example.com" });
      const guest = await browser.open(look);
      await guest.page.goto(((await invited.json()) as { readonly url: string }).url);
      faults.push(...(await pageFaults(guest.page)));
      expect({ look, faults }).toEqual({ look, faults: [] });
      // Pages that refuse are told of by the browser; nothing else is.
      expect(complaints.filter((text) => !text.includes("status of"))).toEqual([]);
    }
  },
);

test.skipIf(CHROMIUM === null)(
  "[AUTH-13] a person without scripts signs in, creates a token, gives a program access, and signs out",
  async () => {
    const person = await service.join(owner.organizationId);
    const { page } = await browser.open({ javaScriptEnabled: false });
    await enter(page, person);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${url}/sign-in`);
    await page.getByLabel("E-mail address").fill(await emailOf(service, person));
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`${url}/app`);
    await page.getByRole("link", { name: "Your account" }).click();
    await page.getByLabel("What it is for").fill("The build server");
    await page.getByLabel("read agents", { exact: true }).check();
    await page.getByRole("button", { name: "Make the token" }).click();
    const token = (await page.locator("code.secret").textContent()) ?? "";
    expect((await service.call({ ...person, token }, "GET", "/api/agents")).status).toBe(200);
    // A consent leads back to the program: the page's policy must let the browser follow.
    let arrived = "";
    const program = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => ((arrived = request.url), new Response("done")),
    });
    const redirect = `http://127.0.0.1:${program.port}/back`;
    const registered = (await (
      await fetch(`${url}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ redirect_uris: [redirect] }),
      })
    ).json()) as { client_id: string };
    const asked = {
      response_type: "code",
      client_id: registered.client_id,
      redirect_uri: redirect,
      code_challenge: "x".repeat(43),
      code_challenge_method: "S256",
    };
    await page.goto(`${url}/oauth/authorize?${new URLSearchParams(asked).toString()}`);
    await page.getByRole("button", { name: "Let it in" }).click();
    await page.waitForURL(`${redirect}**`);
    expect(arrived).toContain("code=oac_");
    await program.stop(true);
    expect(browser.left).toEqual([]);
  },
);

test.skipIf(CHROMIUM === null)(
  "[MCP-2] a browser returns to a program by its own scheme, and by an address of IPv6",
  async () => {
    const { page, complaints } = await browser.open();
    await enter(page, await service.join(owner.organizationId));
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    for (const redirect of ["app://callback/back", "com.example.app:/back", "http://[::1]:9/back"]) {
      const registered = await fetch(`${url}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ redirect_uris: [redirect] }),
      });
      const { client_id: client } = (await registered.json()) as { client_id: string };
      const query = new URLSearchParams({
        response_type: "code",
        client_id: client,
        redirect_uri: redirect,
        code_challenge: "x".repeat(43),
        code_challenge_method: "S256",
      });
      await page.goto(`${url}/oauth/authorize?${query.toString()}`);
      await page.getByRole("button", { name: "Let it in" }).click();
      await until(redirect, () => asked.some((address) => address.startsWith(`${redirect}?code=oac_`)));
    }
    expect(complaints.filter((text) => text.includes("Content Security Policy"))).toEqual([]);
  },
);

test.skipIf(CHROMIUM === null)(
  "[AUTH-22] a person adds a passkey in a browser, signs in with it, and removes it",
  async () => {
    const person = await service.join(owner.organizationId);
    const { page, complaints } = await browser.open();
    const devices = await page.context().newCDPSession(page);
    await devices.send("WebAuthn.enable");
    const { authenticatorId } = await devices.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await enter(page, person);
    await page.getByLabel("Name of a new passkey").fill("My laptop");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("The passkey is added.").waitFor();
    expect(await pageFaults(page)).toEqual([]);
    // The same device has one already.
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("This device has a passkey of yours already.").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${url}/sign-in`);
    await page.goto(`${url}/sign-in?next=${encodeURIComponent("/account?from=here")}`);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL(`${url}/account?from=here`);
    await page.getByText(", by passkey (this one)").waitFor();
    await page.getByRole("link", { name: "Remove the passkey My laptop" }).click();
    await page.getByRole("button", { name: "Remove the passkey" }).click();
    await page.getByText("The passkey is removed.").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${url}/sign-in`);
    // The device still has it, and the service does not.
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("This passkey does not open an account here.").waitFor();
    // Nobody proves that they are there.
    await devices.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("No passkey was used").waitFor();
    expect(complaints.filter((text) => !text.includes("status of 4"))).toEqual([]);
    expect(browser.left).toEqual([]);
  },
);
