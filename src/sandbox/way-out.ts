/**
 * Folders of sockets that lead out of a bubble. They are in the folder for temporary files, because the path of a
 * socket is short, and a data folder may be anywhere. Their name tells whose they are, so the next process removes
 * what one that was killed has left.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

const HASH_DIGITS = 12;

/** `root` is a folder that only one process at a time has; containers may share the folder for temporary files. */
const prefixOf = (root: string): string => {
  const hash = new Bun.CryptoHasher("sha256").update(`${hostname()} ${root}`).digest("hex");
  return `troupe-way-out-${hash.slice(0, HASH_DIGITS)}-`;
};

/** A new folder, for its maker to remove. */
export const makeWayOut = (root: string): Promise<string> => mkdtemp(join(tmpdir(), prefixOf(root)));

/** Removes what a former process has left. */
export async function removeWaysOut(root: string): Promise<void> {
  const prefix = prefixOf(root);
  const left = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  await Promise.all(left.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true })));
}
