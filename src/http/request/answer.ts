/**
 * An answer of the pipeline: a `Response`, or, for a link to another replica, only the parts of one. There a
 * `Response` would only be taken apart again; the replica that the client has asked makes it.
 */

/** Headers that many answers share, made once. */
export interface SharedHeaders {
  readonly headers: Headers;
  /** The same headers; names in lower case. */
  readonly entries: readonly (readonly [name: string, value: string])[];
}

export type Answer = Response | PlainAnswer;

/** An answer whose complete body is known, as text or bytes. */
export class PlainAnswer {
  readonly status: number;
  readonly headers: PlainHeaders;
  readonly body: string | Uint8Array<ArrayBuffer>;

  constructor(status: number, shared: SharedHeaders, body: string | Uint8Array<ArrayBuffer>) {
    this.status = status;
    this.headers = new PlainHeaders(shared);
    this.body = body;
  }
}

/** The part of `Headers` that the pipeline uses for its own answers; none of those has cookies. */
export class PlainHeaders {
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

export const isAnswer = (value: unknown): value is Answer => value instanceof Response || value instanceof PlainAnswer;

export function responseOf(answer: Answer): Response {
  if (answer instanceof Response) return answer;
  const { status, headers, body } = answer;
  return ownHeaders(new Response(body, { status, headers: headers.shared.headers }), headers.own);
}

/** Sets headers given as alternating names and values. */
export function ownHeaders(response: Response, own: readonly string[]): Response {
  for (let at = 0; at + 1 < own.length; at += 2) response.headers.set(own[at]!, own[at + 1]!);
  return response;
}
