/**
 * The time limit of a test, for `bun test` however it is called: Bun reads none from `bunfig.toml`, and forgets a default
 * with each file. So each test file sets it in its first line; `--timeout` replaces it.
 */
import { plugin } from "bun";
import { readFileSync } from "node:fs";

/**
 * More than any test needs on a slow and busy machine, and more than the longest wait for a condition: a test that waits
 * for what never comes ends with the condition's name.
 */
const LIMIT_MS = 180_000;

/** The command line of this process, which Bun does not show to tests. */
function commandLine(): string {
  if (process.platform === "linux") return readFileSync("/proc/self/cmdline", "latin1");
  return Bun.spawnSync(["ps", "-o", "args=", "-p", String(process.pid)]).stdout.toString();
}

// Of files side by side, each process is given Bun's own default.
if (!/[\0 ]--timeout[=\0 ](?!5000\b)/.test(commandLine()))
  plugin({
    name: "time limit of tests",
    setup: (build) => {
      build.onLoad({ filter: /\.test\.ts$/ }, async ({ path }) => ({
        loader: "ts",
        // In the same line, so that errors name the right one, and under a name that no test has.
        contents: `import { setDefaultTimeout as __setTimeLimit } from "bun:test"; __setTimeLimit(${LIMIT_MS}); ${await Bun.file(path).text()}`,
      }));
    },
  });
