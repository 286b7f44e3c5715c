/**
 * The LangGraph dev server in `benchmarks/resume.ts`: a thread with a resumable run, read with its own SDK.
 * `joinStream` ends when its connection is lost, so the reader calls it again a second later with the last id, as the
 * documentation of resumable streams says.
 */
import { join } from "node:path";
import type { LangGraph } from "./langgraph.ts";
import { type ReaderRecord, type ResumePeer, type ResumeRun, wordsOf } from "./resume-peer.ts";

const RETRY_MS = 1_000;
const MODES = ["custom", "values"];

interface StreamPart {
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}
/** The used part of `@langchain/langgraph-sdk`. */
interface Client {
  readonly threads: {
    create(): Promise<{ thread_id: string }>;
    getState(thread: string): Promise<{ values: { messages?: { type: string; content: string }[] } }>;
  };
  readonly runs: {
    create(thread: string, assistant: string, payload: object): Promise<{ run_id: string }>;
    joinStream(
      thread: string,
      run: string,
      options: { signal: AbortSignal; lastEventId: string; streamMode: readonly string[] },
    ): AsyncGenerator<StreamPart>;
  };
}

export async function langGraphPeer({
  url,
  folder,
  process,
}: Extract<LangGraph, { kind: "there" }>): Promise<ResumePeer> {
  const sdk = (await import(join(folder, "node_modules/@langchain/langgraph-sdk/dist/index.js"))) as {
    Client: new (options: { apiUrl: string }) => Client;
  };
  const client = new sdk.Client({ apiUrl: url });
  return {
    name: "LangGraph dev server",
    begin: async (words, everyMs) => {
      const { thread_id: thread } = await client.threads.create();
      const { run_id: run } = await client.runs.create(thread, "agent", {
        input: { messages: [{ role: "user", content: `deltas=${words} every=${everyMs}` }] },
        streamMode: MODES,
        streamResumable: true,
      });
      return {
        read: (record, signal) => read(client, { thread, run }, record, signal),
        crash: () => process.crash(),
        stored: async () => {
          const state = await client.threads.getState(thread).catch(() => null);
          const said = (state?.values.messages ?? []).filter(({ type }) => type === "ai");
          return said.flatMap(({ content }) => wordsOf(content));
        },
      } satisfies ResumeRun;
    },
  };
}

async function read(
  client: Client,
  { thread, run }: { readonly thread: string; readonly run: string },
  record: ReaderRecord,
  signal: AbortSignal,
): Promise<void> {
  let lastEventId = "-1";
  while (!signal.aborted && record.endedAt === null) {
    try {
      for await (const part of client.runs.joinStream(thread, run, { signal, lastEventId, streamMode: MODES })) {
        if (part.id !== undefined) lastEventId = part.id;
        if (part.event === "custom") {
          record.take(part.id ?? "", String(part.data));
          record.units.push(String(part.data).trim());
        } else if (part.event === "values" && JSON.stringify(part.data).includes('"type":"ai"')) {
          record.end();
        }
      }
    } catch {
      // The connection was lost or refused.
    }
    if (!signal.aborted && record.endedAt === null) await Bun.sleep(RETRY_MS);
  }
}
