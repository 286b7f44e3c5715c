// The reference server of Durable Streams with its files: node durable-streams-server.mjs <port> <folder>
import { DurableStreamTestServer } from "@durable-streams/server";

const [port, dataDir] = process.argv.slice(2);
await new DurableStreamTestServer({ port: Number(port), host: "127.0.0.1", dataDir }).start();
