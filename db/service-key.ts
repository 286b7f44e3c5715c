/** The key of the service to which a database belongs. */
import type { Database } from "./client.ts";

/** The check value of the key to which the database belongs; a database without one is assigned to this key. */
export async function claimServiceKey({ read: sql }: Database, check: string): Promise<string> {
  await sql`insert into service_key (id, check_value) values (1, ${check}) on conflict (id) do nothing`;
  const [row] = await sql<[{ check: string }]>`select check_value as check from service_key where id = 1`;
  return row.check;
}
