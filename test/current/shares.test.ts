/** Shares over HTTP: who gets a file by its address, how often, and that nothing of it runs. */
import { beforeAll, expect, spyOn, test } from "bun:test";
import { refuse } from "../../actors/fault.ts";
import { PASSWORD_ATTEMPTS } from "../../actors/workspace/limits.ts";
import { RATE_HEADERS } from "../../src/http/answer/rate-headers.ts";
import { Passwords } from "../../src/sign-in/passwords.ts";
import { CHROMIUM, watchedBrowser } from "../support/browser.ts";
import { answered, type Json, refused } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";

let workspace: string;

const { service, owner, client } = sceneOfFile();
beforeAll(async () => {
  workspace = `/api/workspaces/${owner.workspaceId}`;
  await upload("page.html", "<script>alert(1)</script>");
});

const upload = (path: string, body: string) => client.putFile(owner.workspaceId, path, body);
interface NewShare extends Json {
  readonly id: string;
  readonly url: string;
  readonly token: string;
}
const share = (body: Json): Promise<NewShare> =>
  answered<NewShare>(client.call("POST", `${workspace}/files/share`, { path: "page.html", ...body }), 201);
const open = ({ token }: NewShare, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${service.url}/share/${token}`, { headers });
const withPassword = (password: string) => ({ authorization: `Basic ${btoa(`anyone:${password}`)}` });

test("[WSP-2] anybody with the address gets the file, and none of it is executed", async () => {
  const made = await share({});
  expect(made).toMatchObject({ path: "page.html", expires_at: null, downloads: 0, has_password: false });
  expect(made.url).toBe(`https://troupe.test/share/${made.token}`);
  const answer = await open(made);
  expect(await answer.text()).toBe("<script>alert(1)</script>");
  expect(answer.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'; frame-ancestors 'none'");
  expect(answer.headers.get("content-disposition")).toStartWith("attachment");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  await upload("page.html", "new");
  expect(await (await open(made)).text()).toBe("new");
});

test("[WSP-2] the address is shown once: not in the list, and not in the event", async () => {
  const made = await share({});
  const { shares } = await client.get<{ shares: Json[] }>(`${workspace}/shares`);
  const listed = shares.find(({ id }) => id === made.id);
  expect(listed).toBeDefined();
  const { events } = await client.get<{ events: Json[] }>("/api/events?limit=100");
  expect(events.some(({ type }) => type === "resource.created")).toBe(true);
  expect(JSON.stringify([shares, events])).not.toContain(made.token);
});

test("[WSP-2] of many concurrent downloads, exactly as many are served as were allowed; then it is 410", async () => {
  const made = await share({ max_downloads: 3 });
  const answers = await Promise.all(Array.from({ length: 12 }, () => open(made)));
  expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(3);
  await refused(open(made), 410, "share_expired");
  const { shares } = await client.get<{ shares: Json[] }>(`${workspace}/shares`);
  expect(shares.find(({ id }) => id === made.id)?.["downloads"]).toBe(3);
});

