/**
 * What the file tools need from the service: the files of the workspace that the job works in. Each method acts for the
 * agent of the call and answers refusals as faults. Paths are as the model wrote them.
 */
import type { Outcome } from "../../../actors/fault.ts";
import type { ToolContext } from "../../../actors/job/ports.ts";
import type { MadeArtifact } from "../../../actors/job/terms.ts";
import type { DataQuery, DataResult } from "../../../actors/workspace/data-queries.ts";
import type { CpuBudget } from "../../sandbox/sandbox.ts";

/** A file or directory, as a model sees it. */
export interface ToolFile {
  readonly path: string;
  readonly kind: "file" | "directory";
  /** Bytes; for a directory, of all files below it. */
  readonly size: number;
}

/** A file that a call has written or moved. */
export interface ChangedToolFile extends ToolFile {
  /** The job's artifact for the file; null for a directory. */
  readonly artifact: MadeArtifact | null;
}

export interface ReadText {
  readonly path: string;
  readonly text: string;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Where the next part begins; null if this is the last one. */
  readonly nextOffset: number | null;
}

/** A query of the tool `query_data`. */
export interface ToolQuery {
  readonly query: string;
  readonly params: DataQuery["params"];
  readonly database: string | null;
  readonly limit: number;
  readonly budget: CpuBudget;
  readonly signal: AbortSignal;
}

export interface FileService {
  list(
    context: ToolContext,
    query: { readonly path: string; readonly isRecursive: boolean; readonly limit: number },
  ): Promise<Outcome<readonly ToolFile[]>>;
  search(
    context: ToolContext,
    text: string,
  ): Promise<Outcome<readonly (ToolFile & { readonly excerpt: string | null })[]>>;
  /** Reads from a byte offset. Refuses a file that is not text. */
  read(context: ToolContext, path: string, offset: number): Promise<Outcome<ReadText>>;
  write(context: ToolContext, path: string, text: string): Promise<Outcome<ChangedToolFile>>;
  /** Replaces a text that occurs exactly once in the file; refuses if the file has changed meanwhile. */
  replace(
    context: ToolContext,
    change: { readonly path: string; readonly oldText: string; readonly newText: string },
  ): Promise<Outcome<ChangedToolFile>>;
  /** Runs one SELECT over files of the workspace. */
  query(context: ToolContext, query: ToolQuery): Promise<Outcome<DataResult>>;
  move(
    context: ToolContext,
    move: { readonly from: string; readonly to: string; readonly overwrite: boolean },
  ): Promise<Outcome<ChangedToolFile>>;
}
