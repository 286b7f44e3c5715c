/**
 * Writes large content in a thread (`disk-thread.ts`), so that hashing and writing go on while the event loop
 * receives. The thread starts with the first large content of the process, and serves all later ones.
 *
 *   a full piece ─ its number ─▶ hashed, written ─ its number ─▶ filled again
 *
 * Both threads share the pieces' memory: the thread gets each piece once, and knows it by its number from then
 * on. Per file, the thread has at most `MOST_PIECES` pieces while another one is filled; a faster sender waits.
 */
import { givePiece, type SharedPiece, trimPieces } from "./pieces.ts";
import type { WritingOrder, WritingReport } from "./disk-thread.ts";

/** Pieces of one file in flight: one is written while the next one waits. */
const MOST_PIECES = 2;

interface Orders {
  send(order: WritingOrder): void;
  /** The thread holds the piece until it reports it as written. */
  write(id: number, piece: SharedPiece, length: number): void;
}

/** A file that the thread writes, until `end` or `drop` resolves. */
export class ThreadFile {
  private readonly id: number;
  private readonly orders: Orders;
  private readonly ended = Promise.withResolvers<string>();
  private readonly dropped = Promise.withResolvers<void>();
  private sent = 0;
  private failure: Error | null = null;
  private room: PromiseWithResolvers<void> | null = null;

  constructor(id: number, orders: Orders) {
    this.id = id;
    this.orders = orders;
    // The next write or end reports a failure; until then nobody awaits it.
    this.ended.promise.catch(() => {});
  }

  /** Takes the piece. Resolves when the thread accepts another one. Rejects if an earlier write has failed. */
  async write(piece: SharedPiece, length: number): Promise<void> {
    if (this.failure !== null) {
      givePiece(piece);
      throw this.failure;
    }
    this.sent++;
    this.orders.write(this.id, piece, length);
    if (this.sent < MOST_PIECES) return;
    this.room ??= Promise.withResolvers();
    await this.room.promise;
  }

  /** Resolves to the SHA-256 of the file, in lower-case hex, when all of it is on the disk. */
  end(): Promise<string> {
    this.orders.send({ kind: "end", id: this.id });
    return this.ended.promise;
  }

  /** Resolves when the thread no longer writes the file. */
  drop(): Promise<void> {
    this.orders.send({ kind: "drop", id: this.id });
    return this.dropped.promise;
  }

  /** Handles the thread's report on this file. */
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

  /** The thread has died, with all that it held. */
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
  /** Pieces that the thread holds now. */
  private readonly away = new Map<number, SharedPiece>();
  /** Ids of the pieces that the thread has received. */
  private readonly known = new Set<number>();
  private lastId = 0;

  /** Opens a new file. */
  open(path: string): ThreadFile {
    const id = ++this.lastId;
    const worker = (this.worker ??= this.start());
    // Orders for a thread that has died are lost with it.
    const send = (order: WritingOrder): void => void (this.worker === worker && worker.postMessage(order));
    const file = new ThreadFile(id, {
      send,
      write: (of, piece, length) => {
        if (this.worker !== worker) return givePiece(piece);
        if (!this.known.has(piece.id)) send({ kind: "piece", piece: piece.id, memory: piece.memory });
        this.known.add(piece.id);
        this.away.set(piece.id, piece);
        send({ kind: "write", id: of, piece: piece.id, length });
      },
    });
    // Keep the process alive while something is written.
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
    if (report.kind === "written") this.giveBack(report.piece);
    this.files.get(report.id)?.hear(report);
    if (report.kind === "ended" || report.kind === "dropped") this.close(report.id);
  }

  private giveBack(number: number): void {
    const piece = this.away.get(number);
    if (piece !== undefined) givePiece(piece);
    this.away.delete(number);
  }

  private close(id: number): void {
    this.files.delete(id);
    if (this.files.size > 0) return;
    const pieces = trimPieces();
    for (const number of pieces) this.known.delete(number);
    if (pieces.length > 0) this.worker?.postMessage({ kind: "forget", pieces } satisfies WritingOrder);
    this.worker?.unref();
  }

  /** All files of the thread have failed; the next file starts another thread. */
  private lose(worker: Worker, why: string): void {
    if (this.worker !== worker) return;
    this.worker = null;
    const lost = [...this.files.values()];
    this.files.clear();
    // Its pieces are not reused: it may have stopped in the middle of one.
    this.away.clear();
    this.known.clear();
    for (const file of lost) file.lose(new Error(`the thread that writes files is gone: ${why}`));
  }
}