test("[WSP-2] requests without content are not downloads: HEAD, an unchanged file, a range past the end", async () => {
  const made = await share({ max_downloads: 1, password: "correct horse" });
  const look = (method: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${service.url}/share/${made.token}`, { method, headers: { ...withPassword("correct horse"), ...headers } });
  // More than there are attempts at a password: who knows it is not throttled.
  for (let i = 0; i <= PASSWORD_ATTEMPTS; i++) {
    const head = await look("HEAD");
    expect([head.status, await head.text()]).toEqual([200, ""]);
  }
  const etag = (await look("HEAD")).headers.get("etag") ?? "";
  expect((await look("GET", { "if-none-match": etag })).status).toBe(304);
  expect((await look("GET", { range: "bytes=1000-" })).status).toBe(416);
  expect((await look("GET", { range: "bytes=0-0" })).status).toBe(206);
  for (const method of ["HEAD", "GET"]) expect((await look(method)).status).toBe(410);
  const { shares } = await client.get<{ shares: Json[] }>(`${workspace}/shares`);
  expect(shares.find(({ id }) => id === made.id)?.["downloads"]).toBe(1);
});

test("[WSP-2] a password is requested and checked, with a limited number of attempts", async () => {
  const made = await share({ password: "correct horse" });
  const asked = await open(made);
  expect([asked.status, asked.headers.get("www-authenticate")]).toEqual([401, 'Basic realm="share", charset="UTF-8"']);
  const wrong = await open(made, withPassword("wrong"));
  expect([wrong.status, (await wrong.json()) as Json]).toMatchObject([
    401,
    { message: "The password of this share is missing or wrong" },
  ]);
  expect((await open(made, withPassword("correct horse"))).status).toBe(200);
  for (let i = 0; i < PASSWORD_ATTEMPTS; i++) expect((await open(made, withPassword("wrong"))).status).toBe(401);
  const refusedNow = await open(made, withPassword("correct horse"));
  expect([refusedNow.status, refusedNow.headers.has("retry-after")]).toEqual([429, true]);
});

test("[WSP-2] while too many passwords are being checked, another one is 503 with Retry-After", async () => {
  const made = await share({ password: "correct horse" });
  const busy = refuse({ kind: "overloaded", retryAfterMs: 5_000 });
  using hash = spyOn(Passwords.prototype, "hash").mockResolvedValueOnce(busy);
  using verify = spyOn(Passwords.prototype, "verify").mockResolvedValueOnce(busy);
  await refused(
    client.call("POST", `${workspace}/files/share`, { path: "page.html", password: "another horse" }),
    503,
    "overloaded",
  );
  const late = await open(made, withPassword("correct horse"));
  expect([late.status, late.headers.get("retry-after")]).toEqual([503, "5"]);
  expect((await open(made, withPassword("correct horse"))).status).toBe(200);
  expect([hash, verify].map(({ mock }) => mock.calls.length)).toEqual([1, 2]);
});

test("[WSP-2] a revoked share is 410, an unknown one is 404", async () => {
  const made = await share({});
  await answered(client.call("DELETE", `${workspace}/shares/${made.id}`));
  await refused(open(made), 410, "share_expired");
  await refused(fetch(`${service.url}/share/${"a".repeat(43)}`), 404, "not_found");
  await refused(fetch(`${service.url}/share/x`), 404, "not_found");
});

test("[WSP-2] a share of a file that was deleted finds no file", async () => {
  await upload("gone.txt", "x");
  const made = await share({ path: "gone.txt" });
  await client.call("DELETE", `${workspace}/files/content?path=gone.txt`);
  await refused(open(made), 404, "not_found");
  await refused(client.call("POST", `${workspace}/files/share`, { path: "gone.txt" }), 404, "not_found");
});

test("[WSP-2] a browser that gets no file gets a page in plain words, with the status and headers of the refusal", async () => {
  const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const locked = await share({ password: "correct horse" });
  const revoked = await share({});
  await answered(client.call("DELETE", `${workspace}/shares/${revoked.id}`));
  const tried = await share({ password: "correct horse" });
  for (let i = 0; i < PASSWORD_ATTEMPTS; i++) await open(tried, withPassword("wrong"));
  const unknown = { ...revoked, token: "a".repeat(43) };
  const tooLong = { ...revoked, token: "a".repeat(100) };
  const rows: readonly (readonly [NewShare, Readonly<Record<string, string>>, string])[] = [
    [locked, {}, "This file needs a password"],
    [locked, withPassword("wrong"), "This file needs a password"],
    [revoked, {}, "This link no longer works"],
    [tried, withPassword("correct horse"), "Too many attempts"],
    [unknown, {}, "Nothing is shared here"],
    [tooLong, {}, "Nothing is shared here"],
  ];
  for (const [made, headers, words] of rows) {
    const json = await open(made, headers);
    const page = await open(made, { ...headers, accept: BROWSER });
    const text = await page.text();
    expect([words, text.includes(words), text.startsWith("<!doctype html>")]).toEqual([words, true, true]);
    expect(page.status).toBe(json.status);
    for (const name of ["www-authenticate", "x-request-id"])
      expect([name, page.headers.has(name)]).toEqual([name, json.headers.has(name)]);
    expect(page.headers.has("retry-after")).toBe(json.headers.has("retry-after"));
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("content-security-policy")).toStartWith("default-src 'none';");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    for (const answer of [json, page]) expect(answer.headers.get("vary")).toContain("accept");
    expect(json.headers.get("content-type")).toStartWith("application/json");
  }
  for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.5"])
    await refused(open(unknown, { accept }), 404, "not_found");
  // The file itself is what it was.
  const file = await open(locked, withPassword("correct horse"));
  expect([file.status, file.headers.get("content-disposition")?.startsWith("attachment")]).toEqual([200, true]);
});

test("[RATE-2] every answer at a share's address has the headers of the rate limits", async () => {
  const made = await share({ max_downloads: 1 });
  const at = `${service.url}/share/${made.token}`;
  for (const [method, path, status] of [
    ["GET", at, 200],
    ["GET", at, 410],
    ["HEAD", at, 410],
    ["POST", at, 405],
    ["DELETE", at, 405],
    ["OPTIONS", at, 204],
    ["GET", `${service.url}/share/nothing`, 404],
    ["GET", `${at}/below`, 404],
    ["GET", `${service.url}/share`, 404],
  ] as const) {
    const answer = await fetch(path, { method });
    expect([method, answer.status]).toEqual([method, status]);
    for (const name of Object.keys(RATE_HEADERS))
      expect([method, name, answer.headers.has(name)]).toEqual([method, name, true]);
  }
});

test("[WSP-2] a browser gets a page that shows the file and links to its download; viewing it is not a download", async () => {
  const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  await upload("table.csv", "name,size\n<b>one</b>,1\n");
  await upload("notes.md", "# Notes\n\n<script>alert(1)</script>\n\n[a](javascript:alert(1))\n");
  const shown = async (path: string, more: Json = {}) => {
    const made = await share({ path, ...more });
    const answer = await open(made, BROWSER);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(answer.headers.get("content-disposition")).toBeNull();
    expect(answer.headers.get("content-security-policy")).toStartWith("default-src 'none'; img-src data:;");
    expect(answer.headers.get("vary")).toContain("accept");
    const { shares } = await client.get<{ shares: Json[] }>(`${workspace}/shares`);
    expect(shares.find(({ id }) => id === made.id)).toMatchObject({ downloads: 0 });
    return { made, text: await answer.text() };
  };
  const table = await shown("table.csv");
  expect(table.text).toContain("<td>&lt;b&gt;one&lt;/b&gt;</td>");
  const notes = await shown("notes.md");
  expect(notes.text).toContain("<iframe sandbox title=");
  expect(notes.text).not.toMatch(/<script|javascript:/);
  const counted = await shown("table.csv", { max_downloads: 1 });
  expect(counted.text).not.toContain("&lt;b&gt;");
  const file = await fetch(`${service.url}/share/${counted.made.token}?download=1`, { headers: BROWSER });
  expect([file.status, await file.text()]).toEqual([200, "name,size\n<b>one</b>,1\n"]);
  expect(file.headers.get("content-disposition")).toStartWith("attachment");
  await refused(open(counted.made), 410, "share_expired");
});

test.skipIf(CHROMIUM === null)(
  "[WSP-2] a browser shows the preview of a share, which runs nothing and loads nothing",
  async () => {
    await upload("report.md", "# Report\n\n<img src=https://elsewhere.test/a.png onerror=alert(1)>\n\nAll is well.\n");
    const made = await share({ path: "report.md" });
    const browser = await watchedBrowser();
    try {
      const { page, complaints } = await browser.open();
      await page.goto(`${service.url}/share/${made.token}`);
      const frame = page.frameLocator("iframe");
      await frame.getByRole("heading", { name: "Report" }).waitFor();
      await frame.getByText("All is well.").waitFor();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download" }).click(),
      ]);
      expect(download.suggestedFilename()).toBe("report.md");
      expect([browser.left, complaints]).toEqual([[], []]);
    } finally {
      await browser.close();
    }
  },
);
