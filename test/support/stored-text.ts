/** All that a database holds, as text, to look for what must not be in it. */
import type { Database } from "../../db/client.ts";

export async function storedText({ read: sql }: Database): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await sql<{ row: string }[]>`select row_to_json(t)::text as row from ${sql(name)} t`;
      return rows.map(({ row }) => `${name} ${row}`).join("\n");
    }),
  );
  return texts.join("\n");
}
