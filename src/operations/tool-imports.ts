/** Port: imports tools from OpenAPI documents (RUN-14). Their content is untrusted, so the sandbox parses it. */
import type { Outcome } from "../../actors/fault.ts";
import type { Json } from "../../actors/schema.ts";

/** Which operations of a document become tools, and how. */
export interface ToolChoice {
  /** operationIds, or `GET /path`. */
  readonly operations: readonly string[];
  /** A prefix for the names of the tools. */
  readonly prefix: string;
  /** Replaces the document's servers; null keeps them. */
  readonly serverUrl: string | null;
  /** Names of the headers that the tools send, whatever the arguments are. */
  readonly headers: readonly string[];
  /** Where the document was fetched from; null if the caller sent it. */
  readonly documentUrl: string | null;
}

/** The result of reading a document. */
export interface ReadDocument {
  readonly title: string;
  /** The first 300, in the order of the document. */
  readonly operations: readonly {
    readonly operation_id: string;
    readonly method: string;
    readonly path: string;
    readonly summary: string;
  }[];
  readonly total: number;
  /** Tools in the format of the surface, not validated yet: one for each chosen operation without an error. */
  readonly tools: readonly Json[];
  /** What each tool leaves out of its operation. */
  readonly notes: readonly { readonly operation_id: string; readonly message: string }[];
  /** Why an operation cannot become a tool, by its index in the choice. */
  readonly errors: readonly { readonly at: number; readonly message: string }[];
}

export interface ToolImports {
  /**
   * Fetches the text of a document with the guarded client. Errors are `invalid_request` at `/url`. Does not reject.
   */
  fetched(url: string, signal: AbortSignal): Promise<Outcome<string>>;
  /** Reads a document. Errors are `invalid_request` at `/document`. Does not reject. */
  read(organizationId: string, text: string, choice: ToolChoice): Promise<Outcome<ReadDocument>>;
}
