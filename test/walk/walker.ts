/**
 * One who walks the contract: asks a running service over HTTP for an operation of the document, and has
 * the answer judged. It knows of the service what the document and the first run's tokens say.
 */
import { successesOf, type Operation } from "./document.ts";
import type { Judge } from "./judge.ts";

/** What varies of a request. */
export interface Ask {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: readonly (readonly [string, string])[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of the body; the headers say what it is. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  /** The bearer; the owner's unless given, null for none. */
  readonly token?: string | null;
  /** An event stream is left as soon as it has begun. */
  readonly leavesStream?: boolean;
}

export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string | null;
  /** What of it is not in the contract. */
  readonly complaints: readonly string[];
}

/** No answer of a working service takes longer. */
const GIVE_UP_MS = 60_000;

export class Walker {
  readonly url: string;
  readonly token: string;
  /** What has been answered: the statuses of each operation, as `<id> <status>`. */
  readonly reached = new Set<string>();
  private readonly judge: Judge;

  constructor(url: string, token: string, judge: Judge) {
    this.url = url;
    this.token = token;
    this.judge = judge;
  }

  async ask(operation: Operation, ask: Ask = {}): Promise<Heard> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(new Error(`${operation.id} does not answer`)), GIVE_UP_MS);
    try {
      const response = await fetch(this.url + pathOf(operation, ask), {
        ...this.init(operation, ask),
        signal: abort.signal,
      });
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      const leaves = isStream && ask.leavesStream === true;
      const text = leaves ? null : await response.text();
      this.reached.add(`${operation.id} ${response.status}`);
      const given = { status: response.status, headers: response.headers, text };
      if (leaves) abort.abort();
      return { ...given, complaints: this.judge.complaints(operation, given) };
    } finally {
      clearTimeout(timer);
    }
  }

  /** The body of a call that must succeed with this status, or with the operation's only one. */
  async done<T = Readonly<Record<string, unknown>>>(operation: Operation, ask: Ask, status?: number): Promise<T> {
    const heard = await this.ask(operation, ask);
    const expected = status === undefined ? successesOf(operation) : [status];
    if (!expected.includes(heard.status) || heard.complaints.length > 0)
      throw new Error(`${operation.id}: ${heard.status} ${heard.complaints.join("; ")} ${heard.text}`);
    return JSON.parse(heard.text || "{}") as T;
  }

  private init({ method }: Operation, { headers = {}, body, raw, token = this.token }: Ask): RequestInit {
    return {
      method,
      redirect: "manual",
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(raw === undefined && body === undefined ? {} : { body: raw ?? JSON.stringify(body) }),
    };
  }
}

/** Already in the form of an address, or meant to be: an escape, whether it is one or not. */
const AS_IT_IS = /^[\w.]*%[\w.%]*$/;

/** The address of a request. */
export function pathOf({ path }: Operation, { params = {}, query = [] }: Ask): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? "none";
    return AS_IT_IS.test(value) ? value : encodeURIComponent(value.toWellFormed());
  });
  const pairs = query.map(([name, value]): [string, string] => [name.toWellFormed(), value.toWellFormed()]);
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs).toString()}`;
}
