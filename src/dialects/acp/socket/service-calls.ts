/**
 * Calls of a connection into the service: each is a request by the service's own pipeline, with the token of the
 * connection. So it is verified and counted, and reaches the owner of the organization wherever that is.
 */
import type { MaybePromise } from "../../../../actors/maybe-promise.ts";
import type { JsonObject } from "../../../../actors/schema.ts";
import { innerRequest } from "../../../http/admission/client-address.ts";
import { isEventStream } from "../../../http/stream/event-source.ts";
import { ACP_INTERNAL_ERROR, type AcpError } from "../error-codes.ts";
import { ACP_RPC_PATH } from "../rpc.ts";
import type { AcpFrame } from "../run-frames.ts";

export interface ServiceCallParts {
  readonly pipeline: (request: Request) => MaybePromise<Response>;
  /** The token, and the host. */
  readonly headers: Headers;
  readonly address: string;
  /** The agent that the connection's address names. */
  readonly agent: string | null;
}

export type ServiceAnswer =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "stream"; readonly frames: AsyncIterable<AcpFrame> }
  /** `isPassing`: the same call may be taken later. */
  | { readonly kind: "error"; readonly error: AcpError; readonly isPassing: boolean };

const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

export class ServiceCalls {
  private readonly parts: ServiceCallParts;

  constructor(parts: ServiceCallParts) {
    this.parts = parts;
  }

  /** The answer as it is, for a connection that is just being opened. */
  async request(method: string, params: JsonObject, signal: AbortSignal): Promise<Response> {
    const { pipeline, agent, ...of } = this.parts;
    return pipeline(innerRequest(ACP_RPC_PATH, { method, params, agent }, { ...of, signal }));
  }

  async call(method: string, params: JsonObject, signal: AbortSignal): Promise<ServiceAnswer> {
    const response = await this.request(method, params, signal);
    if (response.ok && isEventStream(response) && response.body !== null)
      return { kind: "stream", frames: acpFramesIn(response.body, signal) };
    const body = (await response.json()) as JsonObject;
    if (response.ok) return { kind: "result", result: body };
    const isPassing = response.status === TOO_MANY_REQUESTS || response.status >= SERVER_ERROR;
    return { kind: "error", error: isError(body) ? body : UNKNOWN_ERROR, isPassing };
  }
}

const UNKNOWN_ERROR: AcpError = { code: ACP_INTERNAL_ERROR, message: "The service could not answer" };
const isError = (body: JsonObject): body is JsonObject & AcpError => typeof body["code"] === "number";

/** The frames of a stream, as they come. It is read only as fast as they are taken; an abort closes it. */
export async function* acpFramesIn(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<AcpFrame> {
  const reader = body.getReader();
  const close = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", close, { once: true });
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events)
        if (event.startsWith(EVENT_DATA)) yield JSON.parse(event.slice(EVENT_DATA.length)) as AcpFrame;
    }
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
}

const EVENT_DATA = "data: ";
