/** The text of running messages, put together from the deltas of a stream. */

interface TextEvent {
  readonly event: string;
  readonly data: unknown;
}
interface TextEventData {
  readonly message_id?: unknown;
  readonly position?: unknown;
  readonly text?: unknown;
  readonly content?: unknown;
}

/**
 * Give it every event of a chat's or a job's stream. It is right after cuts too: a delta says where in the
 * message it ends, and an attempt that is begun anew takes its text back.
 */
export class LiveText {
  readonly #texts = new Map<string, string>();

  /** The text of the message that the event is about, as far as it is known; undefined for other events. */
  apply({ event, data }: TextEvent): string | undefined {
    const { message_id: id, position, text, content } = data as TextEventData;
    if (typeof id !== "string") return undefined;
    if (typeof text === "string" && typeof position === "number") {
      const start = position - text.length;
      this.#texts.set(id, (this.#texts.get(id) ?? "").slice(0, start).padEnd(start) + text);
    } else if (event === "message.restarted") this.#texts.set(id, "");
    else if (event === "message.completed" && typeof content === "string") this.#texts.set(id, content);
    else return undefined;
    return this.#texts.get(id);
  }
}
