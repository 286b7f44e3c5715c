/**
 * Durable Streams in `benchmarks/resume.ts`: its reference server with files, and its own client for the writer and the
 * readers. It is a log without agents, so the writer is this process, which is not killed: one event for each word by
 * `IdempotentProducer`, which retries its requests until they are answered. A reader keeps the offset of each batch and
 * reopens the stream from there after a failure.
 *
 * For each reader and batch its server commits to LMDB twice, with fsync, to store the time of the last access, and
 * reads the whole file: with 200 readers a batch takes some 0.5 s, so the words arrive in few batches.
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { Lifetime } from "./lifetime.ts";
import { installPeer, PeerProcess } from "./npm-peer.ts";
import { freePort } from "../../test/support/free-port.ts";
import type { ReaderRecord, ResumePeer, ResumeRun } from "./resume-peer.ts";

const PACKAGES = ["@durable-streams/server@0.3.7", "@durable-streams/client@0.2.7"];
const SERVER = "durable-streams-server.mjs";
const RETRY_MS = 100;

interface Word {
  readonly n: number;
  readonly isLast: boolean;
}
interface Batch {
  readonly items: readonly Word[];
  readonly offset: string;
}
type Fetch = (...request: Parameters<typeof fetch>) => Promise<Response>;
/** The used part of `@durable-streams/client`. */
interface ClientPackage {
  readonly DurableStream: { create(options: { url: string; contentType: string }): Promise<object> };
  readonly IdempotentProducer: new (
    stream: object,
    id: string,
    options: { fetch: Fetch; onError: (error: Error) => void },
  ) => { append(event: string): void; flush(): Promise<void> };
  stream(options: { url: string; offset: string; live: boolean; json: true; signal?: AbortSignal }): Promise<{
    subscribeJson(take: (batch: Batch) => void): () => void;
    json(): Promise<readonly Word[]>;
    readonly closed: Promise<void>;
  }>;
}

/** Null if it cannot be installed or does not start. */
export async function durableStreamsPeer(lifetime: Lifetime): Promise<ResumePeer | null> {
  const folder = lifetime.folder();
  const node = Bun.which("node");
  if (node === null || !(await installPeer(folder, PACKAGES))) return null;
  copyFileSync(join(import.meta.dir, SERVER), join(folder, SERVER));
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const process = await PeerProcess.start(lifetime, {
    cmd: [node, SERVER, String(port), join(folder, "data")],
    folder,
    probe: `${url}/v1/stream/none`,
  });
  if (process === null) return null;
  const client = (await import(
    join(folder, "node_modules/@durable-streams/client/dist/index.js")
  )) as unknown as ClientPackage;
  let runs = 0;
  return {
    name: "Durable Streams, with files",
    begin: async (words, everyMs) => {
      const run = { client, url: `${url}/v1/stream/run-${++runs}` };
      const stream = await client.DurableStream.create({ url: run.url, contentType: "application/json" });
      void write(client, stream, words, everyMs);
      return {
        read: (record, signal) => read(run, record, signal),
        crash: () => process.crash(),
        stored: async () =>
          (await (await client.stream({ url: run.url, offset: "-1", live: false, json: true })).json()).map(unitOf),
      } satisfies ResumeRun;
    },
  };
}

const unitOf = ({ n }: Word): string => `word ${n}`;

/** Sends all due words at once, and the next ones after the acknowledgement: separate appends would queue up. */
async function write(client: ClientPackage, stream: object, words: number, everyMs: number): Promise<void> {
  const producer = new client.IdempotentProducer(stream, "writer", { fetch: untilAnswered, onError: console.error });
  const from = performance.now();
  for (let said = 0; said < words; await Bun.sleep(everyMs)) {
    const due = Math.min(words, 1 + Math.floor((performance.now() - from) / everyMs));
    while (said < due) producer.append(JSON.stringify({ n: ++said, isLast: said === words } satisfies Word));
    await producer.flush();
  }
}

async function untilAnswered(...request: Parameters<typeof fetch>): Promise<Response> {
  for (;;) {
    try {
      return await fetch(...request);
    } catch {
      await Bun.sleep(RETRY_MS);
    }
  }
}

async function read(
  { client, url }: { readonly client: ClientPackage; readonly url: string },
  record: ReaderRecord,
  signal: AbortSignal,
): Promise<void> {
  let offset = "-1";
  while (!signal.aborted && record.endedAt === null) {
    const own = new AbortController();
    const stop = (): void => own.abort();
    signal.addEventListener("abort", stop);
    try {
      const session = await client.stream({ url, offset, live: true, json: true, signal: own.signal });
      session.subscribeJson((batch) => {
        offset = batch.offset;
        if (batch.items.length === 0) return;
        record.units.push(...batch.items.map(unitOf));
        record.take(batch.offset, unitOf(batch.items.at(-1)!));
        if (batch.items.at(-1)!.isLast) {
          record.end();
          stop();
        }
      });
      await session.closed;
    } catch {
      // The connection was lost or closed on purpose.
    }
    signal.removeEventListener("abort", stop);
    if (!signal.aborted && record.endedAt === null) await Bun.sleep(RETRY_MS);
  }
}
