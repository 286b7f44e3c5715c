/** An address of several hosts: the driver finds the one that takes writes, and gives up in time where there is none. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import postgres from "postgres";
import { poolOf } from "../../db/client.ts";
import { holdLifeLock, lockName } from "../../db/life-lock.ts";
import { migrate } from "../../db/migrate.ts";
import { until } from "../support/condition.ts";
import { freePort } from "../support/free-port.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

let database: TestDatabase;
let real: URL;

beforeAll(async () => {
  database = await createTestDatabase();
  real = new URL(database.url);
});
afterAll(() => database.drop());

/** The address of the database with these ports before its own. */
const urlOf = (ports: readonly number[], { isAlone = false, more = "" } = {}): string => {
  const hosts = [...ports, ...(isAlone ? [] : [Number(real.port)])].map((port) => `127.0.0.1:${port}`).join(",");
  const { username, password, pathname } = real;
  return `postgres://${username}:${password}@${hosts}${pathname}?target_session_attrs=read-write${more}`;
};

interface Host {
  readonly port: number;
  connections: number;
  stop(): void;
}

const message = (type: string, body: string | Uint8Array): Buffer => {
  const bytes = Buffer.from(body as string);
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length + 4);
  return Buffer.concat([Buffer.from(type), length, bytes]);
};

/** What a hot standby says when somebody connects; it takes no writes, although nothing is read-only by its settings. */
const STANDBY = Buffer.concat([
  message("R", new Uint8Array(4)),
  message("S", "in_hot_standby\0on\0"),
  message("S", "default_transaction_read_only\0off\0"),
  message("Z", "I"),
]);
const STARTING = message("E", "SFATAL\0C57P03\0Mthe database system is starting up\0\0");

/** A host that answers everybody so, or nothing; `ends` closes the connection after it. */
function hostThat(answer: Uint8Array | null, ends = false): Host {
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: () => void host.connections++,
      data(socket, data) {
        // A goodbye.
        if (data[0] === 0x58) return void socket.end();
        if (answer !== null) socket.write(answer);
        if (ends) socket.end();
      },
    },
  });
  const host: Host = { port: listener.port, connections: 0, stop: () => listener.stop(true) };
  return host;
}

async function asked(url: string): Promise<number> {
  const sql = poolOf(url, "test", 1);
  try {
    const [row] = await sql<{ one: number }[]>`select 1 as one`;
    return row!.one;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const HOSTS: readonly (readonly [name: string, make: () => Host, more?: string])[] = [
  ["is a hot standby", () => hostThat(STANDBY)],
  ["is starting", () => hostThat(STARTING, true)],
  ["is silent", () => hostThat(null), "&connect_timeout=2"],
  ["closes the connection", () => hostThat(new Uint8Array(), true)],
];

for (const [name, make, more = ""] of HOSTS) {
  test(`[PG-1] the next host is used when the first one ${name}`, async () => {
    const host = make();
    // The service's own pools wait for longer.
    const sql = postgres(urlOf([host.port], { more }), { max: 1, onnotice: () => {} });
    expect(await sql`select 1 as one`).toMatchObject([{ one: 1 }]);
    await sql.end({ timeout: 1 });
    expect(host.connections).toBe(1);
    host.stop();
  });
}

test("[PG-1] pools, the migration and the lock of a replica use the host that accepts writes", async () => {
  const standby = hostThat(STANDBY);
  const url = urlOf([freePort(), standby.port]);
  expect(await asked(url)).toBe(1);
  expect((await migrate(url)).applied).toBe(0);
  const lock = await holdLifeLock(url, "rpl_hosts");
  const sql = postgres(database.url, { max: 1 });
  const [row] = await sql`select pg_try_advisory_lock(hashtextextended(${lockName("rpl_hosts")}, 0)) as free`;
  expect(row).toEqual({ free: false });
  await Promise.all([sql.end(), lock.release()]);
  standby.stop();
});

test("[PG-1] if no host accepts writes, each is tried once and the query is rejected", async () => {
  const hosts = [hostThat(STANDBY), hostThat(STANDBY)];
  const url = urlOf(
    hosts.map(({ port }) => port),
    { isAlone: true },
  );
  await expect(asked(url)).rejects.toThrow("No host is read-write");
  expect(hosts.map(({ connections }) => connections)).toEqual([1, 1]);
  await expect(asked(urlOf([freePort(), freePort()], { isAlone: true }))).rejects.toThrow("ECONNREFUSED");
  for (const host of hosts) host.stop();
});

test("[PG-1] a pool that is ended during the search for a host rejects waiting queries, and stops searching", async () => {
  const silent = hostThat(null);
  const sql = poolOf(urlOf([silent.port]), "test", 1);
  const asking = sql`select 1`.then(
    () => "answered",
    (cause: { code: string }) => cause.code,
  );
  await until("the driver has come", () => silent.connections === 1);
  await sql.end({ timeout: 0 });
  expect(await asking).toBe("CONNECTION_DESTROYED");
  silent.stop();
});
