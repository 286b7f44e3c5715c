/**
 * One child as the service sees it. It has one job at a time, and it is killed as soon as it does
 * anything but answer that job in time and in form. Nothing here rejects.
 *
 *   idle ─run─▶ working ─answer─▶ idle
 *     │            │
 *     └─ unasked ──┴─ late, too large, malformed, failed, gone ─▶ dead
 */
import type { Subprocess } from "bun";
import { type JsonLimits, parseWithin } from "../../actors/json-shape.ts";
import { CHILD_ENVIRONMENT } from "./bubble.ts";
import { FOLDER, type Launch } from "./launch.ts";
import { empty, fill, removeFolder, type SandboxFile } from "./child-folder.ts";
import { lowerSession } from "./low-priority.ts";
import { cpuMsOf } from "./process-cpu.ts";
import { ANSWER_HEAD_BYTES, DONE, LENGTH_BYTES, MAX_OUTPUT_BYTES } from "./protocol.ts";

/** Why there is no result. */
export type SandboxError =
  /** The job's own failure: the content is not what it should be. Words of the job, of a closed list. */
  | "failed"
  | "deadline"
  /** It died: out of memory, most likely. */
  | "crashed"
  /** The answer was too large or malformed. */
  | "invalid"
  | "aborted";

export type ChildAnswer =
  | { readonly ok: true; readonly value: unknown; readonly bytes: Uint8Array; readonly cpuMs: number }
  | { readonly ok: false; readonly error: SandboxError; readonly words: string; readonly cpuMs: number };

/** What one job may take. */
export interface JobLimits {
  readonly cpuMs: number;
  readonly wallMs: number;
}

export interface ChildOptions {
  readonly folder?: string | null;
  /** Bytes that an answer may have besides its text. */
  readonly maxBytes?: number;
}

/** Limits of the value in any answer. */
const VALUE: JsonLimits = { depth: 128, values: 65_536 };
/** What is written at once. */
export const PIECE_BYTES = 64 * 1024;
/** Between two looks at what a job has used. */
const LOOK_MS = 100;

export class ChildProcess {
  /** Jobs that it has answered. */
  jobs = 0;
  private readonly process: Subprocess<"pipe", "pipe", "ignore">;
  private readonly folder: string | null;
  private readonly maxBytes: number;
  private waiting: ((answer: ChildAnswer) => void) | null = null;
  private heard: Uint8Array[] = [];
  private heardBytes = 0;
  /** Bytes of the answer that is on its way, as soon as they are known. */
  private expected: number | null = null;
  private isDead = false;
  /** At the first look at a job. */
  private cpuBefore: number | null = null;

  /** `folder` is its working directory, of whose files it can read any; it is removed when the child is dead. */
  constructor({ command, isImpolite = false }: Launch, { folder = null, maxBytes = 0 }: ChildOptions = {}) {
    this.folder = folder;
    this.maxBytes = maxBytes;
    this.process = Bun.spawn(
      folder === null ? [...command] : command.map((word) => (word === FOLDER ? folder : word)),
      {
        cwd: folder ?? "/",
        env: CHILD_ENVIRONMENT,
        stdin: "pipe",
        stdout: "pipe",
        stderr: "ignore",
        // A session of its own, and a group that is ended as a whole.
        detached: true,
      },
    );
    if (!isImpolite) lowerSession(this.process.pid);
    // A service that ends waits for no child: their input ends with it.
    this.process.unref();
    void this.listen();
  }

  get isUsable(): boolean {
    return !this.isDead;
  }

  /**
   * Runs one job with these files in its folder, which is empty again afterwards. `gone`: the child died before it
   * had the job, so another one can have it.
   */
  async runWith(
    files: readonly SandboxFile[],
    ...job: Parameters<ChildProcess["run"]>
  ): Promise<ChildAnswer | "file_missing" | "gone"> {
    if (this.isDead) return "gone";
    if (this.folder === null || files.length === 0) return this.run(...job);
    try {
      if (!(await fill(this.folder, files))) return "file_missing";
      return this.isDead ? "gone" : await this.run(...job);
    } catch (cause) {
      if (this.isDead) return "gone";
      throw cause;
    } finally {
      await this.clear(this.folder);
    }
  }

  /** With a child its folder goes, also while files are put there or removed. */
  private async clear(folder: string): Promise<void> {
    try {
      if (!this.isDead) await empty(folder);
    } catch (cause) {
      if (!this.isDead) throw cause;
    }
    if (this.isDead) removeFolder(folder);
  }

