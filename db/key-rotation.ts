/** The key of the service in the database: to which key it belongs, which replicas seal under which, and what is sealed. */
import { type Database, NO_ORGANIZATION, OverDatabase, type Sql } from "./client.ts";

export interface SealedTexts {
  readonly organizationId: string;
  readonly secrets: readonly { readonly name: string; readonly sealed: string }[];
  /** Signing secrets of webhooks. */
  readonly signing: readonly string[];
  /** Credentials of push notifications, by job. */
  readonly pushes: readonly { readonly jobId: string; readonly sealed: string }[];
  /** URLs of messengers. */
  readonly messengers: readonly string[];
  /** Tokens and clients of connections. */
  readonly connections: readonly { readonly id: string; readonly sealed: string }[];
}

/** A living replica, by its address. */
export interface OtherReplica {
  readonly id: string;
  readonly address: string;
}

export class PostgresKeyRotation extends OverDatabase {
  /** Living replicas that seal under a key with another check value. */
  sealingOtherwise(check: string): Promise<readonly OtherReplica[]> {
    return this.ask(
      (sql) => sql<OtherReplica[]>`
        select id, address from replica
        where not dead and lease_until > clock_timestamp() and key_check is distinct from ${check} order by address`,
    );
  }

  /** The sealed texts of the next organizations after this one, ordered by id; at most `limit` organizations. */
  async after(organizationId: string, limit: number): Promise<readonly SealedTexts[]> {
    const rows = await this.ask(
      (sql) => sql<SealedTexts[]>`
        with next as (
          select organization_id from (
            select organization_id from secret union select organization_id from webhook_destination
            union select organization_id from connection union select organization_id from reach) all_of
          where organization_id > ${organizationId} order by organization_id limit ${limit})
        select n.organization_id as "organizationId",
          coalesce((select json_agg(json_build_object('name', each ->> 'name', 'sealed', each ->> 'sealed'))
            from secret s, jsonb_array_elements(s.body -> 'secrets') each
            where s.organization_id = n.organization_id), '[]') as secrets,
          coalesce((select json_agg(each) from webhook_destination d, unnest(array[
              d.body -> 'secret' ->> 'sealed', d.body -> 'formerSecret' ->> 'sealed']) each
            where d.organization_id = n.organization_id and each is not null), '[]') as signing,
          coalesce((select json_agg(json_build_object('jobId', d.id, 'sealed', each ->> 'sealed'))
            from webhook_destination d, jsonb_array_elements(d.body -> 'pushes') each
            where d.organization_id = n.organization_id and each ->> 'sealed' is not null), '[]') as pushes,
          coalesce((select json_agg(each ->> 'sealedUrl') from reach r, jsonb_array_elements(r.body -> 'messengers') each
            where r.organization_id = n.organization_id and each ->> 'sealedUrl' is not null), '[]') as messengers,
          coalesce((select json_agg(json_build_object('id', c.id, 'sealed', each)) from connection c, unnest(array[
              c.body -> 'tokens' ->> 'sealed', c.body ->> 'sealedClient', c.body -> 'consent' ->> 'sealed']) each
            where c.organization_id = n.organization_id and each is not null), '[]') as connections
        from next n order by n.organization_id`,
    );
    return rows.map(({ secrets, signing, pushes, messengers, connections, ...rest }) => ({
      ...rest,
      connections: parsedColumn(connections),
      secrets: parsedColumn(secrets),
      signing: parsedColumn(signing),
      pushes: parsedColumn(pushes),
      messengers: parsedColumn(messengers),
    }));
  }

  /** Assigns the database to the key with this check value. */
  async belongsTo(check: string): Promise<void> {
    await this.ask((sql) => sql`update service_key set check_value = ${check} where id = 1`);
  }

  private ask<T>(question: (sql: Sql) => PromiseLike<T>): Promise<T> {
    return this.database.reading("own", NO_ORGANIZATION, ({ sql }) => question(sql));
  }
}

/** The pool returns JSON as text. */
const parsedColumn = <T>(value: T): T => (typeof value === "string" ? (JSON.parse(value) as T) : value);

/** The check value of the key to which the database belongs; a database without one is assigned to this key. */
export async function claimServiceKey({ read: sql }: Database, check: string): Promise<string> {
  await sql`insert into service_key (id, check_value) values (1, ${check}) on conflict (id) do nothing`;
  const [row] = await sql<[{ check: string }]>`select check_value as check from service_key where id = 1`;
  return row.check;
}
