/**
 * The job `mcp-answer`: reduces an MCP server's answer to one request to what the client needs. It bounds everything
 * that a server can make large or deep, and drops everything unsolicited. Beyond a limit, the job fails with a message.
 */
import { cutText } from "../../../actors/cut-text.ts";
import { JobOutput } from "../protocol.ts";
import { parseExact } from "../../../actors/exact-json.ts";
import { parseWithin } from "../../../actors/json-shape.ts";
import type { Json, JsonObject } from "../../../actors/schema.ts";
import {
  clientMembers,
  fittingText,
  reducedHandshake,
  reducedList,
  reducedResult,
  jsonBytes,
} from "./mcp-reduction.ts";
import { callContent, resourceContent, type ResultContent, type ResultFile } from "./mcp-result-content.ts";
import { createParser } from "eventsource-parser";

/** Messages of one answer: progress ten times a second stays below half of it. */
export const MAX_MESSAGES = 4_096;
/** Requests of the server in one answer. Each costs us a request. */
export const MAX_SERVER_REQUESTS = 16;
/** Nesting and values of one message. */
const MESSAGE = { depth: 200_000, values: 1_000_000 } as const;
/** Characters of a method and of an id. */
const MAX_RPC_WORD = 256;
/** Characters of an error. The service masks secrets in it before it cuts it to its length. */
const MAX_ERROR_CHARS = 20_000;
/** Bytes of an error's data: it lists the protocol revisions that a server supports. */
const MAX_ERROR_DATA_BYTES = 4_096;

export interface McpAnswerOptions {
  /** JSON, or the frames of an event stream. */
  readonly format: "json" | "events";
  /** Id of the answered request. */
  readonly id: number;
  readonly method: string;
  /** Messages of the same answer before this content. */
  readonly messages: number;
  readonly requests: number;
}

export interface McpAnswer {
  /** Consumed bytes of the content; the rest is the beginning of a frame. */
  readonly consumed: number;
  /** Messages of the answer so far, and how many of them were requests of the server. */
  readonly messages: number;
  readonly requests: number;
  /** Whether the request has its answer. */
  readonly isAnswered: boolean;
  /** For the client: the answer, and the server's requests. */
  readonly forClient: readonly JsonObject[];
}

/** The other content of a reduced result. */
export interface ReducedMeta {
  /** Bytes of the whole text, if it did not fit. */
  readonly cut: number | null;
  /** The bytes of the job's output are the bytes of these files, one after the other. */
  readonly files: readonly ResultFile[];
}

/** The reduced result of `tools/call`. */
export interface ReducedCall {
  readonly content: readonly [{ readonly type: "text"; readonly text: string }];
  readonly isError: boolean;
  readonly _meta: ReducedMeta;
}

/** The reduced result of `resources/read`. */
export interface ReducedResource {
  readonly contents: readonly [{ readonly uri: string; readonly text: string }];
  readonly _meta: ReducedMeta;
}

interface RpcMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown };
}

/** Options: `McpAnswerOptions`. Answers `McpAnswer`, with the bytes of the files of a result. */
export function mcpAnswer(options: JsonObject, content: Uint8Array): JobOutput {
  const { format, id, method, messages, requests } = options as unknown as McpAnswerOptions;
  const reduction = new Reduction({ id, method, messages, requests });
  const consumed = format === "json" ? content.length : framesEnd(content);
  const text = new TextDecoder().decode(content.subarray(0, consumed));
  if (format === "json") {
    const value = parseMessage(text);
    if (typeof value !== "object" || value === null) throw new Error("its answer is not valid MCP");
    for (const message of Array.isArray(value) ? value : [value]) reduction.take(message);
  } else {
    const parser = createParser({
      onEvent({ event, data }) {
        if (event === undefined || event === "message") reduction.take(parseMessage(data));
      },
    });
    parser.feed(text);
  }
  const value: McpAnswer = { consumed, ...reduction.answer() };
  return new JobOutput(value, reduction.bytes);
}

