/**
 * Files on their way in. A body is written to a file of its own while its digest is computed, so an upload
 * costs only the memory of its chunks, and the stored name is the digest of the received bytes.
 *
 *   body ─▶ staged file (written, synced) ─▶ `BlobStore.put`, which takes the file
 *
 * An abandoned staged file (the process died, the client left) is removed after a time. A file that this
 * process still works on is never removed, however long that takes.
 */
import { link, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Fault, ok, type Outcome, refuse } from "../../actors/fault.ts";
import { STORAGE_FULL } from "../../actors/runtime/turns/write-admission.ts";
import type { ByteReader, ByteSource } from "../../actors/workspace/ports.ts";
import { ContentWriter } from "./content-writer.ts";

/** Content that was received completely. */
export interface StagedFile {
  readonly path: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export class Staging {
  private readonly folder: string;
  private readonly hasRoom: () => boolean;
  /** Paths of the files that this process is receiving, or has received and not yet handed on. */
  private readonly held = new Set<string>();

  /** `hasRoom`: whether the storage accepts more; called for each chunk, so it must be cheap. */
  constructor(folder: string, hasRoom: () => boolean = () => true) {
    this.folder = folder;
    this.hasRoom = hasRoom;
  }

  /** Makes the folder, for the owner only. */
  async prepare(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Receives a body of at most `maxBytes`. A body that is refused or ends early leaves nothing behind. The
   * staged file belongs to the caller, who must call `discard` even if the store has taken the file.
   */
  async receive(body: ByteSource, maxBytes: number): Promise<Outcome<StagedFile>> {
    const path = this.newPath();
    const reader = openReader(body);
    const received = await this.write(path, reader, maxBytes).catch(async (cause: unknown) => {
      // Nobody will read the rest.
      await reader?.cancel().catch(() => {}); // broken already
      await this.discard({ path });
      throw cause;
    });
    if (!received.ok) await this.discard({ path });
    return received;
  }

  /**
   * Makes a hard link in this folder to a file on the same disk, so that the store can take the link and the
   * file stays.
   */
  async linked(path: string): Promise<{ readonly path: string }> {
    const second = this.newPath();
    await link(path, second);
    return { path: second };
  }

  /** Removes a staged file if it is still there. */
  async discard({ path }: Pick<StagedFile, "path">): Promise<void> {
    await rm(path, { force: true });
    this.held.delete(path);
  }

  /** Removes leftovers older than `beforeMs`; returns the number of files. */
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

  private async write(path: string, reader: ByteReader | null, maxBytes: number): Promise<Outcome<StagedFile>> {
    const writer = new ContentWriter(path, reader?.givesMemory === true);
    let size = 0;
    try {
      for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
        size += next.value.byteLength;
        const refusal = size > maxBytes ? contentTooLarge(maxBytes) : this.hasRoom() ? null : STORAGE_FULL;
        if (refusal !== null) {
          await reader?.cancel();
          await writer.drop();
          return refuse(refusal);
        }
        await writer.add(next.value);
      }
      return ok({ path, size, sha256: await writer.end() });
    } catch (cause) {
      await writer.drop();
      throw cause;
    }
  }
}

const contentTooLarge = (limitBytes: number): Fault => ({ kind: "payload_too_large", limitBytes });

/** A reader of the source; null if there is no body. */
export const openReader = (source: ByteSource): ByteReader | null =>
  source instanceof ReadableStream ? source.getReader() : source;
