/** Passkeys (AUTH-22), with an authenticator in software that can lie. */
import { expect, test } from "bun:test";
import { organizationRef } from "../../actors/organization/schema.ts";
import { partyAt } from "../../src/sign-in/passkeys/passkeys.ts";
import { until } from "../support/condition.ts";
import { answered } from "../support/current.ts";
import type { PlainBrowser, Shown } from "../support/plain-browser.ts";
import { sceneOfFile } from "../support/scene.ts";
import type { Caller } from "../support/service.ts";
import { browserOf, signedIn } from "../support/signed-in.ts";
import { type Asked, type Lies, SoftAuthenticator } from "../support/soft-authenticator.ts";

const APP = "https://troupe.test";
const FLOW = "__Host-troupe_flow";
const SESSION = "__Host-troupe_session";

const { service, owner } = sceneOfFile();

async function optionsOf(browser: PlainBrowser, path: string): Promise<Asked> {
  const shown = await browser.post(`${path}/options`, {});
  expect([path, shown.status, shown.headers.get("cache-control")]).toEqual([path, 200, "no-store"]);
  return JSON.parse(shown.html) as Asked;
}

/** Makes a passkey in this browser's account. */
async function add(browser: PlainBrowser, device: SoftAuthenticator, lies: Lies = {}): Promise<Shown> {
  const asked = await optionsOf(browser, "/account/passkeys");
  return browser.post("/account/passkeys", { name: "My phone", credential: device.create(asked, lies) });
}

/** Signs in with it. */
async function use(browser: PlainBrowser, device: SoftAuthenticator, lies: Lies = {}, next = ""): Promise<Shown> {
  const asked = await optionsOf(browser, "/sign-in/passkey");
  return browser.post("/sign-in/passkey", { next, credential: device.get(asked, lies) });
}

async function withPasskey(): Promise<{ person: Caller; browser: PlainBrowser; device: SoftAuthenticator }> {
  const person = await service.join(owner.organizationId);
  const browser = await signedIn(service, person);
  const device = new SoftAuthenticator(APP);
  expect((await add(browser, device)).html).toContain("The passkey is added");
  return { person, browser, device };
}

async function staysOut(shown: Shown, browser: PlainBrowser, status = 403): Promise<void> {
  expect([shown.status, browser.cookies.has(SESSION)]).toEqual([status, false]);
  expect(shown.html).toContain('role="alert"');
}

test("[AUTH-22] a person adds a passkey, signs in with it alone, and removes it", async () => {
  const { person, browser, device } = await withPasskey();
  const fresh = browserOf(service);
  const shown = await use(fresh, device, {}, "/account?x=1");
  expect([shown.status, shown.at]).toEqual([200, "/account?x=1"]);
  expect([...fresh.cookies.keys()]).toEqual([SESSION]);
  expect(shown.html).toContain("My phone");
  expect(shown.html).toContain(", by passkey");
  const removed = await browser.confirm(await browser.get("/account"), "/account/passkeys/remove");
  expect(removed.html).toContain("The passkey is removed");
  expect(removed.html).not.toContain("My phone");
  const gone = browserOf(service);
  await staysOut(await use(gone, device), gone);
  const { audit_entries: entries } = (await answered(
    service.call(owner, "GET", `/api/audit?user_id=${person.userId}`),
  )) as { audit_entries: { action: string }[] };
  const actions = entries.map(({ action }) => action);
  expect(actions.slice(0, 3)).toEqual(["passkey.removed", "session.started", "passkey.added"]);
});

test("[AUTH-22] an answer is accepted once, for its own challenge, from the browser that requested it", async () => {
  const { device } = await withPasskey();
  const browser = browserOf(service);
  const asked = await optionsOf(browser, "/sign-in/passkey");
  const flow = browser.cookies.get(FLOW) ?? "";
  const credential = device.get(asked);
  const elsewhere = browserOf(service);
  await staysOut(await elsewhere.post("/sign-in/passkey", { credential }), elsewhere, 400);
  await optionsOf(elsewhere, "/sign-in/passkey");
  await staysOut(await elsewhere.post("/sign-in/passkey", { credential }), elsewhere);
  expect((await browser.post("/sign-in/passkey", { credential })).at).toBe("/app");
  elsewhere.cookies.set(FLOW, flow);
  await staysOut(await elsewhere.post("/sign-in/passkey", { credential }), elsewhere, 400);
});

test("[AUTH-22] an answer for another origin, of another kind or device is refused, and reported to the owners", async () => {
  const { person, device } = await withPasskey();
  const other = await withPasskey();
  const lies: readonly Lies[] = [
    { origin: "https://evil.example" },
    { origin: "https://troupe.test.evil.example" },
    { rpId: "evil.example" },
    { type: "webauthn.create" },
    { challenge: Buffer.alloc(32).toString("base64url") },
    // Present, but not verified; and nobody there at all.
    { flags: 1 },
    { flags: 0 },
    { userHandle: Buffer.from(other.person.userId).toString("base64url") },
    { userHandle: "" },
  ];
  for (const lie of lies) {
    const browser = browserOf(service);
    await staysOut(await use(browser, device, lie), browser);
  }
  const browser = browserOf(service);
  // Another key under the same id, and garbage.
  const copy = new SoftAuthenticator(APP, device.id);
  const userHandle = Buffer.from(person.userId).toString("base64url");
  await staysOut(await use(browser, copy, { userHandle }), browser);
  for (const credential of ["", "[]", "{}", '{"id":1,"response":null}', "not json"]) {
    await optionsOf(browser, "/sign-in/passkey");
    await staysOut(await browser.post("/sign-in/passkey", { credential }), browser);
  }
  expect((await use(browser, device)).at).toBe("/app");
  await until("the owners are told", async () => {
    const { audit_entries: entries } = (await answered(
      service.call(owner, "GET", "/api/audit?action=session.refused"),
    )) as { audit_entries: { subject_id: string }[] };
    return entries.some(({ subject_id: id }) => id === person.userId);
  });
});

