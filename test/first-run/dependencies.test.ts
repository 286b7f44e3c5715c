/** The installation of packages: what the start says of it first, and why it cannot be. */
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { bunFolder } from "../support/bun-program.ts";

const ROOT = join(import.meta.dir, "../..");

const INSTALLING = "installing packages; the first time takes about a minute";

test("[START-22] the first line says that packages are being installed; nothing is printed if they already are", () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-dependencies-"));
  try {
    mkdirSync(join(folder, "y"));
    writeFileSync(join(folder, "y/package.json"), '{"name": "y", "version": "1.0.0"}');
    writeFileSync(join(folder, "package.json"), '{"name": "x", "private": true, "dependencies": {"y": "file:./y"}}');
    const env = { HOME: folder, PATH: `${bunFolder(folder)}:/usr/bin:/bin` };
    const said = (): string =>
      Bun.spawnSync(["sh", join(ROOT, "deploy/install.sh")], { cwd: folder, env })
        .stderr.toString()
        .trim();
    expect(Bun.spawnSync([process.execPath, "install", "--silent"], { cwd: folder, env }).exitCode).toBe(0);
    expect([said(), said()]).toEqual([INSTALLING, ""]);
    // Another release has another file.
    appendFileSync(join(folder, "bun.lock"), "\n");
    expect([said(), said()]).toEqual([INSTALLING, ""]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.each(["start", "admin"])("[START-22] %s reports why the packages cannot be installed", async (command) => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-dependencies-"));
  try {
    for (const name of ["package.json", "bunfig.toml", "patches", "deploy/install.sh"]) {
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
    expect(text.split("\n")).toContain(INSTALLING);
    expect(text.indexOf(INSTALLING)).toBeLessThan(text.indexOf("error:"));
    expect(text).toContain("error: lockfile had changes, but lockfile is frozen");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
