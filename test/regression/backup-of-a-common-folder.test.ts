/** `admin backup` looked for the contents of files in the data folder, also where `FILES_DIR` has them: the backup was without them. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { blobsOf } from "../../src/admin/local.ts";
import { readConfig } from "../../src/settings/config.ts";
import { guardedFolder } from "../support/guarded-folder.ts";

test("[REP-7] a backup takes contents from the folder that replicas share", async () => {
  const folder = guardedFolder();
  try {
    const [dataDir, filesDir] = [join(folder.path, "data"), join(folder.path, "common")];
    const read = readConfig({ DATA_DIR: dataDir, FILES_DIR: filesDir, MODEL: "demo:echo" });
    if (!read.ok) throw new Error("the settings are right");
    const body = new TextEncoder().encode("a content");
    const key = { organizationId: "org_a", sha256: new Bun.CryptoHasher("sha256").update(body).digest("hex") };
    await Bun.write(join(folder.path, "received"), body);
    await blobsOf(read.config).put(key, join(folder.path, "received"));
    const alone = readConfig({ DATA_DIR: filesDir.replace(/common$/, "alone"), MODEL: "demo:echo" });
    if (!alone.ok) throw new Error("the settings are right");
    expect(await blobsOf(alone.config).read(key)).toBeNull();
    const found = [...new Bun.Glob("**/*").scanSync({ cwd: filesDir })];
    expect(found).toHaveLength(1);
    expect(await Bun.file(join(filesDir, found[0]!)).text()).toBe("a content");
  } finally {
    await folder.remove();
  }
});
