/** The same change over the API, on a page and by an administration command: the same event, and the same audit. */
import { beforeAll, describe, expect, test } from "bun:test";
import { COMMAND_NAMES } from "../../src/admin/command-table.ts";
import { runCommand } from "../support/admin.ts";
import { answered, type Json } from "../support/current.ts";
import { grantOf, sessionOf } from "../support/credentials.ts";
import { eventsAfter, type FedEvent, feedHead } from "../support/event-feed.ts";
import type { PlainBrowser } from "../support/plain-browser.ts";
import { sceneOfFile } from "../support/scene.ts";
import { emailOf, signedIn } from "../support/signed-in.ts";

let browser: PlainBrowser;

const { service, owner, client } = sceneOfFile();
beforeAll(async () => void (browser = await signedIn(service, owner)));

/** Makes the change to what `make` has made; answers nothing that is compared. */
type Way = (id: string) => Promise<unknown>;

interface Change {
  readonly make: () => Promise<string>;
  readonly api: Way;
  readonly page?: Way;
  /** Its command line, without the organization. */
  readonly command?: (id: string) => Promise<readonly [command: string, options: Record<string, string>, ...string[]]>;
}

const member = async (): Promise<string> => (await service.join(owner.organizationId)).userId;
const emailOfMember = (userId: string): Promise<string> => emailOf(service, { ...owner, userId });
const nothing = (): Promise<string> => Promise.resolve("");
const post = (path: string, body?: Json): Promise<unknown> =>
  answered(client.call("POST", path, body), body === undefined ? 200 : 201);
const personalToken = async (): Promise<string> => (await service.tokenFor(owner, {})).tokenId;
const serviceToken = async (): Promise<string> => (await service.tokenFor(owner, { kind: "service" })).tokenId;
const NEW_TOKEN = { name: "CI", scopes: ["agents:read"], expires_in_days: 30 };
const newToken = async (...flags: string[]) =>
  [
    "token create",
    { email: await emailOfMember(owner.userId), name: "CI", scopes: "agents:read", days: "30" },
    ...flags,
  ] as const;

const CHANGES: Readonly<Record<string, Change>> = {
  "a member becomes an owner": {
    make: member,
    api: (id) => answered(client.call("PATCH", `/api/members/${id}`, { role: "owner" })),
    command: async (id) => ["user add", { email: await emailOfMember(id) }, "owner"],
  },
  "a member is removed": {
    make: member,
    api: (id) => answered(client.call("DELETE", `/api/members/${id}`)),
    command: async (id) => ["user remove", { email: await emailOfMember(id) }],
  },
  "a personal token is made": {
    make: nothing,
    api: () => post("/api/personal-access-tokens", NEW_TOKEN),
    page: () => browser.post("/account/tokens", { name: "CI", scope: "agents:read", days: "30" }),
    command: () => newToken(),
  },
  "a personal token is revoked": {
    make: personalToken,
    api: (id) => post(`/api/personal-access-tokens/${id}/revoke`),
    page: (id) => browser.post("/account/tokens/revoke", { id }),
    command: (id) => Promise.resolve(["token revoke", { id }]),
  },
  "a service token is made": {
    make: nothing,
    api: () => post("/api/service-tokens", NEW_TOKEN),
    command: () => newToken("service"),
  },
  "a service token is revoked": {
    make: serviceToken,
    api: (id) => post(`/api/service-tokens/${id}/revoke`),
    command: (id) => Promise.resolve(["token revoke", { id }]),
  },
  "a session ends": {
    make: () => sessionOf(service, owner),
    api: (id) => post(`/api/sessions/${id}/revoke`),
    page: (id) => browser.post("/account/sessions/end", { id }),
    command: (id) => Promise.resolve(["token revoke", { id }]),
  },
  "a grant ends": {
    make: () => grantOf(service, owner),
    api: (id) => post(`/api/oauth-grants/${id}/revoke`),
    page: (id) => browser.post("/account/programs/end", { id }),
  },
};

interface AuditEntry {
  readonly id: string;
  readonly action: string;
  readonly subject_id: string | null;
  readonly user_id: string | null;
  readonly detail: string | null;
}
const audit = async (): Promise<readonly AuditEntry[]> =>
  (await client.get<{ audit_entries: AuditEntry[] }>("/api/audit?limit=100")).audit_entries;

/** What one way leaves behind, without ids, times, and who it was. */
async function tracesOf(id: string, way: Way) {
  const [head, before] = [await feedHead(client), (await audit()).length];
  await way(id);
  const events = await eventsAfter(client, head);
  const entries = (await audit())
    .slice(0, (await audit()).length - before)
    .filter(({ action }) => action !== "token.used");
  const named = (found: string | null): string | null =>
    found === null || found === id ? found && "the record" : "new";
  const eventOf = ({ type, source, resource, data, ...more }: FedEvent) => ({
    type,
    source,
    resource: [resource.type, named(resource.id), resource.version],
    data: Object.keys(data).sort(),
    changes: (more as { readonly changes?: unknown }).changes,
  });
  const detailOf = (detail: string | null) => detail?.replaceAll(/[\w-]+@/g, "somebody@");
  return {
    actors: [events.map(({ actor }) => actor), entries.map(({ user_id: userId }) => userId)],
    traces: {
      events: events.map(eventOf),
      audit: entries
        .map(({ action, subject_id: subject, detail }) => [action, named(subject), detailOf(detail)].join(" "))
        .sort(),
    },
  };
}

describe("the same change, however it comes", () => {
  for (const [name, change] of Object.entries(CHANGES)) {
    test(`[HOOK-15] [AUTH-17] ${name}: the same event and audit by each way`, async () => {
      const { traces } = await tracesOf(await change.make(), change.api);
      expect([traces.events.length, traces.audit.length > 0]).toEqual([1, true]);
      const { page, command } = change;
      if (page !== undefined) expect((await tracesOf(await change.make(), page)).traces).toEqual(traces);
      if (command === undefined) return;
      const run: Way = async (id) => {
        const [line, options, ...flags] = await command(id);
        return runCommand(service, line, { org: owner.organizationId, ...options }, flags);
      };
      const byCommand = await tracesOf(await change.make(), run);
      expect(byCommand.traces).toEqual(traces);
      expect(byCommand.actors).toEqual([[{ type: "system", id: "operator" }], traces.audit.map(() => null)]);
    });
  }

  test("[HOOK-15] this test covers every command for changes that people can also make", () => {
    const compared = ["user add", "user remove", "token create", "token revoke"];
    // No operation does what these do, or they change nothing.
    const own =
      /^(?:org |user (?:list|link)$|token list$|agent |jobs|secrets |invariants|load|backup|restore|doctor|models try|usage|logs)/;
    expect(COMMAND_NAMES.filter((command) => !own.test(command))).toEqual(compared as never);
  });
});
