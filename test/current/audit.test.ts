/** The audit: who signed in, and who made, used or revoked what, from which address (AUTH-17). */
import { expect, test } from "bun:test";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import { until } from "../support/condition.ts";
import { answered, refused } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { sceneOfFile } from "../support/scene.ts";
import type { Caller } from "../support/service.ts";
import { browserOf, emailOf, signedIn } from "../support/signed-in.ts";

interface Entry {
  readonly action: string;
  readonly user_id: string | null;
  readonly token_id: string | null;
  readonly address: string | null;
  readonly subject_id: string | null;
  readonly detail: string | null;
}

/** What a second page of the audit waits for. */
let holdSecondPage: Promise<unknown> | null = null;
let isSecondAsked = false;

const { service, owner } = sceneOfFile({
  overrides: {
    services: ({ directory }) => ({
      directory: new Proxy(directory, {
        get(target, name: keyof Directory) {
          if (name !== "pageAudit") return target[name].bind(target);
          const paged: Directory["pageAudit"] = async (organizationId, filter, page) => {
            if (page.after !== null && holdSecondPage !== null) {
              isSecondAsked = true;
              await holdSecondPage;
            }
            return target.pageAudit(organizationId, filter, page);
          };
          return paged;
        },
      }),
    }),
  },
});

const audit = async (query = "", by: Caller = owner): Promise<readonly Entry[]> =>
  (await answered<{ audit_entries: Entry[] }>(service.call(by, "GET", `/api/audit${query}`))).audit_entries;

test("[AUTH-17] the audit records tokens that are created, used and revoked, with the person, the credential and the address", async () => {
  const made = await answered<{ id: string; token: string }>(
    service.call(owner, "POST", "/api/personal-access-tokens", { name: "Robot", scopes: ["agents:read"] }),
    201,
  );
  await service.call({ ...owner, token: made.token }, "GET", "/api/agents");
  const of = async (action: string) => (await audit(`?action=${action}`)).find((entry) => entry.subject_id === made.id);
  await until("the use is noted", async () => (await of("token.used")) !== undefined);
  await service.call(owner, "POST", `/api/personal-access-tokens/${made.id}/revoke`);
  const by = { user_id: owner.userId, token_id: owner.tokenId, address: "127.0.0.1", detail: "Robot" };
  expect(await of("token.created")).toMatchObject(by);
  expect(await of("token.revoked")).toMatchObject(by);
  expect(await of("token.used")).toMatchObject({ user_id: owner.userId, token_id: made.id, address: "127.0.0.1" });
});

test("[AUTH-17] the audit records sign-ins, refused sign-ins, new passwords and ended sessions", async () => {
  const person = await service.join(owner.organizationId);
  const browser = await signedIn(service, person);
  await browserOf(service).post("/sign-in", { email: await emailOf(service, person), password: "wrong wrong wrong" });
  await browser.submit(await browser.get("/account"), "/sign-out");
  await until("the refusal is noted", async () => (await audit("?action=session.refused")).length > 0);
  const own = (await audit(`?user_id=${person.userId}&limit=100`)).map(({ action }) => action);
  for (const action of ["password.set", "session.started", "session.ended"]) expect(own).toContain(action);
  expect((await audit("?action=session.refused"))[0]).toMatchObject({
    user_id: null,
    subject_id: person.userId,
    address: "127.0.0.1",
  });
});

test("[AUTH-17] only owners read the audit, page by page", async () => {
  const member = await service.join(owner.organizationId);
  await refused(service.call(member, "GET", "/api/audit"), 403, "owner_required");
  const scoped = await service.tokenFor(owner, { scopes: ["agents:read"] });
  await refused(service.call(scoped, "GET", "/api/audit"), 403, "insufficient_scope");
  const other = await service.found("Globex");
  expect((await audit("", other)).every((entry) => entry.subject_id !== owner.tokenId)).toBe(true);
  const first = await answered<{ audit_entries: Entry[]; next_cursor: string }>(
    service.call(owner, "GET", "/api/audit?limit=2"),
  );
  expect(first.audit_entries).toHaveLength(2);
  const second = await audit(`?limit=2&cursor=${first.next_cursor}`);
  expect(second).not.toContainEqual(first.audit_entries[0]!);
  await refused(service.call(owner, "GET", "/api/audit?action=nothing"), 400, "invalid_request");
});

