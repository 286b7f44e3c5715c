/** What readers of streams are asked for, and what they have measured. */

/** In a request, this text stands for an id that no other request has. */
export const UNIQUE = "unique-id-here";

export interface StreamLoad {
  readonly port: number;
  /** What begins a stream: a whole HTTP request; with `acp`, a prompt. */
  readonly request: string;
  /** Streams over connections of ACP: each prompt has a new session. Omitted: over HTTP. */
  readonly acp?: { readonly path: string; readonly token: string };
  /** Where a stream repeats the text of its whole message at the end; omitted: as the service's own streams do. */
  readonly whole?: string;
  readonly streams: number;
  readonly seconds: number;
  /** The process whose CPU is measured. */
  readonly pid: number;
  /** How long the readers wait for the first pieces of all streams before anything is measured. */
  readonly warmUpSeconds: number;
}

interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly count: number;
}

/** Times in ms. */
export interface StreamRun {
  readonly meta: Quantiles;
  readonly firstDelta: Quantiles;
  /** From the provider's socket to the reader. */
  readonly delta: Quantiles;
  readonly cpuUsPerDelta: number;
  readonly cpuUsPerStream: number;
}
