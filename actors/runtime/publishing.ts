/** Sends a committed group's publications to the readers of streams. */
import type { Draft } from "./draft.ts";
import type { LiveActors } from "./live-actors.ts";

export function publish(draft: Draft, actors: LiveActors): void {
  for (const { actor, publications } of draft.actors) {
    if (publications.length === 0) continue;
    const replay = actors.streamOf(actor);
    for (const p of publications) {
      if (p.kind === "event") replay.publish(p.event);
      else if (p.kind === "add") replay.addText(p.messageId, p.text);
      else if (p.kind === "begin") replay.beginText(p.messageId, p.attempt, p.text, p.told);
      else replay.endText(p.messageId);
    }
    replay.wake();
  }
}
