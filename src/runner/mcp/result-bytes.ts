/**
 * The bytes of images and files in results of an MCP server. They pass by the client library, which would parse them as
 * base64: the reader of the answer leaves them here, and the call takes them by the key in the result.
 */
import type { ResultFile } from "../../sandbox/jobs/mcp-result-content.ts";
import { MAX_RESULT_FILES } from "../../sandbox/jobs/mcp-result-content.ts";
import type { Held, HeldBytes } from "../held-bytes.ts";

/** A file of a result, as its server names it. */
export interface FoundFile {
  readonly mime: string;
  readonly uri: string | null;
  readonly bytes: Uint8Array;
}

/** The files of one result; disposing releases their memory. */
export interface FoundFiles extends Disposable {
  readonly files: readonly FoundFile[];
}

const NOTHING: FoundFiles = { files: [], [Symbol.dispose]() {} };

export class ResultBytes {
  private readonly held: () => Held;
  private readonly left = new Map<string, FoundFiles>();
  private isOver = false;

  /** Files that no call has taken are dropped when `end` aborts. */
  constructor(held: HeldBytes, organizationId: string, end: AbortSignal) {
    this.held = () => held.of(organizationId);
    end.addEventListener("abort", () => this.drop(), { once: true });
    if (end.aborted) this.isOver = true;
  }

  /** The key of these files; null if there is no room in memory for them. */
  leave(files: readonly FoundFile[]): string | null {
    const held = this.held();
    if (this.isOver || !held.add(files.reduce((sum, { bytes }) => sum + bytes.length, 0))) {
      held.release();
      return null;
    }
    const key = crypto.randomUUID();
    this.left.set(key, { files, [Symbol.dispose]: () => held.release() });
    return key;
  }

  take(key: unknown): FoundFiles {
    const found = typeof key === "string" ? this.left.get(key) : undefined;
    if (found === undefined) return NOTHING;
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
export function filesIn(named: unknown, bytes: Uint8Array): readonly FoundFile[] | null {
  if (!Array.isArray(named) || named.length > MAX_RESULT_FILES) return null;
  const files: FoundFile[] = [];
  let from = 0;
  for (const one of named as Partial<ResultFile>[]) {
    const { size, mime, uri } = one ?? {};
    if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 1 || typeof mime !== "string") return null;
    if (uri !== null && typeof uri !== "string") return null;
    files.push({ mime, uri, bytes: bytes.subarray(from, (from += size)) });
  }
  return from === bytes.length ? files : null;
}
