/** The address of a data folder's embedded database while it runs, for readers beside its service. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DATABASE_NOTE } from "./data-folder.ts";
import { placeCluster, SUPERUSER, SYSTEM_FOLDER } from "./postgres-cluster.ts";
import { isPostmasterOf, readPidFile } from "./postmaster.ts";

/** Its url; null if it is not running or not ready. `folder` is absolute. */
export function runningUrl(folder: string): string | null {
  if (!existsSync(join(folder, DATABASE_NOTE))) return null;
  const { path, password } = placeCluster(folder, SYSTEM_FOLDER);
  const file = readPidFile(path);
  if (file === null || file.status !== "ready" || !isPostmasterOf(file.pid, path)) return null;
  return embeddedUrl(password, file.port);
}

/** The url of the embedded database. */
export const embeddedUrl = (password: string, port: number): string =>
  `postgres://${SUPERUSER}:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
