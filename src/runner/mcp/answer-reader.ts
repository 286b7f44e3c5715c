/**
 * Reads an MCP server's answer to one request as bytes, and has it parsed in the sandbox. The sandbox returns small
 * messages of our own making: the answer, and the few requests of the server that the client must refuse. Throws
 * `McpFailure` and `EgressInterrupted`.
 */
import type { Json, JsonObject } from "../../../actors/schema.ts";
import type { CpuBudget, Sandbox } from "../../sandbox/sandbox.ts";
import type { McpAnswer, McpAnswerOptions } from "../../sandbox/jobs/mcp-answer.ts";
import { contentBytes, type JobContent } from "../../sandbox/protocol.ts";
import type { HeldBytes } from "../held-bytes.ts";
import { McpFailure, sandboxFailure } from "./failure.ts";
import { resultFilesIn, type ResultBytes } from "./result-bytes.ts";

/** The reader, and its budget. */
export interface McpReading {
  readonly sandbox: Sandbox;
  readonly held: HeldBytes;
  /** Where the bytes of results are left. */
  readonly results: ResultBytes;
  readonly organizationId: string;
  /** The budget of the present step. */
  budget: CpuBudget;
}

/** Pieces of one stream that are parsed one by one: a normal server sends one per event. */
const MAX_PIECES = 4_096;
const BLANK_LINES = ["\n\n", "\n\r\n", "\r\r"];
/** A blank line may begin this many bytes before a chunk. */
const BLANK_LINE_BYTES = 3;

export class AnswerReader {
  private readonly reading: McpReading;
  private readonly request: Pick<McpAnswerOptions, "id" | "method">;
  private readonly signal: AbortSignal | undefined;
  private counts = { messages: 0, requests: 0 };
  private pieces = 0;

  constructor(reading: McpReading, request: Pick<McpAnswerOptions, "id" | "method">, signal?: AbortSignal) {
    this.reading = reading;
    this.request = request;
    this.signal = signal;
  }

  /** The messages of a whole body; empty if the request's answer is not among them. */
  async json(body: ReadableStream<Uint8Array>): Promise<readonly JsonObject[]> {
    const chunks: Uint8Array[] = [];
    const held = this.reading.held.of(this.reading.organizationId);
    try {
      for await (const chunk of body) {
        if (!held.add(chunk.length)) throw new McpFailure(TOO_MUCH);
        chunks.push(chunk);
      }
      const { isAnswered, forClient } = await this.parsed("json", chunks);
      return isAnswered ? forClient : [];
    } finally {
      held.release();
    }
  }

  /** The messages of an event stream as they arrive; ends when the request has its answer. */
  async *events(body: ReadableStream<Uint8Array>): AsyncGenerator<JsonObject, void> {
    const held = this.reading.held.of(this.reading.organizationId);
    let rest: Buffer = Buffer.alloc(0);
    let chunks: Uint8Array[] = [];
    try {
      for await (const chunk of body) {
        if (!held.add(chunk.length)) throw new McpFailure(TOO_MUCH);
        const before = rest.length === 0 ? chunks.at(-1) : rest;
        chunks.push(chunk);
        if (!hasBlankLine(before, chunk)) continue;
        const content = Buffer.concat([rest, ...chunks]);
        const { consumed, isAnswered, forClient } = await this.parsed("events", content);
        yield* forClient;
        if (isAnswered) return;
        rest = Buffer.from(content.subarray(consumed));
        chunks = [];
        held.release();
        held.add(rest.length);
      }
    } finally {
      held.release();
    }
  }

  private async parsed(format: McpAnswerOptions["format"], content: JobContent): Promise<McpAnswer> {
    if (++this.pieces > MAX_PIECES) throw new McpFailure(`its answer comes in more than ${MAX_PIECES} pieces`);
    const { sandbox, organizationId, budget } = this.reading;
    const result = await sandbox.run({
      job: "mcp-answer",
      lane: organizationId,
      options: { format, ...this.request, ...this.counts },
      content,
      budget,
      ...(this.signal === undefined ? {} : { signal: this.signal }),
    });
    if (!result.ok) throw sandboxFailure(result.error, result.words);
    const answer = checkReduced(result.value, contentBytes(content));
    if (answer === null) throw sandboxFailure("invalid", "");
    this.counts = { messages: answer.messages, requests: answer.requests };
    this.leaveFiles(answer, result.bytes);
    return answer;
  }

  /** The answer gets the key of its files in their place. */
  private leaveFiles({ forClient }: McpAnswer, bytes: Uint8Array | undefined): void {
    if (bytes === undefined) return;
    const meta = forClient.map(metaOf).find((one) => one !== null);
    const files = resultFilesIn(meta?.["files"], bytes);
    if (meta === undefined || files === null) throw sandboxFailure("invalid", "");
    const key = this.reading.results.leave(files);
    if (key === null) throw new McpFailure(TOO_MUCH);
    meta["files"] = key;
  }
}

/** The other members of a result in this message. */
function metaOf({ result }: JsonObject): Record<string, Json> | null {
  const meta = typeof result === "object" && result !== null ? (result as JsonObject)["_meta"] : undefined;
  return typeof meta === "object" && meta !== null ? (meta as Record<string, Json>) : null;
}

const TOO_MUCH = "too many answers are being read at once. Make fewer calls at a time";

/** Whether a blank line ends in this chunk. */
function hasBlankLine(before: Uint8Array | undefined, chunk: Uint8Array): boolean {
  const joined = Buffer.concat([before?.subarray(-BLANK_LINE_BYTES) ?? Buffer.alloc(0), chunk]);
  return BLANK_LINES.some((end) => joined.includes(end));
}

/** A compromised child may answer anything. */
function checkReduced(value: unknown, bytes: number): McpAnswer | null {
  if (typeof value !== "object" || value === null) return null;
  const { consumed, messages, requests, isAnswered, forClient } = value as Partial<McpAnswer>;
  if (!isCount(consumed) || consumed > bytes || !isCount(messages) || !isCount(requests)) return null;
  if (typeof isAnswered !== "boolean" || !Array.isArray(forClient)) return null;
  const messagesForClient = forClient.filter((one): one is JsonObject => typeof one === "object" && one !== null);
  return { consumed, messages, requests, isAnswered, forClient: messagesForClient };
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
