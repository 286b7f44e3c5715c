/** Programs of the machine that hang, or that work, when the service tries them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findGit } from "../../src/repositories/git.ts";
import { findStyle, hasBubbles } from "../../src/sandbox/bubble-style.ts";
import { tryProgram } from "../../src/sandbox/trial.ts";
import { until } from "../support/condition.ts";
import { CLONE } from "../support/service-process.ts";
import { processesIn } from "../support/troupe-process.ts";

const LIMIT_MS = 300;
const HAS_BUBBLES = await hasBubbles();
/** Hangs together with a process that it has started, which has its output. */
const HANGS = '#!/bin/sh\nif [ "$1" = inner ]; then while :; do sleep 0.1; done; fi\n"$0" inner\n';

let folder: string;
const programIn = (name: string): string => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "troupe-trial-"));
  for (const name of ["git", "bwrap", "prlimit"]) writeFileSync(programIn(name), HANGS, { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true }));

const late = (name: string): string => `${name} did not end within 0.3 s`;

test("[START-65] a hanging program is ended with everything that it has started, and counts as missing", async () => {
  const git = programIn("git");
  expect(await findGit(git, LIMIT_MS)).toEqual({ git: null, why: late(git) });
  await until("nothing of it is left", () => processesIn(folder).length === 0);
});

// reason: elsewhere there is no bubblewrap.
test.skipIf(process.platform !== "linux")("[START-65] bubblewrap that hangs is tried in one way only", async () => {
  const bwrap = programIn("bwrap");
  expect(await findStyle(bwrap, LIMIT_MS)).toEqual({ style: null, why: late(bwrap) });
});

test("[START-65] [GUARD-1] without a prlimit that ends, children are started, and the log says why they have no limit", () => {
  const program = `
    import { launches } from "./src/sandbox/launch.ts";
    import { createSandbox } from "./src/sandbox/sandbox.ts";
    const note = (_, message) => console.log(message);
    const sandbox = createSandbox({ info: note, warn: note }, { launches: (needs) => launches(needs, ${LIMIT_MS}) });
    await sandbox.prepare();
    sandbox.close();
  `;
  // Bun looks for programs in the folders that it was started with.
  const env = { PATH: `${folder}:/usr/local/bin:/usr/bin:/bin` };
  const { stdout } = Bun.spawnSync([process.execPath, "-e", program], { cwd: CLONE, env });
  expect(stdout.toString()).toMatch(/^content from outside is parsed in child processes that are not /);
  // Where bubblewrap is missing too, that is said first.
  if (HAS_BUBBLES) expect(stdout.toString()).toContain(`not limited in memory: ${late("prlimit")}`);
});

test("[START-65] a program that works, fails or is missing is reported as such", async () => {
  expect(await tryProgram(["sh", "-c", "echo here"])).toEqual({ why: null, isLate: false, output: "here\n" });
  expect(await tryProgram(["sh", "-c", "echo no >&2; exit 3"])).toEqual({ why: "no", isLate: false, output: "" });
  expect(await tryProgram(["false"])).toEqual({ why: "false ended with 1", isLate: false, output: "" });
  expect(await tryProgram(["no-such-program"])).toMatchObject({ why: "no-such-program is not installed" });
});
