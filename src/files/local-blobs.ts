/**
 * Content in a folder of this machine. A received file is already on this disk, so storing it means renaming
 * it. Content that a commit refers to survives a power failure, as the commit does.
 *
 *   bytes: written, fdatasync        by the receiver, before `put`
 *   name:  rename, fsync of the folder, and of each new folder on the way
 *
 * No second sync of the file is needed. fdatasync brings the data to the disk, with the metadata needed to read
 * it: size and location (POSIX, synchronized I/O data integrity completion). A rename changes only two folders.
 * The new entry is durable when its folder is synced; whichever name a crash leaves, the bytes behind it are
 * complete.
 */
import { constants, copyFile, link, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BlobKey, BlobStore, ByteSpan } from "../../actors/workspace/ports.ts";
import { blobName, organizationFolder } from "./blob-name.ts";

export class LocalBlobStore implements BlobStore {
  private readonly root: string;
  /** Folders known to be on the disk. */
  private readonly synced = new Set<string>();

  /** `root` exists, on the same file system as the files to store. */
  constructor(root: string) {
    this.root = root;
  }

  async put(key: BlobKey, path: string): Promise<void> {
    try {
      const target = this.pathOf(key);
      const folder = dirname(target);
      await this.makeFolder(folder);
      // Existing content is replaced with equal bytes; readers of the old file go on reading it.
      await rename(path, target);
      await sync(folder);
    } finally {
      // The file is still there if the rename failed, or if it was a hard link to the stored file.
      await rm(path, { force: true });
    }
  }

  async size(key: BlobKey): Promise<number | null> {
    const found = await stat(this.pathOf(key)).catch(nullIfNoFile);
    return found?.size ?? null;
  }

  async read(key: BlobKey, range?: ByteSpan): Promise<Blob | null> {
    if ((await this.size(key)) === null) return null;
    const file = Bun.file(this.pathOf(key));
    return range === undefined ? file : file.slice(range.start, range.end);
  }

  /** Makes a hard link: it costs nothing, and outlives the stored name. */
  async place(key: BlobKey, path: string): Promise<boolean> {
    const from = this.pathOf(key);
    if ((await this.size(key)) === null) return false;
    // Some file systems have no hard links.
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

  /** Makes the folder and its parents. Each new folder is an entry of its parent, which must be synced too. */
  private async makeFolder(folder: string): Promise<void> {
    if (folder === this.root || this.synced.has(folder)) return;
    const parent = dirname(folder);
    await this.makeFolder(parent);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await sync(parent);
    this.synced.add(folder);
  }
}

/** Syncs a file's bytes, or a folder's entries, to the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function nullIfNoFile(cause: unknown): null {
  if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return null;
  throw cause;
}
