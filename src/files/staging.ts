/**
 * Files on their way in. A body is written to a file of its own while its digest is computed, so an upload
 * costs the memory of its chunks only, and what is stored is named by what was really received.
 *
 *   body ─▶ staged file (written, synced) ─▶ `BlobStore.put`, which takes the file
 *
 * A staged file that nobody takes (the process died, the client left) is removed after a time. One that
 * this process still works on is never removed, however long that takes.
 */
import { link, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Fault, ok, type Outcome, refuse } from "../../actors/fault.ts";
import { STORAGE_FULL } from "../../actors/runtime/room.ts";
import type { ByteReader, ByteSource } from "../../actors/workspace/ports.ts";
import { ContentWriter } from "./content-writer.ts";

/** Content that was received whole. */
export interface StagedFile {
  readonly path: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export class Staging {
  private readonly folder: string;
  private readonly hasRoom: () => boolean;
  /** What this process receives, or has received and not yet handed on: paths. */
  private readonly held = new Set<string>();

  /** `hasRoom`: whether the storage takes more; it is asked for each chunk, so it must be cheap. */
  constructor(folder: string, hasRoom: () => boolean = () => true) {
    this.folder = folder;
    this.hasRoom = hasRoom;
  }

  /** Makes the folder, for the owner only. */
  async prepare(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Receives a body of at most `maxBytes`. Leaves nothing behind when it is refused or ends early. The staged
   * file is its caller's until `discard`, which is called also where somebody else has taken the file.
   */
  async receive(body: ByteSource, maxBytes: number): Promise<Outcome<StagedFile>> {
    const path = this.newPath();
    const reader = readerOf(body);
    const received = await this.write(path, reader, maxBytes).catch(async (cause: unknown) => {
      // Nobody reads the rest.
      await reader?.cancel().catch(() => {}); // broken already
      await this.discard({ path });
      throw cause;
    });
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

  private async write(path: string, reader: ByteReader | null, maxBytes: number): Promise<Outcome<StagedFile>> {
    const writer = new ContentWriter(path, reader?.givesMemory === true);
    let size = 0;
    try {
      for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
        size += next.value.byteLength;
        const refusal = size > maxBytes ? tooLarge(maxBytes) : this.hasRoom() ? null : STORAGE_FULL;
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

const tooLarge = (limitBytes: number): Fault => ({ kind: "payload_too_large", limitBytes });

/** Reads a source; null where there is none. */
export const readerOf = (source: ByteSource): ByteReader | null =>
  source instanceof ReadableStream ? source.getReader() : source;
