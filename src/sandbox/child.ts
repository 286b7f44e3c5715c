/**
 * The program of a child: reads a job, runs it, answers, and repeats until its input ends. It reads and writes
 * synchronously, because it has nothing else to do, and never writes without a job.
 *
 * A job is a small module under `jobs/` with a name here. Its first use loads it.
 */
import { cutText } from "../../actors/cut-text.ts";
import type { JsonObject } from "../../actors/schema.ts";
import {
  ANSWER_HEAD_BYTES,
  JOB_DONE,
  JOB_FAILED,
  GROWN,
  type SandboxedJob,
  LENGTH_BYTES,
  MAX_INPUT_BYTES,
  MAX_ORDER_BYTES,
  MAX_OUTPUT_BYTES,
  JobOutput,
} from "./protocol.ts";
import { readFileSync, readSync, writeSync } from "node:fs";

const SANDBOX_JOBS: Readonly<Record<string, () => Promise<SandboxedJob>>> = {
  /** Tests whether a child can be started at all. */
  ping: async () => () => "pong",
  page: async () => (await import("./jobs/page.ts")).extractPage,
  "query-plan": async () => (await import("./jobs/query-plan.ts")).queryPlan,
  query: async () => (await import("./jobs/query.ts")).query,
  "sqlite-query": async () => (await import("./jobs/sqlite-query.ts")).sqliteQuery,
  "preview-text": async () => (await import("./jobs/preview-text.ts")).previewText,
  "preview-image": async () => (await import("./jobs/preview-image.ts")).previewImage,
  "preview-pdf": async () => (await import("./jobs/preview-pdf.ts")).previewPdf,
  arguments: async () => (await import("./jobs/arguments.ts")).checkArguments,
  "rule-conditions": async () => (await import("./jobs/arguments.ts")).checkConditions,
  openapi: async () => (await import("./jobs/openapi.ts")).openApiTools,
  "schema-flaws": async () => (await import("./jobs/schema-flaws.ts")).schemaFlaws,
  "mcp-answer": async () => (await import("./jobs/mcp-answer.ts")).mcpAnswer,
};

const INPUT = 0;
const OUTPUT = 1;
/** Retry pause while the pipe is full. */
const PIPE_RETRY_MS = 1;
/**
 * The memory that a child may keep between jobs. Programs and libraries need less; an allocator keeps what a large
 * result needed, and only this child can reuse it.
 */
const KEPT_KIB = 64 * 1024;
/** Characters of a failure's message. */
const MAX_WORDS = 500;

/** Null at the end of the input. */
function readInput(length: number): Buffer | null {
  const bytes = Buffer.allocUnsafe(length);
  for (let have = 0; have < length;) {
    const more = readSync(INPUT, bytes, have, length - have, null);
    if (more === 0) return null;
    have += more;
  }
  return bytes;
}

function writeOutput(bytes: Uint8Array): void {
  for (let sent = 0; sent < bytes.length;) {
    try {
      sent += writeSync(OUTPUT, bytes, sent);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      Bun.sleepSync(PIPE_RETRY_MS);
    }
  }
}

function answerJob(status: number, cpuUs: number, { text, bytes }: ChildReply): void {
  const textBytes = Buffer.from(text);
  const head = Buffer.allocUnsafe(LENGTH_BYTES + ANSWER_HEAD_BYTES);
  head.writeUInt32BE(ANSWER_HEAD_BYTES + textBytes.length + bytes.length, 0);
  head.writeUInt8(dataKib() > keptAtStart ? status | GROWN : status, LENGTH_BYTES);
  head.writeUInt32BE(Math.min(cpuUs, 0xffff_ffff), LENGTH_BYTES + 1);
  head.writeUInt32BE(textBytes.length, LENGTH_BYTES + 5);
  writeOutput(Buffer.concat([head, textBytes, bytes]));
}

/** The memory that `prlimit` limits, in KiB; NaN where the system does not report it. */
function dataKib(): number {
  try {
    return Number(/^VmData:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  } catch {
    return Number.NaN;
  }
}
const keptAtStart = dataKib() + KEPT_KIB;

interface ChildReply {
  readonly text: string;
  readonly bytes: Uint8Array;
}
const NO_BYTES = new Uint8Array();

const cpuUs = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

async function doneJob(frame: Buffer): Promise<ChildReply> {
  const orderEnd = LENGTH_BYTES + frame.readUInt32BE(0);
  const { job: name, options } = JSON.parse(frame.toString("utf8", LENGTH_BYTES, orderEnd)) as {
    readonly job: string;
    readonly options: JsonObject;
  };
  const load = SANDBOX_JOBS[name];
  if (load === undefined) throw new Error(`unknown job ${name}`);
  const job = await load();
  const output = await job(options, frame.subarray(orderEnd));
  const { value, bytes } = output instanceof JobOutput ? output : { value: output, bytes: NO_BYTES };
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > MAX_OUTPUT_BYTES) throw new Error("the result is too large");
  return { text, bytes };
}

for (let head = readInput(LENGTH_BYTES); head !== null; head = readInput(LENGTH_BYTES)) {
  const length = head.readUInt32BE(0);
  if (length > MAX_INPUT_BYTES + MAX_ORDER_BYTES) process.exit(1);
  const frame = readInput(length);
  if (frame === null) break;
  const from = cpuUs();
  try {
    const result = await doneJob(frame);
    answerJob(JOB_DONE, cpuUs() - from, result);
  } catch (error) {
    const text = cutText(error instanceof Error ? error.message : String(error), MAX_WORDS);
    answerJob(JOB_FAILED, cpuUs() - from, { text, bytes: NO_BYTES });
  }
}
process.exit(0);
