/**
 * A reader of a run in the frames of a protocol: from the start of its part, then live, until the part is over. A part
 * ends with the run, or where it waits for the client's tools. Where it waits for something else that the protocol
 * cannot ask for, it ends once the reader has caught up, because the wait may be over by then.
 */
import { notFound, ok, type Outcome } from "../../../actors/fault.ts";
import { isIdOf } from "../../../actors/ids.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import type { StreamItem } from "../../../actors/runtime/streams/replay.ts";
import type { Subscription } from "../../../actors/runtime/streams/subscription.ts";
import { eventStream } from "../../http/stream/event-stream.ts";
import { type EventSource, type Interruption, QUIET } from "../../http/stream/event-source.ts";
import type { Caller } from "../../http/request/caller.ts";
import type { Services } from "../../operations/services.ts";
import type { RunItem } from "./run-item.ts";
import { type RunPart, RunTranslation } from "./run-translation.ts";
import type { Chat } from "../../../actors/chat/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";

/** What a protocol makes of a run. */
export interface RunFrames {
  /** Sent at once. */
  opening(): string;
  /** The frames of one item; `end`, `client_calls` and a `blocked` that ends the stream included. */
  frames(item: RunItem): string;
  /** Where its responses end; absent: `endingOf`. */
  ending?(item: RunItem): RunEnding;
  /** Whether the protocol has ended the stream before the run: it cannot carry what happened. */
  readonly hasEnded?: boolean;
  /** The last frame of a stream that ends early. */
  interrupted(reason: Interruption): string;
}

/** Whether the run waits for something that only other people or programs decide, while a reader may wait with it. */
const isPatient = (item: RunItem): boolean => item.kind === "blocked" && item.reason === "approval_required";

/**
 * Where the part ends: at once, once the reader has caught up, or not here. `asks`: not here, but its frames ask the
 * client for something, so they are sent once the reader has caught up, unless the run has gone on by then.
 */
export type RunEnding = "now" | "caught_up" | "asks" | "no";
export function endingOf(item: RunItem): RunEnding {
  if (item.kind === "end" || item.kind === "client_calls") return "now";
  return item.kind === "blocked" && !isPatient(item) ? "caught_up" : "no";
}

/** The reader's subscription to the stream of the job. */
type RunPlace = Pick<Subscription, "take" | "nextPage" | "onChange" | "close" | "isLost">;

export class FollowedRun implements EventSource {
  /** There is one reader, and the runner has already joined the text. */
  readonly isImmediate = true;
  private readonly subscription: RunPlace;
  private readonly reading: RunTranslation;
  private readonly protocol: RunFrames;
  private isOver = false;
  /** The frames of a wait: sent once the reader has caught up, unless the run has gone on by then. */
  private halt: RunItem | null = null;

  constructor(subscription: RunPlace, reading: RunTranslation, protocol: RunFrames) {
    this.subscription = subscription;
    this.reading = reading;
    this.protocol = protocol;
  }

  next(): string | typeof QUIET | null | Promise<string | null> {
    const { subscription } = this;
    if (this.isOver) return null;
    if (subscription.isLost) {
      this.isOver = true;
      return this.lastWords("failure");
    }
    const items = subscription.take();
    if (items === null) return subscription.nextPage().then((page) => this.rendered(page));
    if (items.length > 0) return this.rendered(items);
    const { halt } = this;
    if (halt === null) return QUIET;
    this.halt = null;
    this.isOver = this.endingOf(halt) === "caught_up";
    return this.protocol.frames(halt);
  }

  onChange(run: () => void): void {
    this.subscription.onChange(run);
  }

  close(): void {
    this.subscription.close();
  }

  lastWords(reason: Interruption): string {
    return this.protocol.interrupted(reason);
  }

  private rendered(items: readonly StreamItem[]): string {
    let text = "";
    for (const item of items) {
      for (const one of this.reading.itemsOf(item)) {
        if (this.isOver) return text;
        text += this.render(one);
        this.isOver ||= this.protocol.hasEnded === true;
      }
    }
    return text;
  }

  private render(item: RunItem): string {
    if (item.kind === "resumed") this.halt = null;
    const ending = this.endingOf(item);
    this.isOver = ending === "now";
    if (ending === "now" || ending === "no") return this.protocol.frames(item);
    this.halt = item;
    return "";
  }

  private endingOf(item: RunItem): RunEnding {
    return this.protocol.ending?.(item) ?? endingOf(item);
  }
}

type FollowServices = Pick<Services, "system" | "streams" | "log">;

export interface FollowOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Runs once, when the stream has ended or its client is gone. */
  readonly onEnd?: () => void;
  /** The run, if `readRun` has just read it for this caller. */
  readonly job?: Job;
}

/** The run, for the user for whom it acts: nobody else finds it here. */
export async function readRun(
  { system }: Pick<Services, "system">,
  { principal }: Pick<Caller, "principal">,
  jobId: string,
): Promise<Outcome<Job>> {
  if (!isIdOf("job", jobId)) return notFound("job");
  const job = await system.dispatch(jobRef(principal.organizationId, jobId), { kind: "read_job" });
  return job.ok && job.value.createdBy !== principal.userId ? notFound("job") : job;
}

/** Streams a part of a run as server-sent events. */
export async function followRun(
  services: FollowServices,
  caller: Caller,
  part: RunPart,
  protocol: RunFrames,
  { job: known, ...options }: FollowOptions = {},
): Promise<Outcome<Response>> {
  const { principal: bearer, requestId } = caller;
  const { jobId } = part;
  const job = known === undefined ? await readRun(services, caller, jobId) : ok(known);
  if (!job.ok) {
    options.onEnd?.();
    return job;
  }
  const { system, streams, log } = services;
  const subscription = system.subscribe(jobRef(bearer.organizationId, jobId), 0);
  const source = new FollowedRun(subscription, new RunTranslation(job.value, part), protocol);
  const onFailure = (err: unknown): void => log.error({ err, requestId, jobId }, "a stream was interrupted");
  return ok(
    eventStream(source, protocol.opening(), {
      connection: caller.connection ?? caller,
      streams,
      bearer,
      onFailure,
      ...options,
    }),
  );
}

/** The newest run of a chat: the one that runs, or the last one that has ended. Null: the chat has no run. */
export async function latestRun(
  services: Pick<Services, "system" | "jobs" | "readCommitted">,
  by: Principal,
  { id, activeJobId }: Chat,
): Promise<Outcome<Job | null>> {
  if (activeJobId !== null) return readRun(services, { principal: by }, activeJobId);
  const found = await services.readCommitted(by.organizationId, () =>
    services.jobs.latest(by.organizationId, { chatId: id, seenBy: by.userId }, 1),
  );
  if (!found.ok) return found;
  const [latest] = found.value;
  return latest === undefined ? ok(null) : readRun(services, { principal: by }, latest.id);
}

/**
 * Which runs have a connected reader in this process. A run without one may have lost its client: then a request that
 * asks for the same is that client's retry (DIA-2). Nothing of it outlives the process, and neither does a connection.
 */
export class RunReaders {
  private readonly counts = new Map<string, number>();

  has(jobId: string): boolean {
    return this.counts.has(jobId);
  }

  /** Counts a reader; the result leaves, once. */
  enter(jobId: string): () => void {
    this.counts.set(jobId, (this.counts.get(jobId) ?? 0) + 1);
    let isHere = true;
    return () => {
      if (!isHere) return;
      isHere = false;
      const left = (this.counts.get(jobId) ?? 1) - 1;
      if (left === 0) this.counts.delete(jobId);
      else this.counts.set(jobId, left);
    };
  }
}
