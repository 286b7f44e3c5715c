/**
 * The lifetime of what a benchmark starts. Everything is undone in reverse order when the benchmark ends, however it
 * ends. If the runner itself is killed, a watchdog process, which waits for the end of a pipe that only the runner
 * holds, ends each guarded process.
 */
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Undo = () => Promise<void> | void;

export class Lifetime {
  private readonly undo: Undo[] = [];

  /** `step` runs at the end, before the steps that were added earlier. */
  add(step: Undo): void {
    this.undo.push(step);
  }

  async end(): Promise<void> {
    for (const step of this.undo.splice(0).reverse()) await step();
  }

  /** A folder that exists until the end; `isOpen`: processes of other users may read it. */
  folder({ isOpen = false } = {}): string {
    const path = realpathSync(mkdtempSync(join(tmpdir(), "troupe-bench-")));
    if (isOpen) chmodSync(path, 0o755);
    this.add(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  /** Starts a process that ends with the lifetime, or with the runner. Its output is discarded. */
  spawn(
    cmd: readonly string[],
    options: { readonly env?: Record<string, string>; readonly cwd?: string } = {},
  ): number {
    const child = Bun.spawn({ cmd: [...cmd], stdio: ["ignore", "ignore", "ignore"], ...options });
    const release = guard(child.pid);
    this.add(async () => {
      child.kill("SIGTERM");
      const limit = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await child.exited;
      clearTimeout(limit);
      release();
    });
    return child.pid;
  }
}

/**
 * Ends `pid` (by SIGINT, then SIGKILL) and removes `folder` when this process is gone. Answers a function that cancels
 * the guard.
 */
export function guard(pid: number, folder = ""): () => void {
  const script =
    'read -r word; [ "$word" = off ] && exit; kill -INT "$1"; n=0; ' +
    'while kill -0 "$1" && [ $n -lt 100 ]; do n=$((n+1)); sleep 0.05; done; kill -KILL "$1"; ' +
    '[ -n "$2" ] && rm -rf "$2"';
  const watchdog = Bun.spawn({
    cmd: ["/bin/sh", "-c", script, "watchdog", String(pid), folder],
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
    detached: true,
  });
  watchdog.unref();
  return () => {
    void watchdog.stdin.write("off\n");
    void watchdog.stdin.end();
  };
}
