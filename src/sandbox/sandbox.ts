/**
 * Parses untrusted content in a few child processes, which can do little and may be killed at any time. The service
 * hands them bytes and gets a small JSON text back.
 *
 * Guarantees: nothing rejects, except when a job's files cannot be placed; a job ends within its time limits; one
 * organization (a lane) has one job at a time, and lanes take turns; waiting jobs are bounded; each job has the whole
 * memory of its limit, because a child is not reused after a failure, after many jobs, or once it keeps memory. What
 * the job did not cause does not fail it the first time: a job whose child is gone, was killed by the system, or runs
 * out of memory after other jobs runs once more in a fresh child.
 */
import type { JsonObject } from "../../actors/schema.ts";
import { makeFolder, type SandboxFile } from "./child-folder.ts";
import { type ChildAnswer, ChildProcess, type SandboxLimits, type SandboxError } from "./child-process.ts";
import { Lanes } from "./lanes.ts";
import { findStyle } from "./bubble-style.ts";
import { type ChildNeeds, type Launch, launches } from "./launch.ts";
import { contentBytes, type JobContent, jobFrame, MAX_INPUT_BYTES } from "./protocol.ts";
import { MIB } from "../../actors/units.ts";

/** Children: one long job must not keep all others waiting. */
const CHILDREN = 2;
/** Jobs of one child. Its end frees what libraries leak. */
const JOBS_OF_CHILD = 500;

/** The purpose of a pool's children. */
export interface PoolKind {
  readonly needs: ChildNeeds;
  /** Limits of one job. On a busy machine a child runs only in idle moments, so the wall-clock limit is larger. */
  readonly limits: SandboxLimits;
  /** Bytes that an answer may have in addition to its text. */
  readonly maxBytes: number;
  /** The parent folder of the children's own folders for files; null: they have none. */
  readonly folders: string | null;
  /** For the log: what does not work if no child can be started. */
  readonly lost: string;
  /** Whether this pool logs how the children are protected; one pool of several does. */
  readonly tells: boolean;
}

/** Web pages and answers of MCP servers: normal ones take milliseconds. */
const PAGE_POOL: PoolKind = {
  needs: { dataBytes: 512 * MIB, openFiles: 32, hasFolder: false, isAwaited: false },
  limits: { cpuMs: 3_000, wallMs: 60_000 },
  // Images in base64 take a third more.
  maxBytes: (MAX_INPUT_BYTES * 3) / 4,
  folders: null,
  lost: "agents can read neither web pages nor MCP servers",
  tells: true,
};

/** Bytes that a query or a preview may answer. */
export const FILE_JOB_BYTES = 9 * MIB;

/** Files of workspaces: queries, which end themselves after 5 s, and previews. */
export const filePool = (folders: string): PoolKind => ({
  needs: { dataBytes: 1_024 * MIB, openFiles: 128, hasFolder: true, isAwaited: true },
  limits: { cpuMs: 8_000, wallMs: 60_000 },
  maxBytes: FILE_JOB_BYTES,
  folders,
  lost: "files can neither be queried nor previewed",
  tells: false,
});
/** Limits of a child's first answer. */
const START_LIMITS: SandboxLimits = { cpuMs: 10_000, wallMs: 60_000 };
/** A child that is idle this long ends; the next job starts another one. */
const CHILD_IDLE_MS = 5 * 60_000;

export interface SandboxLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface SandboxJob {
  /** A key of `SANDBOX_JOBS` in `child.ts`. */
  readonly job: string;
  /** The lane in which the job waits: the organization. */
  readonly lane: string;
  readonly options: JsonObject;
  /** The content as it was received. */
  readonly content: JobContent;
  /** The files in the job's folder; only for a pool with folders. */
  readonly files?: readonly SandboxFile[];
  /** Limits of this job, if they differ from the pool's. */
  readonly limits?: SandboxLimits;
  /** Whether the child may be the cause of this answer, because memory ran out: it ends, and another one may do the job. */
  readonly isSuspect?: (answer: ChildAnswer) => boolean;
  /** The CPU budget that the job shares with others. */
  readonly budget?: Pick<CpuBudget, "isSpent" | "spend">;
  readonly signal?: AbortSignal;
}

export type SandboxResult =
  | { readonly ok: true; readonly value: unknown; readonly bytes?: Uint8Array }
  | {
      readonly ok: false;
      readonly error: SandboxError | "too_large" | "over_budget" | "busy";
      readonly words: string;
    };

