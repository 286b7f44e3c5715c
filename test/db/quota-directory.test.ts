/** What is counted of an organization: whatever it can make without end. */
import { expect, test } from "bun:test";
import { openDatabase } from "../../db/client.ts";
import { ORGANIZATION_TABLES } from "../../db/organization-tables.ts";
import { PostgresQuotaDirectory, UNCOUNTED } from "../../db/stores/quota-directory.ts";
import { createTestDatabase } from "../support/postgres.ts";

const ORGANIZATION = "org_counted";

test("[QUOTA-1] rows of every table count, except of small ones", async () => {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url);
  const directory = new PostgresQuotaDirectory(database);
  const measured = (quota: "stored_rows" | "stored_bytes"): Promise<number> =>
    directory.measure(ORGANIZATION, quota, Date.now());
  const counted = Object.keys(ORGANIZATION_TABLES).filter((table) => !UNCOUNTED.includes(table));
  for (const table of counted) {
    const [rows, bytes] = [await measured("stored_rows"), await measured("stored_bytes")];
    const row =
      table === "event"
        ? { organization_id: ORGANIZATION, stream: "s", seq: 1, type: "x", at: "", data: {} }
        : { organization_id: ORGANIZATION, id: "one", version: 1, body: { id: "one", organizationId: ORGANIZATION } };
    await database.flush`insert into ${database.flush(table)} ${database.flush(row)}`;
    expect({ table, rows: await measured("stored_rows") }).toEqual({ table, rows: rows + 1 });
    expect(await measured("stored_bytes")).toBeGreaterThan(bytes);
  }
  for (const table of ["workspace_share", "token", "audit_entry", "invitation", "workspace"])
    expect(counted).toContain(table);
  // One that has gone from the database is named no longer.
  for (const table of UNCOUNTED) expect(Object.keys(ORGANIZATION_TABLES)).toContain(table);
  await database.close();
  await drop();
});
