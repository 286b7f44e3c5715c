/**
 * The priority of children. Linux shares the CPU between sessions first (autogroups), and between the processes of one
 * session after that: a child with the lowest priority, in a session of its own, has as much of a core as the whole
 * service. So its session has a low weight too. Where there are no autogroups, as in most containers, the priority of
 * the process counts alone.
 */
import { writeFileSync } from "node:fs";

/**
 * A tenth of the weight of others. Not the least that there is: beside programs that are not the service's, on a
 * machine without an idle moment, a child has to come to its end within its time.
 */
export const SESSION_NICE = 10;
/** Linux takes one such change in a tenth of a second, of all users but root. */
const RETRY_MS = 110;
const TRIES = 20;

/** Before a command: it is the first to go when memory runs out, and goes behind the others of its session. */
export function manners(): string[] {
  const wrappers = [
    ["choom", "-n", "1000", "--"],
    ["nice", "-n", "19"],
  ];
  return wrappers.flatMap(([program = "", ...options]) => (Bun.which(program) === null ? [] : [program, ...options]));
}

/** Puts a session behind the others. `leader` was started `detached`. Where there are no autogroups, it does nothing. */
export function lowerSession(leader: number, triesLeft = TRIES): void {
  try {
    writeFileSync(`/proc/${leader}/autogroup`, String(SESSION_NICE));
  } catch (cause) {
    const isEarly = cause instanceof Error && "code" in cause && cause.code === "EAGAIN";
    if (isEarly && triesLeft > 1) setTimeout(() => lowerSession(leader, triesLeft - 1), RETRY_MS).unref();
  }
}
