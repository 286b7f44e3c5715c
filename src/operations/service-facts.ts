/** What the public documents say of the service: each fact comes from the code that it is about. */
import type { OperationContract } from "../http/contract/operation.ts";

/** What a code of an error means, and what a caller does about it. */
export interface ErrorExplanation {
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
}

export interface ServiceFacts {
  /** The version of the service. */
  readonly version: string;
  readonly build: { readonly commit: string | null; readonly builtAt: string | null };
  /** Requests of a token in a window, where its organization has no budget of its own. */
  readonly budget: number;
  /** Whether v1 is limited as the current surface is. */
  readonly countsV1: boolean;
  /** What an organization may send to v1 in a minute where it is not; 0: any number. */
  readonly v1RequestsPerMinute: number;
  readonly errorCodes: Readonly<Record<string, ErrorExplanation>>;
  /** All operations of the contract, by their ids. */
  readonly operations: Readonly<Record<string, OperationContract>>;
  /** Whether the service has this path: documents leave out what is not mounted. */
  readonly hasPath: (path: string) => boolean;
}
