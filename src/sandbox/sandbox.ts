/**
 * Where content of strangers is parsed: in a few child processes that can do little and be killed at
 * any time. The service hands them bytes and gets a small JSON text back.
 *
 * Guarantees: nothing rejects but the placing of a job's files; a job ends within its limits of time; one organization (a lane) has one job
 * at a time, and lanes take turns; what waits is bounded; a child that has failed is never used again,
 * nor is one that has done many jobs; a child that dies between two jobs costs neither of them.
 */
import type { JsonObject } from "../../actors/schema.ts";
import { makeFolder, type SandboxFile } from "./child-folder.ts";
import { type ChildAnswer, ChildProcess, type JobLimits, type SandboxError } from "./child-process.ts";
import type { CpuBudget } from "./cpu-budget.ts";
import { Lanes } from "./lanes.ts";
import { type ChildNeeds, type Launch, launches } from "./launch.ts";
import { bytesOf, type JobContent, jobFrame, MAX_INPUT_BYTES } from "./protocol.ts";

const MIB = 1024 * 1024;
/** Children: one that works for long must not keep all others waiting. */
const CHILDREN = 2;
/** Jobs of one child. What a library leaks ends with it. */
const JOBS_OF_CHILD = 500;

/** What the children of a pool are for. */
export interface PoolKind {
  readonly needs: ChildNeeds;
  /** Of one job. On a machine that is busy a child waits for its idle moments, so the wall allows for more. */
  readonly limits: JobLimits;
  /** What an answer may have besides its text. */
  readonly maxBytes: number;
  /** Where each child has a folder of its own for files; null: they have none. */
  readonly folders: string | null;
  /** For the log: what is lost where no child can be started. */
  readonly lost: string;
  /** Whether the log says what protects the children; of several pools one does. */
  readonly tells: boolean;
}

/** Web pages and answers of MCP servers: honest ones take milliseconds. */
const PAGES: PoolKind = {
  needs: { dataBytes: 512 * MIB, openFiles: 32, hasFolder: false },
  limits: { cpuMs: 3_000, wallMs: 60_000 },
  maxBytes: 0,
  folders: null,
  lost: "agents can read neither web pages nor MCP servers",
  tells: true,
};

/** Of bytes that a query or a preview may answer. */
export const FILE_JOB_BYTES = 9 * MIB;

/** Files of workspaces: queries, which end themselves after 5 s, and previews. */
export const filePool = (folders: string): PoolKind => ({
  needs: { dataBytes: 1_024 * MIB, openFiles: 128, hasFolder: true },
  limits: { cpuMs: 8_000, wallMs: 60_000 },
  maxBytes: FILE_JOB_BYTES,
  folders,
  lost: "files can neither be queried nor previewed",
  tells: false,
});
/** For a child to answer for the first time. */
const START_LIMITS: JobLimits = { cpuMs: 10_000, wallMs: 60_000 };
/** Nobody needs a child that long: it ends, and the next job starts another. */
const IDLE_MS = 5 * 60_000;

export interface SandboxLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface SandboxJob {
  /** A key of `JOBS` in `child.ts`. */
  readonly job: string;
  /** Who waits for whom: the organization. */
  readonly lane: string;
  readonly options: JsonObject;
  /** As it came. */
  readonly content: JobContent;
  /** What the job finds in its folder; of a pool that has folders. */
  readonly files?: readonly SandboxFile[];
  /** Of this job, where it is not those of the pool. */
  readonly limits?: JobLimits;
  /** Whether the child ends with this answer: it has run out of memory, and does not get all of it back. */
  readonly isLast?: (value: unknown) => boolean;
  /** What it shares its CPU time with. */
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
  /** Finds out how children can be started here, and says so in the log; else the first job does. */
  prepare(): Promise<void>;
  close(): void;
}

/** Why a job has failed whose file is gone. */
export const FILE_MISSING = "a file of the job is missing";

const refused = (error: Exclude<SandboxResult, { ok: true }>["error"], words = ""): SandboxResult => ({
  ok: false,
  error,
  words,
});

type FindLaunches = (needs: ChildNeeds) => Promise<readonly Launch[]>;

interface SandboxOptions {
  readonly kind?: PoolKind;
  /** For tests. */
  readonly launches?: FindLaunches;
  /** Whether a lane waits behind the others (FAIR-4); none does unless given. */
  readonly isOverShare?: (lane: string) => boolean;
  /** What handing content to a child has taken of the event loop, in ms. Omitted: nobody keeps account of it. */
  readonly charge?: (lane: string, ms: number) => void;
}

