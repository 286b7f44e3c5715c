/**
 * Runs a command inside its sandbox, with a port on the loopback that forwards to the service's socket: programs can
 * connect only to addresses and ports, and the sandbox has no other way out.
 *
 *   bun relay.ts SOCKET PORT COMMAND…      ends with the command, and with its code
 */
import { connect, createServer } from "node:net";

const [relaySocket = "", relayPort = "", ...relayCommand] = process.argv.slice(2);

const server = createServer((program) => {
  const service = connect(relaySocket);
  program.on("error", () => service.destroy()).pipe(service);
  service.on("error", () => program.destroy()).pipe(program);
});
await new Promise<void>((resolve, reject) => {
  server.once("error", reject).listen(Number(relayPort), "127.0.0.1", resolve);
});
const child = Bun.spawn(relayCommand, { stdio: ["inherit", "inherit", "inherit"] });
const exitCode = await child.exited;
process.exit(child.signalCode === null ? exitCode : 128 + exitCode);
