/**
 * A temporary folder with the processes that work in it. `remove` ends them all; and so does a
 * watchdog process when this process ends without having done so, however it ends: it waits for the
 * end of a pipe that only this process holds.
 */
import type { FolderPlace } from "./memory-folder.ts";
import { makeTestFolder } from "./service-process.ts";

export interface GuardedFolder {
  readonly path: string;
  /** A process that must not outlive the test; PostgreSQL in the folder is known without. */
  guard(child: Bun.Subprocess): void;
  /** Kills what is guarded, ends every PostgreSQL in the folder, removes it. */
  remove(): Promise<void>;
}

/**
 * Reads `+pid` and `-pid`; at the end kills what is left, ends each server, and removes the folder. The pid in
 * a file that a killed server left may be another process's by now, even another run's server: who does not
 * work in the folder is left alone.
 */
const WATCHDOG = `
  alive=" "
  while read -r line; do
    case "$line" in
      +*) alive="$alive\${line#+} " ;;
      -*) alive=$(printf %s "$alive" | sed "s/ \${line#-} / /") ;;
    esac
  done
  for pid in $alive; do kill -KILL "$pid" 2>/dev/null; done
  [ -d "$1" ] || exit 0
  for file in $(find "$1" -name postmaster.pid); do
    pid=$(head -n 1 "$file")
    if [ ! -d /proc/self ] || [ "$(readlink "/proc/$pid/cwd")" = "$(dirname "$file")" ]; then kill -QUIT "$pid"
    else rm -f "$file"; fi
  done 2>/dev/null
  n=0
  while [ -n "$(find "$1" -name postmaster.pid)" ] && [ $n -lt 200 ]; do n=$((n+1)); sleep 0.05; done
  rm -rf "$1"
`;

export function guardedFolder(place: FolderPlace = "memory"): GuardedFolder {
  const folder = makeTestFolder(place);
  const watchdog = Bun.spawn({
    cmd: ["/bin/sh", "-c", WATCHDOG, "watchdog", folder.path],
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
    detached: true,
  });
  watchdog.unref();
  const guarded = new Set<Bun.Subprocess>();
  const tell = (line: string): void => {
    void watchdog.stdin.write(`${line}\n`);
    void watchdog.stdin.flush();
  };
  return {
    path: folder.path,
    guard(child) {
      guarded.add(child);
      tell(`+${child.pid}`);
      void child.exited.then(() => {
        guarded.delete(child);
        tell(`-${child.pid}`);
      });
    },
    async remove() {
      for (const child of guarded) child.kill("SIGKILL");
      await Promise.all([...guarded].map((child) => child.exited));
      await folder.remove();
      await watchdog.stdin.end();
      await watchdog.exited;
    },
  };
}
