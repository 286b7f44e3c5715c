/** Packages that cannot be installed: the start says why. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { bunFolder } from "../support/bun-program.ts";

const ROOT = join(import.meta.dir, "../..");

test.each(["start", "admin"])("[START-22] %s tells why the packages cannot be installed", async (command) => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-dependencies-"));
  try {
    for (const name of ["package.json", "bunfig.toml", "patches"]) {
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    }
    writeFileSync(join(folder, "bun.lock"), "no lock file");
    const child = Bun.spawn([process.execPath, "run", command], {
      cwd: folder,
      env: { HOME: folder, PATH: `${bunFolder(folder)}:/usr/bin:/bin` },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [code, text] = await Promise.all([child.exited, new Response(child.stderr).text()]);
    expect(code).toBe(1);
    expect(text).toContain("error: lockfile had changes, but lockfile is frozen");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
