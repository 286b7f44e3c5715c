/** A replica of `--replicas N` as a child process of its supervisor. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { environmentWith } from "../settings/config.ts";
import { type ReplicaOrder, SERVING_MESSAGE, SUPERVISED, type SupervisorWord } from "./supervision.ts";
import type { ReplicaProcess } from "./supervisor.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
/** The packaged service is a single executable and needs no script. */
const PROGRAM = existsSync(MAIN) ? [process.execPath, MAIN] : [process.execPath];
/** A process cuts off its own drain; if it cannot even do that, it is killed. */
const KILL_AFTER_MS = 22_000;

/** Starts the process and sends it its order. */
export function spawnReplica(order: ReplicaOrder): ReplicaProcess {
  const serving = Promise.withResolvers<void>();
  const child = Bun.spawn([...PROGRAM, SUPERVISED], {
    stdio: ["ignore", "inherit", "inherit"],
    env: environmentWith({}),
    // Ctrl-C at a terminal must reach only the supervisor, which then ends all replicas in order.
    detached: true,
    ipc: (message) => {
      if (message === SERVING_MESSAGE) serving.resolve();
    },
  });
  const say = (word: SupervisorWord): void => {
    // A process that has just ended cannot receive anything.
    if (child.exitCode === null && child.signalCode === null) child.send(word);
  };
  const killLater = (): void => {
    const timer = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
    void child.exited.then(() => clearTimeout(timer));
  };
  say({ kind: "order", order });
  return {
    pid: child.pid,
    serving: serving.promise,
    exited: child.exited,
    end: () => {
      say({ kind: "end" });
      killLater();
    },
    leave: () => {
      child.kill("SIGTERM");
      killLater();
    },
  };
}
