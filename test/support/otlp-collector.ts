/** A collector of traces: takes OTLP over HTTP, in Protocol Buffers and in JSON, and keeps the spans. */
import { readSpans } from "./otlp-protobuf.ts";

export type AttributeValue = string | number | boolean | readonly string[];

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly isError: boolean;
  readonly resource: Readonly<Record<string, AttributeValue>>;
}

export class OtlpCollector {
  readonly spans: CollectedSpan[] = [];
  readonly requests: {
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly text: string;
  }[] = [];
  private readonly server: Bun.Server<undefined>;

  constructor(answer: () => Response | Promise<Response> = () => new Response(null, { status: 200 })) {
    this.server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const body = await request.bytes();
        const bytes = request.headers.get("content-encoding") === "gzip" ? Bun.gunzipSync(new Uint8Array(body)) : body;
        const { pathname } = new URL(request.url);
        this.requests.push({
          path: pathname,
          headers: Object.fromEntries(request.headers),
          text: Buffer.from(bytes).toString("latin1"),
        });
        const isJson = request.headers.get("content-type") === "application/json";
        this.spans.push(...(isJson ? spansOfJson(Buffer.from(bytes).toString("utf8")) : readSpans(bytes)));
        return answer();
      },
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  named(name: string): CollectedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  /** The names from the span up to the first of its trace that is known. */
  pathOf(span: CollectedSpan): string[] {
    const above = this.spans.find(({ spanId }) => spanId === span.parentSpanId);
    return above === undefined ? [span.name] : [span.name, ...this.pathOf(above)];
  }

  async stop(): Promise<void> {
    await this.server.stop(true);
  }
}

interface JsonValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values?: readonly JsonValue[] };
}
type JsonAttributes = readonly { readonly key: string; readonly value: JsonValue }[];
interface JsonSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: JsonAttributes;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

function spansOfJson(text: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(text) as {
    readonly resourceSpans: readonly {
      readonly resource: { readonly attributes: JsonAttributes };
      readonly scopeSpans: readonly { readonly spans: readonly JsonSpan[] }[];
    }[];
  };
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? "",
        traceState: span.traceState ?? "",
        name: span.name,
        kind: span.kind,
        startNs: BigInt(span.startTimeUnixNano),
        endNs: BigInt(span.endTimeUnixNano),
        attributes: attributesOf(span.attributes ?? []),
        links: span.links ?? [],
        isError: span.status?.code === 2,
        resource: attributesOf(resource.attributes),
      })),
    ),
  );
}

const attributesOf = (list: JsonAttributes): Record<string, AttributeValue> =>
  Object.fromEntries(list.map(({ key, value }) => [key, plain(value)]));

function plain(value: JsonValue): AttributeValue {
  if (value.intValue !== undefined) return Number(value.intValue);
  if (value.arrayValue !== undefined) return (value.arrayValue.values ?? []).map((one) => String(plain(one)));
  return value.stringValue ?? value.boolValue ?? value.doubleValue ?? "";
}
