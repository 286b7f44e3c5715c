/** Port: OpenAPI documents that tools are made from (RUN-14). Their content is somebody else's, and parsed in the sandbox. */
import type { Outcome } from "../../actors/fault.ts";
import type { Json } from "../../actors/schema.ts";

/** What of a document is to become tools. */
export interface ToolChoice {
  /** operationIds, or `GET /path`. */
  readonly operations: readonly string[];
  /** Before the names of the tools. */
  readonly prefix: string;
  /** In the place of the document's servers; null: theirs. */
  readonly serverUrl: string | null;
  /** Where the document is from; null: from the caller. */
  readonly documentUrl: string | null;
}

/** A document as it was read. */
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
  /** Tools in the form of the surface, not checked yet: one for each operation that is chosen and has no error. */
  readonly tools: readonly Json[];
  /** What the tools leave out. */
  readonly notes: readonly { readonly operation_id: string; readonly message: string }[];
  /** Why an operation cannot be a tool, by its place in the choice. */
  readonly errors: readonly { readonly at: number; readonly message: string }[];
}

export interface ToolImports {
  /** The text of a document by the guarded client; what is wrong is `invalid_request` at `/url`. Does not reject. */
  fetched(url: string, signal: AbortSignal): Promise<Outcome<string>>;
  /** Reads a document; what is wrong with it is `invalid_request` at `/document`. Does not reject. */
  read(organizationId: string, text: string, choice: ToolChoice): Promise<Outcome<ReadDocument>>;
}
