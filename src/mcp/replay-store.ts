/** The recent messages of one session's streams, for a client that reconnects with `Last-Event-ID`. */
import type { EventStore } from "@modelcontextprotocol/server";

export type ReplayedMessage = Parameters<EventStore["storeEvent"]>[1];

/** Limits of the buffer, in messages and characters: a few answers of the size of a job. */
const MESSAGES = 256;
const CHARACTERS = 1024 * 1024;

interface KeptMessage {
  readonly id: string;
  readonly streamId: string;
  readonly message: ReplayedMessage;
  readonly characters: number;
}

export class ReplayStore implements EventStore {
  private readonly kept: KeptMessage[] = [];
  private readonly idOf: (streamId: string, message: ReplayedMessage) => string;
  private characters = 0;

  /** `idOf` makes a new id at each call. */
  constructor(idOf: (streamId: string, message: ReplayedMessage) => string) {
    this.idOf = idOf;
  }

  has(eventId: string): boolean {
    return this.kept.some(({ id }) => id === eventId);
  }

  storeEvent(streamId: string, message: ReplayedMessage): Promise<string> {
    const id = this.idOf(streamId, message);
    const characters = JSON.stringify(message).length;
    this.kept.push({ id, streamId, message, characters });
    this.characters += characters;
    while (this.kept.length > MESSAGES || this.characters > CHARACTERS) {
      const dropped = this.kept.shift();
      if (dropped === undefined) break;
      this.characters -= dropped.characters;
    }
    return Promise.resolve(id);
  }

  getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return Promise.resolve(this.kept.find(({ id }) => id === eventId)?.streamId);
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { readonly send: (eventId: string, message: ReplayedMessage) => Promise<void> },
  ): Promise<string> {
    const at = this.kept.findIndex(({ id }) => id === lastEventId);
    const streamId = this.kept[at]?.streamId ?? "";
    for (const { id, streamId: of, message } of this.kept.slice(at + 1))
      // The first event of a stream has no message.
      if (of === streamId && "jsonrpc" in message) await send(id, message);
    return streamId;
  }
}
