/**
 * The priority of children. Linux divides the CPU first between sessions (autogroups), and then between the processes
 * of each session. So a child with the lowest priority, in its own session, would get as much of a core as the whole
 * service; therefore its session gets a low weight too. Without autogroups, as in most containers, only the priority of
 * the process counts.
 */
import { writeFileSync } from "node:fs";

/**
 * A tenth of the normal weight. Not the minimum: even on a machine that other programs keep busy, a child must finish
 * within its time limit.
 */
export const SESSION_NICE = 10;
/** A third of the weight, for the session and the process of children that a request waits for. */
export const FAIR_NICE = 5;
/** Linux accepts one such change per 0.1 s, from all users except root together. */
const PRIORITY_RETRY_MS = 110;
const PRIORITY_TRIES = 20;

/**
 * The command line in front of a command: makes it the first to be killed when memory runs out, and gives it the lowest
 * priority in its session.
 */
export function manners(): string[] {
  const wrappers = [
    ["choom", "-n", "1000", "--"],
    ["nice", "-n", "19"],
  ];
  return wrappers.flatMap(([program = "", ...options]) => (Bun.which(program) === null ? [] : [program, ...options]));
}

/** Lowers the weight of a session, whose `leader` was started `detached`. Without autogroups, does nothing. */
export function lowerSession(leader: number, nice = SESSION_NICE, triesLeft = PRIORITY_TRIES): void {
  try {
    writeFileSync(`/proc/${leader}/autogroup`, String(nice));
  } catch (cause) {
    const isEarly = cause instanceof Error && "code" in cause && cause.code === "EAGAIN";
    if (isEarly && triesLeft > 1)
      setTimeout(() => lowerSession(leader, nice, triesLeft - 1), PRIORITY_RETRY_MS).unref();
  }
}
