/** The contract of `BlobStore` (`actors/workspace/ports.ts`); every implementation runs it. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BlobKey, BlobStore } from "../../actors/workspace/ports.ts";

export interface BlobStoreFixture {
  readonly store: BlobStore;
  /** On the file system of the store. */
  readonly folder: string;
  close(): Promise<void>;
}

const ORG = "org_a";
const OTHER = "org_b";
const MIB = 1024 * 1024;

const digestOf = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
/** Bytes that differ everywhere, so that a wrong range shows. */
const bytesOf = (length: number, seed = 1): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8) * 17 + seed) & 0xff);

export function blobStoreContract(name: string, open: () => Promise<BlobStoreFixture>): void {
  describe(`[WSP-7] content in ${name}`, () => {
    let fixture: BlobStoreFixture;
    let staged = 0;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.close());

    const stage = async (bytes: Uint8Array): Promise<string> => {
      const path = join(fixture.folder, `staged-${staged++}`);
      await Bun.write(path, bytes);
      return path;
    };
    const put = async (bytes: Uint8Array, organizationId = ORG): Promise<BlobKey> => {
      const key = { organizationId, sha256: digestOf(bytes) };
      await fixture.store.put(key, await stage(bytes));
      return key;
    };
    const read = async (key: BlobKey, range?: { start: number; end: number }): Promise<Uint8Array | null> => {
      const content = await fixture.store.read(key, range);
      return content === null ? null : new Response(content).bytes();
    };

    test("what is put can be read whole, and the given file is taken", async () => {
      const bytes = bytesOf(70_000);
      const path = await stage(bytes);
      const key = { organizationId: ORG, sha256: digestOf(bytes) };
      await fixture.store.put(key, path);
      expect(existsSync(path)).toBe(false);
      expect(await fixture.store.size(key)).toBe(bytes.length);
      expect(await read(key)).toEqual(bytes);
    });

    test("content without a byte is content", async () => {
      const key = await put(new Uint8Array());
      expect(await fixture.store.size(key)).toBe(0);
      expect(await read(key)).toEqual(new Uint8Array());
    });

    test("a range is exact at both ends", async () => {
      const bytes = bytesOf(5_000);
      const key = await put(bytes);
      for (const [start, end] of [
        [0, 1],
        [0, 5_000],
        [4_999, 5_000],
        [1_000, 1_003],
        [7, 7],
      ] as const)
        expect([start, end, (await read(key, { start, end }))?.join()]).toEqual([
          start,
          end,
          bytes.slice(start, end).join(),
        ]);
    });

    test("the same content twice is one, and each organization has its own", async () => {
      const bytes = bytesOf(100);
      const key = await put(bytes);
      await put(bytes);
      expect(await read(key)).toEqual(bytes);
      const others = { ...key, organizationId: OTHER };
      expect(await fixture.store.size(others)).toBeNull();
      await put(bytes, OTHER);
      await fixture.store.remove(key);
      expect(await read(key)).toBeNull();
      expect(await read(others)).toEqual(bytes);
    });

    test("missing content is null, and removing it is no error", async () => {
      const key = { organizationId: ORG, sha256: "0".repeat(64) };
      expect(await fixture.store.size(key)).toBeNull();
      expect(await fixture.store.read(key)).toBeNull();
      await fixture.store.remove(key);
    });

    test("a file larger than any buffer arrives whole", async () => {
      const bytes = bytesOf(20 * MIB + 3);
      const key = await put(bytes);
      const stored = await read(key);
      expect(stored === null ? null : digestOf(stored)).toBe(key.sha256);
      expect(await read(key, { start: 17 * MIB, end: 17 * MIB + 5 })).toEqual(bytes.slice(17 * MIB, 17 * MIB + 5));
    });

    test("what is placed on this machine is readable there, also when it is removed from the store", async () => {
      const bytes = bytesOf(70_000);
      const key = await put(bytes);
      const target = join(fixture.folder, "placed");
      expect(await fixture.store.place(key, target)).toBe(true);
      await fixture.store.remove(key);
      expect<Uint8Array>(await Bun.file(target).bytes()).toEqual(bytes);
      expect(await fixture.store.place(key, join(fixture.folder, "gone"))).toBe(false);
      expect(existsSync(join(fixture.folder, "gone"))).toBe(false);
    });

    test("a file that is not there cannot be put", async () => {
      const key = { organizationId: ORG, sha256: "1".repeat(64) };
      const outcome = await fixture.store.put(key, join(fixture.folder, "missing")).then(
        () => "stored",
        () => "failed",
      );
      expect(outcome).toBe("failed");
      expect(await fixture.store.size(key)).toBeNull();
    });

    test("a name that could leave the store is a bug of ours, and reaches no disk", async () => {
      for (const key of [
        { organizationId: "../x", sha256: "0".repeat(64) },
        { organizationId: ORG, sha256: "../../x" },
      ])
        expect(fixture.store.size(key)).rejects.toThrow();
    });
  });
}

/** A folder for one test. */
export function blobFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "troupe-blobs-"));
  mkdirSync(join(path, "blobs"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