export interface Sandbox {
  run(job: SandboxJob): Promise<SandboxResult>;
  /** Tests how children can be started here, and logs it; otherwise the first job does. */
  prepare(): Promise<void>;
  close(): void;
}

/** The failure of a job whose file has disappeared. */
export const FILE_MISSING = "a file of the job is missing";

const SANDBOX_UNAVAILABLE = { ok: false, error: "unavailable", words: "", cpuMs: 0 } as const;

const refusedResult = (error: Exclude<SandboxResult, { ok: true }>["error"], words = ""): SandboxResult => ({
  ok: false,
  error,
  words,
});

type FindLaunches = (needs: ChildNeeds) => Promise<readonly Launch[]>;

interface SandboxOptions {
  readonly kind?: PoolKind;
  /** For tests. */
  readonly launches?: FindLaunches;
  /** Whether a lane waits behind the others (FAIR-4). Omitted: none does. */
  readonly isOverShare?: (lane: string) => boolean;
  /** Charges the event loop's time for sending content to a child, in ms. Omitted: nothing is charged. */
  readonly charge?: (lane: string, ms: number) => void;
}

/** The cost of copying content into a pipe, in pieces. */
const COPY_MS_PER_BYTE = 0.3 / (256 * 1024);

export const createSandbox = (log?: SandboxLog, options: SandboxOptions = {}): Sandbox => new ChildPool(log, options);

/** Whether a fresh child may do what this one did not. `wasUsed`: it had done other jobs before. */
function mayPassElsewhere(
  answer: ChildAnswer | "file_missing" | "gone",
  { isSuspect, signal }: SandboxJob,
  wasUsed: boolean,
): boolean {
  if (answer === "file_missing" || signal?.aborted === true) return false;
  if (answer === "gone" || (!answer.ok && answer.error === "unavailable")) return true;
  return wasUsed && ((!answer.ok && answer.error === "crashed") || isSuspect?.(answer) === true);
}

class ChildPool implements Sandbox {
  private readonly log: SandboxLog | undefined;
  private readonly kind: PoolKind;
  private readonly launches: FindLaunches;
  private readonly lanes: Lanes;
  private readonly charge: SandboxOptions["charge"];
  private launch: Promise<Launch> | null = null;
  private idle: ChildProcess[] = [];
  private idleTimer: NodeJS.Timeout | undefined;
  private isClosed = false;
  /** Whether a child has grown and was not replaced yet. */
  private hasGrown = false;

  constructor(log: SandboxLog | undefined, options: SandboxOptions) {
    const { kind = PAGE_POOL, launches: found = launches, isOverShare, charge } = options;
    this.log = log;
    this.kind = kind;
    this.launches = found;
    this.lanes = new Lanes(CHILDREN, 1, isOverShare);
    this.charge = charge;
  }

  async run(job: SandboxJob): Promise<SandboxResult> {
    const { lane, content, budget, signal } = job;
    const bytes = contentBytes(content);
    if (bytes > MAX_INPUT_BYTES) return refusedResult("too_large");
    const place = await this.lanes.enter(lane, bytes, signal);
    if (typeof place === "string") return refusedResult(place);
    using _held = place;
    if (budget !== undefined && budget.isSpent) return refusedResult("over_budget");
    this.charge?.(lane, bytes * COPY_MS_PER_BYTE);
    const answer = await this.answer(job);
    if (answer === "file_missing") return refusedResult("failed", FILE_MISSING);
    budget?.spend(answer.cpuMs);
    if (!answer.ok) return refusedResult(answer.error, answer.words);
    return { ok: true, value: answer.value, ...(answer.bytes.length === 0 ? {} : { bytes: answer.bytes }) };
  }

