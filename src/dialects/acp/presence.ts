/**
 * The stream that stands for a connection: it is open as long as the token is accepted, counts as one of the
 * organization's streams, and says nothing but why it ends.
 */
import { type EventSource, type Interruption, QUIET } from "../../http/stream/event-source.ts";
import { acpFrameText } from "./run-frames.ts";

export class Presence implements EventSource {
  next(): typeof QUIET {
    return QUIET;
  }

  onChange(): void {
    // Nothing ever changes.
  }

  close(): void {
    // It holds nothing.
  }

  lastWords(reason: Interruption): string {
    return acpFrameText({ kind: "interrupted", reason });
  }
}
