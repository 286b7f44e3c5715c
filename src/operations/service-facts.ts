/** Facts about the service for the public documents; each comes from the code that it describes. */
import type { OperationContract } from "../http/contract/operation.ts";

/** The meaning of an error code, and what a caller should do. */
export interface ErrorExplanation {
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
}

export interface ServiceFacts {
  /** The version of the service. */
  readonly version: string;
  readonly build: { readonly commit: string | null; readonly builtAt: string | null };
  /** Requests per token and window, unless the organization has its own budget. */
  readonly budget: number;
  /** Whether the rate limits of the current surface also apply to v1. */
  readonly countsV1: boolean;
  /** If they do not: the requests that an organization may send to v1 per minute; 0 means no limit. */
  readonly v1RequestsPerMinute: number;
  readonly errorCodes: Readonly<Record<string, ErrorExplanation>>;
  /** All operations of the contract, by their ids. */
  readonly operations: Readonly<Record<string, OperationContract>>;
  /** Whether the service has this path: documents leave out what is not mounted. */
  readonly hasPath: (path: string) => boolean;
}
