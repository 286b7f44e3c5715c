/** What tests of v1 expect again and again. */
import { expect } from "bun:test";
import type { Caller, Service } from "./service.ts";

const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** The whole of a v1 failure: status, reason, message, and nothing else (ERR-3). */
export async function expectFailure(response: Response, status: number, message: string): Promise<void> {
  expect({ status: response.status, type: response.headers.get("content-type"), body: await response.json() }).toEqual({
    status,
    type: "application/json",
    body: { error: true, statusCode: status, statusMessage: REASONS[status], message },
  });
  expect(response.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9_-]{8,128}$/);
}

export const expectUnauthorized = (response: Response): Promise<void> =>
  expectFailure(response, 401, "Unauthorized. Invalid or expired token");

/** The body of a 200. */
export async function success<T = Record<string, unknown>>(response: Promise<Response> | Response): Promise<T> {
  const answer = await response;
  const text = await answer.text();
  expect({ status: answer.status, text }).toEqual({ status: 200, text });
  return JSON.parse(text) as T;
}

export interface CreatedAgent {
  readonly success: boolean;
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly chatUrl: string;
}

/** A new agent's id. */
export async function createAgent(service: Service, by: Caller, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { name: "Ada", systemPrompt: "Be brief.", ...fields };
  return (await success<CreatedAgent>(service.call(by, "POST", "/api/v1/agents", body))).id;
}

export interface Executed {
  readonly success: boolean;
  readonly executionId: string;
  readonly chatId: string;
  readonly sessionId: string;
  readonly result: string;
}

export const execute = (service: Service, by: Caller, agentId: string, body: object): Promise<Response> =>
  service.call(by, "POST", `/api/v1/agents/${agentId}/execute`, body);

/** The frames of a stream: its comments left out, everything else as it was sent. */
export const frames = (text: string): string[] =>
  text.split("\n\n").filter((frame) => frame !== "" && !frame.startsWith(":"));

/** Reads a stream piece by piece. */
export class StreamReader {
  readonly response: Response;
  text = "";
  private readonly reader: {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
    cancel(): Promise<void>;
  };
  private readonly decoder = new TextDecoder();

  constructor(response: Response) {
    this.response = response;
    if (response.body === null) throw new Error("no body");
    this.reader = response.body.getReader();
  }

  /** All text up to here, once it holds `part`. Throws when the stream ends before. */
  async until(part: string): Promise<string> {
    while (!this.text.includes(part)) if (!(await this.more())) throw new Error(`ended before ${part}: ${this.text}`);
    return this.text;
  }

  async rest(): Promise<string> {
    while (await this.more());
    return this.text;
  }

  async leave(): Promise<void> {
    await this.reader.cancel();
  }

  private async more(): Promise<boolean> {
    const { done, value } = await this.reader.read();
    if (value !== undefined) this.text += this.decoder.decode(value, { stream: true });
    return !done;
  }
}
