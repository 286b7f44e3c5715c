/**
 * An answer of the pipeline: a `Response`, or what the replica that has forwarded the request takes in place of one
 * (`HandedOn`).
 */
export interface PipelineAnswer {
  readonly status: number;
  readonly headers: Pick<Headers, "get" | "set" | "append">;
}

/** Headers that many answers share, made once. */
export interface SharedHeaders {
  readonly headers: Headers;
  /** The same headers; names in lower case. */
  readonly entries: readonly (readonly [name: string, value: string])[];
}

/** The complete body of an answer. */
export type WholeBody = string | Uint8Array<ArrayBuffer>;
