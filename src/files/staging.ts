/**
 * Files on their way in. A body is written to a file of its own while its digest is computed, so an upload
 * costs the memory of its chunks only, and what is stored is named by what was really received.
 *
 *   body ─▶ staged file (written, synced) ─▶ `BlobStore.put`, which takes the file
 *
 * A staged file that nobody takes (the process died, the client left) is removed after a time. One that
 * this process still works on is never removed, however long that takes.
 */
import { link, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import { WriteBehind } from "./write-behind.ts";

/** Content that was received whole. */
export interface StagedFile {
  readonly path: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export class Staging {
  private readonly folder: string;
  /** What this process receives, or has received and not yet handed on: paths. */
  private readonly held = new Set<string>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes the folder, for the owner only. */
  async prepare(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Receives a body of at most `maxBytes`. Leaves nothing behind when it is refused or ends early. The staged
   * file is its caller's until `discard`, which is called also where somebody else has taken the file.
   */
  async receive(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Outcome<StagedFile>> {
    const path = this.newPath();
    const received = await this.write(path, body, { maxBytes, hasher: new Bun.CryptoHasher("sha256") }).catch(
      async (cause: unknown) => {
        await this.discard({ path });
        throw cause;
      },
    );
    if (!received.ok) await this.discard({ path });
    return received;
  }

  /** A second name in this folder for a file on the same disk, so that the store can take it and the first one stays. */
  async linked(path: string): Promise<{ readonly path: string }> {
    const second = this.newPath();
    await link(path, second);
    return { path: second };
  }

  /** Removes a staged file, where it still is. */
  async discard({ path }: Pick<StagedFile, "path">): Promise<void> {
    await rm(path, { force: true });
    this.held.delete(path);
  }

  /** Removes what was left behind before `beforeMs`; answers how many files. */
  async sweep(beforeMs: number): Promise<number> {
    let removed = 0;
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name);
      if (this.held.has(path)) continue;
      const found = await stat(path).catch(() => null);
      if (found === null || found.mtimeMs >= beforeMs) continue;
      await rm(path, { force: true });
      removed++;
    }
    return removed;
  }

  private newPath(): string {
    const path = join(this.folder, crypto.randomUUID());
    this.held.add(path);
    return path;
  }

  private async write(
    path: string,
    body: ReadableStream<Uint8Array> | null,
    { maxBytes, hasher }: { readonly maxBytes: number; readonly hasher: Bun.CryptoHasher },
  ): Promise<Outcome<StagedFile>> {
    const handle = await open(path, "wx", 0o600);
    const behind = new WriteBehind(handle);
    let size = 0;
    try {
      for await (const chunk of body ?? []) {
        size += chunk.byteLength;
        // The rest is not read: leaving the loop cancels the body.
        if (size > maxBytes) return refuse({ kind: "payload_too_large", limitBytes: maxBytes });
        hasher.update(chunk);
        await behind.add(chunk);
      }
      await behind.end();
      await handle.datasync();
    } finally {
      await behind.idle();
      await handle.close();
    }
    return ok({ path, size, sha256: hasher.digest("hex") });
  }
}

/** A write may take a part only. */
export async function writeWhole(handle: Awaited<ReturnType<typeof open>>, chunk: Uint8Array): Promise<void> {
  let written = 0;
  while (written < chunk.byteLength) {
    const { bytesWritten } = await handle.write(chunk, written);
    written += bytesWritten;
  }
}
