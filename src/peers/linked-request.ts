/**
 * A client's request without a body, received over a link. It stands in for a `Request`: most readers use only the
 * method, the URL and some headers, and building a real one takes longer than the rest of a short answer. Any other
 * property builds the real one, once.
 */

/** The received parts. Header names are in lower case. */
export interface LinkedParts {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Aborts the work for a request, even if nobody has used its signal yet. */
export class LinkedCall {
  private isOver = false;
  private controller: AbortController | null = null;

  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      if (this.isOver) this.controller.abort();
    }
    return this.controller.signal;
  }

  abort(): void {
    this.isOver = true;
    this.controller?.abort();
  }
}

class LinkedHeaders {
  private readonly given: Readonly<Record<string, string>>;
  private real: Headers | null = null;

  constructor(given: Readonly<Record<string, string>>) {
    this.given = given;
  }

  get(name: string): string | null {
    const { given } = this;
    if (Object.hasOwn(given, name)) return given[name]!;
    const bare = name.toLowerCase();
    return Object.hasOwn(given, bare) ? given[bare]! : null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  get whole(): Headers {
    return (this.real ??= new Headers(this.given));
  }
}

class LinkedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: LinkedHeaders;
  readonly body = null;
  private readonly call: LinkedCall;
  private real: Request | null = null;

  constructor({ method, url, headers }: LinkedParts, call: LinkedCall) {
    this.method = method;
    this.url = url;
    this.headers = new LinkedHeaders(headers);
    this.call = call;
  }

  get signal(): AbortSignal {
    return this.call.signal;
  }

  get whole(): Request {
    const { method, url, signal } = this;
    return (this.real ??= new Request(url, { method, headers: this.headers.whole, signal }));
  }
}

/** Delegates the missing properties of a stand-in class to the real object, which each instance builds on demand. */
function standsFor(
  own: { readonly prototype: { readonly whole: object } },
  real: { readonly prototype: object },
): void {
  for (const name of Reflect.ownKeys(real.prototype)) {
    if (name in own.prototype) continue;
    Object.defineProperty(own.prototype, name, {
      configurable: true,
      get(this: { readonly whole: object }): unknown {
        const { whole } = this;
        const value: unknown = Reflect.get(whole, name, whole);
        return typeof value === "function" ? (value.bind(whole) as unknown) : value;
      },
    });
  }
}
standsFor(LinkedHeaders, Headers);
standsFor(LinkedRequest, Request);

export const linkedRequest = (parts: LinkedParts, call: LinkedCall): Request =>
  // It delegates the properties that it lacks to a real `Request`.
  new LinkedRequest(parts, call) as unknown as Request;
