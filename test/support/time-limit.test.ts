/** What `bun test` runs, and with which time limit, however it is called. */
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

test("[CI-4] plain `bun test` leaves out long tests, and every file sets the time limit unless one is given", () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-limit-"));
  try {
    const settings = readFileSync(join(ROOT, "bunfig.toml"), "utf8");
    const preload = join(ROOT, "test/support/time-limit.ts");
    writeFileSync(join(folder, "bunfig.toml"), settings.replace('"./test/support/time-limit.ts"', `"${preload}"`));
    // The name that the first line of a file has for what sets its limit.
    const body = 'import { expect, test } from "bun:test";\ntest(typeof __setTimeLimit, () => expect(1).toBe(1));\n';
    Bun.spawnSync(["mkdir", join(folder, "test")]);
    for (const name of ["a", "b", "c.long"]) writeFileSync(join(folder, `test/${name}.test.ts`), body);
    const run = (...args: string[]): string[] => {
      const { stderr } = Bun.spawnSync([process.execPath, "test", ...args], { cwd: folder, stderr: "pipe" });
      return stderr.toString().match(/^\((?:pass|fail)\) \w+/gm) ?? [];
    };
    expect(run()).toEqual(["(pass) function", "(pass) function"]);
    expect(run("--parallel=2", "--no-isolate")).toEqual(["(pass) function", "(pass) function"]);
    expect(run("--timeout=60000", "test/a")).toEqual(["(pass) undefined"]);
    expect(run("--path-ignore-patterns=node_modules", ".long.test.ts")).toEqual(["(pass) function"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
