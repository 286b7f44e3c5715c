/** pgbouncer before a PostgreSQL of a test. */
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accountForRoot, isRoot } from "../../db/postgres-account.ts";
import { until } from "./condition.ts";
import { freePort } from "./free-port.ts";
import type { GuardedFolder } from "./guarded-folder.ts";

/** The program; null where there is none, and its tests skip. */
export const PGBOUNCER = Bun.which("pgbouncer") ?? Bun.which("pgbouncer", { PATH: "/usr/sbin:/usr/local/sbin" });

export interface PgbouncerSettings {
  readonly pool_mode: "session" | "transaction" | "statement";
  /** Parameters of connections that it takes and lets fall; others it refuses. */
  readonly ignore_startup_parameters?: string;
}

/** Starts it; answers the address of the database through it. */
export async function startPgbouncer(
  folder: GuardedFolder,
  databaseUrl: string,
  settings: PgbouncerSettings,
): Promise<string> {
  if (PGBOUNCER === null) throw new Error("there is no pgbouncer here");
  const url = new URL(databaseUrl);
  const port = freePort();
  const path = join(folder.path, `pgbouncer-${port}`);
  chmodSync(folder.path, 0o755);
  mkdirSync(path, { mode: 0o700 });
  const account = isRoot() ? accountForRoot() : null;
  const lines = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "plain",
    auth_file: join(path, "users"),
    ...settings,
  };
  const target = `* = host=127.0.0.1 port=${url.port}`;
  const own = Object.entries(lines).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(join(path, "pgbouncer.ini"), ["[databases]", target, "[pgbouncer]", ...own, ""].join("\n"));
  writeFileSync(join(path, "users"), `"${url.username}" "${url.password}"\n`);
  if (account !== null)
    for (const name of [".", "pgbouncer.ini", "users"]) chownSync(join(path, name), account.uid, account.gid);
  const child = Bun.spawn({
    cmd: [PGBOUNCER, join(path, "pgbouncer.ini")],
    cwd: path,
    stdio: ["ignore", "ignore", "ignore"],
    ...(account === null ? {} : { uid: account.uid, gid: account.gid }),
  });
  folder.guard(child);
  await until("pgbouncer listens", () =>
    Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
      (socket) => {
        socket.end();
        return true;
      },
      () => false,
    ),
  );
  url.port = String(port);
  return url.href;
}