test("[AUTH-22] a passkey whose counter does not increase is treated as a copy", async () => {
  const { device } = await withPasskey();
  const enters = async (counter: number): Promise<boolean> => {
    device.counter = counter;
    const browser = browserOf(service);
    await use(browser, device);
    return browser.cookies.has(SESSION);
  };
  expect([await enters(0), await enters(0), await enters(5), await enters(6)]).toEqual([true, true, true, true]);
  expect([await enters(6), await enters(5), await enters(0), await enters(7)]).toEqual([false, false, false, true]);
});

test("[AUTH-22] only the person who started it adds a passkey, with a valid answer", async () => {
  const { browser, device } = await withPasskey();
  const mallory = await signedIn(service, await service.join(owner.organizationId));
  const refusedTo = async (visitor: PlainBrowser, shown: Shown): Promise<void> => {
    expect([shown.status, shown.html.includes("My phone")]).toEqual([400, false]);
    expect((await visitor.get("/account")).html).toContain("You have none yet.");
  };
  for (const lie of [{ origin: "https://evil.example" }, { rpId: "evil.example" }, { flags: 1 }, { challenge: "x" }])
    await refusedTo(mallory, await add(mallory, new SoftAuthenticator(APP), lie));
  // The challenge of somebody else, with their cookie; and one that was for signing in.
  const asked = await optionsOf(browser, "/account/passkeys");
  mallory.cookies.set(FLOW, browser.cookies.get(FLOW) ?? "");
  const theirs = new SoftAuthenticator(APP).create(asked);
  await refusedTo(mallory, await mallory.post("/account/passkeys", { name: "x", credential: theirs }));
  const request = await optionsOf(mallory, "/sign-in/passkey");
  const forSignIn = new SoftAuthenticator(APP).create({ ...request, rp: { id: "troupe.test" } });
  await refusedTo(mallory, await mallory.post("/account/passkeys", { name: "x", credential: forSignIn }));
  await optionsOf(mallory, "/account/passkeys");
  expect((await mallory.post("/account/passkeys", { name: " ", credential: "x" })).html).toContain(
    "1 to 60 characters",
  );
  // The same device once more, and a session that has ended.
  expect((await add(browser, device)).html).toContain("already exists");
  await browser.submit(await browser.get("/account"), "/sign-out");
  expect((await browser.post("/account/passkeys", { name: "x", credential: theirs })).at).toBe("/sign-in");
});

test("[AUTH-22] the only way to sign in cannot be removed, and a removed member's passkey does not work", async () => {
  const { person, browser, device } = await withPasskey();
  await service.system.dispatch(
    { kind: "account", organizationId: person.userId, id: "account" },
    {
      kind: "link_identity",
      keepsOthers: false,
      issuer: "https://id.example",
      subject: "x",
    },
  );
  // Linking has ended what was there before; a passkey of now is beside it.
  const former = browserOf(service);
  await staysOut(await use(former, device), former);
  const second = new SoftAuthenticator(APP);
  await add(browser, second);
  await service.system.dispatch(
    { kind: "account", organizationId: person.userId, id: "account" },
    {
      kind: "unlink_identity",
      issuer: "https://id.example",
    },
  );
  const kept = await browser.confirm(await browser.get("/account"), "/account/passkeys/remove");
  expect([kept.status, kept.html.includes("your only way to sign in")]).toEqual([403, true]);
  expect((await use(browserOf(service), second)).at).toBe("/app");
  const { userId } = person;
  await service.system.dispatch(organizationRef(owner.organizationId), { kind: "remove_member", userId });
  const gone = browserOf(service);
  await staysOut(await use(gone, second), gone);
});

test("[AUTH-22] passkeys are offered at names over https and on this machine, by one script that the policy names", async () => {
  expect(partyAt("https://troupe.example:8443")).toEqual({
    id: "troupe.example",
    origin: "https://troupe.example:8443",
  });
  expect(partyAt("http://localhost:3000")).toEqual({ id: "localhost", origin: "http://localhost:3000" });
  for (const url of ["http://127.0.0.1:3000", "https://[::1]", "https://10.0.0.1", "http://troupe.example", ""])
    expect([url, partyAt(url)]).toEqual([url, null]);
  const { html, headers } = await browserOf(service).get("/sign-in");
  const [, script = ""] = /<script>([\s\S]*)<\/script>/.exec(html) ?? [];
  const hash = new Bun.CryptoHasher("sha256").update(script).digest("base64");
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toContain(`script-src 'sha256-${hash}'; connect-src 'self';`);
  const other = await browserOf(service).get("/set-password");
  expect(other.headers.get("content-security-policy")).not.toContain("script-src");
});
