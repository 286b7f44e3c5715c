/** A replica of `--replicas N` as a child process of its supervisor. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { environmentWith } from "../settings/config.ts";
import { type ReplicaOrder, SERVING, SUPERVISED, type SupervisorWord } from "./supervision.ts";
import type { ReplicaProcess } from "./supervisor.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
/** The service without its sources is one executable, which is its own program. */
const PROGRAM = existsSync(MAIN) ? [process.execPath, MAIN] : [process.execPath];
/** A drain is cut off by the process itself; one that cannot even do that is killed. */
const KILL_AFTER_MS = 22_000;

/** Starts it and gives it its order. */
export function spawnReplica(order: ReplicaOrder): ReplicaProcess {
  const serving = Promise.withResolvers<void>();
  const child = Bun.spawn([...PROGRAM, SUPERVISED], {
    stdio: ["ignore", "inherit", "inherit"],
    env: environmentWith({}),
    // Ctrl-C at a terminal is for the supervisor, which then ends all in order.
    detached: true,
    ipc: (message) => {
      if (message === SERVING) serving.resolve();
    },
  });
  const say = (word: SupervisorWord): void => {
    // One that has just ended hears nothing any more.
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
