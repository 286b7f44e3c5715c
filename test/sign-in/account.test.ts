/** The account of a person: sessions, tokens and the password (AUTH-13). */
import { expect, spyOn, test } from "bun:test";
import { organizationRef } from "../../actors/organization/schema.ts";
import { Accounts } from "../../src/sign-in/accounts.ts";
import { Passwords } from "../../src/sign-in/passwords.ts";
import { answered, refused } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";
import { startService } from "../support/service.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";
import { browserOf, emailOf, PASSWORD, passwordLink, signedIn } from "../support/signed-in.ts";

const { service, owner } = sceneOfFile();

const secretIn = (html: string): string => /<code class="secret">(pat_[\w-]+)<\/code>/.exec(html)?.[1] ?? "";

test("[AUTH-13] a person creates a token in a browser, uses it and revokes it", async () => {
  const person = await service.join(owner.organizationId);
  const browser = await signedIn(service, person);
  const fields = { name: 'The <b>"build"</b> server', scope: ["agents:read", "jobs:write"], days: "30" };
  const made = await browser.submit(await browser.get("/account"), "/account/tokens", fields);
  const token = secretIn(made.html);
  expect(made.html).toContain("The &lt;b&gt;&quot;build&quot;&lt;/b&gt; server");
  const caller = { ...person, token };
  expect((await service.call(caller, "GET", "/api/agents")).status).toBe(200);
  await refused(service.call(caller, "GET", "/api/tasks"), 403, "insufficient_scope");
  const account = await browser.get("/account");
  expect(account.html).not.toContain(token);
  const { personal_access_tokens: tokens } = await answered<{ personal_access_tokens: { id: string; name: string }[] }>(
    service.call(person, "GET", "/api/personal-access-tokens"),
  );
  const id = tokens.find(({ name }) => name === fields.name)?.id ?? "";
  expect((await browser.post("/account/tokens/revoke", { id })).at).toBe("/account?notice=token-revoked");
  await refused(service.call(caller, "GET", "/api/agents"), 401, "unauthenticated");
});

test("[AUTH-13] revoking a token asks for confirmation, without a script", async () => {
  const person = await service.join(owner.organizationId);
  const browser = await signedIn(service, person);
  const account = await browser.get("/account");
  const link = /href="(\/account\/tokens\/revoke\?id=[^"]+)"/.exec(account.html)?.[1] ?? "";
  const question = await browser.get(link);
  expect(question.html).toContain("Revoke the token “");
  // The question changes nothing, and is not asked of what is not there.
  expect((await service.call(person, "GET", "/api/agents")).status).toBe(200);
  expect((await browser.get("/account/tokens/revoke?id=tok_x")).at).toBe("/account");
  expect((await browser.confirm(account, "/account/tokens/revoke")).html).toContain("The token is revoked.");
  await refused(service.call(person, "GET", "/api/agents"), 401, "unauthenticated");
  expect((await browser.get(link)).at).toBe("/account");
});

test("[AUTH-13] a secret that is shown once has a copy button, and other pages have no script", async () => {
  const browser = await signedIn(service, owner);
  const account = await browser.get("/account");
  expect(account.html).not.toContain("data-copy");
  const made = await browser.submit(account, "/account/tokens", { name: "mine", scope: ["mcp"], days: "30" });
  const script = [...made.html.matchAll(/<script>([^]*?)<\/script>/g)].at(-1)?.[1] ?? "";
  expect([made.html.includes("<p hidden data-copy>"), script.includes("clipboard")]).toEqual([true, true]);
  const hash = new Bun.CryptoHasher("sha256").update(script).digest("base64");
  expect(made.headers.get("content-security-policy")).toMatch(
    new RegExp(`script-src [^;]*'sha256-${RegExp.escape(hash)}'`),
  );
});