  async prepare(): Promise<void> {
    await this.launched();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.idleTimer);
    for (const child of this.idle.splice(0)) child.kill();
  }

  private async answer(job: SandboxJob): Promise<ChildAnswer | "file_missing"> {
    const launch = await this.launched();
    const used = this.idle.pop();
    const wasUsed = used !== undefined && used.jobs > 0;
    let answer = used === undefined ? await this.answerOfFresh(launch, job) : await this.answerOf(used, job);
    if (mayPassElsewhere(answer, job, wasUsed)) answer = await this.answerOfFresh(launch, job);
    if (this.hasGrown) this.replace(launch);
    return answer === "gone" ? SANDBOX_UNAVAILABLE : answer;
  }

  /** Starts a child in place of one that has grown, so that the next job does not wait for that. */
  private replace(launch: Launch): void {
    this.hasGrown = false;
    const child = this.isClosed || this.idle.length > 0 ? null : this.child(launch);
    if (child !== null) this.keep(child);
  }

  private async answerOfFresh(launch: Launch, job: SandboxJob): ReturnType<ChildPool["answerOf"]> {
    const child = this.child(launch);
    return child === null ? SANDBOX_UNAVAILABLE : this.answerOf(child, job);
  }

  private async answerOf(child: ChildProcess, job: SandboxJob): Promise<ChildAnswer | "file_missing" | "gone"> {
    const { job: name, options, content, files = [], limits = this.kind.limits, signal } = job;
    try {
      const answer = await child.runWith(files, jobFrame({ job: name, options }, content), limits, signal);
      if (typeof answer === "string") return answer;
      if (!answer.ok && answer.error !== "failed" && answer.error !== "aborted")
        this.log?.warn({ job: name, error: answer.error, bytes: contentBytes(content) }, "a sandboxed job was killed");
      if (job.isSuspect?.(answer) === true) child.kill();
      return answer;
    } catch (cause) {
      // A file could not be placed: the store does not respond, or the disk is full.
      child.kill();
      throw cause;
    } finally {
      if (child.hasGrown) this.hasGrown = true;
      this.keep(child);
    }
  }

  private child(launch: Launch): ChildProcess | null {
    const { folders, maxBytes } = this.kind;
    try {
      return new ChildProcess(launch, { folder: folders === null ? null : makeFolder(folders), maxBytes });
    } catch (err) {
      this.log?.warn({ err }, "a child of the sandbox could not be started");
      return null;
    }
  }

  private keep(child: ChildProcess): void {
    this.idle = this.idle.filter(({ isUsable }) => isUsable);
    if (this.isClosed || child.jobs >= JOBS_OF_CHILD) child.kill();
    if (!child.isUsable) return;
    this.idle.push(child);
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(() => {
      for (const one of this.idle.splice(0)) one.kill();
    }, CHILD_IDLE_MS);
    this.idleTimer.unref();
  }

  private launched(): Promise<Launch> {
    this.launch ??= this.find();
    return this.launch;
  }

  /** The first launch whose child answers. */
  private async find(): Promise<Launch> {
    const found = await this.launches(this.kind.needs);
    for (const launch of found) {
      const child = this.child(launch);
      const answer = await child?.run(jobFrame({ job: "ping", options: {} }, new Uint8Array()), START_LIMITS);
      if (child === null || answer?.ok !== true) continue;
      this.keep(child);
      if (this.kind.tells) this.tell(launch, (await findStyle()).why);
      return launch;
    }
    this.log?.warn({}, `no child process can be started: ${this.kind.lost}`);
    return found.at(-1) ?? { command: [process.execPath], isIsolated: false, isLimited: false };
  }

  /** `why`: the reason if there are no bubbles. */
  private tell({ isIsolated, isLimited, style, leftOut = [] }: Launch, why: string | null): void {
    const startsProcesses = style?.hasFilter !== true;
    const fields = {
      isolated: isIsolated,
      memoryLimited: isLimited,
      startsProcesses,
      hasOwnUser: style?.hasOwnUser,
      ...(leftOut.length === 0 ? {} : { leftOut }),
    };
    const missing = isIsolated
      ? isLimited
        ? null
        : `limited in memory: ${leftOut.find((reason) => reason.includes("prlimit")) ?? "prlimit does not work here"}`
      : `isolated: ${why ?? "they do not start in bubblewrap"}`;
    if (missing === null) this.log?.info(fields, "content from outside is parsed in isolated child processes");
    else this.log?.warn(fields, `content from outside is parsed in child processes that are not ${missing}`);
  }
}

/** For all tool calls of one step together. A normal page takes a hundredth of it. */
export const STEP_CPU_MS = 10_000;

/** A budget of CPU time that several jobs share. */
export class CpuBudget {
  private leftMs: number;

  constructor(ms = STEP_CPU_MS) {
    this.leftMs = ms;
  }

  /** A running job may overrun the budget; no job begins after that. */
  get isSpent(): boolean {
    return this.leftMs <= 0;
  }

  spend(ms: number): void {
    this.leftMs -= ms;
  }
}
