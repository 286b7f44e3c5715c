/**
 * A part of a benchmark in its own process: the measured code must not share a heap, a compiler or an event loop with
 * the code that measures. Questions and answers are JSON over Bun's IPC, one at a time.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Lifetime } from "./lifetime.ts";

export interface Worker<Q, A> {
  readonly pid: number;
  ask(question: Q): Promise<A>;
}

type Reply<A> = { readonly answer: A } | { readonly error: string };

/** With BENCH_PROFILE=folder, the measured process writes a CPU profile there when it ends. */
export function profiling(): string[] {
  const folder = process.env["BENCH_PROFILE"];
  return folder === undefined || folder === "" ? [] : ["--cpu-prof", `--cpu-prof-dir=${folder}`];
}

/**
 * The command line in front of a command: all threads of the process yield their core at once to other processes of the
 * session.
 */
export const LOWEST_PRIORITY: readonly string[] =
  Bun.which("chrt") === null ? ["nice", "-n", "19"] : ["chrt", "--idle", "0"];

/**
 * Gives the session of a process, which was started `detached`, the lowest weight: Linux divides cores between sessions
 * before it considers priorities (autogroups), and each process of PostgreSQL is a session.
 */
export function lowest({ pid }: { readonly pid: number }): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, "19");
  } catch {
    // No autogroups here: only the priority counts.
  }
}

/**
 * Starts `script` of this folder; `isLow`: it gets only idle CPU. It ends with the lifetime, and when this process
 * does.
 */
export function startWorker<Q, A>(
  lifetime: Lifetime,
  script: string,
  options: { readonly args?: readonly string[]; readonly env?: Record<string, string>; readonly isLow?: boolean } = {},
): Worker<Q, A> {
  let settle: ((reply: Reply<A>) => void) | null = null;
  const child = Bun.spawn({
    cmd: [
      ...(options.isLow === true ? LOWEST_PRIORITY : []),
      process.execPath,
      ...profiling(),
      join(import.meta.dir, script),
      ...(options.args ?? []),
    ],
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...options.env },
    detached: options.isLow === true,
    ipc: (reply: Reply<A>) => settle?.(reply),
    onExit: (_, code) => settle?.({ error: `${script} ended (${code})` }),
  });
  if (options.isLow === true) lowest(child);
  lifetime.add(async () => {
    child.disconnect();
    const limit = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await child.exited;
    clearTimeout(limit);
  });
  return {
    pid: child.pid,
    async ask(question) {
      const reply = await new Promise<Reply<A>>((resolve) => {
        settle = resolve;
        child.send(question);
      });
      if ("error" in reply) throw new Error(reply.error);
      return reply.answer;
    },
  };
}

/** The worker's side: answers each question by `handle`; `end` runs when the asking process is gone. */
export function serveWorker<Q, A>(
  handle: (question: Q) => Promise<A>,
  end: () => Promise<void> = async () => {},
): void {
  process.on("message", (question: Q) => {
    handle(question).then(
      (answer) => process.send?.({ answer } satisfies Reply<A>),
      (cause: unknown) =>
        process.send?.({ error: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) }),
    );
  });
  process.on("disconnect", () => {
    void end().finally(() => process.exit(0));
  });
}