test("[AUTH-13] an invalid form for a token is answered with its errors", async () => {
  const browser = await signedIn(service, owner);
  const send = async (fields: Record<string, string>) => browser.post("/account/tokens", fields);
  for (const fields of [
    { name: "", scope: "mcp", days: "30" },
    { name: "x".repeat(101), scope: "mcp", days: "30" },
    { name: "none", days: "30" },
    { name: "unknown", scope: "everything", days: "30" },
    { name: "short", scope: "mcp", days: "6" },
    { name: "long", scope: "mcp", days: "366" },
    { name: "odd", scope: "mcp", days: "7.5" },
  ]) {
    const answer = await send(fields);
    expect([fields.name, answer.status, secretIn(answer.html)]).toEqual([fields.name, 400, ""]);
    expect(answer.html).toContain('role="alert"');
  }
  // The form comes back as it was sent, and nothing of it is markup.
  const kept = (await browser.post("/account/tokens", { name: '"><b>', scope: "mcp", days: "6" })).html;
  expect(kept).toMatch(/name="name"[^>]*value="&quot;&gt;&lt;b&gt;"/);
  expect(kept).toMatch(/value="mcp"\s+checked/);
  expect(kept.match(/\schecked\b/g)).toHaveLength(1);
  expect(kept).toMatch(/name="days"[^>]*value="6"/);
});

test("[AUTH-13] the account describes in words what a token may do", async () => {
  const person = await service.join(owner.organizationId);
  const browser = await signedIn(service, person);
  const fields = { name: "mine", scope: ["agents:read", "*"], days: "30" };
  const made = await browser.submit(await browser.get("/account"), "/account/tokens", fields);
  expect(made.html).toContain("It may read agents, do everything that you may do. Expires");
});

