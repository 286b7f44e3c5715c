/** Searches for due attempts of webhooks, on PostgreSQL. */
import { expect, test } from "bun:test";
import { openDatabase } from "../../db/client.ts";
import { PostgresWebhookDirectory } from "../../db/stores/webhook-directory.ts";
import { webhookAttempt } from "../../db/tables/records.ts";
import { createTestDatabase } from "../support/postgres.ts";

const ORG = "org_a";
const attemptAt = (sequence: number, dueAt: string, destinationHost: string, isPush: boolean) => {
  const body = { status: "pending", dueAt, sequence, destinationHost, ...(isPush ? { push: { jobId: "j" } } : {}) };
  return { organizationId: ORG, id: `att_${sequence}`, version: 1, body };
};

test("[DIA-18] [HOOK-6] a search finds due attempts of its lane, those of the named hosts left out", async () => {
  const { url, drop } = await createTestDatabase();
  await using after = new AsyncDisposableStack();
  after.defer(drop);
  const database = openDatabase(url);
  after.defer(() => database.close());
  const rows = [
    attemptAt(1, "2026-01-01T00:00:01.000Z", "h***a.test", true),
    attemptAt(2, "2026-01-01T00:00:01.000Z", "h***b.test", true),
    attemptAt(3, "2026-01-01T00:00:00.000Z", "h***c.test", true),
    attemptAt(4, "2026-01-01T00:00:09.000Z", "h***a.test", true),
    attemptAt(5, "2026-01-01T00:00:00.000Z", "h***a.test", false),
  ];
  await database.reading("load", ORG, ({ query }) => query.insert(webhookAttempt).values(rows));
  const directory = new PostgresWebhookDirectory(database);
  const search = { lane: "pushes", until: "2026-01-01T00:00:01.000Z", limit: 9 } as const;
  const nextDueAt = "2026-01-01T00:00:09.000Z";
  expect(await directory.waiting(ORG, search)).toEqual({ attemptIds: ["att_3", "att_1", "att_2"], nextDueAt });
  const others = await directory.waiting(ORG, { ...search, without: ["h***a.test", "h***c.test"] });
  expect(others).toEqual({ attemptIds: ["att_2"], nextDueAt });
  const webhooks = await directory.waiting(ORG, { ...search, lane: "webhooks" });
  expect(webhooks).toEqual({ attemptIds: ["att_5"], nextDueAt: null });
});
