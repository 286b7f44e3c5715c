/** One request on its way: its name, its start, whose it turned out to be; its answers and its log line. */
import type { RateState } from "../../actors/traffic/protocol.ts";
import type { Refusal } from "./dialect.ts";
import type { HttpLog } from "./log.ts";
import type { RateHeaders } from "./rate-headers.ts";
import { requestIdOf } from "./request-id.ts";

/** Starts of an authority in `request.url`: `https://` is the longest scheme, a host has a character. */
const AUTHORITY = 8;

const JSON_TYPE = "application/json";
const PLAIN = new Headers({ "content-type": JSON_TYPE });

export class Exchange {
  readonly request: Request;
  readonly requestId: string;
  /** Once the request is authenticated. */
  organizationId: string | null = null;
  /** Once it is counted: every answer tells of it (RATE-2). */
  rate: RateState | null = null;
  private readonly rateHeaders: RateHeaders;
  private readonly startedAt = performance.now();

  constructor(request: Request, rateHeaders: RateHeaders) {
    this.request = request;
    this.rateHeaders = rateHeaders;
    this.requestId = requestIdOf(request);
  }

  json(body: object): Response {
    return this.respond(JSON.stringify(body), 200);
  }

  /** An answer whose body is a text already. */
  answer({
    status,
    contentType,
    body,
  }: {
    readonly status: number;
    readonly contentType: string;
    readonly body: string;
  }): Response {
    const response = this.respond(body, status);
    if (contentType !== JSON_TYPE) response.headers.set("content-type", contentType);
    return response;
  }

  refuse({ status, body, headers }: Refusal): Response {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = this.respond(text, status);
    if (headers !== undefined) for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  }

  /** Nothing but these headers. */
  empty(headers: Readonly<Record<string, string>>): Response {
    return this.own(new Response(null, { status: 204, headers: { "x-request-id": this.requestId, ...headers } }));
  }

  /** A response that the operation has made itself. */
  own(response: Response): Response {
    return this.rate === null ? response : this.rateHeaders.stamp(response, this.rate);
  }

  /** One line for each request; never a header, a query or a body. */
  log(log: HttpLog, status: number): void {
    const { request, requestId, organizationId } = this;
    const durationMs = Math.round((performance.now() - this.startedAt) * 100) / 100;
    const fields = { requestId, organizationId, method: request.method, path: pathOf(request.url), status, durationMs };
    if (status >= 500) log.warn(fields, "request");
    else log.info(fields, "request");
  }

  private respond(text: string, status: number): Response {
    const { rate, requestId } = this;
    // Headers that are made once are copied faster than an object is read.
    const response = new Response(text, { status, headers: rate === null ? PLAIN : this.rateHeaders.json(rate) });
    response.headers.set("x-request-id", requestId);
    return rate === null ? response : this.rateHeaders.finish(response, rate);
  }
}

/** The path of a request's url, as it was sent: nothing is decoded. */
export function pathOf(url: string): string {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", AUTHORITY);
  if (start === -1) return "/";
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

/** The query parameters of a request's url. */
export function queryOf(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : url.slice(start + 1));
}
