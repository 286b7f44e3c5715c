/** What the body of a webhook says. */
export interface WebhookEvent {
  /** The same each time that the event is sent. */
  readonly id: string;
  /** For example `job.completed`. */
  readonly type: string;
  readonly api_version: string;
  readonly created_at: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly organization_id: string;
  /** One more with each event of the organization: a gap says that one is missing. */
  readonly sequence: number;
  readonly source: "job_lifecycle" | "api_mutation" | "test";
  readonly actor: { readonly type: string; readonly id: string };
  readonly request_id: string | null;
  readonly resource: {
    readonly type: string;
    readonly id: string;
    readonly url: string;
    readonly version: number | null;
  };
  readonly data: { readonly [key: string]: unknown };
  readonly changes?: readonly unknown[];
  /** `data` was too large and has ids and the status only: read the record. */
  readonly truncated?: boolean;
}
