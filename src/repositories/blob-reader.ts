/**
 * Reads contents of a fetched repository with one `git cat-file --batch`, which answers requests one after the other:
 * `<object id> blob <size>`, a line break, the bytes, a line break.
 */
import { cutText } from "../../actors/cut-text.ts";
import { type GitOptions, type GitRun, startGit } from "./git.ts";
import type { FileSink } from "bun";

const BLOB_HEAD_BYTES = 200;
const LINE_BREAK_BYTE = 10;

/** Git has ended, or its output does not have this format. */
export class UnreadableRepository extends Error {
  override readonly name = "UnreadableRepository";
}

export class BlobReader {
  private readonly git: GitRun;
  private readonly reader: { read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> };
  private held: Uint8Array = new Uint8Array(0);

  constructor(options: Pick<GitOptions, "folder" | "fileBytes" | "signal" | "isIsolated" | "isPolite">) {
    this.git = startGit(["cat-file", "--batch"], { ...options, hasInput: true });
    this.reader = this.git.child.stdout.getReader();
  }

  /** The content of an object. Read it to its end before the next call. Fails with `UnreadableRepository`. */
  async open(objectId: string): Promise<{ readonly size: number; readonly body: ReadableStream<Uint8Array> }> {
    const input = this.git.child.stdin as FileSink;
    try {
      await input.write(`${objectId}\n`);
      await input.flush();
    } catch {
      throw new UnreadableRepository("git has ended");
    }
    const head = await this.line();
    const [, size] = /^[0-9a-f]{40,64} blob (\d+)$/.exec(head) ?? [];
    if (size === undefined) throw new UnreadableRepository(`git said ${cutText(head, BLOB_HEAD_BYTES)}`);
    let left = Number(size);
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (sink) => {
          if (left === 0) {
            await this.skipLineBreak();
            return sink.close();
          }
          const chunk = await this.next();
          const part = chunk.subarray(0, left);
          this.held = chunk.subarray(part.length);
          left -= part.length;
          sink.enqueue(part);
        },
      },
      { highWaterMark: 0 },
    );
    return { size: Number(size), body };
  }

  async close(): Promise<void> {
    this.git.kill();
    await this.git.ended;
  }

  private async line(): Promise<string> {
    for (;;) {
      const at = this.held.indexOf(LINE_BREAK_BYTE);
      if (at !== -1) {
        const line = new TextDecoder().decode(this.held.subarray(0, at));
        this.held = this.held.subarray(at + 1);
        return line;
      }
      if (this.held.length > BLOB_HEAD_BYTES) throw new UnreadableRepository("git printed too much");
      const before = this.held;
      this.held = new Uint8Array(0);
      this.held = Buffer.concat([before, await this.next()]);
    }
  }

  private async skipLineBreak(): Promise<void> {
    const chunk = await this.next();
    if (chunk[0] !== LINE_BREAK_BYTE) throw new UnreadableRepository("git printed more than the object has");
    this.held = chunk.subarray(1);
  }

  /** The buffered bytes, or the next chunk; never empty. */
  private async next(): Promise<Uint8Array> {
    const { held } = this;
    this.held = new Uint8Array(0);
    if (held.length > 0) return held;
    for (;;) {
      const { done, value } = await this.reader.read();
      if (done || value === undefined) throw new UnreadableRepository("git has ended");
      if (value.length > 0) return value;
    }
  }
}
