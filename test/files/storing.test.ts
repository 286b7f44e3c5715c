/** Content whose claim, or whose store, cannot be reached. */
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ok } from "../../actors/fault.ts";
import { UNAVAILABLE } from "../../actors/runtime/shards.ts";
import type { ContentPart } from "../../actors/workspace/ports.ts";
import { openFiles } from "../../src/files/files.ts";

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
    expect(await files.receive("org_a", body(), 100)).toEqual({ ok: false, fault: UNAVAILABLE });
    expect(failures).toEqual([away]);
    expect(readdirSync(join(folder, "files/staging"))).toEqual([]);

    const name = { organizationId: "org_a", workspaceId: "wsp_a", pathKey: "f", sha256, size: text.length };
    const completed: string[] = [];
    const send = (part: ContentPart | null) =>
      files.receivePart(name, part, (content) => Promise.resolve(ok(completed.push(content.sha256))));
    expect(await send({ first: 0, last: text.length - 1, body: body() })).toEqual({ ok: false, fault: UNAVAILABLE });
    isAway = false;
    // All of it has arrived: the client only asks how far it is.
    expect(await send(null)).toMatchObject({ ok: true });
    expect(completed).toEqual([sha256]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
