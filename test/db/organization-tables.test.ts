/** Every table is known to the erasure and the export of an organization. */
import { expect, test } from "bun:test";
import { ORGANIZATION_TABLES, PEOPLE_TABLES, SERVICE_TABLES, omitFields } from "../../db/organization-tables.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { withTables } from "../support/service-tables.ts";

test("[OPS-6] each table of the database belongs to organizations, to people, or to the service", async () => {
  const { url, drop } = await createTestDatabase();
  const tables = await withTables(url, async (sql) => {
    const rows = await sql<{ name: string; named: boolean }[]>`
      select c.relname as name, exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id') as named
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`;
    return rows;
  });
  await drop();
  const known = [...Object.keys(ORGANIZATION_TABLES), ...PEOPLE_TABLES, ...SERVICE_TABLES];
  // A new table goes into `db/organization-tables.ts`: what is erased with an organization, and what is exported?
  expect(known.toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
  const named = new Set(tables.filter((table) => table.named).map(({ name }) => name));
  expect(Object.keys(ORGANIZATION_TABLES).filter((name) => !named.has(name))).toEqual([]);
});

test("[OPS-6] fields are left out of objects, and of the objects of lists", () => {
  const record = { id: "1", hash: "x", secrets: [{ name: "A", sealed: "x" }], link: { hash: "kept" } };
  expect(omitFields(record, ["hash", "secrets.sealed"])).toEqual({
    id: "1",
    secrets: [{ name: "A" }],
    link: { hash: "kept" },
  });
});
