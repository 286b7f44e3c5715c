/**
 * The peers of the fan-out: a bare writer in C, which is the ceiling, and nginx with nchan. Publications to each use
 * one connection.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Lifetime } from "./lifetime.ts";
import { freePort } from "../../test/support/free-port.ts";
import type { Saying } from "./stream-service.ts";
import { wallMs } from "./wall-clock.ts";

export interface FanOutPlace {
  readonly name: string;
  readonly port: number;
  /** The process whose CPU and memory are measured. */
  readonly pid: number;
  /** The request of a reader. */
  readonly request: string;
  /** Publishes events; answers the times at which each burst was committed (for the peers: published). */
  say(saying: Saying): Promise<readonly number[]>;
  /** Frees memory before it is measured. */
  tidy(): Promise<void>;
}

const READER = "GET /sub HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n";
const NCHAN_MODULES = ["/usr/lib/nginx/modules/ngx_nchan_module.so", "/usr/share/nginx/modules/ngx_nchan_module.so"];
const START_LIMIT_MS = 5_000;

/** An event as long as ours, with the marker. */
const dataOf = (bytes: number): string => `~${"x".repeat(Math.max(0, bytes - 1))}`;

/** Null if there is no compiler. `eventBytes` is called for each publication. */
export async function startWriter(lifetime: Lifetime, eventBytes: () => number): Promise<FanOutPlace | null> {
  const compiler = Bun.which("gcc");
  if (compiler === null) return null;
  const program = join(lifetime.folder(), "fan-out-writer");
  const source = join(import.meta.dir, "fan-out-writer.c");
  const made = Bun.spawnSync({ cmd: [compiler, "-O2", "-o", program, source] });
  if (!made.success) throw new Error(`the writer does not compile: ${made.stderr.toString()}`);
  const child = Bun.spawn({ cmd: [program], stdio: ["ignore", "pipe", "ignore"] });
  lifetime.add(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  const { value } = await child.stdout.getReader().read();
  const port = Number(new TextDecoder().decode(value));
  const publisher = await connection(lifetime, port);
  publisher.write("P");
  const message = (size: number): Buffer => {
    const text = `data: ${dataOf(eventBytes() - 8)}\n\n`.repeat(size);
    const bytes = Buffer.alloc(4 + text.length);
    bytes.writeUInt32LE(text.length);
    bytes.write(text, 4);
    return bytes;
  };
  const say = (saying: Saying) => paced(saying, () => publisher.write(message(saying.size)));
  return { name: "C writer", port, pid: child.pid, request: READER, say, tidy: () => Promise.resolve() };
}

/** Null if nginx or its module is not installed. */
export async function startNchan(lifetime: Lifetime, eventBytes: () => number): Promise<FanOutPlace | null> {
  const nginx = Bun.which("nginx") ?? Bun.which("nginx", { PATH: "/usr/sbin" });
  const found = await Promise.all(NCHAN_MODULES.map((path) => Bun.file(path).exists()));
  const module = NCHAN_MODULES[found.indexOf(true)];
  if (nginx === null || module === undefined) return null;
  const folder = lifetime.folder({ isOpen: true });
  const port = freePort();
  writeFileSync(
    join(folder, "nginx.conf"),
    `load_module ${module};
daemon off; master_process off; worker_processes 1; pid ${folder}/pid; error_log /dev/null;
events { worker_connections 20000; }
http {
  access_log off; keepalive_requests 1000000; client_body_temp_path ${folder}; nchan_message_buffer_length 64;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /pub { nchan_publisher http; nchan_channel_id fan-out; }
    location = /sub { nchan_subscriber eventsource; nchan_channel_id fan-out; nchan_subscriber_first_message newest; }
  }
}`,
  );
  const pid = lifetime.spawn([nginx, "-p", folder, "-c", join(folder, "nginx.conf")]);
  const until = performance.now() + START_LIMIT_MS;
  while (!(await fetch(`http://127.0.0.1:${port}/pub`).catch(() => null)))
    if (performance.now() > until) return null;
    else await Bun.sleep(20);
  const publisher = await connection(lifetime, port);
  const post = (size: number): string => {
    const data = dataOf(eventBytes() - 22);
    const head = `POST /pub HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: ${data.length}\r\n\r\n`;
    return `${head}${data}`.repeat(size);
  };
  const say = (saying: Saying) => paced(saying, () => publisher.write(post(saying.size)));
  return { name: "nginx with nchan", port, pid, request: READER, say, tidy: () => Promise.resolve() };
}

async function connection(lifetime: Lifetime, port: number) {
  const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => {}, error: () => {} } });
  lifetime.add(() => void socket.end());
  return socket;
}

async function paced({ bursts, everyMs }: Saying, publish: () => void): Promise<readonly number[]> {
  const times: number[] = [];
  const from = performance.now();
  for (let i = 0; i < bursts; i++) {
    times.push(wallMs());
    publish();
    await Bun.sleep(Math.max(0, from + (i + 1) * everyMs - performance.now()));
  }
  return times;
}
