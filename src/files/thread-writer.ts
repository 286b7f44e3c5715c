/**
 * Writes large content by a thread of its own (`disk-thread.ts`), so that hashing and writing go on while the loop
 * receives. The thread begins with the first large content of the process, and serves all that follow.
 *
 *   a piece that is full ─ transferred ─▶ hashed, written ─ transferred back ─▶ filled again
 *
 * Of one file at most `MOST_PIECES` are with the thread, and one is being filled; who sends faster waits.
 */
import { givePiece } from "./pieces.ts";
import type { WritingOrder, WritingReport } from "./disk-thread.ts";

/** Of one file: one is written while the next one waits. */
const MOST_PIECES = 2;

type Send = (order: WritingOrder, transfer?: ArrayBuffer[]) => void;

/** A file that the thread writes. It is over when `end` or `drop` resolves. */
export class ThreadFile {
  private readonly id: number;
  private readonly order: Send;
  private readonly ended = Promise.withResolvers<string>();
  private readonly dropped = Promise.withResolvers<void>();
  private sent = 0;
  private failure: Error | null = null;
  private room: PromiseWithResolvers<void> | null = null;

  constructor(id: number, order: Send) {
    this.id = id;
    this.order = order;
    // Whoever writes or ends next hears of a failure; until then it is nobody's.
    this.ended.promise.catch(() => {});
  }

  /** Takes the piece. Resolves when the thread takes another one. Rejects when a write before it has failed. */
  async write(piece: ArrayBuffer, length: number): Promise<void> {
    if (this.failure !== null) throw this.failure;
    this.sent++;
    this.order({ kind: "write", id: this.id, piece, length }, [piece]);
    if (this.sent < MOST_PIECES) return;
    this.room ??= Promise.withResolvers();
    await this.room.promise;
  }

  /** The SHA-256 of all of it, in lower-case hex, when it is on the disk. */
  end(): Promise<string> {
    this.order({ kind: "end", id: this.id });
    return this.ended.promise;
  }

  /** Resolves when the thread no longer writes it. */
  drop(): Promise<void> {
    this.order({ kind: "drop", id: this.id });
    return this.dropped.promise;
  }

  /** What the thread says of it. */
  hear(report: WritingReport): void {
    switch (report.kind) {
      case "written":
        this.sent--;
        return this.resume();
      case "ended":
        return this.ended.resolve(report.sha256);
      case "failed":
        return this.fail(Object.assign(new Error(report.message), { code: report.code }));
      case "dropped":
        return this.dropped.resolve();
    }
  }

  /** The thread is gone, and with it what it held. */
  lose(err: Error): void {
    this.fail(err);
    this.dropped.resolve();
  }

  private fail(err: Error): void {
    this.failure = err;
    this.ended.reject(err);
    this.resume();
  }

  private resume(): void {
    this.room?.resolve();
    this.room = null;
  }
}

export class ThreadWriter {
  private worker: Worker | null = null;
  private readonly files = new Map<number, ThreadFile>();
  private lastId = 0;

  /** Begins a file, which is not there yet. */
  open(path: string): ThreadFile {
    const id = ++this.lastId;
    const worker = (this.worker ??= this.start());
    const file = new ThreadFile(id, (order, transfer = []) => {
      // What a thread that is gone had to do was lost with it.
      if (this.worker === worker) worker.postMessage(order, transfer);
    });
    // The process lives on while something is written.
    if (this.files.size === 0) worker.ref();
    this.files.set(id, file);
    worker.postMessage({ kind: "open", id, path } satisfies WritingOrder);
    return file;
  }

  private start(): Worker {
    const worker = new Worker(new URL("disk-thread.ts", import.meta.url));
    worker.unref();
    worker.addEventListener("message", ({ data }: MessageEvent<WritingReport>) => this.hear(data));
    worker.addEventListener("error", ({ message }: ErrorEvent) => this.lose(worker, message));
    worker.addEventListener("close", () => this.lose(worker, "it has ended"));
    return worker;
  }

  private hear(report: WritingReport): void {
    if (report.kind === "written") givePiece(report.piece);
    this.files.get(report.id)?.hear(report);
    if (report.kind === "ended" || report.kind === "dropped") this.close(report.id);
  }

  private close(id: number): void {
    this.files.delete(id);
    if (this.files.size === 0) this.worker?.unref();
  }

  /** Whatever it wrote has failed; the next file begins another thread. */
  private lose(worker: Worker, why: string): void {
    if (this.worker !== worker) return;
    this.worker = null;
    const lost = [...this.files.values()];
    this.files.clear();
    for (const file of lost) file.lose(new Error(`the thread that writes files is gone: ${why}`));
  }
}