/** It is copied into a pipe in pieces. */
const MS_PER_BYTE = 0.3 / (256 * 1024);

export const createSandbox = (log?: SandboxLog, options: SandboxOptions = {}): Sandbox => new ChildPool(log, options);

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

  constructor(log: SandboxLog | undefined, options: SandboxOptions) {
    const { kind = PAGES, launches: found = launches, isOverShare, charge } = options;
    this.log = log;
    this.kind = kind;
    this.launches = found;
    this.lanes = new Lanes(CHILDREN, 1, isOverShare);
    this.charge = charge;
  }

  async run(job: SandboxJob): Promise<SandboxResult> {
    const { lane, content, budget, signal } = job;
    const bytes = bytesOf(content);
    if (bytes > MAX_INPUT_BYTES) return refused("too_large");
    const release = await this.lanes.enter(lane, bytes, signal);
    if (release === "busy" || release === "aborted") return refused(release);
    try {
      if (budget !== undefined && budget.isSpent) return refused("over_budget");
      this.charge?.(lane, bytes * MS_PER_BYTE);
      const answer = await this.answer(job);
      if (answer === "file_missing") return refused("failed", FILE_MISSING);
      budget?.spend(answer.cpuMs);
      if (!answer.ok) return refused(answer.error, answer.words);
      return { ok: true, value: answer.value, ...(answer.bytes.length === 0 ? {} : { bytes: answer.bytes }) };
    } finally {
      release();
    }
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
    const waiting = this.idle.pop();
    const answer = waiting === undefined ? "gone" : await this.answerOf(waiting, job);
    if (answer !== "gone") return answer;
    const fresh = await this.answerOf(this.child(launch), job);
    return fresh === "gone" ? { ok: false, error: "crashed", words: "", cpuMs: 0 } : fresh;
  }

  private async answerOf(child: ChildProcess, job: SandboxJob): Promise<ChildAnswer | "file_missing" | "gone"> {
    const { job: name, options, content, files = [], limits = this.kind.limits, signal } = job;
    try {
      const answer = await child.runWith(files, jobFrame({ job: name, options }, content), limits, signal);
      if (typeof answer === "string") return answer;
      if (!answer.ok && answer.error !== "failed" && answer.error !== "aborted")
        this.log?.warn({ job: name, error: answer.error, bytes: bytesOf(content) }, "a sandboxed job was killed");
      if (answer.ok && job.isLast?.(answer.value) === true) child.kill();
      return answer;
    } catch (cause) {
      // A file could not be placed: the store does not answer, or the disk is full.
      child.kill();
      throw cause;
    } finally {
      this.keep(child);
    }
  }

  private child(launch: Launch): ChildProcess {
    const { folders, maxBytes } = this.kind;
    return new ChildProcess(launch, { folder: folders === null ? null : makeFolder(folders), maxBytes });
  }

  private keep(child: ChildProcess): void {
    this.idle = this.idle.filter(({ isUsable }) => isUsable);
    if (this.isClosed || child.jobs >= JOBS_OF_CHILD) child.kill();
    if (!child.isUsable) return;
    this.idle.push(child);
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(() => {
      for (const one of this.idle.splice(0)) one.kill();
    }, IDLE_MS);
    this.idleTimer.unref();
  }

  private launched(): Promise<Launch> {
    this.launch ??= this.find();
    return this.launch;
  }

  /** The first way in which a child answers. */
  private async find(): Promise<Launch> {
    const found = await this.launches(this.kind.needs);
    for (const launch of found) {
      const child = this.child(launch);
      const answer = await child.run(jobFrame({ job: "ping", options: {} }, new Uint8Array()), START_LIMITS);
      if (!answer.ok) continue;
      this.keep(child);
      if (this.kind.tells) this.tell(launch);
      return launch;
    }
    this.log?.warn({}, `no child process can be started: ${this.kind.lost}`);
    return found.at(-1) ?? { command: [process.execPath], isIsolated: false, isLimited: false };
  }

  private tell({ isIsolated, isLimited }: Launch): void {
    const fields = { isolated: isIsolated, memoryLimited: isLimited };
    if (isIsolated && isLimited) this.log?.info(fields, "content from outside is parsed in isolated child processes");
    else
      this.log?.warn(
        fields,
        `content from outside is parsed in child processes that are not ${isIsolated ? "limited in memory: install prlimit" : "isolated: install bubblewrap, and allow user namespaces"}`,
      );
  }
}
