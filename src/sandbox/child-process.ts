/**
 * The service's side of one child. A child has one job at a time, and is killed as soon as it does anything but answer
 * that job in time and in the right format. Nothing here rejects.
 *
 *   idle ─run─▶ working ─answer─▶ idle
 *     │            │
 *     └─ unasked ──┴─ late, too large, malformed, failed, gone ─▶ dead
 */
import type { Subprocess } from "bun";
import { lchownSync } from "node:fs";
import { type JsonLimits, parseWithin } from "../../actors/json-shape.ts";
import { CHILD_ENVIRONMENT, withInputs } from "./bubble.ts";
import { type Launch, launchOf } from "./launch.ts";
import { empty, fillFolder, removeFolder, type SandboxFile } from "./child-folder.ts";
import { lowerSession } from "./low-priority.ts";
import { cpuMsOf } from "./process-cpu.ts";
import { ANSWER_HEAD_BYTES, JOB_FAILED, GROWN, LENGTH_BYTES, MAX_OUTPUT_BYTES } from "./protocol.ts";
import { killGroup } from "./trial.ts";

/** Why there is no result. */
export type SandboxError =
  /** The job failed because of its content. The message is one of a closed list of the job. */
  | "failed"
  | "deadline"
  /** The child died, most likely because the job ran out of memory. */
  | "crashed"
  /** The child could not be started, or the system killed it, most likely because the machine ran out of memory. */
  | "unavailable"
  /** The answer was too large or malformed. */
  | "invalid"
  | "aborted";

export type ChildAnswer =
  | { readonly ok: true; readonly value: unknown; readonly bytes: Uint8Array; readonly cpuMs: number }
  | { readonly ok: false; readonly error: SandboxError; readonly words: string; readonly cpuMs: number };

/** The limits of one job. */
export interface SandboxLimits {
  readonly cpuMs: number;
  readonly wallMs: number;
}

export interface ChildOptions {
  readonly folder?: string | null;
  /** The most bytes of an answer in addition to its text. */
  readonly maxBytes?: number;
}

/** Limits of the value in any answer. */
const VALUE: JsonLimits = { depth: 128, values: 65_536 };
/** Bytes that are written at once. */
export const PIPE_PIECE_BYTES = 64 * 1024;
/** A child whose output has ended is given this long to say how it ended. */
const EXIT_MS = 1_000;
/** The exit code of a wrapper whose command was killed by SIGKILL. */
const KILLED_CODE = 128 + 9;
/** Between two checks of a job's usage. */
const USAGE_LOOK_MS = 100;

export class ChildProcess {
  /** Answered jobs. */
  jobs = 0;
  /** Whether it was ended because a job had left its memory large. */
  hasGrown = false;
  private readonly process: Subprocess<"pipe", "pipe", "ignore">;
  private readonly folder: string | null;
  /** The user that must be able to read the folder's files; null: the service's. */
  private readonly user: number | null;
  private readonly maxBytes: number;
  private waiting: ((answer: ChildAnswer) => void) | null = null;
  private chunks: Uint8Array[] = [];
  private receivedBytes = 0;
  /** The length of the incoming answer, once it is known. */
  private expected: number | null = null;
  private isDead = false;
  /** The CPU time at the first check of a job. */
  private cpuBefore: number | null = null;

  /** `folder` is the child's working directory, whose files it can read; it is removed after the child's death. */
  constructor(launch: Launch, { folder = null, maxBytes = 0 }: ChildOptions = {}) {
    const { sessionNice } = launch;
    const { command, user, ...bubble } = launchOf(launch, folder);
    this.folder = folder;
    this.user = user;
    this.maxBytes = maxBytes;
    if (folder !== null && user !== null) lchownSync(folder, user, user);
    this.process = withInputs(bubble, (fds) =>
      Bun.spawn([...command], {
        cwd: folder ?? "/",
        env: CHILD_ENVIRONMENT,
        stdio: ["pipe", "pipe", "ignore", ...fds],
        // A separate session and process group, so that all of it can be killed at once.
        detached: true,
      }),
    );
    if (sessionNice !== null) lowerSession(this.process.pid, sessionNice);
    // An ending service does not wait for children: they end when their input does.
    this.process.unref();
    void this.listen();
  }

  get isUsable(): boolean {
    return !this.isDead;
  }

  /**
   * Runs one job with these files in its folder, and empties the folder afterwards. `gone`: the child died before it
   * got the job, so another child can take it.
   */
  async runWith(
    files: readonly SandboxFile[],
    ...job: Parameters<ChildProcess["run"]>
  ): Promise<ChildAnswer | "file_missing" | "gone"> {
    if (this.isDead) return "gone";
    if (this.folder === null || files.length === 0) return this.run(...job);
    try {
      if (!(await fillFolder(this.folder, files, this.user))) return "file_missing";
      return this.isDead ? "gone" : await this.run(...job);
    } catch (cause) {
      if (this.isDead) return "gone";
      throw cause;
    } finally {
      await this.clear(this.folder);
    }
  }

  /** A dead child's folder is removed, even if files are being placed or removed there. */
  private async clear(folder: string): Promise<void> {
    try {
      if (!this.isDead) await empty(folder);
    } catch (cause) {
      if (!this.isDead) throw cause;
    }
    if (this.isDead) removeFolder(folder);
  }

