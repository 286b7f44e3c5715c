/** One request on its way: its name, its start, whose it turned out to be; its answers and its log line. */
import type { Refusal } from "./dialect.ts";
import type { HttpLog } from "./log.ts";
import { requestIdOf } from "./request-id.ts";

/** Starts of an authority in `request.url`: `https://` is the longest scheme, a host has a character. */
const AUTHORITY = 8;

export class Exchange {
  readonly request: Request;
  readonly requestId: string;
  /** Once the request is authenticated. */
  organizationId: string | null = null;
  private readonly startedAt = performance.now();

  constructor(request: Request) {
    this.request = request;
    this.requestId = requestIdOf(request);
  }

  json(body: object): Response {
    return new Response(JSON.stringify(body), { headers: this.headers() });
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
    return new Response(body, { status, headers: { ...this.headers(), "content-type": contentType } });
  }

  refuse({ status, body, headers }: Refusal): Response {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return new Response(text, { status, headers: { ...this.headers(), ...headers } });
  }

  /** Nothing but these headers. */
  empty(headers: Readonly<Record<string, string>>): Response {
    return new Response(null, { status: 204, headers: { "x-request-id": this.requestId, ...headers } });
  }

  /** One line for each request; never a header, a query or a body. */
  log(log: HttpLog, status: number): void {
    const { request, requestId, organizationId } = this;
    const durationMs = Math.round((performance.now() - this.startedAt) * 100) / 100;
    const fields = { requestId, organizationId, method: request.method, path: pathOf(request.url), status, durationMs };
    if (status >= 500) log.warn(fields, "request");
    else log.info(fields, "request");
  }

  private headers(): Record<string, string> {
    return { "content-type": "application/json", "x-request-id": this.requestId };
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
