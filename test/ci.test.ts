/** `.ci/run`, `bun run check` and the README describe the same check. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { LONG_SOAK_SECONDS } from "./support/long.ts";

const read = (path: string): string => readFileSync(join(import.meta.dir, "..", path), "utf8");

test("[CI-2] the check runs every part of `bun run check`, and the tests by the README's command", () => {
  const [, section = ""] = read("README.md").split("## Tests\n");
  const command = /```sh\n(npx -y bun@\S+ run (\S+))/.exec(section);
  expect(command?.[1]).toBe(`npx -y bun@${manifest.packageManager.replace("bun@", "")} run test`);

  const check = read(".ci/run");
  expect(check).toContain(`readme_command=(${command?.[1]})`);
  const run = new Set([...check.matchAll(/\bbun(?:@\S+)? run ([a-z:]+)/g)].map(([, name]) => name));
  const parts = manifest.scripts.check.split(" && ").map((part) => part.replace("bun run ", ""));
  expect(parts).toEqual(["lint", "test"]);
  for (const part of parts) expect([...run]).toContain(part);
});

test("[CI-2] every place that fetches Bun takes the version of package.json", () => {
  const places = [".ci/run", "README.md", "CONTRIBUTING.md", "docs/operations.md"];
  const versions = places.flatMap((path) => [...read(path).matchAll(/\bbun@(\d[\w.-]*)/g)].map(([fetched]) => fetched));
  expect(new Set(versions)).toEqual(new Set([manifest.packageManager]));
});

test("[OPS-21] the check soaks for as long as the soak needs to hold the service to its word", () => {
  expect(Number(/^soak_seconds=.*:-(\d+)\}$/m.exec(read(".ci/run"))?.[1])).toBeGreaterThanOrEqual(LONG_SOAK_SECONDS);
});

test("[CI-2] the limits of all runs together are within the check's own, which leaves time for the totals", () => {
  const limit = (name: string): number =>
    Number(new RegExp(`^${name}_limit=.*:-(\\d+)\\}$`, "m").exec(read(".ci/run"))?.[1]);
  expect(2 * limit("short") + limit("long")).toBeLessThanOrEqual(limit("check"));
  // What the CI gives the check.
  expect(limit("check")).toBeLessThan(5_400);
});
