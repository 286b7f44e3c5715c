/** The official conformance suite of MCP, from its command line. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLONE } from "./service-process.ts";

const CLI = join(CLONE, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
/**
 * Scenarios of extensions, which are not part of the protocol. Each needs something that the service does not have: every
 * connection begins with the consent of a person or an owner in a browser, and its tokens are bearer tokens.
 * Client credentials (by secret and by a signed JWT) get tokens without that consent, and the JWT needs a private key
 * for each client; the enterprise's and the workload's identity exchange the token of a third server, which the service
 * does not get; DPoP binds tokens to a key, with a proof on each request.
 */
export const EXTENSIONS = [
  "auth/client-credentials-jwt",
  "auth/client-credentials-basic",
  "auth/enterprise-managed-authorization",
  "auth/dpop",
  "auth/dpop-nonce",
  "auth/wif-jwt-bearer",
];
/** Runs at once; they wait most of the time. */
const AT_ONCE = 4;

export interface ConformanceRun {
  readonly scenario: string;
  readonly revision: string;
  readonly code: number;
  readonly out: string;
}

export async function suite(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly out: string }> {
  const child = Bun.spawn([process.execPath, CLI, ...args], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, ...env },
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out: out + err };
}

/** Runs every scenario `auth/…` for clients, with each revision that it is for; `program` gets the server's address. */
export async function authorizationRuns(
  program: string,
  { env = {} }: { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<readonly ConformanceRun[]> {
  const { out: list } = await suite(["list"]);
  const waiting = [...list.matchAll(/^\s*- (auth\/[\w/-]+) \[([\w,-]+)\]/gm)].flatMap(
    ([, scenario = "", revisions = ""]) =>
      EXTENSIONS.includes(scenario) ? [] : revisions.split(",").map((revision) => [scenario, revision] as const),
  );
  const folder = mkdtempSync(join(tmpdir(), "troupe-conformance-"));
  const runs: ConformanceRun[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [scenario, revision] = next;
      const command = `${process.execPath} ${join(CLONE, program)}`;
      const given = ["--command", command, "--scenario", scenario, "--spec-version", revision, "-o", folder];
      runs.push({ scenario, revision, ...(await suite(["client", ...given, "--timeout", "120000"], env)) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  rmSync(folder, { recursive: true });
  return runs;
}

/** What did not pass, or had a warning; those in `warned` may have one warning, with which the suite exits with 1. */
export const failuresOf = (runs: readonly ConformanceRun[], warned: readonly string[] = []): readonly string[] =>
  runs
    .filter(({ scenario, code, out }) => {
      const [, warnings = ""] = /Passed: (\d+)\/\1, 0 failed, (\d+) warnings/.exec(out)?.slice(1) ?? [];
      return warned.includes(scenario) ? warnings !== "1" : code !== 0 || warnings !== "0";
    })
    .map(({ scenario, revision, code, out }) => `${scenario} ${revision}: ${code}\n${out}`);
