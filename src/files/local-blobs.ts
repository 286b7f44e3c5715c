/**
 * Content in a folder of this machine. A file that has been received is already on this disk, so storing it
 * is to rename it: content that a commit refers to survives a power failure, as the commit does.
 *
 *   bytes: written, fdatasync        by who has received them, before `put`
 *   name:  rename, fsync of the folder, and of each folder that is new on the way
 *
 * No second sync of the file is needed. fdatasync brings the data to the disk, and what is needed to read it back: its
 * size and where it is (POSIX, synchronized I/O data integrity completion). A rename changes two folders and nothing of
 * that; the entry in the folder is durable when the folder is synced, and whichever name a crash leaves, the bytes
 * below it are whole.
 */
import { constants, copyFile, link, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BlobKey, BlobStore, ByteRange } from "../../actors/workspace/ports.ts";
import { blobName, organizationFolder } from "./blob-name.ts";

export class LocalBlobStore implements BlobStore {
  private readonly root: string;
  /** Folders that are known to be on the disk. */
  private readonly synced = new Set<string>();

  /** `root` exists. It is on the same file system as what is put. */
  constructor(root: string) {
    this.root = root;
  }

  async put(key: BlobKey, path: string): Promise<void> {
    try {
      const target = this.pathOf(key);
      const folder = dirname(target);
      await this.makeFolder(folder);
      // Over content that is there already this replaces equal bytes; who reads the former file goes on.
      await rename(path, target);
      await sync(folder);
    } finally {
      // Still there where it could not be renamed, and where it was another name of what is stored.
      await rm(path, { force: true });
    }
  }

  async size(key: BlobKey): Promise<number | null> {
    const found = await stat(this.pathOf(key)).catch(unlessMissing);
    return found?.size ?? null;
  }

  async read(key: BlobKey, range?: ByteRange): Promise<Blob | null> {
    if ((await this.size(key)) === null) return null;
    const file = Bun.file(this.pathOf(key));
    return range === undefined ? file : file.slice(range.start, range.end);
  }

  /** Another name of the same bytes: it costs nothing, and outlives the first one. */
  async place(key: BlobKey, path: string): Promise<boolean> {
    const from = this.pathOf(key);
    if ((await this.size(key)) === null) return false;
    // Some file systems have no second names.
    await link(from, path).catch(() => copyFile(from, path, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL));
    return true;
  }

  async remove(key: BlobKey): Promise<void> {
    await rm(this.pathOf(key), { force: true });
  }

  async removeAll(organizationId: string): Promise<void> {
    const folder = join(this.root, organizationFolder(organizationId));
    await rm(folder, { recursive: true, force: true });
    for (const known of this.synced) if (known === folder || dirname(known) === folder) this.synced.delete(known);
  }

  private pathOf(key: BlobKey): string {
    return join(this.root, blobName(key));
  }

  /** Makes the folder; each one that is new is an entry of its parent, which must reach the disk too. */
  private async makeFolder(folder: string): Promise<void> {
    if (folder === this.root || this.synced.has(folder)) return;
    const parent = dirname(folder);
    await this.makeFolder(parent);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await sync(parent);
    this.synced.add(folder);
  }
}

/** Brings a file's bytes, or a folder's entries, to the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function unlessMissing(cause: unknown): null {
  if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return null;
  throw cause;
}