test("[AUTH-17] a range of time that ends before it begins is refused, in the list and in the file", async () => {
  const range = "created_after=2026-02-02T00:00:00Z&created_before=2026-02-01T00:00:00Z";
  for (const path of ["/api/audit", "/api/audit/export"]) {
    const { errors } = await refused(service.call(owner, "GET", `${path}?${range}`), 400, "invalid_request");
    expect(errors).toEqual([{ path: "/created_before", message: "created_before must not be before created_after" }]);
  }
});

test("[AUTH-17] the audit can be exported as one file, filtered by time, action and person, and safe in a spreadsheet", async () => {
  const other = await service.found("Initech");
  const names = ['=HYPERLINK("https://evil.example")', "+1", "-1", "@x", 'plain, and "quoted"'];
  for (const name of names)
    await answered(service.call(other, "POST", "/api/personal-access-tokens", { name, scopes: ["agents:read"] }), 201);
  const file = (query: string): Promise<Response> => service.call(other, "GET", `/api/audit/export?${query}`);
  const csv = await file("action=token.created");
  expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
  expect(csv.headers.get("content-disposition")).toBe('attachment; filename="audit.csv"');
  const [head, ...rows] = (await csv.text()).trimEnd().split("\r\n");
  expect(head).toBe("id,created_at,action,user_id,token_id,address,subject_id,detail");
  // Two of them may be of the same millisecond, and then chance decides their order.
  const details = rows.slice(0, names.length).map((row) => row.replace(/^.*,"tok_[^"]*",/, ""));
  expect(details.toSorted()).toEqual(
    names.map((name) => `"${name.startsWith("plain") ? "" : "'"}${name.replaceAll('"', '""')}"`).toSorted(),
  );
  const ndjson = async (query = ""): Promise<Entry[]> =>
    (await (await file(`format=ndjson&${query}`)).text())
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Entry);
  const all = await ndjson();
  expect(all).toEqual([...(await audit("?limit=100", other))]);
  expect(await ndjson(`user_id=${other.userId}&action=token.created`)).toHaveLength(names.length);
  expect(await ndjson("created_before=2020-01-01")).toEqual([]);
  expect(await ndjson("created_after=2020-01-01")).toEqual(all);
  expect(await audit("?created_before=2020-01-01", other)).toEqual([]);
  await refused(file("format=xls"), 400, "invalid_request");
});

test("[AUTH-17] a long export is complete, and ends when its reader is removed", async () => {
  const other = await service.found("Hooli");
  const person = await service.join(other.organizationId, "owner");
  const entry = { action: "token.used", subjectId: null, detail: "a use" } as const;
  const origin = { userId: null, tokenId: null, address: null };
  const ref = organizationRef(other.organizationId);
  const note = { kind: "note", entry, origin } as const;
  // More than two pages.
  for (let i = 0; i < 210; i++) expect((await service.system.dispatch(ref, note)).ok).toBe(true);
  const path = "/api/audit/export?format=ndjson&action=token.used";
  const lines = async (by: Caller): Promise<number> =>
    ((await (await service.call(by, "GET", path)).text()).match(/"a use"/g) ?? []).length;
  expect(await lines(other)).toBe(210);
  const held = gate();
  holdSecondPage = held.hold;
  const headers = { authorization: `Bearer ${person.token}` };
  const cut = fetch(service.url + path, { headers }).then((answer) => answer.text());
  await until("the second page is asked for", () => isSecondAsked);
  await answered(service.call(other, "DELETE", `/api/members/${person.userId}`));
  held.open();
  await expect(cut).rejects.toThrow();
});