  /** Runs one job. `frame` as of `jobFrame`. */
  async run(frame: readonly Uint8Array[], limits: JobLimits, signal?: AbortSignal): Promise<ChildAnswer> {
    const from = performance.now();
    const answered = Promise.withResolvers<ChildAnswer>();
    if (this.isDead) return lost("crashed", 0);
    this.waiting = answered.resolve;
    const watch = setInterval(() => this.look(from, limits), LOOK_MS);
    const abort = (): void => this.end("aborted", 0);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted === true) abort();
    else void this.say(frame);
    const answer = await answered.promise;
    clearInterval(watch);
    this.cpuBefore = null;
    signal?.removeEventListener("abort", abort);
    // What a child says of itself is bounded by what it can have used.
    const cpuMs = Math.min(answer.cpuMs, performance.now() - from);
    // Whatever made it fail may have left something behind.
    if (!answer.ok) this.kill();
    else this.jobs++;
    return { ...answer, cpuMs };
  }

  kill(): void {
    // Once: its number may be another one's afterwards.
    if (!this.isDead) killGroup(this.process.pid);
    this.isDead = true;
    if (this.folder !== null) removeFolder(this.folder);
    this.waiting?.(lost("crashed", 0));
    this.waiting = null;
  }

  /** A machine that is busy gives a child little time, so it is not the clock on the wall that counts. */
  private look(from: number, { cpuMs, wallMs }: JobLimits): void {
    const cpu = cpuMsOf(this.process.pid);
    this.cpuBefore ??= cpu;
    const used = cpu === null || this.cpuBefore === null ? null : cpu - this.cpuBefore;
    const wall = performance.now() - from;
    if ((used ?? wall) >= cpuMs || wall >= wallMs) this.end("deadline", used ?? wall);
  }

  /**
   * In pieces, each when the child has taken the one before: what a pipe does not take is copied, and a page of megabytes
   * would hold the loop up. A child that is gone while it is written to must not end the service.
   */
  private async say(frame: readonly Uint8Array[]): Promise<void> {
    try {
      for (const part of frame)
        for (let from = 0; from < part.length && !this.isDead; from += PIECE_BYTES) {
          await this.process.stdin.write(part.subarray(from, from + PIECE_BYTES));
          await this.process.stdin.flush();
        }
    } catch {
      this.end("crashed", 0);
    }
  }

  private async listen(): Promise<void> {
    try {
      for await (const chunk of this.process.stdout) this.hear(chunk);
    } catch {
      // As its end: it is gone.
    }
    this.end("crashed", 0);
  }

  private end(error: SandboxError, cpuMs: number): void {
    this.waiting?.(lost(error, cpuMs));
    this.waiting = null;
    this.kill();
  }

  private hear(chunk: Uint8Array): void {
    if (this.isDead) return;
    if (this.waiting === null) return this.kill();
    this.heard.push(chunk);
    this.heardBytes += chunk.length;
    if (this.expected === null) {
      if (this.heardBytes < LENGTH_BYTES + ANSWER_HEAD_BYTES) return;
      const head = Buffer.concat(this.heard);
      const length = head.readUInt32BE(0);
      const text = head.readUInt32BE(LENGTH_BYTES + 5);
      const bytes = length - ANSWER_HEAD_BYTES - text;
      if (text > MAX_OUTPUT_BYTES || bytes < 0 || bytes > this.maxBytes) return this.end("invalid", 0);
      this.expected = LENGTH_BYTES + length;
    }
    if (this.heardBytes > this.expected) return this.end("invalid", 0);
    if (this.heardBytes === this.expected) this.answered(Buffer.concat(this.heard), this.waiting);
  }

  /** A whole answer is there. */
  private answered(frame: Buffer, waiting: (answer: ChildAnswer) => void): void {
    const cpuMs = frame.readUInt32BE(LENGTH_BYTES + 1) / 1_000;
    const textEnd = LENGTH_BYTES + ANSWER_HEAD_BYTES + frame.readUInt32BE(LENGTH_BYTES + 5);
    const text = frame.toString("utf8", LENGTH_BYTES + ANSWER_HEAD_BYTES, textEnd);
    const isDone = frame.readUInt8(LENGTH_BYTES) === DONE;
    const value = isDone ? parseWithin(text, VALUE) : null;
    if (value === undefined) return this.end("invalid", cpuMs);
    this.waiting = null;
    this.heard = [];
    this.heardBytes = 0;
    this.expected = null;
    const bytes = frame.subarray(textEnd);
    waiting(isDone ? { ok: true, value, bytes, cpuMs } : { ok: false, error: "failed", words: text, cpuMs });
  }
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // It is gone.
  }
}

const lost = (error: SandboxError, cpuMs: number): ChildAnswer => ({ ok: false, error, words: "", cpuMs });
