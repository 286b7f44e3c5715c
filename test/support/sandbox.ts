/** The sandbox that tests share: its children begin with the first job and end with the process. */
import { lchownSync } from "node:fs";
import { withInputs } from "../../src/sandbox/bubble.ts";
import { giveTo } from "../../src/sandbox/child-folder.ts";
import { type ChildNeeds, type Launch, launches, launchOf } from "../../src/sandbox/launch.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";

const NEEDS: ChildNeeds = { dataBytes: 512 * 1024 * 1024, openFiles: 32, hasFolder: false, isAwaited: false };
/** Words of `chrt --idle 0`, and of `nice -n 5`. */
const POLITE = 3;

/** As a service starts them, but without waiting for idle moments of a machine on which tests run. */
export async function impoliteLaunches(needs: ChildNeeds = NEEDS): Promise<readonly Launch[]> {
  return (await launches(needs)).map((launch) => {
    const at = launch.command.findIndex((word) => word === "chrt" || word === "nice");
    const command = at === -1 ? launch.command : launch.command.toSpliced(at, POLITE);
    return { ...launch, command, sessionNice: null };
  });
}

/** Runs a program as a child of this launch; answers what it prints. */
export async function printedBy(launch: Launch | undefined, program: string, folder: string | null = null) {
  const { command, user, ...bubble } = launchOf(
    launch ?? { command: ["false"], isIsolated: false, isLimited: false },
    folder,
  );
  if (folder !== null && user !== null) {
    lchownSync(folder, user, user);
    await giveTo(user, folder);
  }
  const child = withInputs(bubble, (fds) =>
    Bun.spawn([...command.slice(0, -1), "-e", program], {
      env: { PATH: "/usr/bin:/bin", TROUPE_TEST_KEY: "secret" },
      stdio: ["ignore", "pipe", "inherit", ...fds],
    }),
  );
  return child.stdout.text();
}

export const testSandbox = createSandbox(undefined, { launches: impoliteLaunches });

/** A program that prints what it sees from inside. */
export const LOOK_AROUND = `
  const { readdirSync, existsSync } = require("node:fs");
  const env = Object.keys(process.env);
  fetch("http://127.0.0.1:1/").then(() => "open", (e) => e.code).then((net) =>
    console.log(JSON.stringify({ env, net, root: readdirSync("/"), inside: readdirSync("/troupe"), etc: existsSync("/etc/passwd"), pids: readdirSync("/proc").filter((n) => /^\\d+$/.test(n)).length })));`;
