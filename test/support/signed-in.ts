/** People who sign in, for tests of pages. */
import { organizationRef } from "../../actors/organization/schema.ts";
import { makePasswordLink } from "../../src/sign-in/password-link.ts";
import { PlainBrowser } from "./plain-browser.ts";
import type { Caller, Service } from "./service.ts";

export const PASSWORD = "four unrelated words";

/** A browser that has not signed in; `appUrl` is what the service calls itself. */
export const browserOf = ({ url }: Service, origin = "https://troupe.test"): PlainBrowser =>
  new PlainBrowser({ url, origin });

/** The address with which a person signs in. */
export async function emailOf({ system }: Service, { organizationId, userId }: Caller): Promise<string> {
  const member = await system.dispatch(organizationRef(organizationId), { kind: "read_member", userId });
  if (!member.ok) throw new Error(member.fault.kind);
  return member.value.email;
}

/** The path of a link that sets the person's password. */
export async function passwordLink({ system }: Service, { userId }: Caller, now = Date.now()): Promise<string> {
  const link = await makePasswordLink(system, userId, now);
  if (!link.ok) throw new Error(link.fault.kind);
  return link.value;
}

/** A browser in which the person has chosen a password, and is signed in. */
export async function signedIn(
  service: Service,
  caller: Caller,
  password = PASSWORD,
  origin?: string,
): Promise<PlainBrowser> {
  const browser = browserOf(service, origin);
  const page = await browser.get(await passwordLink(service, caller));
  const entered = await browser.submit(page, "/set-password", { password, again: password });
  if (entered.at !== "/app") throw new Error(`${entered.status} ${entered.html}`);
  return browser;
}
