/**
 * Ids of events in a session's streams. An id says where its stream resumes, sealed for its session: which call the
 * stream answers, and which job that call waits for. So a client that reconnects with `Last-Event-ID` gets the rest
 * of the stream even from a process that does not know it (after a restart, or at another replica).
 */
import type { Sealing } from "../../actors/sealing.ts";
import type { SessionName } from "../../actors/traffic/protocol.ts";

/** A call that waits for a job. */
export interface WaitingCall {
  /** The id of the call's request. */
  readonly id: string | number;
  readonly progressToken: string | number | null;
  /** The progress last sent to the client. */
  progress: number;
  /** Null if the job's id is not known before the job begins. */
  readonly jobId: string | null;
  /** Whether the call began the job, so that cancelling the call cancels the job. */
  readonly isOwn: boolean;
  /** Wall clock in ms at which the call answers with the job's state of that moment. */
  readonly endsAt: number;
}

/** `listening`: the stream of a GET; `unknown`: only its own process can resume it. */
export type EventPlace = WaitingCall | "listening" | "unknown";

export class EventIds {
  private readonly sealing: Sealing;
  private readonly context: readonly string[];

  constructor(sealing: Sealing, { userId, key }: SessionName) {
    this.sealing = sealing;
    this.context = [userId, key];
  }

  /** Makes a new id at each call. */
  make(place: EventPlace): string {
    return this.sealing.seal("mcp_event", JSON.stringify(place), this.context);
  }

  /** Undefined if the id does not belong to this session. */
  open(id: string): EventPlace | undefined {
    const text = this.sealing.open("mcp_event", id, this.context);
    return text === null ? undefined : (JSON.parse(text) as EventPlace);
  }
}
