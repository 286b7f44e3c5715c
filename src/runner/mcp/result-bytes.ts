/**
 * The bytes of images and files in results of an MCP server. They pass by the client library, which would parse them as
 * base64: the reader of the answer leaves them here, and the call takes them by the key in the result.
 */
import { type ResultFile, MAX_RESULT_FILES } from "../../sandbox/jobs/mcp-result-content.ts";
import type { HeldByReader, HeldBytes } from "../held-bytes.ts";

/** A file of a result, as its server names it. */
export interface McpResultFile {
  readonly mime: string;
  readonly uri: string | null;
  readonly bytes: Uint8Array;
}

/** The files of one result; disposing releases their memory. */
export interface McpResultFiles extends Disposable {
  readonly files: readonly McpResultFile[];
}

const NO_RESULT_FILES: McpResultFiles = { files: [], [Symbol.dispose]() {} };

export class ResultBytes {
  private readonly held: () => HeldByReader;
  private readonly left = new Map<string, McpResultFiles>();
  private isOver = false;

  /** Files that no call has taken are dropped when `end` aborts. */
  constructor(held: HeldBytes, organizationId: string, end: AbortSignal) {
    this.held = () => held.of(organizationId);
    end.addEventListener("abort", () => this.drop(), { once: true });
    if (end.aborted) this.isOver = true;
  }

  /** The key of these files; null if there is no room in memory for them. */
  leave(files: readonly McpResultFile[]): string | null {
    const held = this.held();
    if (this.isOver || !held.add(files.reduce((sum, { bytes }) => sum + bytes.length, 0))) {
      held.release();
      return null;
    }
    const key = crypto.randomUUID();
    this.left.set(key, { files, [Symbol.dispose]: () => held.release() });
    return key;
  }

  take(key: unknown): McpResultFiles {
    const found = typeof key === "string" ? this.left.get(key) : undefined;
    if (found === undefined) return NO_RESULT_FILES;
    this.left.delete(String(key));
    return found;
  }

  private drop(): void {
    this.isOver = true;
    for (const files of this.left.values()) files[Symbol.dispose]();
    this.left.clear();
  }
}

/** The files that a result names, with their bytes; null if these do not fit together. A compromised child may say anything. */
export function resultFilesIn(named: unknown, bytes: Uint8Array): readonly McpResultFile[] | null {
  if (!Array.isArray(named) || named.length > MAX_RESULT_FILES) return null;
  const files: McpResultFile[] = [];
  let from = 0;
  for (const one of named as Partial<ResultFile>[]) {
    const { size, mime, uri } = one ?? {};
    if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 1 || typeof mime !== "string") return null;
    if (uri !== null && typeof uri !== "string") return null;
    files.push({ mime, uri, bytes: bytes.subarray(from, (from += size)) });
  }
  return from === bytes.length ? files : null;
}
