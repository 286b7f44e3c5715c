/** The ports that the service listens on, and errors when one cannot be opened. */

/** The port is taken, or the host is not this machine's. */
export class CannotListen extends Error {
  override readonly name = "CannotListen";
}

/** A port to open, and the setting that names it. */
export interface Wanted {
  readonly host: string;
  readonly port: number;
  readonly setting: string;
}

/** The result of `open`. Throws `CannotListen`. */
export function openPort<T>({ host, port, setting }: Wanted, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : null;
    if (code === "EADDRINUSE")
      throw new CannotListen(`Port ${port} is in use. Set ${setting} to another one.`, { cause });
    const settings = `${setting.replace("PORT", "HOST")} and ${setting}`;
    throw new CannotListen(`Cannot listen on ${host}:${port} (${settings}): ${String(cause)}`, { cause });
  }
}

/** Tests the port by opening it for a moment; 0 needs no test. Throws `CannotListen`. */
export function tryPort(wanted: Wanted): void {
  if (wanted.port !== 0) findPort(wanted);
}

/** The port itself, or a free one for 0, tested by opening it for a moment. Throws `CannotListen`. */
export function findPort(wanted: Wanted): number {
  return openPort(wanted, () => {
    const listener = Bun.listen({ hostname: wanted.host, port: wanted.port, socket: { data() {} } });
    const { port } = listener;
    listener.stop(true);
    return port;
  });
}

/** Tests that the host is this machine's, whatever its port. Throws `CannotListen`. */
export function tryHost(wanted: Wanted): void {
  openPort(wanted, () => Bun.listen({ hostname: wanted.host, port: 0, socket: { data() {} } }).stop(true));
}
