/**
 * Passes live text to readers without a turn, if a turn would do nothing else (RT-8). The text of models comes in
 * pieces, ten thousand a second, and each belongs to the streams of two actors. A turn group for a piece reads two
 * records, writes nothing, and passes the piece to the readers once nothing of these actors is pending. In exactly that
 * case the writer passes it on itself. In every other case it does nothing, and a turn group must carry the text.
 *
 * A turn has allowed this: the turn that began this text (`tx.beginText`) declared that the attempt of this message is
 * being written, and a later turn ends it (`tx.endText`, or another beginning). So the writer can check the text itself
 * instead of the records. Order and marks are the same as for turns: with nothing pending, all earlier publications
 * have left.
 */
import type { ActorRef } from "../actor.ts";
import type { LiveActor } from "../turns/live-actor.ts";
import type { LiveActors } from "../turns/live-actors.ts";
import { isSameText, type TextName } from "./live-text.ts";
import type { LoopTime } from "../fairness/loop-time.ts";
import type { Replay } from "./replay.ts";
import type { Shards } from "../placement/shards.ts";

/** Names the text, the actors of one organization whose streams have it, and the epoch. */
export interface WrittenText extends TextName {
  readonly actors: readonly ActorRef[];
  readonly epoch: number;
}

/** What the writer needs from the system. */
interface TextHost {
  readonly shards: Shards;
  readonly actors: LiveActors;
  readonly loopTime: LoopTime;
}

interface Stream {
  readonly actor: LiveActor;
  readonly replay: Replay;
}

export class TextWriter {
  private readonly shards: Shards;
  private readonly live: LiveActors;
  private readonly loopTime: LoopTime;
  private readonly text: WrittenText;
  private streams: readonly Stream[] = [];

  constructor({ shards, actors, loopTime }: TextHost, text: WrittenText) {
    this.shards = shards;
    this.live = actors;
    this.loopTime = loopTime;
    this.text = text;
  }

  /** Adds the piece for the readers of all streams, or of none: false if a turn group must carry it. */
  add(piece: string): boolean {
    const organizationId = this.text.actors[0]?.organizationId;
    if (organizationId === undefined) return false;
    const from = this.loopTime.begin("runs", organizationId);
    try {
      return this.addFor(organizationId, piece);
    } finally {
      this.loopTime.end(from, organizationId, "runs");
    }
  }

  private addFor(organizationId: string, piece: string): boolean {
    const { epoch, messageId } = this.text;
    if (!this.shards.admit(organizationId, { epoch }).ok) return false;
    if (!this.isUsable()) {
      this.streams = this.found();
      if (!this.isUsable()) return false;
    }
    for (const { actor, replay } of this.streams) {
      const { messageId: id, attempt, base, position } = actor.live!;
      actor.live = { messageId: id, attempt, base, position: position + piece.length };
      replay.addText(messageId, piece);
    }
    for (const { replay } of this.streams) replay.wake();
    return true;
  }

  private found(): readonly Stream[] {
    return this.text.actors.flatMap((ref) => {
      const actor = this.live.find(ref);
      return actor === null ? [] : [{ actor, replay: this.live.streamOf(actor) }];
    });
  }

  private isUsable(): boolean {
    const { streams, text } = this;
    if (streams.length !== text.actors.length) return false;
    for (const { actor, replay } of streams) {
      if (actor.isEvicted || actor.epoch !== text.epoch || actor.lastPending !== null || replay.isDropped) return false;
      if (!isSameText(actor.live, text) || !isSameText(replay.textName, text)) return false;
    }
    return true;
  }
}
