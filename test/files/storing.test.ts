/** Content whose claim, or whose store, cannot be reached, or for which the disk has no room. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ok } from "../../actors/fault.ts";
import { STORAGE_FULL } from "../../actors/runtime/turns/write-admission.ts";
import { SHARD_UNAVAILABLE } from "../../actors/runtime/placement/shards.ts";
import type { ContentSlice } from "../../actors/workspace/ports.ts";
import { openFiles } from "../../src/files/files.ts";
import { mayMount, mountSmallDisk, unmount } from "../support/small-disk.ts";

test("[WSP-7] content that cannot be claimed is refused as unavailable, and nothing of it stays but its parts", async () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-storing-"));
  const failures: unknown[] = [];
  let isAway = true;
  const away = new Error("connection closed");
  const claims = {
    claim: () => (isAway ? Promise.reject(away) : Promise.resolve()),
    stands: () => Promise.resolve(true),
  };
  const files = await openFiles(
    { folder, s3: null },
    { claims, clock: { now: () => 0 }, onFailure: (err) => failures.push(err) },
  );
  try {
    const text = "content";
    const sha256 = new Bun.CryptoHasher("sha256").update(text).digest("hex");
    const body = () => new Response(text).body!;
    expect(await files.receive("org_a", body(), 100)).toEqual({ ok: false, fault: SHARD_UNAVAILABLE });
    expect(failures).toEqual([away]);
    expect(readdirSync(join(folder, "files/staging"))).toEqual([]);

    const of = { workspaceId: "wsp_a", path: "f", pathKey: "f", sha256, size: text.length };
    const name = { organizationId: "org_a", userId: "usr_a", ...of };
    const completed: string[] = [];
    const send = (part: ContentSlice | null) =>
      files.receivePart(name, part, (content) => Promise.resolve(ok(completed.push(content.sha256))));
    expect(await send({ first: 0, last: text.length - 1, body: body() })).toEqual({
      ok: false,
      fault: SHARD_UNAVAILABLE,
    });
    isAway = false;
    // All of it has arrived: the client only asks how far it is.
    expect(await send(null)).toMatchObject({ ok: true });
    expect(completed).toEqual([sha256]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.skipIf(!mayMount())(
  "[RT-17] a disk without room refuses content, small and large, and nothing of it stays",
  async () => {
    const MIB = 1_048_576;
    const folder = mkdtempSync(join(tmpdir(), "troupe-storing-"));
    const disk = join(folder, "disk");
    mkdirSync(disk);
    expect(mountSmallDisk(disk, 4)).toBe(true);
    const failures: unknown[] = [];
    const claims = { claim: () => Promise.resolve(), stands: () => Promise.resolve(true) };
    try {
      const files = await openFiles(
        { folder: disk, s3: null },
        { claims, clock: { now: () => 0 }, onFailure: (err) => failures.push(err) },
      );
      const bodyOf = (bytes: number) => new Blob([new Uint8Array(bytes)]).stream();
      const full = { ok: false, fault: STORAGE_FULL } as const;
      expect(await files.receive("org_a", bodyOf(8 * MIB), 8 * MIB)).toEqual(full);
      const large = await files.receive("org_a", bodyOf(4 * MIB - 200_000), 8 * MIB);
      expect(large.ok).toBe(true);
      expect(await files.receive("org_a", bodyOf(400_000), 8 * MIB)).toEqual(full);
      const of = { workspaceId: "wsp_a", path: "f", pathKey: "f", sha256: "0".repeat(64), size: MIB };
      const name = { organizationId: "org_a", userId: "usr_a", ...of };
      const part = { first: 0, last: MIB - 1, body: bodyOf(MIB) };
      expect(await files.receivePart(name, part, () => Promise.resolve(ok(null)))).toEqual(full);
      expect(failures).toHaveLength(3);
      expect(readdirSync(join(disk, "files/staging"))).toEqual([]);
    } finally {
      unmount(disk);
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
