/** What the public documents are made of: everything in them is asked of what does it. */
import type { ModelPort } from "../../actors/job/ports.ts";
import type { OperationContract, Shown } from "../http/operation.ts";
import type { AgentReadiness } from "./schema.ts";

/** What a code of an error means, and what a caller does about it. */
interface ErrorExplanation {
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
}

export interface PublicParts {
  /** The version of the service. */
  readonly version: string;
  readonly build: { readonly commit: string | null; readonly builtAt: string | null };
  readonly models: Pick<ModelPort, "describe">;
  /** Where clients reach the service, without a slash at the end; known when the port is open. */
  readonly appUrl: () => string;
  /** Requests of a token in a window, where its organization has no budget of its own. */
  readonly budget: number;
  /** Whether v1 is limited as the current surface is. */
  readonly countsV1: boolean;
  readonly errorCodes: Readonly<Record<string, ErrorExplanation>>;
  /** All operations of the contract, by their ids. */
  readonly operations: Readonly<Record<string, OperationContract>>;
  /** Whether the service answers at this path: what it does not have yet, no document names. */
  readonly hasPath: (path: string) => boolean;
}

/** One code, as the documents show it. */
export type ExplainedError = Shown<typeof AgentReadiness>["errors"]["codes"][number];

/** The explained codes, with their anchors in the reference. */
export const explainedErrors = ({ errorCodes, appUrl }: PublicParts): readonly ExplainedError[] =>
  Object.entries(errorCodes).map(([code, { status, meaning, remedy }]) => ({
    code,
    status,
    meaning,
    remedy,
    url: `${appUrl()}/api/reference#error-${code}`,
  }));
