/** Ports that the kernel gives to no connection by itself, on systems as they are installed. */
const FIRST = 10_000;
const LAST = 32_767;
const TRIES = 100;

/** A port of this machine that was free a moment ago. Somebody else may take it meanwhile, which is rare. */
export function freePort(): number {
  for (let tried = 0; tried < TRIES; tried++) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      // Somebody has it.
    }
  }
  throw new Error(`none of ${TRIES} ports is free`);
}