test("[AUTH-13] a person sees their sessions and ends another one", async () => {
  const person = await service.join(owner.organizationId);
  const here = await signedIn(service, person);
  const there = browserOf(service);
  await there.post("/sign-in", { email: await emailOf(service, person), password: PASSWORD });
  const account = await here.get("/account");
  expect(account.html.match(/href="\/account\/sessions\/end\?/g)).toHaveLength(1);
  const ended = await here.confirm(account, "/account/sessions/end");
  expect(ended.html).toContain("The session has ended.");
  expect((await there.get("/account")).at).toStartWith("/sign-in");
  expect((await here.get("/account")).status).toBe(200);
});

test("[AUTH-13] nobody can end another person's session, or a token with that form", async () => {
  const person = await service.join(owner.organizationId);
  const browser = await signedIn(service, person);
  const others = await service.directory.listTokens(owner.organizationId);
  for (const token of others.filter(({ userId, kind }) => userId !== person.userId || kind !== "session"))
    expect((await browser.post("/account/sessions/end", { id: token.id })).status).toBe(404);
});

test("[AUTH-13] a new password needs the current one, and ends the other sessions", async () => {
  const person = await service.join(owner.organizationId);
  const email = await emailOf(service, person);
  const browser = await signedIn(service, person);
  const other = browserOf(service);
  await other.post("/sign-in", { email, password: PASSWORD });
  const next = "quite another few words";
  const change = (present: string, password: string, again = password) =>
    browser.post("/account/password", { present, password, again });
  expect((await change("wrong wrong wrong", next)).status).toBe(400);
  expect((await change(PASSWORD, next, `${next}.`)).status).toBe(400);
  expect((await change(PASSWORD, email)).status).toBe(400);
  expect((await change(PASSWORD, "aaaaaaaaaaaaaaa")).status).toBe(400);
  expect((await change(PASSWORD, next)).at).toBe("/account?notice=password-changed");
  expect((await other.get("/account")).at).toStartWith("/sign-in");
  expect((await browser.get("/account")).status).toBe(200);
  expect((await browserOf(service).post("/sign-in", { email, password: PASSWORD })).status).toBe(403);
  expect((await browserOf(service).post("/sign-in", { email, password: next })).at).toBe("/app");
});

test("[AUTH-13] a request that is not from a form of the page is refused", async () => {
  const browser = await signedIn(service, owner);
  const send = (type: string, body: string) =>
    browser.ask("/account/tokens", { method: "POST", headers: { ...browser.own(), "content-type": type }, body });
  expect((await send("application/json", "{}")).status).toBe(400);
  expect((await send("application/x-www-form-urlencoded", `name=${"x".repeat(40_000)}`)).status).toBe(400);
  expect((await send("application/x-www-form-urlencoded", "name=a%00b")).status).toBe(400);
});

test("[AUTH-13] a session ends after a week without a request, and 30 days after its sign-in", async () => {
  const clock = new ShiftedClock();
  const other = await startService({ clock });
  const person = await other.found();
  const DAY = 86_400_000;
  const enter = async () => {
    const browser = browserOf(other);
    const page = await browser.get(await passwordLink(other, person, clock.now()));
    await browser.submit(page, "/set-password", { password: PASSWORD, again: PASSWORD });
    return browser;
  };
  const idle = await enter();
  await clock.shift(7 * DAY - 60_000);
  expect((await idle.ask("/api/agents")).status).toBe(200);
  await clock.shift(7 * DAY + 60_000);
  await refused(idle.ask("/api/agents"), 401, "token_expired");
  const busy = await enter();
  // The new password has ended the idle session, too: a longer limit would not make it valid again.
  const [sessions] = await other.database.read<{ left: number }[]>`
    select count(*)::int as left from token where body ->> 'kind' = 'session' and body ->> 'revokedAt' is null`;
  expect(sessions?.left).toBe(1);
  for (let day = 0; day < 29; day += 5) {
    expect((await busy.ask("/api/agents")).status).toBe(200);
    await clock.shift(5 * DAY);
  }
  await refused(busy.ask("/api/agents"), 401, "token_expired");
  await other.stop();
});

test("[AUTH-13] a sign-in with the former password that ends after the change leaves no session", async () => {
  const person = await service.join(owner.organizationId);
  const here = await signedIn(service, person);
  const next = "four other unrelated words";
  const verify = spyOn(Passwords.prototype, "verify");
  verify.mockImplementation(async function (this: Passwords, ...given: Parameters<Passwords["verify"]>) {
    verify.mockRestore();
    const isGood = await this.verify(...given);
    await here.post("/account/password", { present: PASSWORD, password: next, again: next });
    return isGood;
  });
  const email = await emailOf(service, person);
  const late = await browserOf(service).post("/sign-in", { email, password: PASSWORD });
  expect(late.at).not.toBe("/app");
  const { sessions } = await answered<{ sessions: { status: string }[] }>(service.call(person, "GET", "/api/sessions"));
  expect(sessions.filter(({ status }) => status === "active")).toHaveLength(1);
  expect((await browserOf(service).post("/sign-in", { email, password: next })).at).toBe("/app");
});

/** A person with two organizations and two sessions, one of which changes the password while the other moves. */
async function twoSessions() {
  const person = await service.join(owner.organizationId);
  const { organizationId: elsewhere } = await service.found("Globex");
  const email = await emailOf(service, person);
  const member = { kind: "add_member", userId: person.userId, name: "Member", email, role: "member" } as const;
  await service.system.dispatch(organizationRef(elsewhere), member);
  const here = await signedIn(service, person);
  const stray = browserOf(service);
  await stray.post("/sign-in", { email, password: PASSWORD });
  const next = "four other unrelated words";
  return {
    changePassword: () => here.post("/account/password", { present: PASSWORD, password: next, again: next }),
    moveHere: () => here.post("/account/organization", { organization: elsewhere }),
    moveStray: () => stray.post("/account/organization", { organization: elsewhere }),
    /** How many sessions of the person are active, in both organizations. */
    active: async () => {
      const tokens = await Promise.all(
        [person.organizationId, elsewhere].map((id) => service.directory.listTokens(id)),
      );
      const own = tokens.flat().filter(({ userId, kind }) => userId === person.userId && kind === "session");
      return own.filter(({ revokedAt }) => revokedAt === null).length;
    },
  };
}

test("[AUTH-13] a session that a new password ended cannot move to another organization, and the kept one can", async () => {
  const { changePassword, moveHere, moveStray, active } = await twoSessions();
  const endAll = spyOn(Accounts.prototype, "endAll");
  endAll.mockImplementation(async function (this: Accounts, ...given: Parameters<Accounts["endAll"]>) {
    endAll.mockRestore();
    expect((await moveStray()).status).toBe(404);
    return this.endAll(...given);
  });
  expect((await changePassword()).at).toBe("/account?notice=password-changed");
  expect(await active()).toBe(1);
  expect((await moveHere()).html).toContain("a member of Globex");
  expect(await active()).toBe(1);
});

test("[AUTH-13] a change of organization that a new password overtakes is undone", async () => {
  const { changePassword, moveStray, active } = await twoSessions();
  const startIn = spyOn(Accounts.prototype, "startIn");
  startIn.mockImplementation(async function (this: Accounts, ...given: Parameters<Accounts["startIn"]>) {
    startIn.mockRestore();
    await changePassword();
    return this.startIn(...given);
  });
  expect((await moveStray()).status).toBe(404);
  expect(await active()).toBe(1);
});
