/**
 * An answer over a link to another replica: the parts of a `Response`, which would only be taken apart again. The
 * replica that the client has asked makes the `Response`.
 */
import type { PipelineAnswer, SharedHeaders, WholeBody } from "../http/answer/answer.ts";

/** An answer whose complete body is known, as text or bytes. */
export class PlainAnswer implements PipelineAnswer {
  readonly status: number;
  readonly headers: PlainHeaders;
  readonly body: WholeBody;

  constructor(status: number, shared: SharedHeaders, body: WholeBody) {
    this.status = status;
    this.headers = new PlainHeaders(shared);
    this.body = body;
  }
}

/** The part of `Headers` that the pipeline uses for its own answers; none of those has cookies. */
class PlainHeaders {
  readonly shared: SharedHeaders;
  /** Alternating names (lower case) and values; they replace shared headers of the same name. */
  readonly own: string[] = [];

  constructor(shared: SharedHeaders) {
    this.shared = shared;
  }

  get(name: string): string | null {
    const at = this.indexOf(name);
    if (at !== -1) return this.own[at + 1]!;
    return this.shared.headers.get(name);
  }

  set(name: string, value: string): void {
    const at = this.indexOf(name);
    if (at === -1) this.own.push(name.toLowerCase(), value);
    else this.own[at + 1] = value;
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value}`);
  }

  private indexOf(name: string): number {
    const { own } = this;
    const bare = name.toLowerCase();
    for (let at = 0; at < own.length; at += 2) if (own[at] === bare) return at;
    return -1;
  }
}

export function plainResponse({ status, headers, body }: PlainAnswer): Response {
  return ownHeaders(new Response(body, { status, headers: headers.shared.headers }), headers.own);
}

/** Sets headers given as alternating names and values. */
export function ownHeaders(response: Response, own: readonly string[]): Response {
  for (let at = 0; at + 1 < own.length; at += 2) response.headers.set(own[at]!, own[at + 1]!);
  return response;
}
