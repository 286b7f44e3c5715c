/** People who sign in by an OpenID provider in a test: the service, the provider beside it, and the way between them. */
import { expect } from "bun:test";
import { answered } from "./current.ts";
import { type Somebody, TestProvider } from "./openid-provider.ts";
import type { PlainBrowser, Shown } from "./plain-browser.ts";
import { type Caller, type Founded, type Service, startService } from "./service.ts";
import { emailOf } from "./signed-in.ts";

export const APP = "https://troupe.test";
export const CALLBACK = "/sign-in/provider/callback";
export const COOKIE = "__Host-troupe_session";
/** What the browser keeps for signing out at the provider. */
export const KEPT = "__Host-troupe_provider";

export const isIn = (browser: PlainBrowser): boolean => browser.cookies.has(COOKIE);

export class OpenIdSignIn {
  readonly provider: TestProvider;
  readonly service: Service;
  readonly owner: Founded;

  private constructor(provider: TestProvider, service: Service, owner: Founded) {
    this.provider = provider;
    this.service = service;
    this.owner = owner;
  }

  static async start(): Promise<OpenIdSignIn> {
    const provider = await TestProvider.start(APP + CALLBACK);
    const service = await startService({ resources: ({ log }) => ({ provider: provider.client(log) }) });
    return new OpenIdSignIn(provider, service, await service.found());
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.provider.stop();
  }

  /** The link that invites an address to the owner's organization. */
  async invitation(email: string): Promise<string> {
    const answer = await this.service.call(this.owner, "POST", "/api/invitations", { email });
    const { url } = (await answered(answer, 201)) as { readonly url: string };
    return url.replace(APP, "");
  }

  /** Follows the link of the sign-in page; answers where the browser is sent. */
  async leave(browser: PlainBrowser, next = "/account"): Promise<string> {
    const page = await browser.get(`/sign-in?next=${encodeURIComponent(next)}`);
    const [, href = ""] = /href="(\/sign-in\/provider[^"]*)"/.exec(page.html) ?? [];
    return (await browser.get(href.replaceAll("&amp;", "&"))).at;
  }

  back(browser: PlainBrowser, address: string): Promise<Shown> {
    const { origin, pathname, search } = new URL(address);
    expect([origin, pathname]).toEqual([APP, CALLBACK]);
    return browser.get(pathname + search);
  }

  /** All of it. */
  async enter(browser: PlainBrowser, somebody: Somebody | null, next?: string): Promise<Shown> {
    return this.back(browser, await this.provider.visit(await this.leave(browser, next), somebody));
  }

  /** A member, as the provider knows them. */
  async known(): Promise<{ readonly person: Caller; readonly somebody: Somebody & { email: string } }> {
    const person = await this.service.join(this.owner.organizationId);
    const email = await emailOf(this.service, person);
    return { person, somebody: { sub: `sub of ${email}`, email, email_verified: true, name: "Ada" } };
  }

  async auditOf(caller: Caller): Promise<readonly { action: string; detail: string | null }[]> {
    const { audit_entries: entries } = (await answered(
      this.service.call(this.owner, "GET", `/api/audit?user_id=${caller.userId}`),
    )) as { audit_entries: { action: string; detail: string | null }[] };
    return entries;
  }
}