  /** Runs one job. `frame` as of `jobFrame`. */
  async run(frame: readonly Uint8Array[], limits: SandboxLimits, signal?: AbortSignal): Promise<ChildAnswer> {
    const from = performance.now();
    const answered = Promise.withResolvers<ChildAnswer>();
    if (this.isDead) return lostAnswer("crashed", 0);
    this.waiting = answered.resolve;
    const watch = setInterval(() => this.look(from, limits), USAGE_LOOK_MS);
    const abort = (): void => this.end("aborted", 0);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted === true) abort();
    else void this.say(frame);
    const answer = await answered.promise;
    clearInterval(watch);
    this.cpuBefore = null;
    signal?.removeEventListener("abort", abort);
    // The child's own figure is limited to what it can have used.
    const cpuMs = Math.min(answer.cpuMs, performance.now() - from);
    // The cause of the failure may have corrupted the child.
    if (!answer.ok) this.kill();
    else this.jobs++;
    return { ...answer, cpuMs };
  }

  kill(): void {
    // Kill only once: afterwards another process may have the same pid.
    if (!this.isDead) killGroup(this.process.pid);
    this.isDead = true;
    if (this.folder !== null) removeFolder(this.folder);
    this.waiting?.(lostAnswer("crashed", 0));
    this.waiting = null;
  }

  /** Checks CPU time rather than wall time alone, because a busy machine gives a child little CPU. */
  private look(from: number, { cpuMs, wallMs }: SandboxLimits): void {
    const cpu = cpuMsOf(this.process.pid);
    this.cpuBefore ??= cpu;
    const used = cpu === null || this.cpuBefore === null ? null : cpu - this.cpuBefore;
    const wall = performance.now() - from;
    if ((used ?? wall) >= cpuMs || wall >= wallMs) this.end("deadline", used ?? wall);
  }

  /**
   * Writes in pieces, each after the child has read the one before: Bun copies what the pipe does not accept, and
   * copying megabytes would block the event loop. A child that dies meanwhile must not end the service.
   */
  private async say(frame: readonly Uint8Array[]): Promise<void> {
    try {
      for (const part of frame)
        for (let from = 0; from < part.length && !this.isDead; from += PIPE_PIECE_BYTES) {
          await this.process.stdin.write(part.subarray(from, from + PIPE_PIECE_BYTES));
          await this.process.stdin.flush();
        }
    } catch {
      // The end of its output says how it ended.
    }
  }

  private async listen(): Promise<void> {
    try {
      for await (const chunk of this.process.stdout) this.hear(chunk);
    } catch {
      // The child's end reports the same.
    }
    // Between two jobs it does not matter how it ended.
    const wasKilled = this.waiting !== null && (await this.wasKilled());
    this.end(wasKilled ? "unavailable" : "crashed", 0);
  }

  /** Whether it was killed from outside: a child that runs out of its own memory ends by another signal. */
  private async wasKilled(): Promise<boolean> {
    if (this.isDead) return false;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, EXIT_MS)));
    await Promise.race([this.process.exited, late]).finally(() => clearTimeout(timer));
    return this.process.signalCode === "SIGKILL" || this.process.exitCode === KILLED_CODE;
  }

  private end(error: SandboxError, cpuMs: number): void {
    this.waiting?.(lostAnswer(error, cpuMs));
    this.waiting = null;
    this.kill();
  }

  private hear(chunk: Uint8Array): void {
    if (this.isDead) return;
    if (this.waiting === null) return this.kill();
    this.chunks.push(chunk);
    this.receivedBytes += chunk.length;
    if (this.expected === null) {
      if (this.receivedBytes < LENGTH_BYTES + ANSWER_HEAD_BYTES) return;
      const head = Buffer.concat(this.chunks);
      const length = head.readUInt32BE(0);
      const text = head.readUInt32BE(LENGTH_BYTES + 5);
      const bytes = length - ANSWER_HEAD_BYTES - text;
      if (text > MAX_OUTPUT_BYTES || bytes < 0 || bytes > this.maxBytes) return this.end("invalid", 0);
      this.expected = LENGTH_BYTES + length;
    }
    if (this.receivedBytes > this.expected) return this.end("invalid", 0);
    if (this.receivedBytes === this.expected) this.answered(Buffer.concat(this.chunks), this.waiting);
  }

  /** A whole answer has arrived. */
  private answered(frame: Buffer, waiting: (answer: ChildAnswer) => void): void {
    const cpuMs = frame.readUInt32BE(LENGTH_BYTES + 1) / 1_000;
    const textEnd = LENGTH_BYTES + ANSWER_HEAD_BYTES + frame.readUInt32BE(LENGTH_BYTES + 5);
    const text = frame.toString("utf8", LENGTH_BYTES + ANSWER_HEAD_BYTES, textEnd);
    const status = frame.readUInt8(LENGTH_BYTES);
    const isDone = (status & JOB_FAILED) === 0;
    const value = isDone ? parseWithin(text, VALUE) : null;
    if (value === undefined) return this.end("invalid", cpuMs);
    this.waiting = null;
    this.chunks = [];
    this.receivedBytes = 0;
    this.expected = null;
    const bytes = frame.subarray(textEnd);
    if ((status & GROWN) !== 0) {
      this.hasGrown = true;
      this.kill();
    }
    waiting(isDone ? { ok: true, value, bytes, cpuMs } : { ok: false, error: "failed", words: text, cpuMs });
  }
}

const lostAnswer = (error: SandboxError, cpuMs: number): ChildAnswer => ({ ok: false, error, words: "", cpuMs });