/** A message: what its tool answers is passed on. */
function parseMessage(text: string): unknown {
  try {
    return parseWithin(text, MESSAGE, parseExact);
  } catch (cause) {
    throw new Error(`its answer has a number that cannot be kept: ${(cause as Error).message}`, { cause });
  }
}

/** The offset after the last complete frame. */
function framesEnd(content: Uint8Array): number {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  const ends = ["\n\n", "\n\r\n", "\r\r"].map((end) => {
    const at = bytes.lastIndexOf(end);
    return at === -1 ? 0 : at + end.length;
  });
  return Math.max(...ends);
}

class Reduction {
  private readonly asked: Omit<McpAnswerOptions, "format">;
  private messages: number;
  private requests: number;
  private isAnswered = false;
  private readonly forClient: JsonObject[] = [];
  /** The bytes of the result's files. */
  bytes: Uint8Array = new Uint8Array();

  constructor(asked: Omit<McpAnswerOptions, "format">) {
    this.asked = asked;
    this.messages = asked.messages;
    this.requests = asked.requests;
  }

  answer(): Omit<McpAnswer, "consumed"> {
    const { messages, requests, isAnswered, forClient } = this;
    return { messages, requests, isAnswered, forClient };
  }

  take(value: unknown): void {
    if (++this.messages > MAX_MESSAGES) throw new Error(`its answer has more than ${MAX_MESSAGES} messages`);
    if (typeof value !== "object" || value === null) return;
    const message: RpcMessage = value;
    const isOurs = message.id === this.asked.id || ((message.id ?? null) === null && message.error !== undefined);
    if (typeof message.method === "string") this.request(message.id, message.method);
    else if (isOurs && !this.isAnswered) {
      this.isAnswered = true;
      const { id } = this.asked;
      this.forClient.push({ jsonrpc: "2.0", id, ...this.outcome(message) });
    }
  }

  /** A request of the server, which the client refuses; notifications are ignored. */
  private request(id: unknown, method: string): void {
    if (typeof id !== "number" && (typeof id !== "string" || id.length > MAX_RPC_WORD)) return;
    if (++this.requests > MAX_SERVER_REQUESTS)
      throw new Error(`it sends more than ${MAX_SERVER_REQUESTS} requests of its own in one answer`);
    this.forClient.push({ jsonrpc: "2.0", id, method: cutText(method, MAX_RPC_WORD) });
  }

  private reduced({ text: whole, files, bytes }: ResultContent): {
    readonly text: string;
    readonly _meta: ReducedMeta;
  } {
    this.bytes = Buffer.concat(bytes);
    const { text, cut } = fittingText(whole, jsonBytes(files));
    return { text, _meta: { cut, files } };
  }

  private outcome({ result, error }: RpcMessage): JsonObject {
    if (error !== undefined) return { error: reducedError(error) };
    if (typeof result !== "object" || result === null) return { result: {} };
    switch (this.asked.method) {
      case "tools/list":
        return { result: reducedList(result) };
      case "tools/call": {
        const { text, _meta } = this.reduced(callContent(result));
        const isError = "isError" in result && result.isError === true;
        const reduced: ReducedCall = { content: [{ type: "text", text }], isError, _meta };
        return { result: { ...clientMembers(result), ...reduced } as unknown as JsonObject };
      }
      case "resources/read": {
        const { text, _meta } = this.reduced(resourceContent(result));
        const reduced: ReducedResource = { contents: [{ uri: "", text }], _meta };
        return { result: { ...clientMembers(result), ...reduced } as unknown as JsonObject };
      }
      case "initialize":
      case "server/discover":
        return { result: reducedHandshake(result) };
      default:
        return { result: reducedResult(result) };
    }
  }
}

function reducedError(error: NonNullable<RpcMessage["error"]>): JsonObject {
  const { code, message, data } = error ?? {};
  const isSmall = data !== undefined && jsonBytes(data) <= MAX_ERROR_DATA_BYTES;
  return {
    code: typeof code === "number" && Number.isSafeInteger(code) ? code : 0,
    message: typeof message === "string" ? cutText(message, MAX_ERROR_CHARS) : "",
    ...(isSmall ? { data: data as Json } : {}),
  };
}
