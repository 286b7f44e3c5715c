/**
 * The entry of the executable: the service, or by its first word the administration command or the bridge for editors.
 *
 *   troupe [--print-config]     start
 *   troupe admin …              administer
 *   troupe acp …                connect an editor
 *   troupe --version
 */
import { dirname, join } from "node:path";
import manifest from "../package.json" with { type: "json" };

/** As `bun start` sets it: Bun reads it before it runs any code, so the process begins again with it. */
const REQUESTS = "BUN_CONFIG_MAX_HTTP_REQUESTS";
const MANY = "65336";

/** A process that starts replicas of itself names the program, as in a clone. */
const MAIN = join(dirname(process.execPath), "src/main.ts");
if (process.argv[2] === MAIN) process.argv.splice(2, 1);

const [command, ...rest] = process.argv.slice(2);
if (command === "--version") console.log(manifest.version);
else if (command === "admin") {
  process.argv.splice(2, 1);
  await import("../src/admin/main.ts");
} else if (command === "acp") {
  process.argv.splice(2, 1);
  await import("../src/acp-bridge/main.ts");
} else {
  if (process.env[REQUESTS] === undefined && process.execve !== undefined) {
    const words = command === undefined ? [] : [command, ...rest];
    process.execve(process.execPath, [process.execPath, ...words], { ...process.env, [REQUESTS]: MANY });
  }
  await import("../src/main.ts");
}
