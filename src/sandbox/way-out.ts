/**
 * Folders of sockets that lead out of a bubble. They are in the temporary folder, because socket paths must be short
 * and a data folder may be anywhere. Their names identify the owner, so the next process can remove leftovers of a
 * killed one.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

const SOCKET_HASH_DIGITS = 12;

/** `root` is a folder that only one process at a time uses; containers may share the temporary folder. */
const socketPrefix = (root: string): string => {
  const hash = new Bun.CryptoHasher("sha256").update(`${hostname()} ${root}`).digest("hex");
  return `troupe-way-out-${hash.slice(0, SOCKET_HASH_DIGITS)}-`;
};

/** Creates a folder; the caller removes it. */
export const makeWayOut = (root: string): Promise<string> => mkdtemp(join(tmpdir(), socketPrefix(root)));

/** Removes leftovers of a former process. */
export async function removeWaysOut(root: string): Promise<void> {
  const prefix = socketPrefix(root);
  const left = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  await Promise.all(left.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true })));
}
