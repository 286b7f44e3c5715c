/**
 * Ids of events in a session's streams. An id says where its stream goes on, sealed for its session: what call the
 * stream answers, and which job that waits for. So a client that comes back with `Last-Event-ID` to a process that
 * knows nothing of the stream (after a restart, at another replica) gets the rest of it all the same.
 */
import type { Sealing } from "../../actors/sealing.ts";
import type { SessionName } from "../../actors/traffic/protocol.ts";

/** A call that waits for a job. */
export interface WaitingCall {
  /** Of the request that it is. */
  readonly id: string | number;
  readonly progressToken: string | number | null;
  /** What its client was told last. */
  progress: number;
  /** Null where its job cannot be known before it has begun. */
  readonly jobId: string | null;
  /** Whether the call has begun the job, so that its cancellation ends it. */
  readonly isOwn: boolean;
  /** Wall clock in ms at which it answers the job as it is then. */
  readonly endsAt: number;
}

/** `listening`: the stream of a GET; `unknown`: one that only its process can go on with. */
export type EventPlace = WaitingCall | "listening" | "unknown";

export class EventIds {
  private readonly sealing: Sealing;
  private readonly context: readonly string[];

  constructor(sealing: Sealing, { userId, key }: SessionName) {
    this.sealing = sealing;
    this.context = [userId, key];
  }

  /** Another one each time. */
  make(place: EventPlace): string {
    return this.sealing.seal("mcp_event", JSON.stringify(place), this.context);
  }

  /** Undefined for an id that is none of this session. */
  open(id: string): EventPlace | undefined {
    const text = this.sealing.open("mcp_event", id, this.context);
    return text === null ? undefined : (JSON.parse(text) as EventPlace);
  }
}
