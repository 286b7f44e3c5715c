/**
 * The scenarios `auth/…` for clients of the official conformance suite of MCP (ACC-5), with the MCP client of the runner
 * over the OAuth client.
 */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLONE } from "../support/service-process.ts";

const CLI = join(CLONE, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const CLIENT = join(CLONE, "test/support/oauth-conformance-client.ts");
/** Scenarios of extensions, which are not part of the protocol: clients without a person, DPoP, other grants. */
const EXTENSIONS = [
  "auth/client-credentials-jwt",
  "auth/client-credentials-basic",
  "auth/enterprise-managed-authorization",
  "auth/dpop",
  "auth/dpop-nonce",
  "auth/wif-jwt-bearer",
];
/** Fewer are a sign that the list has another form. */
const MIN_RUNS = 40;
/** Runs at once; they wait most of the time. */
const AT_ONCE = 4;

async function suite(args: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  const child = Bun.spawn([process.execPath, CLI, ...args], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out: out + err };
}

/** Each scenario with each revision that it is for. */
async function runs(): Promise<readonly (readonly [scenario: string, revision: string])[]> {
  const { out } = await suite(["list"]);
  return [...out.matchAll(/^\s*- (auth\/[\w/-]+) \[([\w,-]+)\]/gm)].flatMap(([, scenario = "", revisions = ""]) =>
    EXTENSIONS.includes(scenario) ? [] : revisions.split(",").map((revision) => [scenario, revision] as const),
  );
}

test("[ACC-5] every scenario passes, without a warning, for each revision that has it", async () => {
  const all = await runs();
  expect(all.length).toBeGreaterThanOrEqual(MIN_RUNS);
  const folder = mkdtempSync(join(tmpdir(), "troupe-conformance-"));
  const failed: string[] = [];
  const waiting = [...all];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [scenario, revision] = next;
      const command = `${process.execPath} ${CLIENT}`;
      const given = ["--command", command, "--scenario", scenario, "--spec-version", revision, "-o", folder];
      const { code, out } = await suite(["client", ...given, "--timeout", "120000"]);
      const isClean = /Passed: (\d+)\/\1, 0 failed, 0 warnings/.test(out);
      if (code !== 0 || !isClean) failed.push(`${scenario} ${revision}: ${code}\n${out}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  rmSync(folder, { recursive: true });
  expect(failed).toEqual([]);
});

test("[ACC-5] the scenarios that are left out exist, and are of extensions", async () => {
  const { out } = await suite(["list"]);
  for (const scenario of EXTENSIONS) expect(out).toContain(`- ${scenario} [extension]`);
});
