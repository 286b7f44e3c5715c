/**
 * The parts of the benchmark of files that need their own process: the bare server, the load of uploads and downloads,
 * and DuckDB alone.
 *
 *   bun files-worker.ts      asked by IPC
 */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { serveWorker } from "./worker.ts";

export type FilesTask =
  /**
   * `Bun.serve` that stores bodies as files and sends files; answers its port. Below a path of `STEPS` it does more of
   * an upload's work.
   */
  | { readonly kind: "serve"; readonly folder: string }
  /** Hashes this many bytes; answers the ms of CPU per MiB. */
  | { readonly kind: "hash"; readonly bytes: number }
  /** Sends bodies of random bytes, some concurrently; answers the seconds taken. */
  | (Load & { readonly kind: "upload"; readonly bytes: number })
  | (Load & { readonly kind: "download" })
  /** Begins uploads over slow lines (`CHUNK_BYTES` every `CHUNK_MS`), which continue until `stop`. */
  | (Load & { readonly kind: "flood"; readonly bytes: number })
  /** Ends the flood; answers the number of finished uploads. */
  | { readonly kind: "stop" }
  /** Runs a query several times in a DuckDB without limits; answers the ms of each. */
  | { readonly kind: "duckdb"; readonly folder: string; readonly query: string; readonly times: number };

interface Load {
  /** `{n}` is replaced by an increasing number. */
  readonly url: string;
  readonly token: string | null;
  readonly times: number;
  readonly atOnce: number;
}

/**
 * Below `/streamed/` a body is read piece by piece, as a digest needs it; the next steps also hash it and then sync it
 * to disk.
 */
const STEPS = ["streamed", "hashed", "synced"] as const;

/** The chunk of one client of a flood, and its pause: 50 clients fill a line of 1 Gbit/s. */
const CHUNK_BYTES = 256 * 1024;
const CHUNK_MS = 100;

let isFlooding = false;
let flood: Promise<number> = Promise.resolve(0);

async function load(
  { url, token, times, atOnce, isSlow = false }: Load & { readonly isSlow?: boolean },
  body: Uint8Array<ArrayBuffer> | null,
  goesOn: () => boolean = () => true,
): Promise<{ readonly seconds: number; readonly done: number }> {
  const from = performance.now();
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  let begun = 0;
  let done = 0;
  const one = async (): Promise<void> => {
    while (begun < times && goesOn()) {
      const n = begun++;
      // Vary the content: known content would not be written again.
      const bytes = body === null ? null : body.slice();
      if (bytes !== null) new DataView(bytes.buffer).setUint32(0, n + Math.floor(Math.random() * 1e9));
      const answer = await fetch(url.replace("{n}", String(n)), {
        method: body === null ? "GET" : "PUT",
        headers,
        body: isSlow && bytes !== null ? slowly(bytes) : bytes,
      });
      for await (const _ of answer.body ?? []) {
        // Read the body as a real client does.
      }
      if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
      done++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return { seconds: (performance.now() - from) / 1_000, done };
}

function slowly(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await Bun.sleep(CHUNK_MS);
      controller.enqueue(bytes.subarray(at, at + CHUNK_BYTES));
      at += CHUNK_BYTES;
      if (at >= bytes.length) controller.close();
    },
  });
}

function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, Math.min(length, at + 65_536)));
  return bytes;
}

/**
 * The simplest way to do an upload's work up to this step. Answers the digest; for a body that is not hashed, the
 * digest of nothing.
 */
async function stored(path: string, request: Request, step: (typeof STEPS)[number]): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  const file = await open(path, "w");
  for await (const chunk of request.body ?? []) {
    if (step !== "streamed") hasher.update(chunk);
    await file.write(chunk);
  }
  if (step === "synced") await file.datasync();
  await file.close();
  return hasher.digest("hex");
}

serveWorker<FilesTask, readonly number[]>(async (task) => {
  switch (task.kind) {
    case "serve": {
      const nameOf = (request: Request): string =>
        join(task.folder, new URL(request.url).pathname.replaceAll("/", "_"));
      const server = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        maxRequestBodySize: 1024 ** 3,
        async fetch(request) {
          if (request.method === "GET") return new Response(Bun.file(nameOf(request)));
          const step = STEPS.find((name) => request.url.includes(`/${name}/`));
          if (step !== undefined) return new Response(await stored(nameOf(request), request, step));
          await Bun.write(nameOf(request), request);
          return new Response("stored");
        },
      });
      return [server.port ?? 0];
    }
    case "hash": {
      const bytes = randomBytes(task.bytes);
      const from = process.cpuUsage();
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
        new Bun.CryptoHasher("sha256").update(bytes.subarray(at, at + CHUNK_BYTES)).digest();
      const { user, system } = process.cpuUsage(from);
      return [(user + system) / 1_000 / (bytes.length / 1024 ** 2)];
    }
    case "upload":
      return [(await load(task, randomBytes(task.bytes))).seconds];
    case "download":
      return [(await load(task, null)).seconds];
    case "flood": {
      isFlooding = true;
      flood = load({ ...task, isSlow: true }, randomBytes(task.bytes), () => isFlooding).then(({ done }) => done);
      return [];
    }
    case "stop":
      isFlooding = false;
      return [await flood];
    case "duckdb": {
      process.chdir(task.folder);
      const connection = await (await DuckDBInstance.create(":memory:")).connect();
      const ms: number[] = [];
      for (let i = 0; i < task.times; i++) {
        const from = performance.now();
        await connection.runAndReadAll(task.query);
        ms.push(performance.now() - from);
      }
      return ms;
    }
  }
});
