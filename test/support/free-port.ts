/** A port of this machine that was free a moment ago. Somebody else may take it meanwhile, which is rare. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
